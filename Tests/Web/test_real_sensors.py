"""Sensors that fall silent, on the real programs: a value is true now, or says that it is not."""

import unittest

from real import FULL, PATIENT, RealCase, on_screens

# The widest gap in the line of the drawer's graph, and the width of the line, in pixels.
GAP = """() => {
  const canvas = document.querySelector("#drawer .graph");
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const token = getComputedStyle(canvas).getPropertyValue("--text-primary").trim();
  const [red, green, blue] = [1, 3, 5].map(at => parseInt(token.slice(at, at + 2), 16));
  const isLine = at => data[at + 3] > 200
    && Math.abs(data[at] - red) + Math.abs(data[at + 1] - green) + Math.abs(data[at + 2] - blue) < 60;
  const columns = [];
  for (let x = 0; x < width; x += 1) {
    for (let y = 0; y < height; y += 1) {
      if (isLine((y * width + x) * 4)) {
        columns.push(x);
        break;
      }
    }
  }
  const gaps = columns.slice(1).map((x, index) => x - columns[index] - 1);
  return [Math.max(0, ...gaps), columns.at(-1) - columns[0]];
}"""


class SensorTests(RealCase):
    """A sensor that falls silent and comes back."""

    @on_screens(0)
    def test_a_silent_strap_is_stale_then_lost_and_never_zero(self, screen):
        page = self.visit(screen)
        self.observe(page, '[data-id="heart_rate"]', ".primary .number")
        # So that the graph has a line before the gap, too.
        page.wait_for_function("() => window.messages.filter(({ kinds }) => kinds.includes('heart_rate')).length > 3", timeout=PATIENT)
        self.sensors.silence("strap")
        self.wait_for_state(page, "heart_rate", "stale")
        self.assertRegex(page.text_content('[data-id="heart_rate"] .head .minor'), r"^\d+ s$")
        self.wait_for_state(page, "heart_rate", "lost", timeout=120_000)
        self.assertRegex(page.text_content('[data-id="heart_rate"] .word'), r"^Lost \d+ (s|min)$")
        self.assertEqual(page.get_attribute('[data-id="speed"]', "data-state"), "live")
        page.evaluate("window.messages.length = 0")
        self.sensors.wake("strap")
        self.wait_for_state(page, "heart_rate", "live")
        seen = self.seen(page)
        self.assertEqual([(each["state"], each["shown"]) for each in seen],
                         [("live", "148"), ("stale", "148"), ("lost", "–"), ("live", "148")])
        if FULL:
            self.assertLess(seen[1]["at"] - seen[0]["at"], 8_000)
        messages = page.evaluate("window.messages.map(({ kinds }) => kinds)")
        first = next(index for index, kinds in enumerate(messages) if "heart_rate" in kinds)
        self.assertLessEqual(sum("heart_rate" in kinds for kinds in messages[first:seen[-1]["messages"]]), 2)
        self.check_gap(page)

    def check_gap(self, page):
        """The graph of the heart rate is broken where the strap was silent."""
        self.open_drawer(page, "heart_rate")
        page.wait_for_selector("#drawer[open] .graph")
        page.locator("#drawer .range-choice button").nth(2).click()
        # After the gap there is a line once a second value has come.
        page.wait_for_function(f"() => {{ const [gap, width] = ({GAP})(); return gap > width / 10; }}", timeout=PATIENT)


if __name__ == "__main__":
    unittest.main()
