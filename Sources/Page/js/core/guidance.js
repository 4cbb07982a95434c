// What the guide says: the followed route with its cues and climbs, a segment, and the coach. Each
// value is a reading as `read` returns it. It has none of a guide that has ended, or of a route that
// was left.

import { duration, format } from "./format.js";
import { hasValue } from "./items.js";
import { liveSeconds, read } from "./states.js";
import { convert, unitOf } from "./units.js";

const GUIDE = "guide";
/** Cues are shown from here on, in metres. */
const CUE_M = 300;
/** A cue farther along the route than this from the one before is another one. */
const SAME_CUE_M = 25;
const OFF = ["off_route", "reversed"];

/** The word while the guide has nothing to say: it needs a position, a sensor or the recorder. */
const WAIT = "wait_guide";
const NOT_YET = { state: "not_yet", word: WAIT };

/** The word that stands in the place of values; null if there can be one. */
function absenceOf({ guide }, kind, isCutOff) {
  // The server tells at the beginning whether there is one.
  if (guide === null) return isCutOff ? null : WAIT;
  if (!guide.present) return isCutOff ? null : "no_guide";
  const { following, coach } = guide.status ?? {};
  if (kind === "coach") return coach?.sport === "off" ? "coach_off" : null;
  if (kind !== "route") return null;
  if (!following) return "no_route";
  return following.name === undefined ? WAIT : null;
}

/** Reads a field of a sample of the guide. A guide that has just gone leaves old values. */
export function readGuide({ store, now, isCutOff }, kind, field) {
  const absence = absenceOf(store, kind, isCutOff);
  const sample = store.sample(GUIDE, kind);
  const isGone = absence === "no_guide";
  if (!sample || now === null || (absence !== null && !isGone)) return { state: "not_yet", word: absence ?? WAIT };
  const followed = store.guide?.status?.following?.route;
  if (kind === "route" && followed !== undefined && sample.route !== followed) return NOT_YET;
  const reading = read(store, { kind, field }, GUIDE, now, isCutOff);
  if (reading.state === "not_yet") return NOT_YET;
  if (!isGone) return reading;
  return reading.state === "lost" ? { state: "not_yet", word: "no_guide" } : { ...reading, state: reading.state === "live" ? "stale" : reading.state };
}

/** A value of the catalogue. */
export const guided = (kind, field) => context => readGuide(context, kind, field);

/** Where the rider is on the route, if that is known now: the sample of the route; else null. */
export function liveRoute(context) {
  return readGuide(context, "route", "state").state === "live" ? context.store.sample(GUIDE, "route") : null;
}

/** The distance to the end of the route. Away from the route its label says so. */
export function distanceToGo(context) {
  const reading = readGuide(context, "route", "distance_to_go_m");
  const route = liveRoute(context);
  const isAway = route !== null && OFF.includes(route.state);
  return isAway ? { ...reading, label: context.texts.get(`route_${route.state}`) } : reading;
}

/** Reads a field of the segment. One that was ended, left or not reached is gone when its sample is old. */
function readSegment(context, field) {
  const reading = readGuide(context, "segment", field);
  const sample = context.store.sample(GUIDE, "segment");
  if (reading.state === "not_yet") return { state: "not_yet", word: sample || reading.word === WAIT ? "no_segment" : reading.word };
  const isOver = reading.state !== "live" && sample.state !== "on" && !context.isCutOff;
  return isOver ? { state: "not_yet", word: "no_segment" } : reading;
}

/** A value of the segment that is being ridden, or was just ended. */
export const onSegment = field => context => {
  const reading = readSegment(context, "segment");
  if (!hasValue(reading)) return reading;
  const value = context.store.sample(GUIDE, "segment")[field];
  return value === undefined ? NOT_YET : { ...reading, value };
};

/** How far ahead of the best effort the rider is. Without one, the time; before the start, the distance to it. */
export function segmentLead(context) {
  const reading = readSegment(context, "segment");
  if (!hasValue(reading)) return reading;
  const { texts, units } = context;
  const { state, start_distance_m: away, ahead_of_best_s: lead, time_s: time } = context.store.sample(GUIDE, "segment");
  if (state === "left" || state === "lost") return { state: "not_yet", word: `segment_${state}` };
  if (state === "approaching") {
    if (away === undefined) return NOT_YET;
    return { ...reading, value: format("whole", convert("height", away, units)), unit: unitOf("height", units), label: texts.get("segment_start") };
  }
  if (lead === undefined) return time === undefined ? NOT_YET : { ...reading, value: duration(time), label: texts.get("time") };
  const value = format("lead", lead);
  return { ...reading, value, label: texts.get(value.startsWith("-") ? "segment_behind" : "segment_ahead") };
}

/** A value of the next climb of the route. */
export const onClimb = field => context => {
  const climb = climbOf(context);
  return climb?.[field] === undefined ? NOT_YET : { ...readGuide(context, "route", "state"), value: climb[field] };
};

/** The name of what is followed or ridden; null without one. */
export function nameOfGuided(context, kind) {
  if (kind === "segment") return readSegment(context, "name").value ?? null;
  return kind === "route" && context.store.guide?.present ? context.store.guide.status?.following?.name ?? null : null;
}

/** The next climb of the route, if its profile is known; else null. */
export function climbOf(context) {
  const route = liveRoute(context);
  return route?.climb_profile_m?.length > 1 && route.climb_length_m > 0 ? route : null;
}

/** Where the arrow to the start of a segment points, in degrees from the direction of travel; else null. */
export function directionToSegment(context) {
  if (readSegment(context, "segment").state !== "live") return null;
  const { state, start_bearing_deg: bearing } = context.store.sample(GUIDE, "segment");
  return state === "approaching" ? directionOf(context, bearing) : null;
}

/** In degrees from the direction of travel; null if that is unknown. */
function directionOf({ store, now }, bearing) {
  const position = store.newest("position");
  if (bearing === undefined || position?.course_deg === undefined || now - position.t > liveSeconds("position")) return null;
  return (bearing - position.course_deg + 360) % 360;
}

/** The next cue however far it is, or the way back. */
export function nextAdvice(context) {
  const route = liveRoute(context);
  const near = adviceOf(context);
  if (near || route?.cue === undefined) return near;
  return { kind: "cue", cue: route.cue, text: route.cue_text, metres: route.cue_distance_m };
}

/** What the rider has to see now: a cue that is near, or the way back to the route. Null for neither. */
export function adviceOf(context) {
  const route = liveRoute(context);
  if (route === null) return null;
  if (OFF.includes(route.state)) {
    return { kind: route.state, metres: route.cross_track_m, direction: route.state === "off_route" ? directionOf(context, route.bearing_deg) : 180 };
  }
  if (route.cue === undefined || route.cue_distance_m > CUE_M) return null;
  const { cue, cue_text: text, cue_distance_m: metres, distance_m: distance, lap } = route;
  return { kind: "cue", cue, text, metres, lap, place: distance + metres };
}

/** Tells what is new: another cue, leaving the route, and being back. */
export class AdviceWatch {
  #last = null;
  #wasOff = false;

  /** @returns {"advice"|"back"|null} */
  update(advice, route) {
    // Without a position nothing has changed.
    if (route === null) return null;
    const isBack = this.#wasOff && route.state === "on_route";
    this.#wasOff = OFF.includes(route.state);
    const isNew = advice !== null && !isSame(advice, this.#last);
    this.#last = advice;
    if (isNew) return "advice";
    return isBack ? "back" : null;
  }
}

function isSame(advice, other) {
  if (other === null || advice.kind !== other.kind) return false;
  if (advice.kind !== "cue") return true;
  return advice.cue === other.cue && advice.lap === other.lap && Math.abs(advice.place - other.place) <= SAME_CUE_M;
}
