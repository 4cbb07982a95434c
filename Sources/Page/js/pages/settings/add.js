// Adding a device: a search, then pairing, which may ask for a passkey.

import { signalBars } from "../../core/devices.js";
import { make, makeSVG, makeText } from "../../ui/elements.js";
import { makeStrength } from "../../ui/strength.js";

const SCAN_S = 60;
const PAIR_S = 45;
const SECOND_MS = 1000;
const RADIUS = 52;

export function open(app, form, [address]) {
  const adding = new Adding(app, form);
  if (address) adding.pair({ address, name: address });
  else adding.scan();
  return {
    title: app.texts.get("add_device"), parent: "/settings/devices", element: adding.element,
    recordTask: record => adding.record(record), close: () => adding.close(),
  };
}

class Adding {
  #rows = new Map();
  #isBusy = false;
  #isClosed = false;
  #timer = null;
  /** The daemon's limit, which a question does not extend. */
  #pairingEnd = 0;

  constructor(app, form) {
    this.app = app;
    this.form = form;
    this.status = form.text("");
    this.status.setAttribute("role", "status");
    this.list = make("div", "lines section found-list");
    this.stage = make("div", "stage");
    this.again = form.button(app.texts.get("scan_again"), () => this.scan());
    this.element = make("div", "page-body", this.status, this.stage, this.list, this.again);
  }

  /** The daemon ends a search or a pairing that no page waits for. */
  close() {
    this.#isClosed = true;
    clearInterval(this.#timer);
    if (this.#isBusy) this.app.daemon.ask("cancel").catch(() => {});
  }

  async scan() {
    const { texts, daemon } = this.app;
    this.#rows.clear();
    this.list.replaceChildren();
    this.stage.replaceChildren();
    this.again.hidden = true;
    this.status.textContent = texts.get("scanning");
    try {
      this.#isBusy = true;
      await daemon.ask("scan", { seconds: SCAN_S });
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error) {
    this.#isBusy = false;
    clearInterval(this.#timer);
    this.stage.replaceChildren();
    this.status.textContent = this.app.texts.get("refused", error.message);
    this.again.hidden = false;
  }

  record(record) {
    switch (record.class) {
    case "found": return this.#recordFound(record);
    case "scan_ended": return this.#recordEnd();
    case "prompt": return this.#showPrompt(record);
    default: return undefined;
    }
  }

  #recordEnd() {
    // Also the end of a search that made way for a pairing.
    if (this.#timer !== null) return;
    this.#isBusy = false;
    this.status.textContent = this.app.texts.get(this.#rows.size > 0 ? "scan_ended" : "found_none");
    this.again.hidden = false;
  }

  /** A device keeps its place, so that nothing moves under the finger. */
  #recordFound(record) {
    let row = this.#rows.get(record.address);
    if (!row) {
      row = this.#makeRow(record);
      this.#rows.set(record.address, row);
      this.list.append(row.button);
    }
    row.show(record);
  }

  #makeRow(record) {
    const name = makeText("span", "name");
    const note = makeText("span", "note");
    const strength = makeStrength();
    const button = make("button", "found", make("span", "words", name.element, note.element), strength.element);
    button.type = "button";
    const { texts } = this.app;
    button.addEventListener("click", () => this.pair(record));
    return {
      button,
      show({ name: text, address, rssi_dbm: signal, kinds = [], paired }) {
        const bars = signalBars(signal) ?? 0;
        name.text = text ?? address;
        note.text = paired ? texts.get("paired_already") : kinds.map(kind => kind.replaceAll("_", " ")).join(", ");
        strength.show(bars);
        strength.element.setAttribute("aria-label", texts.get("signal_of", bars));
        button.disabled = paired === true;
      },
    };
  }

  async pair({ address, name }) {
    const { texts, daemon, message, router } = this.app;
    this.list.replaceChildren();
    this.again.hidden = true;
    this.status.textContent = texts.get("pairing", name ?? address);
    this.#pairingEnd = performance.now() + PAIR_S * SECOND_MS;
    this.#startRing();
    try {
      // A connection runs one task at a time.
      if (this.#isBusy) await daemon.ask("cancel");
      this.#isBusy = true;
      const sensor = await daemon.ask("pair", { address });
      this.#isBusy = false;
      if (this.#isClosed) return;
      message.show(texts.get("paired", sensor.name), 4);
      router.replace(`/settings/devices/${sensor.id}`);
    } catch (error) {
      if (!this.#isClosed) this.#fail(error);
      this.#timer = null;
    }
  }

  #startRing() {
    const circle = name => makeSVG("circle", { class: name, cx: 60, cy: 60, r: RADIUS });
    const passed = circle("passed");
    const text = makeSVG("text", { x: 60, y: 72 });
    const ring = makeSVG("svg", { class: "ring", viewBox: "0 0 120 120", "aria-hidden": "true" }, circle("all"), passed, text);
    this.stage.replaceChildren(ring);
    const length = 2 * Math.PI * RADIUS;
    const show = () => {
      const left = Math.max(0, Math.ceil((this.#pairingEnd - performance.now()) / SECOND_MS));
      text.textContent = String(left);
      passed.setAttribute("stroke-dasharray", `${length * left / PAIR_S} ${length}`);
    };
    passed.setAttribute("transform", "rotate(-90 60 60)");
    clearInterval(this.#timer);
    show();
    this.#timer = setInterval(show, SECOND_MS);
  }

  #showPrompt({ prompt, ask, passkey }) {
    const { texts, daemon } = this.app;
    clearInterval(this.#timer);
    const answer = value => {
      this.#startRing();
      daemon.ask("answer", { prompt, value }).catch(error => this.#fail(error));
    };
    if (ask === "confirm") {
      const yes = this.form.button(texts.get("yes"), () => answer(true), "call");
      const no = this.form.button(texts.get("no"), () => answer(false));
      this.status.textContent = texts.get("confirm_passkey", passkey);
      this.stage.replaceChildren(make("div", "prompt-form", make("p", "code-digits", passkey), yes, no));
      return yes.focus();
    }
    const input = make("input", "field");
    Object.assign(input, { type: "text", inputMode: "numeric", maxLength: 6, autocomplete: "off" });
    input.setAttribute("aria-label", texts.get("passkey_label"));
    const send = make("button", "line-button call", texts.get("pair_connect"));
    send.type = "submit";
    const form = make("form", "prompt-form", input, send);
    form.addEventListener("submit", event => {
      event.preventDefault();
      if (input.value.trim() !== "") answer(input.value.trim());
    });
    this.status.textContent = texts.get("passkey");
    this.stage.replaceChildren(form);
    input.focus();
  }
}
