// Versions, licences and privacy.

import { make } from "../../ui/elements.js";

export function open(app, form) {
  const { texts } = app;
  const text = (title, sentence) => form.section(texts.get(title), form.text(texts.get(sentence)));
  const [page, server, daemon, bluez, kernel] = ["about_page", "about_server", "about_daemon", "about_bluez", "about_kernel"]
    .map(key => form.fact(texts.get(key), "–"));
  const update = ({ store }) => {
    const versions = store.daemon?.versions ?? {};
    page.show(app.release ?? "–");
    server.show(app.serverRelease ?? "–");
    daemon.show(versions.cyclometer ?? (store.daemon?.present === false ? texts.get("not_running") : "–"));
    bluez.show(versions.bluez ?? "–");
    kernel.show(versions.kernel ?? "–");
  };
  update(app);
  return {
    element: make("div", "page-body",
      form.section(texts.get("about_versions"), page, server, daemon, bluez, kernel),
      text("privacy", "privacy_text"),
      text("about_fonts", "fonts_text"), text("about_icons", "icons_text"), text("maps", "leaflet_text")),
    update,
  };
}
