// How good a model is, said plainly: on buses it has not seen, and against guessing.

import { promote } from "./api.js";
import { fill, make } from "./dom.js";
import { asCount, asMoment, asPercent, asScore, isNumber, plural } from "./figures.js";
import { guarded } from "./notices.js";

const PARTS = [["test", "Test"], ["validation", "Validation"], ["train", "Training"]];

/** Show the figures of a model, or what to do when there is none; `onPromoted(id)` hears of a new active model. */
export function showModel(container, model, onPromoted) {
  if (!model) {
    fill(container, make("p", { class: "hint" }, "No model for this grid yet. Train one with the form below."));
    return;
  }
  fill(container, warning(model), promotion(model, onPromoted), sentence(model), figures(model.metrics), rival(model) ?? guessing(model), settings(model), cardLink(model));
}

function sentence({ metrics }) {
  const { count, accuracy } = metrics.test;
  if (!isNumber(accuracy)) return make("p", {}, "No labelled bus was left to test this model on.");
  return make("p", {}, "Right at ", make("strong", {}, asPercent(accuracy)), ` of ${plural(count, "test bus", "test buses")}, whose labels it has never used.`);
}

function figures(metrics) {
  const rows = PARTS.map(([part, name]) => make("tr", { class: part === "test" ? "test-row" : null },
    make("th", { scope: "row" }, name),
    make("td", {}, asCount(metrics[part].count)),
    make("td", {}, asPercent(metrics[part].accuracy)),
    make("td", {}, asScore(metrics[part].macro_f1))));
  const head = ["Set", "Buses", "Accuracy", "Macro F1"].map((name) => make("th", { scope: "col" }, name));
  return make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}

/** That a simpler method does better, if one does: the reader has to see it first. */
function warning({ warnings, better_baseline: better }) {
  if (!warnings?.length) return null;
  const text = warnings.join(" ").replace(`POST ${better?.promote} lets`, "The button below lets");
  return make("p", { class: "error", role: "note" }, text);
}

/** One button that lets the better baseline answer; the reason goes on its card. */
function promotion({ better_baseline: better }, onPromoted) {
  if (!better?.promote) return null;
  const reason = make("input", { name: "reason", required: true, maxlength: 500, value: "better on validation", "aria-label": "Reason of the promotion" });
  const form = make("form", { class: "promotion" }, reason, make("button", { type: "submit" }, `Let ${better.title} answer`));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    guarded("promotion", async () => onPromoted((await promote(better.promote, reason.value)).id));
  });
  return form;
}

/** The best of the simple methods on the same buses. */
function rival({ best_baseline: best }) {
  if (!best) return null;
  return make("p", { class: "hint" }, `Best baseline on the same split: ${best.title}, ${asPercent(best.validation.accuracy)} on validation, ${asPercent(best.test.accuracy)} on test.`);
}

const cardLink = ({ id }) => make("p", { class: "hint" }, make("a", { href: `models/${encodeURIComponent(id)}/card.html` }, "Model card"));

/** What a rule without any model reaches on the same buses: always the commonest test class. */
function guessing({ metrics, class_names: names }) {
  const supports = (metrics.test.per_class ?? []).map((one) => one.support);
  const most = Math.max(0, ...supports);
  if (!most || !metrics.test.count) return null;
  return make("p", { class: "hint" }, `For comparison: calling every test bus “${names[supports.indexOf(most)]}” would be right at ${asPercent(most / metrics.test.count)}.`);
}

function settings(model) {
  const { config } = model;
  const text = [
    `${model.kind.toUpperCase()} for “${model.label}”`,
    isNumber(model.best_epoch) ? `kept epoch ${model.best_epoch}, the best on validation` : null,
    isNumber(config?.sigma) ? `α ${config.alpha}, σ ${config.sigma}, γ ${config.gamma}, seed ${config.seed}` : null,
    asMoment(model.created_at),
    model.answers ? `answers ${model.answers} by default` : "not an active model: answers GET /predict?model_id=… only",
  ];
  return make("p", { class: "hint" }, text.filter(Boolean).join(" · "));
}
