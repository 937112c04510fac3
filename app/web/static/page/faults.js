// Problems of an uploaded file as a list: every fault with its place.

import { make } from "./dom.js";

/** Return the elements that show a problem: its sentence, then each fault. */
export function faultList(problem) {
  const { title, detail, errors = [], error_count: count = errors.length } = problem.body ?? {};
  const faults = errors.map((fault) => make("li", {}, make("strong", {}, fault.where), ` ${fault.problem}`));
  const more = count > errors.length ? make("li", {}, `and ${(count - errors.length).toLocaleString("en")} more`) : null;
  return [
    make("p", { class: "error" }, [title, detail].filter(Boolean).join(": ") || problem.message),
    faults.length ? make("ul", { class: "notes" }, ...faults, more) : null,
  ];
}
