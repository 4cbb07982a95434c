// The settings: a list of sections, and each section at its own path.

import { make } from "../ui/elements.js";
import { Form } from "../ui/form.js";
import { open as openAbout } from "./settings/about.js";
import { open as openGeneral } from "./settings/general.js";
import { open as openSound } from "./settings/sound.js";

const SECTIONS = {
  general: openGeneral,
  sound: openSound,
  about: openAbout,
};

export function open(app, [section, ...parts]) {
  const opened = SECTIONS[section]?.(app, new Form(app), parts);
  if (opened) return { parent: "/settings", title: app.texts.get(section), ...opened };
  const form = new Form(app);
  const names = Object.keys(SECTIONS).filter(name => !SECTIONS[name].isInner);
  const lines = names.map(name => form.link(app.texts.get(name), `/settings/${name}`));
  return {
    title: app.texts.get("settings"), parent: "/",
    element: make("div", "page-body", make("div", "lines", ...lines)),
  };
}
