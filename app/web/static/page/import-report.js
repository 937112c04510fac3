// The import report as rows: what was imported, dropped and labelled.

/** Return pairs of a title and a text; empty rows are omitted. */
export function reportRows(report) {
  const { dropped, switches = {} } = report;
  const rows = [
    ["Format", report.format],
    ["Buses", count(report.buses)],
    ["Branches", branches(report)],
    ["Islands", report.islands > 1 ? `${count(report.islands)}; the largest has ${count(report.largest_island)} buses` : "1"],
    ["Isolated buses", listed(report.isolated_buses)],
    ["Parallel branches", listed(report.parallel_branches)],
    ["Self-loops dropped", listed(dropped.self_loops)],
    ["Out-of-service branches dropped", positive(dropped.out_of_service_branches)],
    ["Branches without weight dropped", positive(dropped.branches_without_weight)],
    ["Branches opened by switches", positive(switches.open_at_branches)],
    ["Tables not read", Object.entries(report.tables_not_read ?? {}).map(([name, rows]) => `${name} (${rows})`).join(", ")],
    ["Statements not read", Object.entries(report.statements_not_read ?? {}).map(([kind, number]) => `${kind} (${number})`).join(", ")],
    ["Files missing", (report.files_missing ?? []).join(", ")],
    ["Statements applied", (report.statements_applied ?? []).join("; ")],
    ["Features", report.features.map(({ name, unit }) => (unit ? `${name} (${unit})` : name)).join(", ")],
    ["Columns not imported", (report.columns_not_kept ?? []).map(({ name, not_numbers: cells }) => `${name} (not a number in ${listed(cells)})`).join("; ")],
    ["Text columns", (report.text_columns ?? []).map(({ name, values, buses }) => `${name}: ${count(values)} values on ${count(buses)} buses`).join("; ")],
    ["Checks", report.checks ? describeChecks(report.checks) : ""],
    ["Labels", Object.entries(report.labels).map(([name, classes]) => `${name}: ${Object.values(classes).filter(Boolean).length} classes`).join("; ")],
  ];
  return rows.filter(([, value]) => value);
}

const count = (number) => number.toLocaleString("en");

/** Describe the findings of the checks by severity: "1 error, 2 warnings, 5 notes". */
export function describeChecks({ errors, warnings, notes }) {
  const parts = [[errors, "error"], [warnings, "warning"], [notes, "note"]].filter(([number]) => number);
  return parts.map(([number, word]) => `${count(number)} ${word}${number === 1 ? "" : "s"}`).join(", ") || "nothing found";
}

const positive = (number) => (number ? count(number) : "");

function branches({ branches: total, branch_kinds: kinds }) {
  const parts = Object.entries(kinds).filter(([, number]) => number).map(([kind, number]) => `${count(number)} ${kind}`);
  return `${count(total)} (${parts.join(", ")})`;
}

function listed(items) {
  if (!items?.count) return "";
  const shown = items.first.slice(0, 5).join(", ");
  return `${count(items.count)}: ${shown}${items.count > 5 ? ", …" : ""}`;
}
