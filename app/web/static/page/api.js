// Calls of the REST API; every failure is thrown as a Problem.

const ROOT = new URL("../..", import.meta.url);
const PAGE = 200;

/** An error with an RFC 9457 problem body. */
export class Problem extends Error {
  constructor(body) {
    super(problemText(body));
    this.body = body;
    this.status = body.status;
  }
}

/** Format a problem body as text: title and detail, then every fault. */
export function problemText(body) {
  const faults = (body.errors ?? []).map((fault) => `• ${[fault.where, fault.problem].filter(Boolean).join(": ")}`);
  const head = [body.title, body.detail].filter(Boolean).filter((text, index, all) => all.indexOf(text) === index);
  return [head.join(": ") || "Something went wrong.", ...faults].join("\n");
}

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(new URL(path, ROOT), { ...options, headers: { Accept: "application/json", ...options.headers } });
  } catch {
    throw new Problem({ title: "The service does not answer", detail: "It may be starting or stopped; this page tries again automatically." });
  }
  const body = await response.json().catch(() => null);
  if (response.ok) return body;
  throw new Problem(body ?? { status: response.status, title: `The service answered ${response.status}` });
}

const send = (path, body) =>
  request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

const query = (values) => new URLSearchParams(values).toString();

export const listGraphs = async () => (await request(`graphs?${query({ limit: PAGE })}`)).items;

export const getGraph = (id) => request(`graphs/${encodeURIComponent(id)}`);

export const getTopology = (id) => request(`graphs/${encodeURIComponent(id)}/topology`);

/** One bus with its features, by its position in the grid. */
export const getBus = async (graphId, bus) =>
  (await request(`graphs/${encodeURIComponent(graphId)}/buses?${query({ cursor: bus, limit: 1 })}`)).items[0];

/** Buses that contain a text in their id, name, alias or substation, best first. */
export const findBuses = async (graphId, text) =>
  (await request(`graphs/${encodeURIComponent(graphId)}/buses?${query({ q: text, limit: 20 })}`)).items;

export const loadCase = (name) => send("graphs", { case: name });

/** Upload a form with a file; returns the grid with its import report. */
export const uploadGrid = (form) => request("graphs", { method: "POST", body: form });

/** Findings of the rules on a grid model; each rule lists the first `limit`. */
export const getChecks = (graphId, limit) => request(`graphs/${encodeURIComponent(graphId)}/checks?${query({ limit })}`);

/** Address of the findings as CSV. */
export const checksCsv = (graphId) => new URL(`graphs/${encodeURIComponent(graphId)}/checks?${query({ form: "csv", limit: 100 })}`, ROOT).href;

export const listLabels = async (graphId) => (await request(`graphs/${encodeURIComponent(graphId)}/labels`)).items;

/** Add a label set: a JSON object, or a form with a file. */
export const addLabels = (graphId, body) => {
  const path = `graphs/${encodeURIComponent(graphId)}/labels`;
  return body instanceof FormData ? request(path, { method: "POST", body }) : send(path, body);
};

export const listModels = async (graphId) => (await request(`models?${query({ graph_id: graphId, limit: PAGE })}`)).items;

export const getModel = (id) => request(`models/${encodeURIComponent(id)}`);

export const getCard = (id) => request(`models/${encodeURIComponent(id)}/card`);

export const getPredictions = (modelId) => request(`predict?${query({ model_id: modelId })}`);

export const listJobs = (limit) => request(`jobs?${query({ limit })}`);

export const getJob = (id) => request(`jobs/${encodeURIComponent(id)}`);

/** Event stream of a job. */
export const followJob = (id) => new EventSource(new URL(`jobs/${encodeURIComponent(id)}/events`, ROOT));

export const cancelJob = (id) => request(`jobs/${encodeURIComponent(id)}`, { method: "DELETE" });

export const listSweeps = async (limit) => (await request(`sweeps?${query({ limit })}`)).items;

export const getSweep = (id) => request(`sweeps/${encodeURIComponent(id)}`);

export const cancelSweep = (id) => request(`sweeps/${encodeURIComponent(id)}`, { method: "DELETE" });

export const startTraining = (body) => send("train", body);

/** Promote a model or baseline; `path` is its `promote` path. */
export const promote = (path, reason) => send(path.replace(/^\//, ""), { reason });
