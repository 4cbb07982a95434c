"""What riders prefer: no motion, forced colors, text of twice the size, and writing from right to left."""

import unittest

from browser import BrowserCase
from player import Player
import scenes
from test_fit import MEASURE

LAYOUT = {"version": 1, "widgets": [
    {"id": "speed", "size": "3x1"}, {"id": "heart_rate", "size": "2x1"}, {"id": "power", "size": "1x1"},
    {"id": "elevation", "size": "1x1"}, {"id": "distance", "size": "1x1"}, {"id": "ride_time", "size": "2x1"},
    {"id": "heart_rate", "size": "3x1"}, {"id": "zone", "size": "1x1"}]}

MOTION = """() => [...document.querySelectorAll("*")].flatMap(element => {
  const { transitionDuration, animationDuration, animationIterationCount, animationName } = getComputedStyle(element);
  const longest = text => Math.max(...text.split(",").map(parseFloat)) * 1000;
  const animation = animationName === "none" ? 0 : longest(animationDuration);
  const isEndless = animationName !== "none" && animationIterationCount.includes("infinite");
  const moved = Math.max(longest(transitionDuration), animation);
  return moved > 0 || isEndless ? [{ name: element.id || element.className, ms: moved, isEndless }] : [];
})"""


class PreferenceTests(BrowserCase):
    """A ride with a car behind, as each preference shows it."""

    def ride(self, radar=scenes.FAST_CAR, layout=None, scene=scenes.riding, **options):
        """Opens the page with a ride on it."""
        self.player = Player(layout or LAYOUT)
        self.addCleanup(self.player.close)
        page = self.open(player=self.player, **options)
        page.wait_for_selector('[data-id="heart_rate"]')
        self.send = lambda: self.player.send(scenes.PAIRED + scene(self.player.now, radar=radar))
        self.send()
        page.wait_for_selector('[data-id="heart_rate"][data-state="live"]')
        return page

    # Motion

    def motions(self, **options):
        """What moves while a car comes, a drawer opens and a widget is removed."""
        page = self.ride(**options)
        page.wait_for_selector("#band:not([hidden])")
        found = page.evaluate(MOTION)
        page.click('[data-id="power"] .face')
        page.wait_for_selector("#drawer[open]")
        found += page.evaluate(MOTION)
        page.keyboard.press("Escape")
        self.player.send(scenes.riding(self.player.now, speed=0.0, paused=True, pause="standing"))
        page.wait_for_timeout(300)
        page.keyboard.press("e")
        page.wait_for_selector("#editbar")
        return found + page.evaluate(MOTION)

    def test_nothing_moves_where_motion_is_reduced(self):
        self.assertEqual(self.motions(), [])

    def test_what_moves_moves_once_and_for_at_most_150_ms(self):
        found = self.motions(reduced_motion="no-preference")
        self.assertIn("band", [each["name"] for each in found])
        self.assertEqual([each for each in found if each["ms"] > 150 or each["isEndless"]], [])

    # Bold text

    def test_bold_text_is_for_those_who_want_more_contrast(self):
        weight = "getComputedStyle(document.querySelector('.caption')).fontWeight"
        self.assertEqual(self.ride().evaluate(weight), "300")
        page = self.ride(contrast="more")
        self.assertEqual(page.evaluate(weight), "700")
        self.assertEqual(page.evaluate(MEASURE), [])
        self.assertTrue(page.evaluate("document.fonts.check('700 17px \"Gillius ADF\"')"))

    # Forced colors

    def test_forced_colors_keep_outlines_and_forms(self):
        page = self.ride(forced_colors="active")
        page.wait_for_selector("#band:not([hidden])")
        borders = page.evaluate("""() => [".widget", "#bottom button", "#band", "#lane", ".zone"].map(selector => {
          const { borderTopStyle, borderInlineEndStyle, outlineStyle } = getComputedStyle(document.querySelector(selector));
          return [selector, [borderTopStyle, borderInlineEndStyle, outlineStyle].includes("solid")];
        })""")
        self.assertEqual(borders, [[selector, True] for selector, _ in borders])
        # A fast car differs from another one in its form, and is drawn.
        shapes = page.evaluate("""() => [...document.querySelectorAll(".car")].map(car => {
          const shape = [...car.querySelectorAll(".slow, .fast")].find(each => each.style.display !== "none");
          return [shape.getAttribute("class"), getComputedStyle(shape).fill !== getComputedStyle(document.body).backgroundColor];
        })""")
        self.assertEqual(sorted(shapes), [["fast", True], ["slow", True]])

    def test_forced_colors_show_what_is_chosen(self):
        self.player = Player()
        self.addCleanup(self.player.close)
        page = self.open(player=self.player, query="settings/general", forced_colors="active")
        switch = page.get_by_role("switch", name="Auto dim")
        switch.wait_for()
        self.assertTrue(page.evaluate("""() => {
          const ground = getComputedStyle(document.body).backgroundColor;
          const ends = [...document.querySelectorAll("[role=switch]")].map(each => {
            const knob = getComputedStyle(each.firstElementChild, "::after");
            return [each.getAttribute("aria-checked"), parseFloat(knob.left) > 12, knob.backgroundColor !== ground];
          });
          return ends.every(([checked, isAtEnd, isSeen]) => (checked === "true") === isAtEnd && isSeen);
        }"""))

    # Text of twice the size: the browser has half as many pixels then

    def test_text_of_twice_the_size_loses_nothing(self):
        for size, columns in (((180, 390), 1), ((240, 400), 2), ((400, 240), 3), ((160, 120), 1)):
            for scene in (scenes.riding, lambda now, radar: scenes.longest(now)):
                with self.subTest(size=size, scene=scene):
                    page = self.ride(radar=[], size=size, scene=scene)
                    page.wait_for_timeout(200)
                    self.assertEqual(page.evaluate("getComputedStyle(document.getElementById('widgets')).gridTemplateColumns.split(' ').length"),
                                     columns)
                    self.assertEqual(page.evaluate(MEASURE), [])
                    self.assertEqual(page.evaluate("document.getElementById('dashboard').scrollWidth"),
                                     page.evaluate("document.getElementById('dashboard').clientWidth"))

    # From right to left

    def test_from_right_to_left_the_layout_is_mirrored_and_numbers_and_radar_are_not(self):
        page = self.ride(size=(480, 800))
        sides = """() => {
          const middle = box => box.left + box.width / 2;
          const place = (selector, within) => middle(document.querySelector(selector).getBoundingClientRect())
            < middle(document.querySelector(within).getBoundingClientRect()) ? "left" : "right";
          const speed = '[data-id="speed"]';
          const digits = [...document.querySelectorAll(`${speed} .primary i`)].map(cell => cell.getBoundingClientRect().left);
          return {
            caption: place(`${speed} .head .caption`, speed), number: place(`${speed} .primary .number`, speed),
            averages: place(`${speed} .seconds`, speed), first: place('[data-id="heart_rate"]', "#widgets"),
            lane: place("#lane", "body"), digits: digits.every((left, index) => index === 0 || left > digits[index - 1]),
          };
        }"""
        self.assertEqual(page.evaluate(sides), {"caption": "left", "number": "left", "averages": "right", "first": "left",
                                                "lane": "left", "digits": True})
        page.evaluate("document.documentElement.dir = 'rtl'")
        self.assertEqual(page.evaluate(sides), {"caption": "right", "number": "right", "averages": "left", "first": "right",
                                                "lane": "left", "digits": True})
        self.assertEqual(page.evaluate(MEASURE), [])


if __name__ == "__main__":
    unittest.main()
