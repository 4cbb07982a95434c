// Letting phones in with a QR code, and the screens that were let in.

import { make } from "../../ui/elements.js";
import { loadLater } from "./later.js";
import { drawCode } from "./qr-code.js";

const RIGHTS = ["view", "ride", "manage"];
const SECOND_MS = 1000;

export function open(app, form) {
  const invitation = new Invitation(app, form);
  const list = loadLater(app, form, async () => [makeList(app, form, await app.server.get("/api/1/phones"), () => list.reload())]);
  return {
    element: make("div", "page-body", invitation.element, list.element),
    close: () => invitation.close(),
  };
}

class Invitation {
  #timer = null;

  constructor(app, form) {
    const { texts } = app;
    this.app = app;
    this.form = form;
    this.right = "ride";
    this.name = texts.get("phone_default");
    this.box = make("div", "code");
    this.box.hidden = true;
    const rights = RIGHTS.map(right => [right, texts.get(`right_${right}`)]);
    this.element = form.section(texts.get("let_in"),
      form.choice(texts.get("right_of_phone"), this.right, rights, right => this.#choose({ right }), null, false),
      form.word(texts.get("phone_name"), this.name, name => this.#choose({ name }), null, false),
      form.button(texts.get("make_code"), () => this.#make(), "call"), this.box);
  }

  close() {
    clearInterval(this.#timer);
  }

  /** A code that is shown is for another choice. */
  #choose(choice) {
    Object.assign(this, choice);
    this.close();
    this.box.hidden = true;
  }

  async #make() {
    const { texts, server } = this.app;
    this.close();
    this.box.hidden = false;
    try {
      this.#show(await server.post("/api/1/phones", { right: this.right, name: this.name || texts.get("phone_default") }));
    } catch (error) {
      this.box.replaceChildren(this.form.text(texts.get("refused", error.message)));
    }
  }

  #show({ url, digits, valid_s: valid, local: isLocal, modules }) {
    const { texts } = this.app;
    const parts = [];
    const warning = isLocal ? "phones_unreachable" : url.startsWith("http:") ? "phones_unencrypted" : null;
    if (warning) parts.push(make("p", "warning", texts.get(warning)));
    if (modules) {
      const canvas = make("canvas");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", texts.get("code_scan"));
      drawCode(canvas, modules);
      parts.push(make("p", "", texts.get("code_scan")), canvas);
    }
    const address = new URL(url);
    if (digits) {
      parts.push(make("p", "", texts.get("code_digits", `${address.host}/pair`)),
        make("p", "code-digits", `${digits.slice(0, 4)} ${digits.slice(4)}`));
    } else {
      parts.push(make("p", "minor-url", url));
    }
    const left = make("p", "hint");
    const end = performance.now() + valid * SECOND_MS;
    const count = () => {
      const seconds = Math.ceil((end - performance.now()) / SECOND_MS);
      if (seconds > 0) {
        left.textContent = texts.get("code_left", seconds);
        return;
      }
      this.close();
      this.box.replaceChildren(this.form.text(texts.get("code_over")));
    };
    this.box.replaceChildren(...parts, left);
    count();
    this.#timer = setInterval(count, SECOND_MS);
  }
}

function makeList(app, form, { phones, own }, reload) {
  const { texts } = app;
  const day = new Intl.DateTimeFormat(app.language, { dateStyle: "medium", timeStyle: "short" });
  const lines = phones.map(phone => {
    const used = phone.last_used ? texts.get("last_use", day.format(new Date(phone.last_used))) : texts.get("never_used");
    const isOwn = phone.id === own;
    const words = [texts.get(`phone_right_${phone.right}`), isOwn ? texts.get("this_screen") : used].join(", ");
    const revoke = form.hold(texts.get("revoke"), async () => {
      await app.server.remove(`/api/1/phones/${phone.id}`);
      app.message.show(texts.get("revoked", phone.name), 4);
      reload();
    });
    revoke.setAttribute("aria-label", `${texts.get("revoke")}: ${phone.name}`);
    const label = make("span", "label", phone.name, make("span", "note", words));
    return make("div", "line phone", label, revoke);
  });
  if (lines.length === 0) lines.push(form.text(texts.get("no_phones")));
  return form.section(texts.get("phones_in"), ...lines);
}
