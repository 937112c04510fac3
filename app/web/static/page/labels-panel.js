// The label sets of a grid, text columns that can become label sets, and files of labels.

import { addLabels, listLabels } from "./api.js";
import { announce, byId, fill, make } from "./dom.js";
import { faultList } from "./faults.js";
import { plural } from "./figures.js";
import { guarded } from "./notices.js";

const MOST_CLASSES = 6;
const MOST_ROWS = 100;

export class LabelsPanel {
  constructor({ onListed }) {
    Object.assign(this, { onListed, graph: null });
    byId("label-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.submitFile(event.target);
    });
    byId("kind-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.add({ kind: event.target.elements.kind.value });
    });
  }

  /** Show the label sets of a grid and the text columns that are not among them. */
  show(graph) {
    this.graph = graph;
    fill(byId("label-result"));
    return this.refresh();
  }

  async refresh(chosen = null) {
    const { graph } = this;
    await guarded("labels", async () => {
      const sets = await listLabels(graph.id);
      if (this.graph !== graph) return;
      fill(byId("label-sets"), ...(sets.length ? sets.map(describeSet) : [make("li", { class: "hint" }, "This grid has no labels yet.")]));
      const names = new Set(sets.map(({ name }) => name));
      this.offerColumns((graph.report.text_columns ?? []).filter(({ name }) => !names.has(name)));
      this.onListed(sets, chosen);
    });
  }

  offerColumns(columns) {
    byId("text-columns").hidden = columns.length === 0;
    fill(byId("text-column-list"), ...columns.map((column) => this.offerColumn(column)));
  }

  offerColumn({ name, values, buses, most_common: common }) {
    const use = () => this.add({ column: name, smallest: Math.max(1, Number.parseInt(byId("smallest").value, 10) || 1) });
    return make(
      "li",
      {},
      make("div", { class: "row" }, make("strong", {}, name), make("button", { type: "button", onclick: use, "aria-label": `Use ${name} as labels` }, "Use as labels")),
      make("p", { class: "hint" }, `${plural(values, "value", "values")} on ${plural(buses, "bus", "buses")}: ${listCounts(common, values)}`),
    );
  }

  async submitFile(form) {
    const fields = new FormData(form);
    for (const [name, value] of [...fields.entries()]) if (value === "") fields.delete(name);
    if (await this.add(fields)) form.reset();
  }

  /** Add a label set and show what became of it; returns whether it was stored. */
  async add(body) {
    const result = byId("label-result");
    const button = byId("label-button");
    button.disabled = true;
    fill(result, make("p", { class: "hint" }, "Adding the labels…"));
    try {
      const added = await addLabels(this.graph.id, body);
      fill(result, ...describeAdded(added));
      announce(`Label set ${added.name} is stored.`);
      await this.refresh(added.name);
      return true;
    } catch (problem) {
      fill(result, ...faultList(problem));
      return false;
    } finally {
      button.disabled = false;
    }
  }
}

function describeSet({ name, definition, class_counts: counts, known, hides }) {
  const classes = Object.values(counts).filter(Boolean).length;
  const hidden = Object.keys(hides).length ? ` Hides ${Object.keys(hides).join(", ")}.` : "";
  return make(
    "li",
    { title: definition },
    make("strong", {}, name),
    make("p", { class: "hint" }, `${plural(classes, "class", "classes")} on ${plural(known, "bus", "buses")}: ${listCounts(counts, classes)}.${hidden}`),
  );
}

/** List the most frequent classes with their buses: "Amprion (84), RWE (55), … 106 more". */
function listCounts(counts, total) {
  const used = Object.entries(counts).filter(([, count]) => count);
  const largest = used.sort(([, one], [, other]) => other - one).slice(0, MOST_CLASSES);
  const listed = largest.map(([name, count]) => `${name} (${count.toLocaleString("en")})`).join(", ");
  return total > largest.length ? `${listed}, … ${total - largest.length} more` : listed;
}

function describeAdded({ name, class_counts: counts, known, report }) {
  const { merged_values: merged = 0, grouped, skipped, repeated } = report;
  const notes = [
    merged ? `${plural(merged, "spelling was", "spellings were")} merged with others.` : null,
    grouped?.count ? `${plural(grouped.count, "rare value is", "rare values are")} grouped: ${grouped.first.slice(0, 10).join(", ")}${grouped.count > 10 ? ", …" : ""}.` : null,
    ...listRows("skipped", skipped),
    ...listRows("repeated", repeated),
  ].filter(Boolean);
  return [
    make("p", { class: "success" }, `${name} is stored: ${plural(Object.keys(counts).length, "class", "classes")} on ${plural(known, "bus", "buses")}.`),
    notes.length ? make("ul", { class: "notes" }, ...notes.map((note) => make("li", {}, note))) : null,
  ];
}

function listRows(word, rows) {
  if (!rows?.count) return [];
  const shown = rows.rows.slice(0, MOST_ROWS).map(({ row, problem }) => `${row}, ${word}: ${problem}`);
  return rows.count > shown.length ? [...shown, `and ${(rows.count - shown.length).toLocaleString("en")} more rows ${word}`] : shown;
}
