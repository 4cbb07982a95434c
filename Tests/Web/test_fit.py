"""Measures that no text of the dashboard overlaps another or is cut."""

import unittest

from browser import SIZES, BrowserCase
from player import Player
import scenes

IDS = ["speed", "cadence", "power", "heart_rate", "ride_time", "distance", "elevation", "grade", "energy", "lap"]

# Glyph boxes: a number's cells from the top of its digits to the baseline, other texts as laid out.
MEASURE = """() => {
  const found = [];
  const overlaps = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
    && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  for (const widget of document.querySelectorAll(".widget")) {
    const name = `${widget.dataset.id} ${widget.dataset.size}`;
    const box = widget.getBoundingClientRect();
    const boxes = [];
    const walker = document.createTreeWalker(widget, NodeFilter.SHOW_TEXT);
    const done = new Set();
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const text = node.parentElement.closest(".number, .caption, .unit, .minor, .zone");
      if (!text || !text.textContent.trim() || done.has(text) || !text.getClientRects().length) continue;
      done.add(text);
      const range = document.createRange();
      range.selectNodeContents(text);
      const drawn = range.getBoundingClientRect();
      const size = parseFloat(getComputedStyle(text).fontSize);
      const middle = (drawn.top + drawn.bottom) / 2;
      const isNumber = text.classList.contains("number");
      const top = isNumber ? text.getBoundingClientRect().top : middle - size * .4;
      const bottom = isNumber ? top + size * .7 : middle + size * .4;
      boxes.push({ text: text.textContent, left: drawn.left, right: drawn.right, top, bottom });
    }
    boxes.forEach((a, index) => {
      if (a.left < box.left + 2 || a.right > box.right - 2 || a.top < box.top + 1 || a.bottom > box.bottom - 2) {
        found.push(`${name}: ${a.text} is cut`);
      }
      for (const b of boxes.slice(index + 1)) if (overlaps(a, b)) found.push(`${name}: ${a.text} on ${b.text}`);
    });
  }
  return found;
}"""


class FitTests(BrowserCase):
    """The longest values, with the radar lane, in all sizes of widgets."""

    def check(self, scene, language, text, bold="off"):
        """Shows every widget in one size after the other, on each screen, and measures."""
        player = Player()
        self.addCleanup(player.close)
        page = self.open(SIZES[0], language=language, query=f"?text={text}&layout=phone&bold={bold}", player=player)
        problems = []
        for widget in ("1x1", "2x1", "3x1"):
            player.services.store("layouts/phone", {"version": 1, "widgets": [{"id": id, "size": widget} for id in IDS]})
            player.send([{"class": "document", "document": "layouts/phone", "tag": f'"{widget}"'}])
            page.wait_for_function(
                "([size, count]) => document.querySelectorAll(`.widget[data-size='${size}']`).length === count", arg=[widget, len(IDS)])
            for size in SIZES:
                page.set_viewport_size({"width": size[0], "height": size[1]})
                player.send(scene(player.now))
                page.wait_for_selector(".widget[data-state]", state="attached")
                page.wait_for_timeout(250)
                problems += [f"{size[0]} {text} % {problem}" for problem in page.evaluate(MEASURE)]
        self.assertEqual(problems, [], "\n" + "\n".join(problems))

    def test_longest_english(self):
        self.check(scenes.longest, "en", 100)

    def test_longest_german(self):
        self.check(scenes.longest, "de", 100)

    def test_longest_large_text(self):
        self.check(scenes.longest, "en", 130)

    def test_longest_large_german_text(self):
        self.check(scenes.longest, "de", 130)

    def test_longest_bold_text(self):
        self.check(scenes.longest, "en", 100, "on")

    def test_missing_values(self):
        self.check(lambda now: [scenes.state("strap", "searching")], "de", 100)

    def test_stale_values(self):
        self.check(lambda now: scenes.longest(now - 30), "de", 100)

    def test_letters_are_not_joined(self):
        player = Player()
        self.addCleanup(player.close)
        page = self.open(player=player)
        # An "m" between them leaves nothing to join.
        joined = page.evaluate("""async () => {
          await document.fonts.load("17px 'Gillius ADF'");
          const measure = text => {
            const span = document.createElement("span");
            span.textContent = text;
            document.body.append(span);
            const { width } = span.getBoundingClientRect();
            span.remove();
            return width;
          };
          return ["ae", "oe", "AE", "OE", "fi", "fl"].filter(([a, b]) => measure(a + b) < measure(a + "m" + b) - measure("m") - 1);
        }""")
        self.assertEqual(joined, [])

    def test_digits_stay_in_place(self):
        player = Player()
        self.addCleanup(player.close)
        page = self.open(player=player)
        lefts = []
        for speed in (18.9, 44.4, 21.1):
            player.send(scenes.riding(player.now, speed=speed / 3.6))
            shown = f"{speed:.1f}"
            page.wait_for_function(
                "shown => document.querySelector('[data-id=\"speed\"] .primary .number')?.textContent === shown",
                arg=shown)
            lefts.append(page.evaluate("""() => [...document.querySelectorAll('[data-id="speed"] .primary i')]
              .map(cell => cell.getBoundingClientRect().left)"""))
        self.assertEqual(lefts[0], lefts[1])
        self.assertEqual(lefts[1], lefts[2])


if __name__ == "__main__":
    unittest.main()
