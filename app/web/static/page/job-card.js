// One job: its state, its progress, its error or its model.

import { problemText } from "./api.js";
import { fill, make } from "./dom.js";
import { asMoment, asPercent, asScore, isNumber } from "./figures.js";

const ACTIVE = new Set(["queued", "running"]);

export const isActive = (job) => ACTIVE.has(job.state);

/** Make the card of a job; `update(job, graphName)` shows its new state and keeps the focus. */
export function makeJobCard(actions) {
  const parts = {
    state: make("span"),
    title: make("strong"),
    moment: make("span", { class: "hint" }),
    button: make("button", { type: "button" }),
    progress: make("progress"),
    figures: make("p", { class: "hint" }),
    error: make("p", { class: "error" }),
  };
  const head = make("div", { class: "job-head" }, parts.state, parts.title, parts.moment, parts.button);
  const root = make("article", { class: "job" }, head, parts.progress, parts.figures, parts.error);
  let current = null;
  parts.button.addEventListener("click", () => (isActive(current) ? actions.cancel(current) : actions.showModel(current)));
  const update = (job, graphName) => {
    current = job;
    showHead(parts, job, graphName);
    showProgress(parts, job);
    parts.error.hidden = !job.error;
    parts.error.textContent = job.error ? problemText(job.error) : "";
  };
  return { root, update };
}

function showHead({ state, title, moment, button }, job, graphName) {
  state.className = `state ${job.state}`;
  state.textContent = job.cancel_requested && isActive(job) ? "stopping" : job.state;
  fill(title, `${job.label ?? job.kind} on ${graphName}`);
  moment.textContent = asMoment(job.finished_at ?? job.started_at ?? job.created_at);
  button.hidden = !isActive(job) && !job.model_id;
  button.disabled = isActive(job) && job.cancel_requested;
  button.textContent = isActive(job) ? "Cancel" : "Show model";
}

function showProgress({ progress, figures }, job) {
  progress.hidden = !isActive(job);
  progress.setAttribute("aria-label", isSearch(job) ? "Candidates tried" : "Epochs trained");
  if (isNumber(job.epoch) && isNumber(job.epochs)) {
    progress.max = job.epochs;
    progress.value = job.epoch;
  } else {
    progress.removeAttribute("value");
  }
  figures.textContent = describeProgress(job);
}

/** A search for the best method has steps, but no losses. */
export const isSearch = (job) => isNumber(job.epoch) && Boolean(job.stage) && !isNumber(job.train_loss);

const asSentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function describeProgress(job) {
  if (!isNumber(job.epoch)) return waitingText(job);
  if (isSearch(job)) return asSentence(job.stage);
  const epoch = `${job.epoch}${isNumber(job.epochs) ? ` of at most ${job.epochs}` : ""}`;
  if (isActive(job) && job.stage) return `Training finished; now: ${job.stage}.`;
  if (isActive(job)) return `Epoch ${epoch}: ${describeFigures(job)}.`;
  const stored = job.model_id ? "; the model has the weights of the best epoch on validation" : "";
  return `Ended after epoch ${epoch}${stored}. Last epoch: ${describeFigures(job)}.`;
}

const describeFigures = (job) =>
  `loss ${asScore(job.train_loss)} (train), ${asScore(job.validation_loss)} (validation); `
  + `accuracy ${asPercent(job.train_accuracy)} (train), ${asPercent(job.validation_accuracy)} (validation)`;

function waitingText(job) {
  if (job.state === "queued") return "Waiting for a worker.";
  return job.state === "running" ? "The worker is loading the grid." : "";
}
