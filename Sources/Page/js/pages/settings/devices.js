// The paired devices, and the page of each.

import { devicesOf, reasonOf } from "../../core/devices.js";
import { make, makeIcon } from "../../ui/elements.js";
import { openDevice } from "./device.js";

const SHAPES = { error: "triangle-exclamation", streaming: "check", disabled: "xmark" };

export function open(app, form, [id]) {
  if (id) return openDevice(app, form, id);
  const { texts } = app;
  const list = make("div", "lines section");
  const empty = form.text(texts.get("no_devices"));
  const add = form.link(texts.get("add_device"), "/settings/add", "", makeIcon("plus").element);
  const rows = new Map();
  const update = ({ store, now }) => {
    const devices = devicesOf(store, now).sort((a, b) => a.name.localeCompare(b.name));
    const ids = devices.map(device => device.id).join();
    if (ids !== list.dataset.ids) {
      list.dataset.ids = ids;
      rows.clear();
      for (const device of devices) rows.set(device.id, makeRow(form, device));
      list.replaceChildren(...[...rows.values()].map(row => row.line));
      empty.hidden = devices.length > 0;
      list.hidden = devices.length === 0;
    }
    for (const device of devices) rows.get(device.id).show(device, texts, app.language);
  };
  update({ store: app.store, now: app.clock.now });
  return { element: make("div", "page-body", empty, list, make("div", "lines section", add)), update };
}

function makeRow(form, device) {
  const icon = makeIcon("circle");
  const line = form.link(device.name, `/settings/devices/${device.id}`, "", icon.element);
  return {
    line,
    show(shown, texts, language) {
      icon.name = SHAPES[shown.state] ?? "circle";
      const battery = shown.battery === undefined ? [] : [`${Math.round(shown.battery)} %`];
      line.setValue([texts.get(...reasonOf(shown, language)), ...battery].join(", "));
      line.dataset.state = shown.state;
    },
  };
}
