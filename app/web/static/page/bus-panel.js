// One bus: its answer and where it comes from, the prediction of the model, its probabilities.

import { fill, make } from "./dom.js";
import { asFigure, asPercent } from "./figures.js";
import { classMark, classStyle } from "./palette.js";

const PARTS = {
  train: "training: the model was trained on this label",
  validation: "validation: used to choose the best epoch",
  test: "test: not used in training",
};

const CHOICE_PARTS = {
  train: "known label, used for training; the prediction comes from models that did not see it",
  test: "test: its label was not used",
};

/** Show a bus; without a model, show only the data of the grid. */
export function showBus(container, grid, predictions, bus) {
  const predicted = predictions.predicted[bus];
  fill(container,
    make("h3", { id: "bus-name" }, grid.title(bus)),
    predicted < 0 ? make("p", { class: "hint" }, "No model has been trained for this grid yet.") : null,
    facts(grid, predictions, bus),
    predicted < 0 ? null : bars(predictions, bus));
}

/** Add the feature values of the bus. */
export function showFeatures(container, features) {
  const text = Object.entries(features).map(([name, value]) => `${name} ${asFigure(value)}`).join(", ");
  container.querySelector(".features")?.remove();
  if (text) container.append(make("p", { class: "hint features" }, `Features of this bus: ${text}`));
}

function facts(grid, predictions, bus) {
  const rows = [];
  if (predictions.predicted[bus] >= 0) {
    rows.push(["Answer", describeAnswer(predictions, bus)]);
    rows.push(["Predicted", predictions.classNames[predictions.predicted[bus]]]);
    rows.push(["Possible classes", describeSet(predictions, bus)]);
    rows.push(["Quality", predictions.qualityText(bus)]);
    rows.push(["Known label", describeKnown(predictions, bus)]);
    rows.push(["Use of the label", describeUse(predictions, bus)]);
  }
  rows.push(["Neighbours", String(grid.neighbourCount(bus))]);
  return make("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

const describeAnswer = (predictions, bus) =>
  make("span", {}, make("strong", {}, predictions.classNames[predictions.answers[bus]]),
    predictions.isKnown(bus) ? " (the known label)" : ` (predicted, ${asPercent(predictions.confidence(bus))})`);

/** The prediction set; its promise is the tooltip. */
function describeSet(predictions, bus) {
  const names = predictions.predictionSet(bus);
  const { promise } = predictions;
  const text = names === null ? "no promise: too few labels" : `${names.join(", ")} (${asPercent(promise.coverage)} coverage)`;
  return make("span", { title: promise?.sentence ?? "" }, text);
}

function describeUse(predictions, bus) {
  const part = predictions.partOf(bus);
  return (predictions.isChoice ? CHOICE_PARTS : PARTS)[part] ?? (predictions.isKnown(bus) ? "not used" : "none: it is unknown");
}

function describeKnown(predictions, bus) {
  const known = predictions.knownName(bus);
  if (known === null) return "none";
  const wrong = predictions.isWrong(bus);
  return make("span", {}, `${known} – `, make("span", { class: `verdict ${wrong ? "wrong" : "right"}` }, wrong ? "✗ predicted wrongly" : "✓ predicted correctly"));
}

function bars(predictions, bus) {
  const rows = predictions.probabilities(bus).flatMap((share, index) => {
    const level = make("span");
    level.style.width = `${100 * share}%`;
    level.style.background = classStyle(index).colour;
    return [
      make("span", { class: "row" }, sized(classMark(index)), predictions.classNames[index]),
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
