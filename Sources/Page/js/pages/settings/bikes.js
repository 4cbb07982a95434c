// The bikes: their sensors, wheels and tires.

import { convert, revert, unitOf } from "../../core/units.js";
import { make } from "../../ui/elements.js";
import { loadLater } from "./later.js";

export function open(app, form, [name]) {
  if (name) return openBike(app, form, name);
  const { texts } = app;
  const later = loadLater(app, form, async () => {
    const { bikes, current } = await app.daemon.ask("bike");
    const lines = bikes.map(bike => form.link(bike.name, pathOf(bike.name),
      bike.name === current ? texts.get("current_bike") : ""));
    const list = lines.length > 0 ? make("div", "lines section", ...lines) : form.text(texts.get("no_bikes"));
    return [list, makeAdd(app, form)];
  });
  return { element: make("div", "page-body", later.element) };
}

function pathOf(name) {
  return `/settings/bikes/${encodeURIComponent(name)}`;
}

function makeAdd(app, form) {
  const { texts } = app;
  const line = form.word(texts.get("bike_name"), "", async name => {
    if (name === "") return;
    await app.daemon.ask("bike", { name });
    app.router.go(pathOf(name));
  });
  return form.section(texts.get("add_bike"), line);
}

function openBike(app, form, name) {
  let bike = null;
  const later = loadLater(app, form, async () => {
    const { bikes } = await app.daemon.ask("bike");
    const found = bikes.find(each => each.name === name);
    bike = found ? makeBike(app, form, found) : null;
    return bike?.lines ?? [form.text(app.texts.get("bike_gone"))];
  });
  const update = () => bike?.update();
  return { title: name, parent: "/settings/bikes", element: make("div", "page-body", later.element), update };
}

function makeBike(app, form, bike) {
  const { texts, settings } = app;
  const change = changes => app.daemon.ask("bike", { name: bike.name, ...changes });
  const pressure = key => {
    const shown = bike[key] === undefined ? undefined : Number(convert("pressure", bike[key], settings.units).toFixed(2));
    return form.number(texts.get(key.replace("_pa", "")), shown, unitOf("pressure", settings.units),
      value => change({ [key]: value === "" ? "" : revert("pressure", value, settings.units) }));
  };
  const sensors = makeSensors(app, form, bike.sensors ?? [], change);
  const rename = async name => {
    if (name === bike.name) return;
    await change({ rename: name });
    app.router.replace(pathOf(name));
  };
  const remove = async () => {
    await change({ remove: true });
    app.router.leave("/settings/bikes");
  };
  const lines = [
    make("div", "lines section", form.word(texts.get("name"), bike.name, rename),
      form.number(texts.get("wheel_size_mm"), bike.circumference_mm, "mm", value => change({ circumference_mm: value }))),
    form.section(texts.get("tires_targets"), pressure("front_pressure_pa"), pressure("rear_pressure_pa")),
    sensors.element,
    form.hold(texts.get("remove_bike"), remove),
  ];
  return { lines, update: sensors.update };
}

/** Which sensors are on the bike. Those that are paired may become known after the page is open. */
function makeSensors(app, form, mounted, change) {
  const element = make("div");
  let shown = "";
  const update = () => {
    const names = new Map(mounted.map(id => [id, id]));
    for (const { id, name } of app.store.sensors) names.set(id, name ?? id);
    const wanted = JSON.stringify([...names]);
    if (wanted === shown) return;
    shown = wanted;
    const toggles = [...names].map(([id, name]) => form.toggle(name, mounted.includes(id), async isOn => {
      const sensors = isOn ? [...mounted, id] : mounted.filter(each => each !== id);
      await change({ sensors });
      mounted = sensors;
    }));
    element.replaceChildren(...(toggles.length > 0 ? [form.section(app.texts.get("bike_sensors"), ...toggles)] : []));
  };
  update();
  return { element, update };
}
