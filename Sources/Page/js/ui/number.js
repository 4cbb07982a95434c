// A number as a row of cells, one per character. The cells are made once and their text nodes
// change in place, so that a new value costs no layout outside its box.

const DASH = "–";

export class NumberView {
  #cells = [];
  #text = null;

  constructor() {
    this.element = document.createElement("span");
    this.element.className = "number";
    this.element.setAttribute("aria-hidden", "true");
  }

  /** @param {string|null} text null for a missing value */
  set text(text) {
    const shown = text ?? DASH;
    if (shown === this.#text) return;
    this.#text = shown;
    while (this.#cells.length < shown.length) this.#addCell();
    this.#cells.forEach((cell, index) => cell.show(shown[index] ?? ""));
  }

  get text() {
    return this.#text;
  }

  #addCell() {
    const element = document.createElement("i");
    const node = document.createTextNode("");
    element.append(node);
    this.element.append(element);
    this.#cells.push({
      show(character) {
        if (node.data === character) return;
        node.data = character;
        element.className = classOf(character);
      },
    });
  }
}

function classOf(character) {
  if (character === "") return "none";
  if (".,:".includes(character)) return "point";
  if (character === "+" || character === "-") return "sign";
  return character === DASH ? "dash" : "";
}
