// The size of each wheel: measured by satellite, or entered.

import { make } from "../../ui/elements.js";

export function open(app, form) {
  const box = make("div", "page-body");
  let shown = null;
  const update = ({ store }) => {
    const sensors = store.sensors.filter(sensor => sensor.setting_keys?.includes("circumference_mm"));
    const ids = sensors.map(sensor => sensor.id).join();
    if (ids === shown) return;
    shown = ids;
    if (sensors.length === 0) box.replaceChildren(form.text(app.texts.get("wheel_none")));
    else box.replaceChildren(...sensors.map(sensor => makeWheel(app, form, sensor)));
  };
  update({ store: app.store });
  return { element: box, update };
}

function makeWheel(app, form, sensor) {
  const { texts } = app;
  const settings = sensor.settings ?? {};
  const set = (key, value) => app.daemon.ask("set", { sensor: sensor.id, key, ...(value === "" ? {} : { value }) });
  const source = settings.wheel_size ?? (settings.circumference_mm ? "user" : "measured");
  const sources = [["measured", texts.get("wheel_automatic")], ["user", texts.get("wheel_user")]];
  const measured = app.store.newest("wheel", sensor.id) ?? app.store.newest("wheel");
  const shown = measured?.circumference_mm === undefined ? texts.get("wheel_not_measured")
    : texts.get("wheel_trust", Math.round(measured.circumference_mm), Math.round((measured.confidence ?? 0) * 100));
  return form.section(sensor.name ?? sensor.id,
    form.choice(texts.get("wheel_source"), source, sources, value => set("wheel_size", value)),
    form.number(texts.get("wheel_mm"), settings.circumference_mm, "mm", value => set("circumference_mm", value)),
    form.fact(texts.get("wheel_measured"), shown));
}
