// The sounds of the beat, as samples: damped tones that begin and end in silence.

/** Partials as frequency in Hz, strength, and seconds in which it falls to 1/e. */
const RECIPES = {
  click: { length: .04, partials: [[1800, 1, .006]] },
  wood: { length: .07, partials: [[880, 1, .014], [1430, .5, .008]] },
  drum: { length: .14, partials: [[120, 1, .04], [310, .35, .012]] },
};

export const BEAT_SOUNDS = Object.keys(RECIPES);

const ATTACK_S = .002;
const RELEASE_S = .01;
const PEAK = .8;

/** @returns {AudioBuffer} one beat */
export function makeBeat(context, name) {
  const { length, partials } = RECIPES[name];
  const rate = context.sampleRate;
  const count = Math.ceil(length * rate);
  const buffer = context.createBuffer(1, count, rate);
  const samples = buffer.getChannelData(0);
  let peak = 0;
  for (let index = 0; index < count; index += 1) {
    const time = index / rate;
    let sum = 0;
    for (const [hz, strength, decay] of partials) sum += strength * Math.exp(-time / decay) * Math.sin(2 * Math.PI * hz * time);
    samples[index] = sum * rise(time / ATTACK_S) * rise((length - time) / RELEASE_S);
    peak = Math.max(peak, Math.abs(samples[index]));
  }
  for (let index = 0; index < count; index += 1) samples[index] *= PEAK / peak;
  return buffer;
}

/** From 0 to 1 without an edge. */
function rise(share) {
  return share >= 1 ? 1 : (1 - Math.cos(Math.PI * Math.max(0, share))) / 2;
}
