// The automatic choice of a model: what to expect of it, what was chosen, and what else was tried.

import { make } from "./dom.js";
import { asPercent, asScore, isNumber } from "./figures.js";

const SHOWN = 5;

/** Return the elements that explain the choice, from the card of the model. */
export function describeChoice({ headline, selection, warnings }) {
  return [
    ...warnings.map((text) => make("p", { class: "error", role: "note" }, text)),
    expected(selection.estimate),
    make("p", { class: "hint choice-headline" }, headline),
    members(selection.members),
    candidates(selection),
  ].filter(Boolean);
}

function expected(estimate) {
  if (!estimate) return null;
  return make("p", { class: "expected" }, make("strong", {}, asPercent(estimate.accuracy)),
    make("span", { class: "hint" }, `expected accuracy on buses without a label (95% interval ${asPercent(estimate.low)} to ${asPercent(estimate.high)})`));
}

function members(chosen) {
  const items = chosen.map(({ title, key, weight }) =>
    make("li", {}, chosen.length > 1 ? `${asPercent(weight)} ` : null, title || key));
  return make("div", {}, make("h3", {}, chosen.length > 1 ? "Chosen ensemble" : "Chosen method"), make("ul", { class: "members" }, ...items));
}

/** The best candidates by log loss, and how many more there are. */
function candidates(selection) {
  const measured = selection.candidates.filter((one) => isNumber(one.accuracy));
  if (measured.length === 0) return null;
  const best = [...measured.filter((one) => one.status === "chosen"), ...measured.filter((one) => one.status !== "chosen")].slice(0, SHOWN);
  const rows = best.map((one) => make("tr", { class: one.status === "chosen" ? "chosen" : null },
    make("th", { scope: "row" }, one.key), make("td", {}, asPercent(one.accuracy)), make("td", {}, asScore(one.log_loss))));
  const head = ["Candidate", "Accuracy", "Log loss"].map((name) => make("th", { scope: "col" }, name));
  return make("div", {},
    make("table", { class: "candidates" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)),
    make("p", { class: "hint" }, `Out-of-fold figures of the best ${best.length} of ${measured.length} candidates; the least log loss decides. The card lists all of them.`));
}
