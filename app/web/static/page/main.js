// Entry point: holds the current grid, model and bus; every other module shows one part of them.

import { findBuses, getBus, getCard, getGraph, getModel, getPredictions, getTopology, listGraphs, listModels, loadCase, Problem } from "./api.js";
import { showBus, showFeatures } from "./bus-panel.js";
import { ChecksPanel } from "./checks-panel.js";
import { announce, byId, fill, make } from "./dom.js";
import { Drawing } from "./drawing.js";
import { asMoment, asPercent, plural } from "./figures.js";
import { makeGrid } from "./grid.js";
import { JobsPanel } from "./jobs-panel.js";
import { LabelsPanel } from "./labels-panel.js";
import { showLegend } from "./legend.js";
import { showModel } from "./model-panel.js";
import { guarded, notify } from "./notices.js";
import { SweepsPanel } from "./sweeps-panel.js";
import { onThemeChange } from "./theme.js";
import { hiddenAtFirst, needsWebgl } from "./traces.js";
import { TrainForm } from "./train-form.js";
import { UploadForm } from "./upload-form.js";
import { Predictions } from "./predictions.js";

const FIRST_CASE = "case118";
const RETRY = 3000;
const PAUSE = 250;
const address = new URLSearchParams(window.location.search);

const state = { graphs: [], graph: null, grid: null, models: [], predictions: null, hidden: new Set(), selected: null, turn: 0 };

const drawing = new Drawing(byId("plot"), selectBus);
const form = new TrainForm(byId("train-form"), { currentGraph: () => state.graph, onStarted: () => jobs.refresh() });
const jobs = new JobsPanel(byId("jobs-list"), {
  graphName,
  onEnded: noticeJob,
  showModel: showModelOf,
});
const sweeps = new SweepsPanel(byId("sweeps"), byId("sweeps-list"), { graphName, showModel: showModelOf });

const labels = new LabelsPanel({
  onListed: (sets, chosen) => {
    if (chosen) form.offer(sets.map(({ name }) => name), chosen);
    form.setHidden(sets);
  },
});
const checks = new ChecksPanel({ selectBus: (id) => selectBus(state.grid.find(id)) });
const upload = new UploadForm(byId("upload-form"), {
  onStored: async (graph) => {
    await refreshGraphs();
    await showGraph(graph.id, null);
  },
});
byId("graph-choice").addEventListener("change", (event) => showGraph(event.target.value, null));
byId("model-choice").addEventListener("change", (event) => showPredictions(event.target.value));
byId("bus-search").addEventListener("submit", searchBus);
byId("bus-input").addEventListener("input", offerMatches);
document.addEventListener("visibilitychange", () => document.hidden || refreshGraphs());
onThemeChange(() => {
  drawing.redraw();
  jobs.redraw();
});
async function start() {
  form.offer([]);
  showModel(byId("model-details"), null);
  await refreshGraphs();
  jobs.refresh();
  sweeps.refresh();
}

/** A grid by its id, or the newest version of the grid with this name. */
function findGraph(wanted) {
  const named = state.graphs.filter(({ name }) => name === wanted).sort((one, other) => other.version - one.version);
  return state.graphs.find(({ id }) => id === wanted) ?? named[0];
}

function graphName(id) {
  return state.graphs.find((graph) => graph.id === id)?.name ?? "a deleted grid";
}

function showModelOf({ graph_id: graphId, model_id: modelId }) {
  return showGraph(graphId, modelId);
}

/** Load the list of grids; retry while the list is empty or the service does not answer. */
async function refreshGraphs() {
  clearTimeout(state.retry);
  try {
    state.graphs = await listGraphs();
    notify("grids");
  } catch (problem) {
    notify("grids", problem);
    state.retry = setTimeout(refreshGraphs, RETRY);
    return;
  }
  const options = state.graphs.map(({ id, name, bus_count: count }) => make("option", { value: id }, `${name} (${plural(count, "bus", "buses")})`));
  fill(byId("graph-choice"), ...(options.length ? options : [make("option", { value: "" }, "none yet")]));
  byId("graph-choice").disabled = options.length === 0;
  if (state.graph) byId("graph-choice").value = state.graph.id;
  if (options.length === 0) {
    showEmpty();
    state.retry = setTimeout(refreshGraphs, RETRY);
  } else if (!state.graph) {
    const wanted = findGraph(address.get("graph")) ?? state.graphs[0];
    await showGraph(wanted.id, address.get("model"));
  }
}

function showEmpty() {
  const button = make("button", { type: "button", class: "primary", onclick: loadFirstCase }, "Load IEEE 118");
  if (byId("map-empty").hidden) fill(byId("map-empty"), make("p", {}, "No grid yet. On its first start the service loads one automatically; this takes a few seconds."), button);
  byId("map-empty").hidden = false;
  fill(byId("model-choice"), make("option", { value: "" }, "none yet"));
  byId("model-choice").disabled = true;
}

async function loadFirstCase(event) {
  event.target.disabled = true;
  await guarded("case", () => loadCase(FIRST_CASE));
  await refreshGraphs();
}

/** Show a grid with the given model, or with its active model. */
async function showGraph(graphId, modelId) {
  const turn = (state.turn += 1);
  await guarded("grid", async () => {
    const graph = await getGraph(graphId);
    if (switchView(graph, modelId)) return;
    upload.recall(graph);
    const topology = await getTopology(graphId);
    if (turn !== state.turn) return;
    const predictions = new Predictions(graph.bus_count, null, null);
    Object.assign(state, { graph, grid: makeGrid(topology), selected: null, predictions });
    byId("map-empty").hidden = true;
    byId("graph-choice").value = graphId;
    form.offer(graph.labels.map(({ name }) => name));
    offerBuses();
    labels.show(graph);
    checks.show(graph);
    await refreshModels(modelId);
  });
}

/** Large grids are drawn with WebGL, which only the "large" view of this page may use. */
function switchView(graph, modelId) {
  const isLarge = address.get("view") === "large";
  if (needsWebgl(graph.bus_count) === isLarge) return false;
  window.location.assign(`?${pageAddress(graph, modelId)}`);
  return true;
}

function pageAddress(graph, modelId) {
  const values = new URLSearchParams({ graph: graph.id });
  if (modelId) values.set("model", modelId);
  if (needsWebgl(graph.bus_count)) values.set("view", "large");
  return values;
}

async function refreshModels(modelId) {
  state.models = await listModels(state.graph.id);
  const options = state.models.map((model) => make("option", { value: model.id }, modelTitle(model)));
  fill(byId("model-choice"), ...(options.length ? options : [make("option", { value: "" }, "none yet")]));
  byId("model-choice").disabled = options.length === 0;
  const wanted = [modelId, state.predictions?.model?.id].map((id) => state.models.find((model) => model.id === id));
  notify("address", modelId && !wanted[0] ? lostModel(modelId) : null);
  const chosen = wanted[0] ?? wanted[1] ?? state.models.find((model) => model.active) ?? state.models[0];
  await showPredictions(chosen?.id);
}

const lostModel = (id) =>
  new Problem({ title: "No such model", detail: `${state.graph.name} has no model ${id}: the model or its grid may have been deleted.` });

const modelTitle = (model) =>
  `${model.label} · ${model.kind === "auto" ? "automatic choice · accuracy" : `${model.kind.replaceAll("_", " ")} · test`} ${asPercent(model.metrics.test.accuracy)} · ${asMoment(model.created_at)}${model.active ? " · active" : ""}`;

/** Colour the grid by the predictions of a model; without an id, draw it in one colour. */
async function showPredictions(modelId) {
  const turn = (state.turn += 1);
  await guarded("model", async () => {
    const [model, columns] = modelId ? await Promise.all([getModel(modelId), getPredictions(modelId)]) : [null, null];
    const card = model?.kind === "auto" ? await getCard(modelId) : null;
    if (turn !== state.turn) return;
    const isFirst = !state.predictions?.model;
    state.predictions = new Predictions(state.grid.ids.length, model, columns);
    if (isFirst) state.hidden = hiddenAtFirst(state.predictions);
    if (modelId) byId("model-choice").value = modelId;
    window.history.replaceState(null, "", `?${pageAddress(state.graph, modelId)}`);
    showModel(byId("model-details"), model, card, refreshModels);
    showLegend(byId("legend"), state.grid, state.predictions, state.hidden, toggleEntry);
    showCaption();
    showSelected();
    await redraw();
  });
}

const redraw = () => drawing.draw(state.grid, state.predictions, { hidden: state.hidden, selected: state.selected });

function showCaption() {
  const { grid, graph } = state;
  const size = `${plural(graph.bus_count, "bus", "buses")} and ${plural(graph.branch_count, "branch", "branches")}`;
  byId("map-caption").textContent = `${graph.name}: ${size}. ${grid.placement}`;
  byId("plot").setAttribute("aria-label", `Drawing of ${graph.name}: ${size}. Use the search field under “Bus” to look up a single bus.`);
}

function toggleEntry(key) {
  if (!state.hidden.delete(key)) state.hidden.add(key);
  redraw();
}

function offerBuses() {
  const count = Math.min(state.grid.ids.length, 1000);
  fill(byId("bus-list"), ...state.grid.ids.slice(0, count).map((id, bus) => make("option", { value: id }, state.grid.names[bus] ?? "")));
  fill(byId("bus-details"), make("p", { class: "hint" }, "Click a bus in the drawing, or enter its number or name."));
}

function searchBus(event) {
  event.preventDefault();
  if (!state.grid) return;
  const text = byId("bus-input").value;
  const bus = state.grid.find(text);
  if (bus >= 0) selectBus(bus);
  else guarded("bus", () => showMatches(text));
}

/** No bus has exactly this id or name: select the only one that contains the text, or list all. */
async function showMatches(text) {
  const { grid } = state;
  const found = text.trim() ? await findBuses(grid.id, text) : [];
  if (state.grid !== grid) return;
  const buses = found.map(({ id }) => grid.find(id));
  if (buses.length === 1) return selectBus(buses[0]);
  const buttons = found.map(({ id, name }, index) =>
    make("button", { type: "button", onclick: () => selectBus(buses[index]) }, name ? `${id} (${name})` : id));
  const heading = found.length ? `Buses with “${text}”:` : `${state.graph.name} has no bus “${text}”.`;
  fill(byId("bus-details"), make("p", { class: found.length ? "hint" : "error" }, heading), ...buttons);
}

/** Offer the buses that contain the text typed so far, once typing pauses. */
function offerMatches() {
  clearTimeout(state.typing);
  const { grid } = state;
  const text = byId("bus-input").value.trim();
  if (!grid || !text || grid.find(text) >= 0) return;
  state.typing = setTimeout(() => guarded("bus", async () => {
    const found = await findBuses(grid.id, text);
    if (state.grid !== grid) return;
    fill(byId("bus-list"), ...found.map(({ id, name }) => make("option", { value: id }, name ?? "")));
  }), PAUSE);
}

function selectBus(bus) {
  state.selected = bus;
  showSelected();
  drawing.mark(bus);
}

function showSelected() {
  const { grid, selected: bus } = state;
  if (bus === null) return;
  showBus(byId("bus-details"), grid, state.predictions, bus);
  guarded("bus", async () => {
    const { features } = await getBus(grid.id, bus);
    if (state.grid === grid && state.selected === bus) showFeatures(byId("bus-details"), features);
  });
}

/** A job has ended: if it stored a new model of the current grid, show it. */
async function noticeJob(job, wasWatched) {
  if (wasWatched) announce(`Training ${job.state}.`);
  const isNew = job.model_id && !state.models.some((model) => model.id === job.model_id);
  if (isNew && job.graph_id === state.graph?.id) await guarded("models", () => refreshModels(wasWatched ? job.model_id : null));
}

await start();
