// A part of a page that the server has to be asked for first.

import { make } from "../../ui/elements.js";

/** @param {() => Promise<Node[]>} load makes the content */
export function loadLater(app, form, load) {
  const box = make("div", "later");
  const fill = async () => {
    box.replaceChildren(form.text(app.texts.get("loading")));
    try {
      box.replaceChildren(...await load());
    } catch (error) {
      const again = form.button(app.texts.get("retry"), fill);
      box.replaceChildren(form.text(app.texts.get("refused", error.message)), again);
    }
  };
  fill();
  return { element: box, reload: fill };
}
