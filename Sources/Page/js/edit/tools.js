// What edit mode adds to the widgets: the outline of the selected one, and a handle and a remove
// button on those that are wide enough.

import { make, makeIcon, setAttribute } from "../ui/elements.js";

export class WidgetTools {
  constructor(editor) {
    this.editor = editor;
  }

  /** @param {number|null} selected */
  show(selected) {
    const { editor } = this;
    [...editor.app.list.children].forEach((item, index) => {
      const isSelected = index === selected;
      item.toggleAttribute("data-selected", isSelected);
      const face = item.querySelector(".face");
      setAttribute(face, "aria-pressed", String(isSelected));
      const isWide = item.dataset.size !== "1x1";
      if (isWide && !item.querySelector(".tools")) item.append(this.#makeTools(item));
      if (isSelected && !document.querySelector(".question")) face.focus({ preventScroll: true });
    });
  }

  hide() {
    for (const item of this.editor.app.list.children) {
      item.querySelector(".tools")?.remove();
      item.toggleAttribute("data-selected", false);
      item.querySelector(".face").removeAttribute("aria-pressed");
    }
  }

  #makeTools(item) {
    const { editor } = this;
    const { texts } = editor;
    const name = texts.get(item.dataset.id);
    const remove = make("button", "remove", makeIcon("xmark").element);
    remove.type = "button";
    remove.setAttribute("aria-label", `${texts.get("edit_remove")}: ${name}`);
    remove.addEventListener("click", () => editor.remove([...item.parentElement.children].indexOf(item)));
    // Moving has its buttons in the toolbar, so the handle is for pointers only.
    const handle = make("span", "handle", makeIcon("bars").element);
    return make("span", "tools", remove, handle);
  }
}
