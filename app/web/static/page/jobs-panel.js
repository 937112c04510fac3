// The newest jobs: refreshed on events of the service and at regular intervals.

import { cancelJob, followJob, getJob, listJobs } from "./api.js";
import { drawCurves, dropCurves, makeCurves } from "./curves.js";
import { fill, make } from "./dom.js";
import { isActive, isSearch, makeJobCard } from "./job-card.js";
import { guarded, notify } from "./notices.js";

const SHOWN = 6;
const AFTER_EVENT = 250;
const SOON = 1000;
const LATER = 5000;

/** Shows the jobs; calls `onEnded(job, wasWatched)` once for every job that has ended. */
export class JobsPanel {
  constructor(container, { graphName, onEnded, showModel }) {
    Object.assign(this, { container, graphName, onEnded });
    this.actions = { showModel, cancel: (job) => this.cancel(job) };
    this.cards = new Map();
    this.active = new Set();
    this.ended = new Set();
    this.featured = null;
    this.timer = null;
    this.stream = null;
    document.addEventListener("visibilitychange", () => document.hidden || this.refresh());
  }

  /** Refresh now and schedule the next refresh: soon if a job runs without an event stream. */
  async refresh() {
    clearTimeout(this.timer);
    this.round = (this.round ?? 0) + 1;
    const round = this.round;
    Object.assign(this, { isRefreshing: true, hasEvent: false });
    let wait = LATER;
    try {
      const { items } = await listJobs(SHOWN);
      if (round !== this.round) return;
      this.show(items);
      await this.showCurves(items);
      notify("jobs");
      this.follow(items.find((job) => job.state === "running") ?? items.find(isActive));
      if (this.stream && this.stream.source.readyState !== EventSource.OPEN) wait = SOON;
    } catch (problem) {
      notify("jobs", problem);
    }
    if (round !== this.round) return;
    this.isRefreshing = false;
    if (!document.hidden) this.timer = setTimeout(() => this.refresh(), this.hasEvent ? AFTER_EVENT : wait);
  }

  /** Subscribe to the events of one job, the running one; every event causes a refresh. */
  follow(job) {
    if (this.stream?.id === job?.id) return;
    this.stream?.source.close();
    this.stream = job ? { id: job.id, source: followJob(job.id) } : null;
    const source = this.stream?.source;
    for (const kind of ["state", "progress"]) source?.addEventListener(kind, () => this.onEvent());
    source?.addEventListener("end", () => {
      source.close();
      this.onEvent();
    });
  }

  onEvent() {
    this.hasEvent = true;
    if (this.isRefreshing || document.hidden) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), AFTER_EVENT);
  }

  show(jobs) {
    if (jobs.length === 0) {
      fill(this.container, make("p", { class: "hint" }, "No jobs yet. Training jobs appear here."));
      return;
    }
    const cards = jobs.map((job) => this.cardOf(job));
    const roots = cards.map((card) => card.root);
    if (roots.some((root, index) => this.container.children[index] !== root) || this.container.children.length !== roots.length) {
      fill(this.container, ...roots);
    }
    for (const job of jobs) this.noticeEnd(job);
  }

  cardOf(job) {
    if (!this.cards.has(job.id)) this.cards.set(job.id, makeJobCard(this.actions));
    const card = this.cards.get(job.id);
    card.update(job, this.graphName(job.graph_id));
    return card;
  }

  noticeEnd(job) {
    if (isActive(job)) {
      this.active.add(job.id);
    } else if (!this.ended.has(job.id)) {
      this.ended.add(job.id);
      this.onEnded(job, this.active.delete(job.id));
    }
  }

  /** Show the curves of the running job, or of the newest job with at least one epoch. */
  async showCurves(jobs) {
    const trained = jobs.filter((one) => one.epoch && !isSearch(one));
    const job = trained.find((one) => one.state === "running") ?? trained[0];
    const mark = job ? `${job.id} ${job.epoch} ${job.state}` : null;
    if (mark === this.featured?.mark) return;
    if (this.featured && this.featured.id !== job?.id) {
      dropCurves(this.featured.element);
      this.featured = null;
    }
    if (!job) return;
    const { curves } = await getJob(job.id);
    const element = this.featured?.element ?? makeCurves();
    this.cards.get(job.id).root.append(element);
    this.featured = { id: job.id, mark, element, curves };
    drawCurves(element, curves);
  }

  redraw() {
    if (this.featured) drawCurves(this.featured.element, this.featured.curves);
  }

  async cancel(job) {
    await guarded("cancelling", () => cancelJob(job.id));
    await this.refresh();
  }
}
