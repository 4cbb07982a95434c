// Versions, licences and privacy.

import { make } from "../../ui/elements.js";

export function open(app, form) {
  const { texts } = app;
  const text = (title, sentence) => form.section(texts.get(title), form.text(texts.get(sentence)));
  const release = form.fact(texts.get("about_release"), app.release ?? "–");
  return {
    element: make("div", "page-body",
      make("section", "section", make("div", "lines", release)),
      text("privacy", "privacy_text"), text("accounts", "accounts_text"),
      text("about_fonts", "fonts_text"), text("about_icons", "icons_text")),
  };
}
