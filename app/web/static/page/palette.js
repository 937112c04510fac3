// Colour and shape of every class, distinguishable by colour-blind readers and without colour.

import { makeSvg } from "./dom.js";

// Okabe and Ito (2008), without black, which is invisible on the dark page.
const COLOURS = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#0072b2", "#d55e00", "#f0e442"];
const SHAPES = ["circle", "square", "triangle-up", "diamond", "hexagon", "star", "pentagon", "cross"];

/** Colours repeat with another shape: 56 pairs are distinct. */
export const classStyle = (index) => ({
  colour: COLOURS[index % COLOURS.length],
  shape: SHAPES[index % SHAPES.length],
});

const OUTLINES = {
  circle: () => makeSvg("circle", { cx: 8, cy: 8, r: 6 }),
  square: () => makeSvg("rect", { x: 2.5, y: 2.5, width: 11, height: 11 }),
  "triangle-up": () => polygon([[8, 1.5], [14.5, 13.5], [1.5, 13.5]]),
  diamond: () => polygon([[8, 1], [15, 8], [8, 15], [1, 8]]),
  hexagon: () => regular(6, 7),
  pentagon: () => regular(5, 7),
  star: () => star(),
  cross: () => polygon([[5.5, 1], [10.5, 1], [10.5, 5.5], [15, 5.5], [15, 10.5], [10.5, 10.5], [10.5, 15], [5.5, 15], [5.5, 10.5], [1, 10.5], [1, 5.5], [5.5, 5.5]]),
};

/** The marker of a class as in the drawing, for legends and panels. */
export function classMark(index) {
  const { colour, shape } = classStyle(index);
  const outline = OUTLINES[shape]();
  outline.setAttribute("fill", colour);
  return mark(outline);
}

/** The square around training buses. */
export const trainingMark = () =>
  mark(makeSvg("rect", { x: 2, y: 2, width: 12, height: 12, fill: "none", stroke: "currentColor", "stroke-width": 2 }));

/** The ring around buses whose label is known. */
export const knownMark = () =>
  mark(makeSvg("circle", { cx: 8, cy: 8, r: 6, fill: "none", stroke: "currentColor", "stroke-width": 2 }));

/** The cross on wrong predictions. */
export const wrongMark = () =>
  mark(makeSvg("path", { d: "M3 3 L13 13 M13 3 L3 13", stroke: "currentColor", "stroke-width": 2.5 }));

const mark = (...shapes) => makeSvg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, ...shapes);

const polygon = (points) => makeSvg("polygon", { points: points.map((point) => point.join(",")).join(" ") });

const regular = (corners, radius) => polygon(around(corners, () => radius));

const star = () => polygon(around(10, (corner) => (corner % 2 ? 3 : 7.5)));

function around(corners, radius) {
  return Array.from({ length: corners }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / corners - Math.PI / 2;
    return [8 + radius(corner) * Math.cos(angle), 8 + radius(corner) * Math.sin(angle)];
  });
}
