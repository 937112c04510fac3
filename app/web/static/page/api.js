// The REST API, as every other client uses it; what goes wrong arrives as a Problem.

const ROOT = new URL("../..", import.meta.url);
const PAGE = 200;

/** An RFC 9457 problem body, or what comes closest to one. */
export class Problem extends Error {
  constructor(body) {
    super(problemText(body));
    this.body = body;
    this.status = body.status;
  }
}

/** Write a problem body as text: what happened, then every fault. */
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
    throw new Problem({ title: "The service does not answer", detail: "It may be starting or stopped; this page keeps trying." });
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

export const loadCase = (name) => send("graphs", { case: name });

/** Send a form with a file; the answer is the grid with the report of its import. */
export const uploadGrid = (form) => request("graphs", { method: "POST", body: form });

export const listModels = async (graphId) => (await request(`models?${query({ graph_id: graphId, limit: PAGE })}`)).items;

export const getModel = (id) => request(`models/${encodeURIComponent(id)}`);

export const getPredictions = (modelId) => request(`predict?${query({ model_id: modelId })}`);

export const listJobs = (limit) => request(`jobs?${query({ limit })}`);

export const getJob = (id) => request(`jobs/${encodeURIComponent(id)}`);

/** What happens to a job, as it happens. */
export const followJob = (id) => new EventSource(new URL(`jobs/${encodeURIComponent(id)}/events`, ROOT));

export const cancelJob = (id) => request(`jobs/${encodeURIComponent(id)}`, { method: "DELETE" });

export const listSweeps = async (limit) => (await request(`sweeps?${query({ limit })}`)).items;

export const getSweep = (id) => request(`sweeps/${encodeURIComponent(id)}`);

export const cancelSweep = (id) => request(`sweeps/${encodeURIComponent(id)}`, { method: "DELETE" });

export const startTraining = (body) => send("train", body);

/** Let another model answer; `path` is the `promote` address of a model or baseline. */
export const promote = (path, reason) => send(path.replace(/^\//, ""), { reason });
