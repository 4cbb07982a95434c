// Accounts: there are none.

import { make } from "../../ui/elements.js";

export function open(app, form) {
  return { element: make("div", "page-body", form.text(app.texts.get("accounts_text"))) };
}
