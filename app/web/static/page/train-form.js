// The form that starts a training job.

import { startTraining } from "./api.js";
import { announce, byId, fill, make, showMessage } from "./dom.js";

const DEFAULT_LABEL = "role";
const INTEGERS = ["epochs", "seed"];
const NUMBERS = ["alpha", "sigma", "gamma"];
const HINTS = {
  auto: "Compares many methods by cross-validation, trains the best one on all labels and states how good it is expected to be.",
  lfgcn: "10% of the labelled buses are used for training, 20% for validation (best epoch), 70% for testing.",
};

export class TrainForm {
  constructor(form, { currentGraph, onStarted }) {
    Object.assign(this, { form, currentGraph, onStarted });
    form.addEventListener("change", () => {
      this.showMethod();
      this.showHidden();
    });
    this.showMethod();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
  }

  /** Show the settings of the chosen method; the automatic choice has none. */
  showMethod() {
    const isAuto = this.isAuto();
    byId("train-settings").hidden = isAuto;
    byId("train-hint").textContent = HINTS[isAuto ? "auto" : "lfgcn"];
  }

  isAuto() {
    return this.form.elements.method.value === "auto";
  }

  /** Offer the label sets of a grid; without any, training is disabled. */
  offer(labelNames, chosen = DEFAULT_LABEL) {
    const isDefault = (name) => name === chosen;
    fill(byId("train-label"), ...labelNames.map((name) => make("option", { value: name, selected: isDefault(name) }, name)));
    const message = this.currentGraph() && labelNames.length === 0 ? "This grid has no labels, so no model can be trained." : null;
    showMessage(byId("train-error"), message);
    byId("train-button").disabled = labelNames.length === 0;
  }

  /** Take over which columns each label set hides from the features. */
  setHidden(labelSets) {
    this.hides = new Map(labelSets.map(({ name, hides }) => [name, hides]));
    this.showHidden();
  }

  showHidden() {
    const hides = Object.entries(this.hides?.get(byId("train-label").value) ?? {});
    const reasons = new Map();
    for (const [name, why] of hides) reasons.set(why, [...(reasons.get(why) ?? []), name]);
    const parts = [...reasons].map(([why, names]) => `${names.join(", ")} (${why})`);
    showMessage(byId("train-hidden"), parts.length ? `Hidden from the features: ${parts.join("; ")}.` : null);
  }

  async submit() {
    const button = byId("train-button");
    showMessage(byId("train-error"), null);
    this.markInvalid([]);
    button.disabled = true;
    try {
      const job = await startTraining(this.read());
      announce("Training job queued.");
      this.onStarted(job);
    } catch (problem) {
      showMessage(byId("train-error"), problem.message);
      this.markInvalid((problem.body?.errors ?? []).map((fault) => fault.where ?? ""));
    } finally {
      button.disabled = false;
    }
  }

  /** Read the form; an empty field is omitted, so that the service uses its default. */
  read() {
    const fields = new FormData(this.form);
    if (this.isAuto()) return { graph_id: this.currentGraph().id, label: fields.get("label") };
    const given = [...NUMBERS, ...INTEGERS].filter((name) => fields.get(name).trim() !== "");
    const config = { method: "lfgcn", ...Object.fromEntries(given.map((name) => [name, Number(fields.get(name))])) };
    return { graph_id: this.currentGraph().id, label: fields.get("label"), config };
  }

  markInvalid(places) {
    for (const name of [...NUMBERS, ...INTEGERS]) {
      const wrong = places.some((place) => place.split(/[./]/).includes(name));
      this.form.elements[name].setAttribute("aria-invalid", String(wrong));
    }
  }
}
