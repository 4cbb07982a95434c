// Whether a route is followed, and the buttons to follow and to leave it. The guide does it, which is
// a service of its own: without one, the page says what to do.

import { make } from "../../ui/elements.js";
import { Form } from "../../ui/form.js";

const PATH = "/api/1/guide";
const MESSAGE_S = 8;
/** The status of HTTP while no guide answers. */
const ABSENT = 503;

export class Following {
  /** What the guide answers to `status`; null until then and without a guide. */
  #status = null;
  /** The newest record of the stream about the guide: other screens and programs follow routes, too. */
  #record = null;
  #rights = null;
  #isClosed = false;
  /** While the guide is asked: whether the button had the focus. */
  #hadFocus = false;

  constructor(app, route) {
    this.app = app;
    this.route = route;
    this.form = new Form(app);
    this.sentence = make("p", "sentence");
    this.sentence.setAttribute("role", "status");
    this.buttons = make("div", "follow-buttons");
    this.element = make("div", "following", this.sentence, this.buttons);
    this.onVisible = () => { if (!document.hidden) this.load(); };
    document.addEventListener("visibilitychange", this.onVisible);
    this.load();
  }

  async load() {
    try {
      this.#show(await this.app.server.get(PATH), "");
    } catch (error) {
      this.#refuse(error);
    }
  }

  #refuse({ status, message }) {
    const { texts } = this.app;
    this.#show(null, status === ABSENT || status === 404 ? texts.get("follow_no_guide") : texts.get("refused", message));
  }

  #show(status, sentence) {
    if (this.#isClosed) return;
    const { texts } = this.app;
    this.#status = status;
    const following = status?.following;
    const isThis = following?.route === this.route.id;
    if (isThis) sentence = [texts.get("route_followed"), status.message].filter(Boolean).join(" ");
    else if (following) sentence = texts.get("other_route_followed", following.name ?? following.route);
    this.sentence.textContent = sentence;
    this.sentence.hidden = sentence === "";
    this.#showButtons();
  }

  #showButtons() {
    const { texts, rights } = this.app;
    this.#rights = rights.join();
    const isThis = this.#status?.following?.route === this.route.id;
    // A disabled button has lost it.
    const hadFocus = this.buttons.contains(document.activeElement) || (this.#hadFocus && document.activeElement === document.body);
    const mayAct = this.#status !== null && rights.includes("ride");
    const button = isThis
      ? this.form.button(texts.get("route_leave"), each => this.#act(each, { method: "leave" }))
      : this.form.button(texts.get("route_follow"), each => this.#act(each, { method: "follow", params: { route: this.route.id } }), "call");
    this.buttons.replaceChildren(...mayAct ? [button] : []);
    if (hadFocus) button.focus();
  }

  async #act(button, request) {
    this.#hadFocus = document.activeElement === button;
    button.disabled = true;
    try {
      await this.app.server.post(PATH, request);
    } catch (error) {
      this.app.message.show(this.app.texts.get("refused", error.message), MESSAGE_S);
    }
    button.disabled = false;
    await this.load();
    this.#hadFocus = false;
  }

  /** With each frame: the rights of the screen can change, and the guide can follow another route. */
  update(guide) {
    if (guide !== null && guide !== this.#record) {
      this.#record = guide;
      if (guide.present) this.#show(guide.status, "");
      else this.#refuse({ status: ABSENT });
    }
    if (this.app.rights.join() !== this.#rights) this.#showButtons();
  }

  close() {
    this.#isClosed = true;
    document.removeEventListener("visibilitychange", this.onVisible);
  }
}
