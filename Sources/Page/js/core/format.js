// Numbers as text. Rounded half away from zero, no "-0", the decimal sign of the locale, and a
// shorter form where a number has more characters than its place.

/** @param {number} digits after the point */
export function fixed(value, digits, point = ".") {
  const power = 10 ** digits;
  const scaled = Math.abs(value) * power;
  // 1.005 is 1.00499… in binary: the nearest decimal of twelve digits is what was meant.
  const rounded = Math.round(Number(scaled.toPrecision(12)));
  const text = (rounded / power).toFixed(digits).replace(".", point);
  return value < 0 && rounded !== 0 ? `-${text}` : text;
}

export function duration(seconds, isShort = false) {
  const whole = Math.floor(Math.max(0, seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const two = number => String(number).padStart(2, "0");
  if (hours === 0) return `${minutes}:${two(whole % 60)}`;
  return isShort ? `${hours}:${two(minutes)}` : `${hours}:${two(minutes)}:${two(whole % 60)}`;
}

const HOUR_S = 3600;

/** Forms of values, by name: (value already converted, point, isShort) → text, or null for none. */
const FORMS = {
  whole: (value, point) => fixed(value, 0, point),
  one: (value, point) => fixed(value, 1, point),
  two: (value, point) => fixed(value, 2, point),
  three: (value, point) => fixed(value, 3, point),
  speed: (value, point) => fixed(value, value >= 99.95 ? 0 : 1, point),
  distance: (value, point) => fixed(value, value >= 999.95 ? 0 : value >= 99.995 ? 1 : 2, point),
  signed: (value, point) => {
    const text = fixed(value, 1, point);
    return text.startsWith("-") || Number(value.toFixed(1)) === 0 ? text : `+${text}`;
  },
  pace: value => (Math.round(value) >= HOUR_S ? null : duration(Math.round(value))),
  degrees: (value, point) => fixed(value, 5, point),
  balance: value => `${Math.round(value)} · ${100 - Math.round(value)}`,
  none: () => null,
  // A place is shown on a map.
  place: () => null,
  /** Seconds ahead, with a sign. */
  lead: value => {
    const seconds = Math.round(Math.abs(value));
    return `${value < 0 && seconds > 0 ? "-" : "+"}${duration(seconds)}`;
  },
  duration: (value, _, isShort) => duration(value, isShort),
  /** Hours and minutes, also below an hour. */
  hours: value => `${Math.floor(value / HOUR_S)}:${String(Math.floor(value / 60) % 60).padStart(2, "0")}`,
};

export function format(form, value, { point = ".", isShort = false } = {}) {
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  return FORMS[form](value, point, isShort);
}

export function decimalPoint(language) {
  return new Intl.NumberFormat(language).formatToParts(1.5).find(part => part.type === "decimal").value;
}
