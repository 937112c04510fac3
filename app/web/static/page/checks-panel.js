// The checks of a grid model: findings by severity, with the reason and what to do about them.

import { checksCsv, getChecks } from "./api.js";
import { byId, fill, make } from "./dom.js";
import { plural } from "./figures.js";
import { guarded } from "./notices.js";

const LISTED = 10;
const WORDS = { error: ["error", "errors"], warning: ["warning", "warnings"], note: ["note", "notes"] };

export class ChecksPanel {
  constructor({ selectBus }) {
    Object.assign(this, { selectBus, graph: null });
  }

  /** Show the counts of the import report; the findings are computed on request. */
  show(graph) {
    this.graph = graph;
    fill(byId("checks-list"));
    const counts = graph.report.checks;
    const button = make("button", { type: "button", id: "checks-button", onclick: () => this.load() }, "Show the findings");
    fill(byId("checks-summary"), counts ? badges(counts) : make("p", { class: "hint" }, "This grid was stored before there were checks."), make("div", { class: "row" }, button, csvLink(graph)));
    button.hidden = Boolean(counts) && counts.errors + counts.warnings + counts.notes === 0;
  }

  async load() {
    const { graph } = this;
    const button = byId("checks-button");
    button.disabled = true;
    await guarded("checks", async () => {
      const report = await getChecks(graph.id, LISTED);
      if (this.graph !== graph) return;
      fill(byId("checks-summary"), badges(report), make("div", { class: "row" }, csvLink(graph)));
      fill(byId("checks-list"), ...report.results.map((result) => this.describeRule(result)), describeSkipped(report.skipped));
    });
    button.disabled = false;
  }

  describeRule({ rule, severity, title, why, fix, count, findings }) {
    const more = count > findings.length ? make("li", { class: "hint" }, `and ${(count - findings.length).toLocaleString("en")} more`) : null;
    return make(
      "details",
      { class: "finding", "data-rule": rule },
      make("summary", {}, badge(severity, WORDS[severity][0]), ` ${title} `, make("span", { class: "hint" }, `(${count.toLocaleString("en")})`)),
      make("p", { class: "hint" }, why),
      make("p", { class: "hint" }, make("strong", {}, "What to do: "), fix),
      make("ul", { class: "notes" }, ...findings.map((finding) => this.describeFinding(finding)), more),
    );
  }

  describeFinding({ message, buses, branches }) {
    const id = buses[0] ?? branches[0]?.from;
    const show = id === undefined ? null : make("button", { type: "button", class: "link", onclick: () => this.selectBus(id), "aria-label": `Show bus ${id}` }, "show");
    return make("li", {}, `${message} `, show);
  }
}

const badge = (severity, text) => make("span", { class: `severity ${severity}` }, text);

function badges({ errors, warnings, notes }) {
  const counted = Object.entries({ error: errors, warning: warnings, note: notes }).filter(([, number]) => number);
  if (counted.length === 0) return make("p", { class: "success" }, "No rule has found anything.");
  return make("p", { class: "row" }, ...counted.map(([severity, number]) => badge(severity, plural(number, ...WORDS[severity]))));
}

const csvLink = (graph) => make("a", { href: checksCsv(graph.id), download: `checks of ${graph.name}.csv` }, "Findings as CSV");

function describeSkipped(skipped) {
  if (!skipped.length) return null;
  return make(
    "details",
    { class: "finding" },
    make("summary", { class: "hint" }, `${plural(skipped.length, "rule", "rules")} could not run`),
    make("ul", { class: "notes" }, ...skipped.map(({ rule, reason }) => make("li", {}, `${rule}: ${reason}`))),
  );
}
