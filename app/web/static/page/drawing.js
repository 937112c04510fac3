// The drawing of the grid: zoom, hover, selection of a bus.

import { byId } from "./dom.js";
import { baseLayout } from "./theme.js";
import { makeTraces } from "./traces.js";

const COARSE = window.matchMedia("(pointer: coarse)").matches;
const ZOOM_STEP = 1.5;

export class Drawing {
  constructor(container, onSelect) {
    this.container = container;
    this.onSelect = onSelect;
    this.scene = null;
    this.listening = false;
    byId("zoom-in").addEventListener("click", () => this.zoom(1 / ZOOM_STEP));
    byId("zoom-out").addEventListener("click", () => this.zoom(ZOOM_STEP));
    byId("zoom-reset").addEventListener("click", () => this.showAll());
  }

  /** Draw a grid with the predictions of a model; the zoom is kept for the same grid. */
  async draw(grid, predictions, options) {
    this.scene = { grid, predictions, options };
    await window.Plotly.react(this.container, makeTraces(grid, predictions, options), this.layout(grid), {
      displayModeBar: false, responsive: true, scrollZoom: !COARSE, doubleClick: "reset",
    });
    this.container.dataset.buses = grid.ids.length;
    if (!this.listening) this.listen();
  }

  /** Mark the selected bus with a ring; the other traces do not change. */
  mark(bus) {
    if (!this.scene) return;
    this.scene.options.selected = bus;
    const { x, y } = this.scene.grid;
    window.Plotly.restyle(this.container, { x: [[x[bus]]], y: [[y[bus]]] }, [this.container.data.length - 1]);
  }

  redraw() {
    if (this.scene) this.draw(this.scene.grid, this.scene.predictions, this.scene.options);
  }

  clear() {
    this.scene = null;
    this.listening = false;
    window.Plotly.purge(this.container);
  }

  layout(grid) {
    const axis = { visible: false, autorange: true };
    return {
      ...baseLayout(),
      margin: { l: 4, r: 4, t: 4, b: 4 },
      hovermode: "closest",
      // On touch screens a swipe scrolls the page until the drawing is zoomed in.
      dragmode: COARSE ? false : "pan",
      xaxis: axis,
      yaxis: { ...axis, scaleanchor: "x" },
      uirevision: grid.id,
    };
  }

  listen() {
    this.listening = true;
    this.container.on("plotly_click", ({ points }) => {
      const bus = points[0]?.customdata;
      if (bus !== undefined) this.onSelect(bus);
    });
  }

  zoom(factor) {
    const { xaxis, yaxis } = this.container.layout ?? {};
    if (!xaxis?.range) return;
    window.Plotly.relayout(this.container, {
      "xaxis.range": widen(xaxis.range, factor),
      "yaxis.range": widen(yaxis.range, factor),
      dragmode: "pan",
    });
  }

  showAll() {
    if (!this.scene) return;
    window.Plotly.relayout(this.container, {
      "xaxis.autorange": true, "yaxis.autorange": true, dragmode: COARSE ? false : "pan",
    });
  }
}

function widen([low, high], factor) {
  const middle = (low + high) / 2;
  const half = ((high - low) / 2) * factor;
  return [middle - half, middle + half];
}
