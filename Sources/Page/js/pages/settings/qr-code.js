// Draws a QR code: dark modules on light, whatever the scheme, because cameras expect that.

const QUIET = 4;
const SIZE_PX = 240;

/** @param {string[]} modules rows of 0 and 1 */
export function drawCode(canvas, modules) {
  const count = modules.length + 2 * QUIET;
  const pixels = Math.max(1, Math.floor(SIZE_PX * window.devicePixelRatio / count));
  canvas.width = canvas.height = count * pixels;
  const side = `${Math.round(count * pixels / window.devicePixelRatio)}px`;
  canvas.style.width = side;
  canvas.style.height = side;
  const context = canvas.getContext("2d");
  const color = name => getComputedStyle(document.documentElement).getPropertyValue(name);
  context.fillStyle = color("--code-light");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = color("--code-dark");
  modules.forEach((row, y) => [...row].forEach((module, x) => {
    if (module === "1") context.fillRect((x + QUIET) * pixels, (y + QUIET) * pixels, pixels, pixels);
  }));
}
