// Devices as the status sheet and the drawer list them: state, battery, signal and age of each, the
// worst first.

const RANK = { error: 0, searching: 1, connecting: 1, stale: 2, streaming: 3, disabled: 4 };
const LOW_BATTERY = 10;
const SIGNAL_DBM = [-90, -80, -70, -60];

export function devicesOf(store, now) {
  const devices = store.sensors.map(sensor => {
    const link = store.state(sensor.id) ?? {};
    const samples = store.samplesOf(sensor.id);
    const last = Math.max(-Infinity, ...samples.map(sample => sample.t));
    return {
      id: sensor.id, name: sensor.name ?? sensor.id, kinds: sensor.kinds ?? [],
      state: link.state ?? sensor.state, reason: link.reason, since: link.since, retry: link.retry_ms,
      battery: store.sample(sensor.id, "battery")?.battery_pct ?? sensor.battery_pct,
      signal: sensor.rssi_dbm, priority: sensor.settings?.priority,
      age: now === null || last === -Infinity ? null : Math.max(0, now - last),
    };
  });
  return devices.sort((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name));
}

/** An empty battery counts as much as a lost sensor. */
function rankOf({ state, battery }) {
  const rank = RANK[state] ?? 1;
  return rank === 3 && battery <= LOW_BATTERY ? 1.5 : rank;
}

/** How the top bar rates all devices together. */
export function ratingOf(devices, adapter) {
  const enabled = devices.filter(device => device.state !== "disabled");
  const isGone = adapter !== null && adapter.state !== "on";
  if (isGone && enabled.length > 0) return "none";
  if (enabled.some(device => device.state === "error" || device.battery <= LOW_BATTERY)) return "bad";
  return enabled.some(device => device.state !== "streaming") ? "okay" : "good";
}

/** 0 to 4 bars. */
export function signalBars(dbm) {
  return dbm === undefined ? null : SIGNAL_DBM.filter(bound => dbm >= bound).length;
}

/** Why a sensor sends nothing: a key of the texts with its values. */
export function reasonOf({ state, reason, since, retry }, locale) {
  if (state === "streaming") return ["streaming"];
  const at = since ? new Date(since).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" }) : null;
  switch (reason) {
  case "out_of_range": case "link_lost":
    return at ? ["reason_lost_since", at] : ["reason_lost"];
  case "connecting_failed":
    return retry ? ["reason_retry", Math.ceil(retry / 1000)] : ["reason_connecting_failed"];
  case undefined:
    return [`state_${state}`];
  default:
    return [`reason_${reason}`];
  }
}
