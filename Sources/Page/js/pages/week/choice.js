// A row of buttons of which one is pressed.

import { make } from "../../ui/elements.js";

/** @param {[string, string][]} options key and text of each */
export function makeChoice(label, options, chosen, choose) {
  const buttons = options.map(([key, text]) => {
    const button = make("button", "", text);
    button.type = "button";
    button.value = key;
    button.addEventListener("click", () => {
      press(key);
      choose(key);
    });
    return button;
  });
  const press = key => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.value === key));
  };
  press(chosen);
  const element = make("div", "range-choice", ...buttons);
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", label);
  return { element, press, buttons };
}
