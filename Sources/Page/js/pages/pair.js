// What a screen without a token sees: it is let in by the code in the address, or by eight digits.

import { make } from "../ui/elements.js";

const DIGITS = 8;

export function open(app) {
  const { texts } = app;
  const status = make("p", "sentence pair-status");
  status.setAttribute("role", "status");
  const input = make("input", "field digits");
  Object.assign(input, { type: "text", inputMode: "numeric", autocomplete: "one-time-code", maxLength: DIGITS + 1 });
  input.id = "pair-digits";
  const label = make("label", "label", texts.get("pair_digits"));
  label.htmlFor = input.id;
  const button = make("button", "call", texts.get("pair_connect"));
  button.type = "submit";
  const form = make("form", "pair-form", label, input, button);
  form.addEventListener("submit", event => {
    event.preventDefault();
    const digits = input.value.replace(/\D/g, "");
    if (digits.length === DIGITS) redeem(digits);
    else status.textContent = texts.get("pair_eight");
  });

  async function redeem(code) {
    status.textContent = texts.get("pair_connecting");
    button.disabled = true;
    try {
      await app.server.post("/api/1/pair", { code });
      location.replace("/");
    } catch (error) {
      status.textContent = texts.get("refused", error.message);
      button.disabled = false;
    }
  }

  /** The code is taken out of the address, so that it does not stay in the history of the browser. */
  const redeemAddress = () => {
    const code = location.hash.slice(1);
    if (!code) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    redeem(code);
  };
  redeemAddress();
  window.addEventListener("hashchange", redeemAddress);
  const help = [make("h2", "section-title", texts.get("pair_how")), make("ol", "pair-steps",
    make("li", "", texts.get("pair_step_bike")), make("li", "", texts.get("pair_step_scan")),
    make("li", "", texts.get("pair_step_digits")))];
  return {
    title: texts.get("pair_title"), parent: app.isPaired ? "/" : undefined,
    element: make("div", "page-body pair", status, form, ...help),
    close: () => window.removeEventListener("hashchange", redeemAddress),
  };
}
