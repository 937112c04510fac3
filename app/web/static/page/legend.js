// The legend: the meaning of each marker, its count of buses, and a button to hide it.

import { fill, make } from "./dom.js";
import { asCount } from "./figures.js";
import { classMark, knownMark, trainingMark, wrongMark } from "./palette.js";

/** Show the legend; a click on an entry calls `onToggle(key)`. */
export function showLegend(list, grid, predictions, hidden, onToggle) {
  const buses = grid.ids.map((_, bus) => bus);
  const count = (matches) => buses.filter(matches).length;
  const entries = predictions.classNames.map((name, index) => ({
    key: `class ${index}`, mark: classMark(index), text: name, count: count((bus) => predictions.answers[bus] === index),
  }));
  if (predictions.model) {
    entries.push({ key: "wrong", mark: wrongMark(), text: "wrongly predicted", count: count((bus) => predictions.isWrong(bus)) });
    entries.push({ key: "known", mark: knownMark(), text: "label known", count: count((bus) => predictions.isKnown(bus)) });
    if (predictions.hasSplit) entries.push({ key: "training", mark: trainingMark(), text: "training bus", count: count((bus) => predictions.isTraining(bus)) });
  }
  fill(list, ...entries.map((entry) => make("li", {}, toggle(entry, !hidden.has(entry.key), onToggle))));
}

function toggle({ key, mark, text, count }, shown, onToggle) {
  const button = make("button", { type: "button", "aria-pressed": String(shown) }, mark, `${text}: ${asCount(count)}`);
  button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") === "false"));
    onToggle(key);
  });
  return button;
}
