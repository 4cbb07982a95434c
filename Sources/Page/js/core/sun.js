// When the sun sets, after the equations of NOAA's solar calculator, within some two minutes.

const RADIAN = Math.PI / 180;
/** Refraction and the radius of the sun. */
const ZENITH_DEG = 90.833;

/** @returns {Date|null} null where the sun does not set that day */
export function sunset(date, latitude, longitude) {
  const start = Date.UTC(date.getFullYear(), 0, 1);
  const day = (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / 86_400_000;
  const year = 2 * Math.PI / 365 * (day + .25);
  const equation = 229.18 * (.000075 + .001868 * Math.cos(year) - .032077 * Math.sin(year)
    - .014615 * Math.cos(2 * year) - .040849 * Math.sin(2 * year));
  const declination = .006918 - .399912 * Math.cos(year) + .070257 * Math.sin(year) - .006758 * Math.cos(2 * year)
    + .000907 * Math.sin(2 * year) - .002697 * Math.cos(3 * year) + .00148 * Math.sin(3 * year);
  const cosine = Math.cos(ZENITH_DEG * RADIAN) / (Math.cos(latitude * RADIAN) * Math.cos(declination))
    - Math.tan(latitude * RADIAN) * Math.tan(declination);
  if (Math.abs(cosine) > 1) return null;
  const minutes = 720 - 4 * (longitude - Math.acos(cosine) / RADIAN) - equation;
  return new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) + minutes * 60_000);
}
