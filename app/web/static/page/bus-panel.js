// One bus: the prediction, its probabilities, and whether it is correct.

import { fill, make } from "./dom.js";
import { asFigure, asPercent } from "./figures.js";
import { classMark, classStyle } from "./palette.js";

const PARTS = {
  train: "training: the model was trained on this label",
  validation: "validation: used to choose the best epoch",
  test: "test: not used in training",
};

/** Show a bus; without a model, show only the data of the grid. */
export function showBus(container, grid, verdicts, bus) {
  const predicted = verdicts.predicted[bus];
  fill(container,
    make("h3", { id: "bus-name" }, grid.title(bus)),
    predicted < 0 ? make("p", { class: "hint" }, "No model has been trained for this grid yet.") : null,
    facts(grid, verdicts, bus),
    predicted < 0 ? null : bars(verdicts, bus));
}

/** Add the feature values of the bus. */
export function showFeatures(container, features) {
  const text = Object.entries(features).map(([name, value]) => `${name} ${asFigure(value)}`).join(", ");
  container.querySelector(".features")?.remove();
  if (text) container.append(make("p", { class: "hint features" }, `Features of this bus: ${text}`));
}

function facts(grid, verdicts, bus) {
  const rows = [];
  if (verdicts.predicted[bus] >= 0) {
    rows.push(["Predicted", verdicts.classNames[verdicts.predicted[bus]]]);
    rows.push(["True label", verdict(verdicts, bus)]);
    rows.push(["Part of the split", PARTS[verdicts.partOf(bus)] ?? "none"]);
  }
  rows.push(["Neighbours", String(grid.neighbourCount(bus))]);
  return make("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

function verdict(verdicts, bus) {
  const truth = verdicts.truthName(bus);
  if (truth === null) return "unknown";
  const wrong = verdicts.isWrong(bus);
  return make("span", {}, `${truth} – `, make("span", { class: `verdict ${wrong ? "wrong" : "right"}` }, wrong ? "✗ predicted wrongly" : "✓ predicted correctly"));
}

function bars(verdicts, bus) {
  const rows = verdicts.probabilities(bus).flatMap((share, index) => {
    const level = make("span");
    level.style.width = `${100 * share}%`;
    level.style.background = classStyle(index).colour;
    return [
      make("span", { class: "row" }, sized(classMark(index)), verdicts.classNames[index]),
      make("div", { class: "bar", "aria-hidden": "true" }, level),
      make("span", { class: "share" }, asPercent(share)),
    ];
  });
  return make("div", { class: "bars", role: "group", "aria-label": "Probability of every class" }, ...rows);
}

function sized(mark) {
  mark.setAttribute("width", 16);
  mark.setAttribute("height", 16);
  return mark;
}
