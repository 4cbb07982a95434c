// The width of the page in pixels. Sizes of type depend on it. In a size of type, WebKit ignores the
// zoom of the page for 100vw, so that a page zoomed to 200 % would have letters of twice their size.

/** Keeps the width, also when the window changes or is zoomed. */
export function followWidth() {
  const set = () => document.documentElement.style.setProperty("--width", `${window.innerWidth}px`);
  window.addEventListener("resize", set);
  set();
}
