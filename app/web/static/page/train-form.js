// The settings of a training run and the button that starts it.

import { startTraining } from "./api.js";
import { announce, byId, fill, make, showMessage } from "./dom.js";

const USUAL_LABEL = "role";
const WHOLE = ["epochs", "seed"];
const REAL = ["alpha", "sigma", "gamma"];

export class TrainForm {
  constructor(form, { currentGraph, onStarted }) {
    Object.assign(this, { form, currentGraph, onStarted });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
  }

  /** Offer the label sets of a grid, the usual one first; without any, nothing can be trained. */
  offer(labelNames) {
    const isUsual = (name) => name === USUAL_LABEL;
    fill(byId("train-label"), ...labelNames.map((name) => make("option", { value: name, selected: isUsual(name) }, name)));
    const message = this.currentGraph() && labelNames.length === 0 ? "This grid has no labels: there is nothing to learn from." : null;
    showMessage(byId("train-error"), message);
    byId("train-button").disabled = labelNames.length === 0;
  }

  async submit() {
    const button = byId("train-button");
    showMessage(byId("train-error"), null);
    this.markInvalid([]);
    button.disabled = true;
    try {
      const job = await startTraining(this.read());
      announce("Training has been queued.");
      this.onStarted(job);
    } catch (problem) {
      showMessage(byId("train-error"), problem.message);
      this.markInvalid((problem.body?.errors ?? []).map((fault) => fault.where ?? ""));
    } finally {
      button.disabled = false;
    }
  }

  /** An empty field is left out: the service then takes its own default. */
  read() {
    const fields = new FormData(this.form);
    const given = [...REAL, ...WHOLE].filter((name) => fields.get(name).trim() !== "");
    const config = Object.fromEntries(given.map((name) => [name, Number(fields.get(name))]));
    return { graph_id: this.currentGraph().id, label: fields.get("label"), config };
  }

  markInvalid(places) {
    for (const name of [...REAL, ...WHOLE]) {
      const wrong = places.some((place) => place.split(/[./]/).includes(name));
      this.form.elements[name].setAttribute("aria-invalid", String(wrong));
    }
  }
}
