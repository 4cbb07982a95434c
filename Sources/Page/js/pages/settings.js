// The settings: a list of sections, and each section at its own path.

import { make } from "../ui/elements.js";
import { Form } from "../ui/form.js";
import { open as openAbout } from "./settings/about.js";
import { open as openAccounts } from "./settings/accounts.js";
import { open as openAdd } from "./settings/add.js";
import { open as openBikes } from "./settings/bikes.js";
import { open as openDevices } from "./settings/devices.js";
import { open as openGeneral } from "./settings/general.js";
import { open as openMaps } from "./settings/maps.js";
import { open as openPhones } from "./settings/phones.js";
import { open as openRiders } from "./settings/riders.js";
import { open as openSound } from "./settings/sound.js";
import { open as openWheel } from "./settings/wheel.js";

/** In the order of the list. */
const SECTIONS = {
  general: openGeneral,
  wheel: openWheel,
  sound: openSound,
  devices: openDevices,
  riders: openRiders,
  bikes: openBikes,
  phones: openPhones,
  maps: openMaps,
  accounts: openAccounts,
  about: openAbout,
};

export function open(app, [section, ...parts]) {
  const opened = (section === "add" ? openAdd : SECTIONS[section])?.(app, new Form(app), parts);
  if (opened) return { parent: "/settings", title: app.texts.get(section), ...opened };
  const form = new Form(app);
  const lines = Object.keys(SECTIONS).map(name => form.link(app.texts.get(name), `/settings/${name}`));
  return {
    title: app.texts.get("settings"), parent: "/",
    element: make("div", "page-body", make("div", "lines", ...lines)),
  };
}
