// Small makers of elements. No HTML is ever parsed: names of sensors are text nodes.

export function make(tag, className = "", ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** A link to another page of this document. */
export function makeLink(router, path, ...children) {
  const link = make("a", "page-link", ...children);
  link.href = path;
  link.addEventListener("click", event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    router.go(path);
  });
  return link;
}

/** A text whose node changes in place. */
export function makeText(tag, className = "") {
  const node = document.createTextNode("");
  const element = make(tag, className, node);
  return {
    element,
    set text(text) {
      if (node.data !== text) node.data = text;
    },
  };
}

const SVG = "http://www.w3.org/2000/svg";

export function makeSVG(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const SPRITE = new URL("../../icons/icons.svg", import.meta.url).pathname;

export function makeIcon(name) {
  const use = makeSVG("use", { href: `${SPRITE}#${name}` });
  const icon = makeSVG("svg", { class: "icon", "aria-hidden": "true" }, use);
  return { element: icon, set name(name) { setAttribute(use, "href", `${SPRITE}#${name}`); } };
}

export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) {
    element.setAttribute(name, value);
  }
}

/** Disables a button while something is done. A button that had the focus gets it back, unless it went elsewhere. */
export async function whileDisabled(button, act) {
  const hadFocus = document.activeElement === button;
  button.disabled = true;
  try {
    await act();
  } finally {
    button.disabled = false;
    if (hadFocus && document.activeElement === document.body) button.focus();
  }
}

/** Follows where the focus of a button came from. @returns {() => void} gives it back if the button has it */
export function rememberFocus(button) {
  let before = null;
  button.addEventListener("focus", event => { before = event.relatedTarget; });
  return () => {
    if (document.activeElement === button && before?.isConnected) before.focus({ preventScroll: true });
  };
}
