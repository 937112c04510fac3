// The settings of a sweep with their accuracy, the best on validation first.

import { fill, make } from "./dom.js";
import { asFigure, asPercent, isNumber } from "./figures.js";

const SHOWN = 6;

/** Show the best combinations; the API returns all of them. */
export function showCandidates(container, sweep, candidates) {
  const measured = candidates.filter(({ seeds }) => seeds > 0);
  if (measured.length === 0) {
    fill(container);
    return;
  }
  const titles = [...sweep.parameters, "Seeds", "Validation", "Test"];
  const head = make("tr", {}, ...titles.map((title) => make("th", { scope: "col" }, title)), make("th"));
  const rows = measured.slice(0, SHOWN).map((candidate, index) => makeRow(sweep, candidate, index === 0));
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  fill(container, table, note(measured.length, sweep.id));
}

function makeRow({ parameters: names }, { parameters, seeds, validation, test }, isBest) {
  const figures = [seeds, asPercent(validation), asPercent(test)];
  const cells = [...names.map((name) => asSetting(parameters[name])), ...figures];
  const mark = make("td", {}, isBest ? make("strong", {}, "best") : "");
  return make("tr", { class: isBest ? "best-row" : null }, ...cells.map((cell) => make("td", {}, String(cell))), mark);
}

const asSetting = (value) => (isNumber(value) ? asFigure(value) : String(value));

function note(count, id) {
  const link = make("a", { href: `sweeps/${encodeURIComponent(id)}` }, "All results");
  const rest = count > SHOWN ? ` (the table shows the best ${SHOWN} of ${count} combinations)` : "";
  return make("p", { class: "hint" }, "Mean accuracy over the seeds; the best is chosen on validation. ", link, rest ? `${rest}.` : ".");
}
