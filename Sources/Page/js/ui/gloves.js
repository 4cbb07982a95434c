// Taps of a finger that slides a little, as in gloves and on bad roads: browsers take it for no click
// from some 15 px on. Here it is one up to 24 px and 400 ms, unless the page has scrolled.

const TAP_PX = 24;
const TAP_MS = 400;
/** A browser that takes it for a click has said so by then. */
const CLICK_MS = 50;
const TARGETS = "button, a[href]";

/** @param {Document} root */
export function tapWithGloves(root) {
  let start = null;
  root.addEventListener("pointerdown", event => {
    const target = event.target.closest?.(TARGETS);
    const isTouch = event.isPrimary && event.pointerType === "touch";
    start = isTouch && target ? { x: event.clientX, y: event.clientY, time: event.timeStamp, target } : null;
  });
  root.addEventListener("pointercancel", () => { start = null; });
  root.addEventListener("pointerup", event => {
    const tap = start;
    start = null;
    if (!tap || !event.isPrimary || event.timeStamp - tap.time > TAP_MS) return;
    if (Math.hypot(event.clientX - tap.x, event.clientY - tap.y) <= TAP_PX) clickUnlessClicked(tap.target);
  });
}

function clickUnlessClicked(target) {
  const finished = new AbortController();
  window.addEventListener("click", () => finished.abort(), { capture: true, signal: finished.signal });
  setTimeout(() => {
    if (finished.signal.aborted) return;
    finished.abort();
    if (!target.isConnected || target.disabled) return;
    target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1, view: window }));
  }, CLICK_MS);
}
