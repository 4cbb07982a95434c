// One line about a device: name, state in words, battery, signal, age. With `open`, it leads to the
// page of the device.

import { reasonOf, signalBars } from "../core/devices.js";
import { shortAge } from "../core/states.js";
import { make, makeIcon, makeText, setAttribute } from "./elements.js";
import { makeStrength } from "./strength.js";

const SHAPES = { error: "triangle-exclamation", streaming: "check", disabled: "xmark" };
const SHOWN_AGE_S = 10;

export class DeviceRow {
  /** @param {(() => void)|undefined} open shows the page of the device */
  constructor(texts, locale, open) {
    this.texts = texts;
    this.locale = locale;
    this.icon = makeIcon("circle");
    this.name = makeText("span", "name");
    this.role = makeText("span", "hint");
    this.state = makeText("span", "hint");
    this.battery = makeText("span", "number");
    this.age = makeText("span", "minor");
    this.strength = makeStrength();
    const words = make("span", "words", this.name.element, this.state.element, this.role.element);
    this.element = make("li", "device", this.icon.element, words, this.age.element, this.battery.element, this.strength.element);
    if (open) this.#addLink(open);
  }

  #addLink(open) {
    this.link = make("button", "device-open", makeIcon("chevron-right").element);
    this.link.type = "button";
    this.element.append(this.link);
    this.element.addEventListener("click", () => { if (!this.link.hidden) open(); });
  }

  /** @param {boolean} mayOpen false while moving */
  update(device, role = "", mayOpen = false) {
    if (this.link) {
      this.link.hidden = !mayOpen;
      setAttribute(this.link, "aria-label", `${this.texts.get("settings")}: ${device.name}`);
    }
    this.icon.name = SHAPES[device.state] ?? "circle";
    setAttribute(this.element, "data-state", device.state);
    this.name.text = device.name;
    this.role.text = role;
    this.state.text = this.texts.get(...reasonOf(device, this.locale));
    this.battery.text = device.battery === undefined ? "" : `${Math.round(device.battery)} %`;
    setAttribute(this.battery.element, "data-low", device.battery <= 10 ? "" : null);
    this.age.text = device.age !== null && device.age > SHOWN_AGE_S ? shortAge(device.age) : "";
    const bars = device.state === "streaming" ? signalBars(device.signal) : null;
    this.strength.element.toggleAttribute("hidden", bars === null);
    this.strength.show(bars ?? 0);
    setAttribute(this.strength.element, "aria-label", bars === null ? null : this.texts.get("signal_bars", bars));
  }
}
