"""The page of the coach: its table of cadences, its beat as rendered without a speaker, and what it shows."""

import random
import unittest

from browser import BrowserCase

RATE = 48000
# A change counts this much after it was asked for. At most 0.3 s are allowed.
LEAD_S = .1

TABLE = """async rows => {
  const { runningCadence } = await import("/js/coach/cadence.js");
  return rows.map(row => runningCadence(...row));
}"""

# Renders a run of the metronome, and measures it without its code: where sounds begin, the largest step
# between samples, and whether each sound is whole.
RENDER = """async ([seconds, first, changes, options]) => {
  const { Metronome } = await import("/js/coach/metronome.js");
  const { makeBeat } = await import("/js/coach/beat-sounds.js");
  const rate = 48000, quantum = 128;
  const render = async (length, act) => {
    const context = new OfflineAudioContext(1, rate * length, rate);
    await act(context);
    return (await context.startRendering()).getChannelData(0);
  };
  const beat = makeBeat(new OfflineAudioContext(1, rate, rate), options.sound).getChannelData(0);
  const samples = await render(seconds, context => {
    const metronome = new Metronome(context);
    metronome.sound = options.sound;
    metronome.every = options.every ?? 1;
    metronome.start(first);
    const acts = new Map();
    const at = (time, act) => {
      const frame = Math.ceil(time * rate / quantum) * quantum;
      acts.set(frame, [...acts.get(frame) ?? [], act]);
    };
    // Without a speaker, the ends of beats do not come in time.
    for (let time = .2; time < seconds - .1; time += .2) at(time, () => metronome.fill());
    for (const [time, key, value] of changes) at(time, () => { metronome[key] = value; });
    for (const [frame, list] of acts) {
      context.suspend(frame / rate).then(() => {
        for (const act of list) act();
        context.resume();
      });
    }
  });
  // A step of height h between two samples has a sixth difference of 10 h. A smooth sound has almost none.
  const step = signal => {
    let found = 0;
    for (let i = 6; i < signal.length; i += 1) {
      const sixth = signal[i] - 6 * signal[i - 1] + 15 * signal[i - 2] - 20 * signal[i - 3] + 15 * signal[i - 4]
        - 6 * signal[i - 5] + signal[i - 6];
      found = Math.max(found, Math.abs(sixth) / 10);
    }
    return found;
  };
  const peak = signal => signal.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const loud = peak(beat);
  const threshold = loud / 1000;
  const onset = beat.findIndex(sample => Math.abs(sample) > threshold);
  const starts = [];
  for (let i = 0, quiet = rate; i < samples.length; i += 1) {
    quiet = Math.abs(samples[i]) > threshold ? 0 : quiet + 1;
    if (quiet > 0) continue;
    if (starts.length === 0 || i - starts.at(-1) > beat.length) starts.push(i - onset);
  }
  const rest = samples.slice();
  for (const start of starts) for (let i = 0; i < beat.length; i += 1) if (start + i < rest.length) rest[start + i] -= beat[i];
  const broken = samples.slice();
  for (let i = starts[0] + 400; i < starts[0] + 2000; i += 1) broken[i] += .002 * loud;
  return { starts: starts.map(start => start / rate), step: step(samples) / loud, rest: peak(rest) / loud, broken: step(broken) / loud };
}"""


def cadence(speed, height=None, preference=0):
    """The formula of the issue, written again."""
    found = min(195, max(155, 170 + 8 * (speed - 3)))
    if height:
        leg = .53 * height
        shortest, longest = 60 * speed / (.7 * leg), 60 * speed / (1.3 * leg)
        if found > shortest:
            found = max(shortest, found - 5)
        elif found < longest:
            found = min(longest, found + 5)
    return min(195, max(155, found)) + preference


def beats(seconds, first, changes, every=1):
    """When steps come: where the integral of the cadence is a whole number."""
    pieces = [(LEAD_S, first / 60)]
    for time, key, value in changes:
        if key == "cadence":
            frame = -int(-time * RATE // 128) * 128
            pieces.append((frame / RATE + LEAD_S, value / 60))
    found, count, step = [], 0.0, 0
    for index, (start, rate) in enumerate(pieces):
        end = pieces[index + 1][0] if index + 1 < len(pieces) else seconds
        while start + (step - count) / rate < end - 1e-9:
            if step % every == 0:
                found.append(start + (step - count) / rate)
            step += 1
        count += (end - start) * rate
    return found


class BeatTests(BrowserCase):
    """The modules of the page in an empty document."""

    def check(self, page, seconds, first, changes, sound="click", every=1):
        """Renders and compares with the truth."""
        found = page.evaluate(RENDER, [seconds, first, changes, {"sound": sound, "every": every}])
        truth = beats(seconds, first, changes, every)
        self.assertEqual(len(found["starts"]), len(truth))
        self.assertLess(max(abs(a - b) for a, b in zip(found["starts"], truth)), .001)
        self.assertLess(found["step"], .001)
        self.assertLess(found["rest"], .001)
        # The measure finds a step of 54 dB below the peak.
        self.assertGreater(found["broken"], .001)

    def test_the_table_of_cadences_is_that_of_the_formula(self):
        rows = [[speed / 20, height, preference] for speed in range(30, 121) for preference in (-10, 0, 10)
                for height in (None, *(each / 100 for each in range(150, 201, 5)))]
        found = self.open().evaluate(TABLE, rows)
        for row, each in zip(rows, found):
            self.assertAlmostEqual(each, cadence(*row), places=9, msg=row)
        # Each branch of the formula is in the table.
        self.assertEqual({round(cadence(*row) - cadence(row[0], None, row[2])) for row in rows} & {-5, 0, 5}, {-5, 0, 5})
        self.assertIsNone(self.open().evaluate(TABLE, [[0]])[0])

    def test_beats_are_within_a_millisecond_through_changes(self):
        seed = 24
        order = random.Random(seed)
        page = self.open()
        changes = [[1 + index * .9 + order.uniform(0, .8), "cadence", order.uniform(155, 195)] for index in range(40)]
        # Two changes within the time after which the first one counts, and a runner who speeds up evenly.
        changes += [[38, "cadence", 195], [38.03, "cadence", 155]]
        changes += [[39 + index / 4, "cadence", 155 + index] for index in range(40)]
        self.check(page, 50, 155, changes)

    def test_every_other_step_keeps_the_phase(self):
        page = self.open()
        changes = [[3.3, "cadence", 181], [7.1, "cadence", 158.5], [11, "cadence", 195]]
        self.check(page, 15, 172, changes, every=2)

    def test_each_sound_begins_and_ends_without_a_step(self):
        page = self.open()
        for sound in ("click", "wood", "drum"):
            with self.subTest(sound):
                self.check(page, 4, 195, [[1.63, "cadence", 205]], sound)


if __name__ == "__main__":
    unittest.main()
