// One device: its state, name, settings and commands.

import { devicesOf, reasonOf, signalBars } from "../../core/devices.js";
import { convert, revert, unitOf } from "../../core/units.js";
import { make } from "../../ui/elements.js";

const ROLES = ["front", "rear", "left", "right"];
const LINK = ["reconnects", "longest_gap_s", "packets", "missed"];
const QUANTITIES = { pa: "pressure", c: "temperature" };

export function openDevice(app, form, id) {
  const { texts } = app;
  const box = make("div", "page-body");
  let view = null;
  const update = ({ store, now }) => {
    const sensor = store.sensor(id);
    if (!sensor) {
      if (view !== null || box.childNodes.length === 0) box.replaceChildren(form.text(texts.get("device_gone")));
      view = null;
      return;
    }
    if (view === null) {
      view = new DeviceView(app, form, sensor);
      box.replaceChildren(...view.parts);
    }
    view.update(devicesOf(store, now).find(device => device.id === id));
  };
  update({ store: app.store, now: app.clock.now });
  return { title: () => app.store.sensor(id)?.name ?? id, parent: "/settings/devices", element: box, update };
}

class DeviceView {
  constructor(app, form, sensor) {
    this.app = app;
    this.form = form;
    this.sensor = sensor;
    const { texts } = app;
    this.state = form.fact(texts.get("status"), "");
    this.battery = form.fact(texts.get("charge"), "");
    this.signal = form.fact(texts.get("signal"), "");
    const again = make("div", "lines section", form.link(texts.get("pair_again_button"), `/settings/add/${sensor.address}`));
    this.again = again;
    const enabled = form.toggle(texts.get("enabled"), app.store.state(sensor.id)?.state !== "disabled",
      isOn => this.#ask(isOn ? "enable" : "disable"), texts.get("disabled_hint"));
    this.parts = [
      make("div", "lines section", this.state, this.battery, this.signal, enabled), again,
      this.#makeSettings(), ...this.#makeCommands(), ...this.#makeFacts(),
      form.hold(texts.get("forget"), () => this.#forget()),
    ];
  }

  #ask(method, params = {}) {
    return this.app.daemon.ask(method, { sensor: this.sensor.id, ...params });
  }

  update(device) {
    const { texts, language } = this.app;
    this.state.show(texts.get(...reasonOf(device, language)));
    this.battery.hidden = device.battery === undefined;
    this.battery.show(`${Math.round(device.battery)} %`);
    const bars = signalBars(device.signal);
    this.signal.hidden = bars === null;
    this.signal.show(texts.get("signal_value", bars, device.signal));
    this.again.hidden = device.state !== "error" || device.reason !== "bond_lost";
  }

  async #forget() {
    const { app, sensor } = this;
    await this.#ask("forget");
    app.message.show(app.texts.get("forgot", sensor.name ?? sensor.id), 4);
    app.router.leave("/settings/devices");
  }

  #makeSettings() {
    const { texts } = this.app;
    const { sensor, form } = this;
    const lines = (sensor.setting_keys ?? []).map(key => this.#makeSetting(key));
    const name = form.word(texts.get("name"), sensor.name, value => this.#ask("rename", { name: value }));
    return form.section(texts.get("settings_of_device"), name, ...lines);
  }

  #makeSetting(key) {
    const { form, sensor } = this;
    const { texts } = this.app;
    const set = value => this.#ask("set", { key, ...(value === "" ? {} : { value }) });
    const value = sensor.settings?.[key];
    if (key === "role") {
      const roles = [["", texts.get("role_none")], ...ROLES.map(role => [role, texts.get(`role_${role}`)])];
      return form.choice(texts.get("role"), sensor.role ?? "", roles, set);
    }
    if (key === "priority") return form.number(texts.get("priority"), value, "", set, texts.get("priority_hint"));
    if (key === "wheel_size") {
      const sources = [["", texts.get("none_set")], ["measured", texts.get("wheel_automatic")], ["user", texts.get("wheel_user")]];
      return form.choice(texts.get("set_wheel_size"), value ?? "", sources, set);
    }
    return this.#makeNumber(key, value, set);
  }

  /** The last part of a key is the unit of its value. */
  #makeNumber(key, value, set) {
    const { units } = this.app.settings;
    const unit = key.slice(key.lastIndexOf("_") + 1);
    const quantity = QUANTITIES[unit];
    const shown = value === undefined ? undefined : Number(convert(quantity, value, units).toFixed(2));
    return this.form.number(this.app.texts.get(`set_${key}`), shown, unitOf(quantity, units) ?? unit,
      written => set(written === "" ? "" : revert(quantity, written, units)));
  }

  #makeCommands() {
    const { texts } = this.app;
    const commands = (this.sensor.commands ?? []).flatMap(command => this.#makeCommand(command));
    return commands.length > 0 ? [this.form.section(texts.get("commands"), ...commands)] : [];
  }

  #makeCommand({ name, summary, preparation, parameters = [] }) {
    const { form, app } = this;
    const values = {};
    const fields = parameters.map(parameter => form.number(parameter.summary ?? parameter.name, undefined,
      parameter.unit ?? "", value => { values[parameter.name] = value; }, null, false));
    const run = async () => {
      const known = Object.entries(values).filter(([, value]) => value !== "");
      return wordsOf(await this.#ask("command", { name, params: Object.fromEntries(known) }));
    };
    return [...fields, form.action(summary ?? name, app.texts.get("run"), run, preparation)];
  }

  #makeFacts() {
    const { texts } = this.app;
    const { form, sensor } = this;
    const facts = Object.entries(sensor.facts ?? {}).map(([key, value]) => form.fact(capital(key), wordsOf(value)));
    const link = LINK.filter(key => sensor.link?.[key] !== undefined)
      .map(key => form.fact(texts.get(`link_${key}`), String(sensor.link[key]) + (key.endsWith("_s") ? " s" : "")));
    const address = form.fact(texts.get("address"), sensor.address ?? "–");
    return [form.section(texts.get("device_link"), address, ...link),
      ...(facts.length > 0 ? [form.section(texts.get("device_facts"), ...facts)] : [])];
  }
}

function capital(key) {
  const words = key.replaceAll("_", " ");
  return words[0].toUpperCase() + words.slice(1);
}

/** A fact or an answer as the daemon has it: a value, a list, or values with names. */
function wordsOf(value) {
  if (Array.isArray(value)) return value.map(wordsOf).join(", ");
  if (value === null || typeof value !== "object") return String(value);
  return Object.entries(value).map(([key, each]) => (key === "result" ? wordsOf(each) : `${key.replaceAll("_", " ")} ${wordsOf(each)}`))
    .join(", ");
}
