// The report of an import in words: what was kept, what was dropped, what labels came along.

/** Return pairs of a name and what to say of it; nothing is said of what is not there. */
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
    ["Out of service, dropped", positive(dropped.out_of_service_branches)],
    ["Without weight, dropped", positive(dropped.branches_without_weight)],
    ["Open at switches", positive(switches.open_at_branches)],
    ["Not read", Object.entries(report.tables_not_read ?? {}).map(([name, rows]) => `${name} (${rows})`).join(", ")],
    ["Converted", (report.statements_applied ?? []).join("; ")],
    ["Features", report.features.map(({ name, unit }) => (unit ? `${name} (${unit})` : name)).join(", ")],
    ["Columns not kept", (report.columns_not_kept ?? []).map(({ name, not_numbers: cells }) => `${name} (not a number in ${listed(cells)})`).join("; ")],
    ["Labels", Object.entries(report.labels).map(([name, classes]) => `${name}: ${Object.values(classes).filter(Boolean).length} classes`).join("; ")],
  ];
  return rows.filter(([, value]) => value);
}

const count = (number) => number.toLocaleString("en");

const positive = (number) => (number ? count(number) : "");

function branches({ branches: total, branch_kinds: kinds }) {
  const parts = Object.entries(kinds).filter(([, number]) => number).map(([kind, number]) => `${count(number)} ${kind}`);
  return `${count(total)} (${parts.join(", ")})`;
}

function listed(found) {
  if (!found?.count) return "";
  const shown = found.first.slice(0, 5).join(", ");
  return `${count(found.count)}: ${shown}${found.count > 5 ? ", …" : ""}`;
}
