// The lines of a form. Each saves at once and says so; a value that is refused stays, with the reason
// below it.

import { make, makeIcon } from "./elements.js";
import { onHold } from "./touch.js";

const HOLD_MS = 1000;

const SAVED_MS = 2000;
const REFUSAL_S = 8;
let count = 0;

/** Makes the lines of one page. */
export class Form {
  /** @param {object} app with `texts` and `speak(text)` */
  constructor(app) {
    this.app = app;
  }

  get texts() {
    return this.app.texts;
  }

  section(title, ...lines) {
    const heading = make("h2", "section-title", title);
    heading.id = makeId();
    const section = make("section", "section", heading, make("div", "lines", ...lines));
    section.setAttribute("aria-labelledby", heading.id);
    return section;
  }

  text(sentence, className = "sentence") {
    return make("p", className, sentence);
  }

  /** A line that opens another page. `value` stands at its right. */
  link(label, path, value = "", ...marks) {
    const link = make("a", "line link", ...marks, make("span", "label", label));
    const shown = make("span", "value", value);
    link.append(shown, makeIcon("chevron-right").element);
    link.href = path;
    link.addEventListener("click", event => {
      event.preventDefault();
      this.app.router.go(path);
    });
    link.setValue = text => { if (shown.textContent !== text) shown.textContent = text; };
    return link;
  }

  /** A line that shows what cannot be changed here. */
  fact(label, value) {
    const shown = make("span", "value", value);
    const line = make("div", "line fact", make("span", "label", label), shown);
    line.show = text => { if (shown.textContent !== text) shown.textContent = text; };
    return line;
  }

  button(label, act, className = "plain") {
    const button = make("button", `line-button ${className}`, label);
    button.type = "button";
    button.addEventListener("click", () => act(button));
    return button;
  }

  /** A button that has to be held, for what cannot be undone. */
  hold(label, act) {
    const filled = make("span", "hold");
    filled.style.width = "0%";
    const button = make("button", "line-button danger", filled, make("span", "label", label));
    button.type = "button";
    onHold(button, HOLD_MS, {
      progress: share => { filled.style.width = `${share * 100}%`; },
      done: () => act().catch(error => this.app.message.show(this.texts.get("refused", error.message), REFUSAL_S)),
    });
    return button;
  }

  /** A switch. */
  toggle(label, isOn, save, hint, saysSaved = true) {
    const button = make("button", "switch", make("span", "knob"));
    button.type = "button";
    button.setAttribute("role", "switch");
    const show = on => button.setAttribute("aria-checked", String(on));
    show(isOn);
    const line = this.#line(label, button, hint);
    button.addEventListener("click", () => {
      const wanted = button.getAttribute("aria-checked") !== "true";
      show(wanted);
      this.#save(line, () => save(wanted), saysSaved);
    });
    return line.element;
  }

  /** One of several values. @param {[string, string][]} options value and text of each */
  choice(label, value, options, save, hint, saysSaved = true) {
    const select = make("select", "field");
    for (const [key, text] of options) select.append(new Option(text, key, false, String(key) === String(value)));
    const line = this.#line(label, select, hint);
    select.addEventListener("change", () => this.#save(line, () => save(select.value), saysSaved));
    return line.element;
  }

  /** A number with its unit. An empty field removes the value. */
  number(label, value, unit, save, hint, saysSaved = true) {
    const input = makeInput("decimal", value ?? "");
    const line = this.#line(label, input, hint, unit);
    input.addEventListener("change", () => {
      const text = input.value.trim().replace(",", ".");
      const isNumber = text === "" || Number.isFinite(Number(text));
      if (!isNumber) return line.refuse(this.texts.get("not_a_number"));
      this.#save(line, () => save(text === "" ? "" : Number(text)), saysSaved);
    });
    return line.element;
  }

  word(label, value, save, hint, saysSaved = true) {
    const input = makeInput("text", value ?? "");
    input.classList.add("long");
    const line = this.#line(label, input, hint);
    input.addEventListener("change", () => this.#save(line, () => save(input.value.trim()), saysSaved));
    return line.element;
  }

  /** A text of several lines. */
  passage(label, value, save, hint) {
    const area = make("textarea", "field passage");
    Object.assign(area, { rows: 3, value: value ?? "" });
    const line = this.#line(label, area, hint);
    area.addEventListener("change", () => this.#save(line, () => save(area.value.trim())));
    return line.element;
  }

  /** A level from 0 to 100. */
  slider(label, value, save, minimum = 0) {
    const input = make("input", "slider");
    Object.assign(input, { type: "range", min: minimum, max: 100, step: 5, value });
    const line = this.#line(label, input);
    input.addEventListener("change", () => this.#save(line, () => save(Number(input.value))));
    return line.element;
  }

  /** A line with a button that does something and shows its answer. */
  action(label, word, act, hint) {
    const button = this.button(word, () => this.#save(line, act, false), "small");
    const line = this.#line(label, button, hint);
    return line.element;
  }

  /** A line with any control. It does not save by itself. */
  labelled(label, control, hint) {
    return this.#line(label, control, hint).element;
  }

  async #save(line, save, saysSaved = true) {
    line.refuse("");
    line.say("");
    try {
      const answer = await save();
      line.say(saysSaved ? this.texts.get("saved") : answer ?? "");
    } catch (error) {
      line.refuse(error.message);
    }
  }

  #line(label, control, hint, unit) {
    const id = makeId();
    const name = make("label", "label", label);
    name.id = `${id}-name`;
    control.id = id;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(control.tagName)) name.htmlFor = id;
    else control.setAttribute("aria-labelledby", control.classList.contains("switch") ? name.id : `${name.id} ${id}`);
    const said = make("span", "said");
    const error = make("p", "error");
    error.id = `${id}-error`;
    error.hidden = true;
    const end = make("span", "end", said, control);
    if (unit) end.append(make("span", "unit-of-field", unit));
    const element = make("div", "line", name, end);
    if (hint) {
      const text = make("p", "hint", hint);
      text.id = `${id}-hint`;
      control.setAttribute("aria-describedby", text.id);
      element.append(text);
    }
    element.append(error);
    let timer = null;
    return {
      element,
      say: text => {
        clearTimeout(timer);
        said.textContent = text;
        if (!text) return;
        this.app.speak(`${label}: ${text}`);
        if (text === this.texts.get("saved")) timer = setTimeout(() => { said.textContent = ""; }, SAVED_MS);
      },
      refuse: sentence => {
        error.textContent = sentence;
        error.hidden = sentence === "";
        const described = [hint && `${id}-hint`, sentence && error.id].filter(Boolean).join(" ");
        if (described) control.setAttribute("aria-describedby", described);
        else control.removeAttribute("aria-describedby");
        control.toggleAttribute("data-refused", sentence !== "");
        if (sentence) this.app.speak(sentence);
      },
    };
  }
}

function makeInput(mode, value) {
  const input = make("input", "field");
  Object.assign(input, { type: "text", inputMode: mode, autocomplete: "off", spellcheck: false, value });
  return input;
}

function makeId() {
  count += 1;
  return `field-${count}`;
}
