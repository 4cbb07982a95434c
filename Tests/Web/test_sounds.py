"""Sounds as rendered without a speaker, and the order in which they play."""

import unittest

from browser import BrowserCase

# Frequency, start and length of each tone in ms, from the table of the specification.
TONES = {
    "radar_fast": [(1480, 0, 90), (1760, 120, 90), (2093, 240, 140), (1480, 500, 90), (1760, 620, 90), (2093, 740, 140)],
    "radar_close": [(2093, 0, 60), (2093, 110, 60), (2093, 220, 60), (2093, 330, 60)],
    "radar_car": [(1175, 0, 110), (1480, 150, 140)],
    "radar_lost": [(440, 0, 220), (330, 300, 320)],
    "warning": [(740, 0, 120), (740, 180, 120), (554, 360, 220)],
    "radar_clear": [(784, 0, 90), (587, 110, 160)],
    "lap": [(988, 0, 80)],
    "notice": [(523, 0, 120)],
}

RENDER = """async ([name, tones]) => {
  const { schedule } = await import("/js/core/sounds.js");
  const rate = 48000;
  const context = new OfflineAudioContext(1, rate * 1.2, rate);
  schedule(context, context.destination, name, 1, 0);
  const samples = (await context.startRendering()).getChannelData(0);
  // The strength of one frequency in a stretch (Goertzel).
  const strength = (hz, from, to) => {
    let real = 0, imaginary = 0;
    for (let index = from; index < to; index += 1) {
      const angle = 2 * Math.PI * hz * index / rate;
      real += samples[index] * Math.cos(angle);
      imaginary += samples[index] * Math.sin(angle);
    }
    return 2 * Math.hypot(real, imaginary) / (to - from);
  };
  const peak = (from, to) => Math.max(0, ...samples.subarray(from, to).map(Math.abs));
  const at = milliseconds => Math.round(milliseconds * rate / 1000);
  return tones.map(([hz, start, length]) => {
    const from = at(start + 8), to = at(start + length - 32);
    const tone = strength(hz, from, to);
    return {
      tone, second: strength(2 * hz, from, to) / tone, other: strength(hz * 1.26, from, to) / tone,
      silence: peak(at(start + length + 1), at(start + length + 15)),
    };
  });
}"""


class SoundTests(BrowserCase):
    """The modules of the page in an empty document."""

    def test_each_sound_has_the_tones_of_its_table(self):
        page = self.open()
        for name, tones in TONES.items():
            with self.subTest(name):
                for found in page.evaluate(RENDER, [name, tones]):
                    # The fundamental of a wave whose peak is 1, and 8 dB below it.
                    level = {"radar_fast": .81, "radar_clear": .334}.get(name, .838)
                    self.assertAlmostEqual(found["tone"], level, delta=.03)
                    self.assertLess(found["other"], .2)
                    self.assertLess(found["silence"], .001)
                    expected = 0.355 if name == "radar_fast" else 0
                    self.assertAlmostEqual(found["second"], expected, delta=.06)

    def test_a_higher_rank_interrupts_and_at_most_one_waits(self):
        page = self.open()
        found = page.evaluate("""async () => {
          const { SoundOrder } = await import("/js/core/sounds.js");
          const order = new SoundOrder();
          return [
            order.request("radar_lost", 0), order.request("lap", .1), order.request("notice", .2),
            order.request("radar_fast", .3), order.next(.4), order.next(2), order.request("lap", 1.5),
            order.request("lap", 2.2),
          ];
        }""")
        self.assertEqual(found, ["start", "wait", "none", "start", None, "lap", "none", "start"])

    def test_events_have_the_sounds_of_their_rank(self):
        page = self.open()
        found = page.evaluate("""async () => {
          const { effectOf } = await import("/js/core/events.js");
          const { SOUNDS } = await import("/js/core/sounds.js");
          const rank = event => SOUNDS[effectOf(event)?.sound]?.rank ?? null;
          return [
            { event: "radar_approach", level: 2 }, { event: "radar_close" }, { event: "radar_approach", level: 1 },
            { event: "radar_lost" }, { event: "tire_leak" }, { event: "storage_failed" }, { event: "radar_clear" },
            { event: "battery_critical" }, { event: "battery_low" }, { event: "unknown" },
          ].map(rank);
        }""")
        self.assertEqual(found, [1, 2, 3, 4, 5, 5, 6, 8, None, None])


if __name__ == "__main__":
    unittest.main()
