// Error messages on top of the page, one per part of the page.

import { Problem } from "./api.js";
import { byId, showMessage } from "./dom.js";

const messages = new Map();

/** Show the problem of a part; without a problem, remove its last message. */
export function notify(part, problem = null) {
  if (problem) messages.set(part, problem.message);
  else messages.delete(part);
  showMessage(byId("notice"), [...new Set(messages.values())].join("\n"));
}

/** Run the work of a part and show its problem instead of throwing it. */
export async function guarded(part, work) {
  try {
    await work();
    notify(part);
  } catch (problem) {
    notify(part, problem);
    if (!(problem instanceof Problem)) throw problem;
  }
}
