// Formats numbers and times.

const PERCENT = new Intl.NumberFormat("en", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
const COUNT = new Intl.NumberFormat("en");

/** 0.8334 -> "83.3%"; a dash if there is no number. */
export const asPercent = (share) => (isNumber(share) ? PERCENT.format(share) : "–");

export const asCount = (count) => (isNumber(count) ? COUNT.format(count) : "–");

/** A loss or a score, with three significant digits. */
export const asScore = (value) => (isNumber(value) ? value.toPrecision(3) : "–");

/** Any figure, with four significant digits at most. */
export const asFigure = (value) => (isNumber(value) ? String(Number(value.toPrecision(4))) : "–");

export const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** A time in the time zone of the browser. */
export function asMoment(text) {
  if (!text) return "–";
  return new Date(text).toLocaleString([], { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
}

/** "1 bus", "2 buses". */
export const plural = (count, one, many) => `${asCount(count)} ${count === 1 ? one : many}`;
