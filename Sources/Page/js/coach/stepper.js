// A value between two buttons that make it smaller or larger.

import { make, makeIcon, makeText } from "../ui/elements.js";

/** @param {(direction: -1|1) => void} step changes the text at once */
export function makeStepper(app, label, step) {
  const button = (icon, word, direction) => {
    const made = make("button", "line-button small", makeIcon(icon).element);
    made.type = "button";
    made.setAttribute("aria-label", app.texts.get(word, label));
    made.addEventListener("click", () => {
      step(direction);
      app.speak(`${label}: ${value.element.textContent}`, label);
    });
    return made;
  };
  const value = makeText("span", "number-text");
  const element = make("div", "stepper", button("minus", "coach_less", -1), value.element, button("plus", "coach_more", 1));
  element.setAttribute("role", "group");
  return { element, set text(text) { value.text = text; } };
}
