// Draws a line of points on a canvas, with gaps where nothing was measured. Used by watermarks and
// by the graph of the drawer.

/** Fits the canvas to its box and the screen. Returns null while it has no size. */
export function openCanvas(canvas) {
  const scale = window.devicePixelRatio;
  const width = Math.round(canvas.clientWidth * scale);
  const height = Math.round(canvas.clientHeight * scale);
  if (width === 0 || height === 0) return null;
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, width, height);
  return { context, width, height, scale };
}

export function colorOf(element, token) {
  return getComputedStyle(element).getPropertyValue(token).trim();
}

/** The lowest and highest known value and time; null without two known points. */
export function rangeOf(points) {
  let low = Infinity, high = -Infinity, count = 0;
  for (const { value } of points) {
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
    count += 1;
  }
  return count < 2 ? null : { low, high, from: points[0].t, to: points[points.length - 1].t };
}

/** Where a point stands in a box. */
export function placer({ left, top, width, height }, range) {
  const span = range.high - range.low || 1;
  const time = range.to - range.from || 1;
  return ({ t, value }) => ({
    x: left + (t - range.from) / time * width,
    y: top + (1 - (value - range.low) / span) * height,
  });
}

/** Calls `draw` with each run of known points. */
export function runsOf(points) {
  const runs = [];
  let run = [];
  for (const point of points) {
    if (point.value !== null) run.push(point);
    else if (run.length > 0) {
      runs.push(run);
      run = [];
    }
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

export function strokeRuns(context, runs, place, { color, width, dash = [] }) {
  context.beginPath();
  for (const run of runs) {
    run.forEach((point, index) => {
      const { x, y } = place(point);
      if (index === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
      // A single point between two gaps is a dot.
      if (run.length === 1) context.lineTo(x + width, y);
    });
  }
  context.setLineDash(dash);
  context.lineWidth = width;
  context.lineJoin = "round";
  context.strokeStyle = color;
  context.stroke();
  context.setLineDash([]);
}

export function fillRuns(context, runs, place, { color, bottom }) {
  context.fillStyle = color;
  for (const run of runs) {
    context.beginPath();
    const first = place(run[0]), last = place(run[run.length - 1]);
    context.moveTo(first.x, bottom);
    for (const point of run) {
      const { x, y } = place(point);
      context.lineTo(x, y);
    }
    context.lineTo(last.x, bottom);
    context.fill();
  }
}
