// Douglas-Peucker: leaves out the points that lie on the line between their neighbours.

/**
 * The points that a line needs from `first` to `last`, both included.
 * @param {number} tolerance the longest distance that a point may have from the line, in metres
 * @returns {number[]} their places in the lists, rising
 */
export function simplify(xs, ys, first, last, tolerance) {
  const kept = [first];
  // Ranges still to be looked at, the next one last.
  const ranges = last > first ? [[first, last]] : [];
  while (ranges.length > 0) {
    const [from, to] = ranges.pop();
    const { place, distance } = farthest(xs, ys, from, to);
    if (distance > tolerance) ranges.push([place, to], [from, place]);
    else kept.push(to);
  }
  return kept;
}

/** The point between two others that is farthest from the line between them. */
function farthest(xs, ys, from, to) {
  const x = xs[from], y = ys[from];
  const dx = xs[to] - x, dy = ys[to] - y;
  const square = dx * dx + dy * dy;
  let place = from, most = 0;
  for (let index = from + 1; index < to; index += 1) {
    const px = xs[index] - x, py = ys[index] - y;
    const share = square === 0 ? 0 : Math.max(0, Math.min(1, (px * dx + py * dy) / square));
    const ex = px - share * dx, ey = py - share * dy;
    const distance = ex * ex + ey * ey;
    if (distance > most) {
      most = distance;
      place = index;
    }
  }
  return { place, distance: Math.sqrt(most) };
}
