// Plotly traces: branches, buses by their answer, and markers on top of them.

import { asPercent } from "./figures.js";
import { classStyle } from "./palette.js";
import { themeColour } from "./theme.js";

const LARGE_GRID = 5000;
const CROWDED_GRID = 3000;
// Plotly shapes of the same size cover different areas.
const SCALES = { "triangle-up": 1.25, diamond: 1.2, square: 0.95, star: 1.4, cross: 1.15 };

/** Legend entries that are off at first: on a large grid the markers would cover the buses, and rings
 * around all buses tell nothing. */
export function hiddenAtFirst(predictions) {
  const count = predictions.predicted.length;
  const hidden = new Set(count > CROWDED_GRID ? ["training", "wrong", "known"] : []);
  if (predictions.answers.every((_, bus) => predictions.isKnown(bus))) hidden.add("known");
  return hidden;
}

/** Whether a grid of this size is drawn with WebGL, if the browser supports it. */
export const needsWebgl = (busCount) => busCount > LARGE_GRID;

const hasWebgl = () => document.createElement("canvas").getContext("webgl") !== null;

/** Return all traces of a grid; `hidden` contains the legend entries that are off. */
export function makeTraces(grid, predictions, { hidden, selected }) {
  const scene = { grid, predictions, type: needsWebgl(grid.ids.length) && hasWebgl() ? "scattergl" : "scatter", size: markerSize(grid.ids.length) };
  const shown = (bus) => !hidden.has(legendKey(predictions, bus));
  const buses = grid.ids.map((_, bus) => bus).filter(shown);
  return [
    ...branchTraces(scene),
    ...busTraces(scene, buses),
    overlay(scene, "known", hidden.has("known") ? [] : buses.filter((bus) => predictions.isKnown(bus)), knownRing(scene)),
    overlay(scene, "training", hidden.has("training") || !predictions.hasSplit ? [] : buses.filter((bus) => predictions.isTraining(bus)), trainingSquare(scene)),
    overlay(scene, "wrong", hidden.has("wrong") ? [] : buses.filter((bus) => predictions.isWrong(bus)), wrongCross(scene)),
    overlay(scene, "selected", selected === null ? [] : [selected], selectedRing(scene)),
  ];
}

export const legendKey = (predictions, bus) => `class ${predictions.answers[bus]}`;

const markerSize = (count) => Math.max(3, Math.min(12, 20 - 4 * Math.log10(count)));

function branchTraces({ grid, type }) {
  return grid.kindNames.map((name, kind) => {
    const x = [];
    const y = [];
    grid.from.forEach((from, branch) => {
      if (grid.kinds[branch] !== kind) return;
      x.push(grid.x[from], grid.x[grid.to[branch]], null);
      y.push(grid.y[from], grid.y[grid.to[branch]], null);
    });
    return {
      type, x, y, name, mode: "lines", hoverinfo: "skip",
      line: { color: themeColour("branch"), width: type === "scatter" ? 1.5 : 1, dash: kind === 0 ? "solid" : "dot" },
    };
  });
}

function busTraces({ grid, predictions, type, size }, buses) {
  const classes = predictions.classNames.length ? predictions.classNames.map((_, index) => index) : [-1];
  return classes.map((index) => {
    const members = buses.filter((bus) => predictions.answers[bus] === index);
    const style = index < 0 ? { colour: themeColour("unknown"), shape: "circle" } : classStyle(index);
    return {
      type, ...placesOf(grid, members), mode: "markers", name: predictions.classNames[index] ?? "not predicted",
      customdata: members,
      text: members.map((bus) => hoverText(grid, predictions, bus)),
      hovertemplate: "%{text}<extra></extra>",
      marker: {
        size: size * (SCALES[style.shape] ?? 1), color: style.colour, symbol: style.shape,
        line: { color: themeColour("card"), width: type === "scatter" ? 1 : 0 },
      },
    };
  });
}

const overlay = ({ grid, type }, name, members, marker) => ({
  type, name, ...placesOf(grid, members), mode: "markers", hoverinfo: "skip", marker,
});

const knownRing = ({ size }) => outline(1.5 * size, "circle-open", "ink", size / 6);

const trainingSquare = ({ size }) => outline(1.9 * size, "square-open", "ink", size / 6);

const wrongCross = ({ size }) => outline(0.8 * size, "x-thin-open", "ink", size / 6);

const selectedRing = ({ size }) => outline(size + 14, "circle-open", "accent", 4);

const outline = (size, symbol, colour, width) => ({
  size, symbol, color: themeColour(colour), line: { width, color: themeColour(colour) },
});

const placesOf = (grid, members) => ({ x: members.map((bus) => grid.x[bus]), y: members.map((bus) => grid.y[bus]) });

/** Escape a name from an upload: Plotly would interpret "<" as a tag. */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function hoverText(grid, predictions, bus) {
  const lines = [escaped(grid.title(bus))];
  const known = predictions.knownName(bus);
  if (known !== null) lines.push(`known label: ${escaped(known)}`);
  if (predictions.predicted[bus] >= 0) {
    const name = predictions.classNames[predictions.predicted[bus]];
    lines.push(`predicted: ${escaped(name)} (${asPercent(predictions.confidence(bus))})${predictions.isWrong(bus) ? " – wrong" : ""}`);
  }
  if (predictions.hasSplit && predictions.partOf(bus)) lines.push(`part of the split: ${predictions.partOf(bus)}`);
  return lines.join("<br>");
}
