// Helpers for DOM elements: find, create, fill.

export const byId = (id) => document.getElementById(id);

/** Create an element; children are nodes or text, never markup. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Create an SVG element. */
export function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
}

/** Replace the content of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

/** Show a message, or hide the element when there is none. */
export function showMessage(element, message) {
  element.textContent = message ?? "";
  element.hidden = !message;
}

/** Announce a message to screen readers. */
export function announce(message) {
  byId("announcer").textContent = message;
}
