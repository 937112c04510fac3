// The newest sweeps: the progress of each and its best settings on validation so far.

import { cancelSweep, getSweep, listSweeps } from "./api.js";
import { fill, make } from "./dom.js";
import { asMoment } from "./figures.js";
import { isActive } from "./job-card.js";
import { guarded, notify } from "./notices.js";
import { showCandidates } from "./sweep-table.js";

const SHOWN = 3;
const SOON = 2000;
const LATER = 10000;

/** Shows the sweeps; their section is hidden while there is none. */
export class SweepsPanel {
  constructor(section, container, { graphName, showModel }) {
    Object.assign(this, { section, container, graphName, showModel });
    this.cards = new Map();
    this.timer = null;
    document.addEventListener("visibilitychange", () => document.hidden || this.refresh());
  }

  /** Refresh now and schedule the next refresh: soon while a sweep runs, later otherwise. */
  async refresh() {
    clearTimeout(this.timer);
    this.round = (this.round ?? 0) + 1;
    const round = this.round;
    let wait = LATER;
    try {
      const sweeps = await listSweeps(SHOWN);
      if (round !== this.round) return;
      await this.show(sweeps);
      notify("sweeps");
      if (sweeps.some(isActive)) wait = SOON;
    } catch (problem) {
      notify("sweeps", problem);
    }
    if (round === this.round && !document.hidden) this.timer = setTimeout(() => this.refresh(), wait);
  }

  async show(sweeps) {
    this.section.hidden = sweeps.length === 0;
    const cards = sweeps.map((sweep) => this.cardOf(sweep.id));
    const roots = cards.map((card) => card.root);
    if (roots.some((root, index) => this.container.children[index] !== root)) fill(this.container, ...roots);
    await Promise.all(sweeps.map((sweep, index) => this.update(cards[index], sweep)));
  }

  cardOf(id) {
    if (!this.cards.has(id)) this.cards.set(id, makeCard((sweep) => this.act(sweep)));
    return this.cards.get(id);
  }

  /** Request the table only if a job has changed its state since the table was drawn. */
  async update(card, sweep) {
    showHead(card, sweep, this.graphName(sweep.graph_id));
    const mark = JSON.stringify(sweep.jobs);
    if (card.mark === mark) return;
    const { candidates } = await getSweep(sweep.id);
    showCandidates(card.table, sweep, candidates);
    card.mark = mark;
  }

  async act(sweep) {
    if (!isActive(sweep)) {
      await this.showModel({ graph_id: sweep.graph_id, model_id: sweep.best.model_id });
      return;
    }
    await guarded("cancelling", () => cancelSweep(sweep.id));
    await this.refresh();
  }
}

function makeCard(act) {
  const card = {
    state: make("span"),
    title: make("strong"),
    moment: make("span", { class: "hint" }),
    button: make("button", { type: "button", onclick: () => act(card.sweep) }),
    progress: make("progress", { max: 1, "aria-label": "Progress of the sweep" }),
    counts: make("p", { class: "hint" }),
    table: make("div", { class: "sweep-table", role: "region", tabindex: 0, "aria-label": "Settings and their accuracy" }),
  };
  const head = make("div", { class: "job-head" }, card.state, card.title, card.moment, card.button);
  card.root = make("article", { class: "job sweep" }, head, card.progress, card.counts, card.table);
  return card;
}

function showHead(card, sweep, graphName) {
  card.sweep = sweep;
  card.state.className = `state ${sweep.state}`;
  card.state.textContent = sweep.cancel_requested && isActive(sweep) ? "stopping" : sweep.state;
  card.title.textContent = `${sweep.label} on ${graphName}, varying ${sweep.parameters.join(", ")}`;
  card.moment.textContent = asMoment(sweep.finished_at ?? sweep.created_at);
  card.button.hidden = !isActive(sweep) && !sweep.best?.model_id;
  card.button.disabled = isActive(sweep) && sweep.cancel_requested;
  card.button.textContent = isActive(sweep) ? "Cancel all" : "Show best model";
  card.progress.hidden = !isActive(sweep);
  card.progress.value = sweep.progress;
  card.counts.textContent = describeCounts(sweep.jobs);
}

function describeCounts({ total, ...states }) {
  const parts = Object.entries(states).filter(([, count]) => count > 0);
  return `${total} jobs: ${parts.map(([state, count]) => `${count} ${state}`).join(", ")}.`;
}
