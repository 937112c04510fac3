// What went wrong, by who found it: a part that works again takes only its own words back.

import { Problem } from "./api.js";
import { byId, showMessage } from "./dom.js";

const messages = new Map();

/** Show a part's problem on top of the page; without one, forget the last. */
export function notify(part, problem = null) {
  if (problem) messages.set(part, problem.message);
  else messages.delete(part);
  showMessage(byId("notice"), [...new Set(messages.values())].join("\n"));
}

/** Do some work of a part; its problem is shown, not thrown. */
export async function guarded(part, work) {
  try {
    await work();
    notify(part);
  } catch (problem) {
    notify(part, problem);
    if (!(problem instanceof Problem)) throw problem;
  }
}
