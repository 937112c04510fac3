// Quality of a model: its accuracy on test buses, compared with its best baseline or guessing.

import { promote } from "./api.js";
import { fill, make } from "./dom.js";
import { asCount, asMoment, asPercent, asScore, isNumber, plural } from "./figures.js";
import { guarded } from "./notices.js";
import { describeChoice } from "./selection.js";

const PARTS = [["test", "Test"], ["folds", "Out of fold"], ["validation", "Validation"], ["train", "Training"]];

/** Show the figures of a model, or a hint if there is none; calls `onPromoted(id)` after a promotion. */
export function showModel(container, model, card, onPromoted) {
  if (!model) {
    fill(container, make("p", { class: "hint" }, "No model for this grid yet. Train one with the form below."));
    return;
  }
  if (card?.selection) {
    fill(container, ...describeChoice(card), figures(choiceMetrics(model)), settings(model), cardLink(model));
    return;
  }
  fill(container, warning(model), promotion(model, onPromoted), sentence(model), figures(model.metrics), bestBaseline(model) ?? largestClass(model), settings(model), cardLink(model));
}

/** Without test buses all figures are the same: out of fold. */
function choiceMetrics({ metrics, manifest }) {
  const isTested = manifest.split_request?.kind !== "cross_validation" && metrics.test.count > 0;
  return isTested ? { test: metrics.test, folds: metrics.train } : { folds: metrics.train };
}

function sentence({ metrics }) {
  const { count, accuracy } = metrics.test;
  if (!isNumber(accuracy)) return make("p", {}, "There were no labelled test buses for this model.");
  return make("p", {}, "Correct for ", make("strong", {}, asPercent(accuracy)), ` of ${plural(count, "test bus", "test buses")}, which were not used for training or validation.`);
}

function figures(metrics) {
  const rows = PARTS.filter(([part]) => metrics[part]).map(([part, name], row) => make("tr", { class: row === 0 ? "test-row" : null },
    make("th", { scope: "row" }, name),
    make("td", {}, asCount(metrics[part].count)),
    make("td", {}, asPercent(metrics[part].accuracy)),
    make("td", {}, asScore(metrics[part].macro_f1))));
  const head = ["Part", "Buses", "Accuracy", "Macro F1"].map((name) => make("th", { scope: "col" }, name));
  return make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}

/** Warning that a baseline is better, if one is; shown before everything else. */
function warning({ warnings, better_baseline: better }) {
  if (!warnings?.length) return null;
  const text = warnings.join(" ").replace(`POST ${better?.promote} lets`, "The button below lets");
  return make("p", { class: "error", role: "note" }, text);
}

/** Button that promotes the better baseline; the reason is stored on its card. */
function promotion({ better_baseline: better }, onPromoted) {
  if (!better?.promote) return null;
  const reason = make("input", { name: "reason", required: true, maxlength: 500, value: "better on validation", "aria-label": "Reason for the promotion" });
  const form = make("form", { class: "promotion" }, reason, make("button", { type: "submit" }, `Use ${better.title} instead`));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    guarded("promotion", async () => onPromoted((await promote(better.promote, reason.value)).id));
  });
  return form;
}

/** The best baseline on the same split. */
function bestBaseline({ best_baseline: best }) {
  if (!best) return null;
  return make("p", { class: "hint" }, `Best baseline on the same split: ${best.title}, ${asPercent(best.validation.accuracy)} on validation buses, ${asPercent(best.test.accuracy)} on test buses.`);
}

const cardLink = ({ id }) => make("p", { class: "hint" }, make("a", { href: `models/${encodeURIComponent(id)}/card.html` }, "Model card"));

/** Accuracy of always predicting the most frequent class of the test buses. */
function largestClass({ metrics, class_names: names }) {
  const supports = (metrics.test.per_class ?? []).map((one) => one.support);
  const most = Math.max(0, ...supports);
  if (!most || !metrics.test.count) return null;
  return make("p", { class: "hint" }, `For comparison: predicting “${names[supports.indexOf(most)]}” for every test bus would be correct for ${asPercent(most / metrics.test.count)}.`);
}

function settings(model) {
  const { config } = model;
  const text = [
    `${model.kind === "auto" ? "Automatic choice" : model.kind.toUpperCase()} for “${model.label}”`,
    isNumber(model.best_epoch) ? `weights of epoch ${model.best_epoch}, the best on validation` : null,
    isNumber(config?.sigma) ? `α ${config.alpha}, σ ${config.sigma}, γ ${config.gamma}, seed ${config.seed}` : null,
    asMoment(model.created_at),
    model.answers ? `answers ${model.answers} by default` : "not active: answers only GET /predict?model_id=…",
  ];
  return make("p", { class: "hint" }, text.filter(Boolean).join(" · "));
}
