// The bars of edit mode: CANCEL and DONE at the top, the toolbar of the selected widget at the bottom.

import { CATALOGUE, sizesOf } from "../core/catalogue.js";
import { SIZES, sizeOf } from "../core/layout.js";
import { make, makeIcon, setAttribute } from "../ui/elements.js";

export class EditBars {
  constructor(editor) {
    this.editor = editor;
    const { texts } = editor;
    const button = (label, act, className = "") => {
      const made = make("button", className, label);
      made.type = "button";
      made.addEventListener("click", act);
      return made;
    };
    const icon = (name, key, act) => {
      const made = button(makeIcon(name).element, act);
      made.setAttribute("aria-label", texts.get(key));
      return made;
    };
    const title = make("h2", "", texts.get("edit"));
    this.top = make("section", "", button(texts.get("edit_cancel"), () => editor.cancel(), "cancel"), title,
      button(texts.get("edit_done"), () => editor.finish(), "call"));
    this.top.id = "edittop";
    this.top.setAttribute("aria-label", texts.get("edit"));

    this.sizes = SIZES.map(size => {
      const made = button(size.replace("x", "×"), () => editor.resize(size), "size");
      made.setAttribute("aria-label", texts.get("edit_size", size.replace("x", " × ")));
      return made;
    });
    const earlier = icon("chevron-left", "edit_earlier", () => editor.move(editor.selected, editor.selected - 1));
    const later = icon("chevron-right", "edit_later", () => editor.move(editor.selected, editor.selected + 1));
    const remove = icon("xmark", "edit_remove", () => editor.remove(editor.selected));
    this.selected = make("div", "selected-tools", earlier, later, ...this.sizes, remove);
    this.selected.setAttribute("role", "toolbar");

    this.average = make("select", "field");
    this.average.setAttribute("aria-label", texts.get("edit_of"));
    this.average.addEventListener("change", () => editor.setAverage(this.average.value || null));
    const add = button(texts.get("edit_add"), () => editor.picker.open(), "add");
    add.prepend(makeIcon("plus").element);
    const reset = button(texts.get("edit_reset"), () => editor.reset());
    this.bottom = make("section", "", this.selected, make("div", "layout-tools", this.average, add, reset));
    this.bottom.id = "editbar";
    this.bottom.setAttribute("aria-label", texts.get("edit_widget"));
  }

  open() {
    document.getElementById("top").after(this.top);
    document.getElementById("bottom").after(this.bottom);
  }

  close() {
    this.top.remove();
    this.bottom.remove();
  }

  update() {
    const { widget, texts } = this.editor;
    this.bottom.toggleAttribute("data-selected", widget !== null);
    for (const button of this.selected.children) button.disabled = widget === null;
    this.sizes.forEach((button, index) => {
      button.disabled = widget === null || !sizesOf(widget.id).includes(SIZES[index]);
      setAttribute(button, "aria-pressed", String(widget !== null && SIZES[index] === sizeOf(widget)));
    });
    this.selected.setAttribute("aria-label", widget ? this.editor.nameOf(widget) : texts.get("edit"));
    const choices = widget && CATALOGUE[widget.id]?.choices;
    this.average.hidden = !choices;
    if (!choices) return;
    const options = [["", texts.get("edit_now")], ...Object.keys(choices).map(key => [key, key.replace("s", " s")])];
    this.average.replaceChildren(...options.map(([key, text]) => new Option(text, key, false, key === (widget.of ?? ""))));
  }
}
