// Gestures: a hold in place, by pointer or by the space bar.

const STEPS = 10;
const MOVED_PX = 24;

/** Calls `done` once when the element was held for a time, and `progress` in ten steps. */
export function onHold(element, milliseconds, { progress, done }) {
  let timer = null;
  let start = null;
  const end = () => {
    clearInterval(timer);
    timer = null;
    progress(0);
  };
  const begin = () => {
    if (timer !== null) return;
    let step = 0;
    timer = setInterval(() => {
      step += 1;
      progress(step / STEPS);
      if (step < STEPS) return;
      end();
      done();
    }, milliseconds / STEPS);
  };
  element.addEventListener("pointerdown", event => {
    start = { x: event.clientX, y: event.clientY };
    begin();
  });
  element.addEventListener("pointermove", event => {
    if (!start || timer === null) return;
    if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > MOVED_PX) end();
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave", "blur"]) element.addEventListener(name, end);
  element.addEventListener("contextmenu", event => event.preventDefault());
  element.addEventListener("keydown", event => {
    if (event.key === " " && !event.repeat) begin();
  });
  element.addEventListener("keyup", event => {
    if (event.key === " ") end();
  });
}
