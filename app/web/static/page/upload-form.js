// The upload form: sends a grid file and shows the import report or its faults.

import { uploadGrid } from "./api.js";
import { announce, byId, fill, make } from "./dom.js";
import { faultList } from "./faults.js";
import { reportRows } from "./import-report.js";

const JUST_STORED = "levygrid-just-stored";

export class UploadForm {
  constructor(form, { onStored }) {
    Object.assign(this, { form, onStored });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
  }

  async submit() {
    const button = byId("upload-button");
    button.disabled = true;
    fill(byId("upload-result"), make("p", { class: "hint" }, "Reading the file…"));
    try {
      const graph = await uploadGrid(this.read());
      window.sessionStorage.setItem(JUST_STORED, graph.id);
      this.showReport(graph);
      await this.onStored(graph);
    } catch (problem) {
      fill(byId("upload-result"), ...faultList(problem));
    } finally {
      button.disabled = false;
    }
  }

  /** Show the report again after the page was reloaded in another view for the new grid. */
  recall(graph) {
    if (window.sessionStorage.getItem(JUST_STORED) !== graph.id) return;
    window.sessionStorage.removeItem(JUST_STORED);
    this.showReport(graph);
  }

  /** Read the form; an empty field is omitted, so that the service decides. */
  read() {
    const fields = new FormData(this.form);
    for (const [name, value] of [...fields.entries()]) {
      const isEmpty = value instanceof File ? value.name === "" : value === "";
      if (isEmpty) fields.delete(name);
    }
    return fields;
  }

  showReport(graph) {
    const rows = reportRows(graph.report).map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
    const notes = graph.report.notes.map((note) => make("li", {}, note));
    fill(
      byId("upload-result"),
      make("p", { class: "success" }, `${graph.name} is stored.`),
      make("dl", { class: "facts" }, ...rows.flat()),
      notes.length ? make("ul", { class: "notes" }, ...notes) : null,
    );
    announce(`${graph.name} is stored.`);
    this.form.reset();
  }
}
