// Loss and accuracy per epoch of one job, as two small plots.

import { make } from "./dom.js";
import { baseLayout, themeColour } from "./theme.js";

const QUANTITIES = [
  { name: "Loss", train: "train_loss", validation: "validation_loss", format: "" },
  { name: "Accuracy", train: "train_accuracy", validation: "validation_accuracy", format: ".0%" },
];

/** Create the two empty plots. */
export const makeCurves = () =>
  make("div", { class: "curves" }, ...QUANTITIES.map(({ name }) =>
    make("div", { class: "curve", role: "img", "aria-label": `${name} per epoch` })));

/** Draw the curves so far; validation is dashed as on the card. The elements must be on the page. */
export function drawCurves(container, curves) {
  QUANTITIES.forEach((quantity, index) => {
    const traces = [
      line(curves, quantity.train, "train", { color: themeColour("accent"), width: 1.5 }),
      line(curves, quantity.validation, "validation", { color: themeColour("ink"), width: 2, dash: "dash" }),
    ];
    window.Plotly.react(container.children[index], traces, layout(quantity), {
      displayModeBar: false, staticPlot: true, responsive: true,
    });
  });
}

/** Remove the plots and free their memory. */
export function dropCurves(container) {
  for (const drawing of container.children) window.Plotly.purge(drawing);
  container.remove();
}

const line = (curves, column, name, style) => ({
  type: "scatter", mode: curves.epoch.length > 1 ? "lines" : "markers", name, line: style, marker: { color: style.color },
  x: curves.epoch, y: curves[column],
});

const layout = (quantity) => {
  const axis = { gridcolor: themeColour("line"), zeroline: false, fixedrange: true, automargin: true, ticks: "outside", ticklen: 5, tickcolor: "rgba(0,0,0,0)" };
  return {
    ...baseLayout(),
    margin: { l: 40, r: 8, t: 30, b: 30 },
    title: { text: `${quantity.name} per epoch`, font: { size: 13 }, x: 0, xanchor: "left", y: 0.98 },
    showlegend: true,
    legend: { orientation: "h", x: 1, xanchor: "right", y: 1.02, yanchor: "bottom", font: { size: 11 } },
    xaxis: { ...axis, rangemode: "tozero" },
    yaxis: { ...axis, rangemode: "tozero", tickformat: quantity.format },
  };
};
