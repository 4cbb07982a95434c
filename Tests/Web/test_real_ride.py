"""A ride on the real programs: dimming, a reload, a restart of the server, two screens that edit."""

import unittest

from real import FULL, PATIENT, RealCase, on_screens

# What a rider compares after a reload: totals, and how much of the ride the watermark knows.
TOTALS = ("distance", "ride_time", "lap")
# The first and the last column with a line in the watermark of the speed, and its width.
LINE = """() => {
  const canvas = document.querySelector('[data-id="speed"] .watermark');
  if (!canvas?.width) return null;
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const columns = [];
  for (let x = 0; x < width; x += 1) {
    for (let y = 0; y < height; y += 1) {
      if (data[(y * width + x) * 4 + 3] > 0) {
        columns.push(x);
        break;
      }
    }
  }
  return { drawn: columns.length, width };
}"""
# The text of a widget's number.
NUMBER = """id => document.querySelector(`[data-id="${id}"] .primary .number`).textContent"""


class RideTests(RealCase):
    """Dimming, and reloads in the middle of a ride."""

    def numbers(self, page):
        """The totals as numbers: kilometres, seconds and seconds."""
        distance, *times = (page.evaluate(NUMBER, id) for id in TOTALS)
        return [float(distance), *(seconds(time) for time in times)]

    def check_same(self, page, before):
        """The ride goes on from the totals that were there."""
        for id in ("speed", *TOTALS):
            self.wait_for_state(page, id, "live")
        after = self.numbers(page)
        for was, is_now in zip(before, after):
            self.assertGreaterEqual(is_now, was)
        page.wait_for_function(f"() => ({LINE})()?.drawn > 0", timeout=PATIENT)
        line = page.evaluate(LINE)
        # The course of the ride is there at once, from its beginning: it fills the width.
        self.assertGreater(line["drawn"], line["width"] * .8, line)

    def ride_for(self, page, duration):
        """Waits until the ride has lasted so many seconds."""
        page.wait_for_function(
            f"({{ duration, id }}) => {{ const parts = ({NUMBER})(id).split(':'); return parts.length > 1 && parts.reduce((sum, part) => sum * 60 + Number(part), 0) >= duration; }}",
            arg={"duration": duration, "id": "ride_time"}, timeout=PATIENT + 1000 * duration)

    @on_screens(4)
    def test_a_reload_and_a_restart_of_the_server_show_the_same_ride(self, screen):
        layout = {"version": 1, "widgets": [{"id": "speed", "size": "3x1"}] + [{"id": id, "size": "1x1"} for id in ("heart_rate", *TOTALS)]}
        page = self.visit(screen, "?layout=tablet")
        tag = self.load_layout(page)
        page.evaluate("""async ([layout, tag]) => {
          const headers = { "X-Cyclometer": "1", "Content-Type": "application/json", "If-Match": tag };
          await fetch("/api/1/layouts/tablet", { method: "PUT", headers, body: JSON.stringify(layout) }); }""", [layout, tag])
        page.reload()
        page.wait_for_selector('[data-id="speed"] .watermark', timeout=PATIENT)
        self.ride_for(page, 20)
        before = self.numbers(page)
        page.reload()
        self.check_same(page, before)
        for end in (self.stack.end, self.stack.kill):
            before = self.numbers(page)
            end("web")
            self.stack.start("web")
            self.check_same(page, before)
            # A page that is opened after the restart knows only what the server got from the recorder.
            page.reload()
            self.check_same(page, before)

    def load_layout(self, page):
        """The tag of the layout."""
        return page.evaluate("""async () => (await fetch("/api/1/layouts/tablet")).headers.get("ETag")""")

    @on_screens(5)
    def test_the_screen_dims_asks_for_fewer_frames_and_the_first_tap_only_brightens(self, screen):
        page = self.visit(screen)
        posts = []
        page.on("request", lambda request, posts=posts: request.method == "POST" and posts.append(request.url.split("/")[-1]))
        page.wait_for_selector(':root[data-light="dimmed"]', state="attached", timeout=30_000 + PATIENT)
        page.wait_for_function("() => window.messages.some(({ url, name }) => url.includes('hz=1&') && name === 'hello')",
                               timeout=PATIENT)
        page.wait_for_timeout(5000)
        frames = page.evaluate("""() => {
          const frames = window.messages.filter(({ url, name }) => url.includes("hz=1&") && name === "frame");
          return [frames.length, (frames.at(-1).at - frames[0].at) / 1000]; }""")
        # Late frames may follow each other more closely, but there are not more of them.
        self.assertLessEqual(frames[0], frames[1] + 2)
        wide = page.locator("#bottom button").last
        lap = wide if wide.is_visible() else page.locator("#status")
        box = lap.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_selector(':root[data-light="bright"]', state="attached", timeout=PATIENT)
        page.wait_for_timeout(500)
        self.assertNotIn("ride", posts)
        self.assertEqual(page.locator("dialog[open]").count(), 0)
        lap.click()
        if wide.is_visible():
            page.wait_for_selector("#bottom .reply:visible", timeout=PATIENT)
            self.assertIn("ride", posts)
        else:
            page.wait_for_selector("#status-panel[open]", timeout=PATIENT)


class EditTests(RealCase):
    """Two screens that change one layout."""

    def remove(self, page, widget):
        """Removes a widget by keyboard."""
        page.focus(f'[data-id="{widget}"] .face')
        page.keyboard.press("Enter")
        page.keyboard.press("Delete")

    def widgets(self, page):
        """The widgets in their order."""
        return page.evaluate("[...document.querySelectorAll('#widgets > li')].map(li => li.dataset.id)")

    @on_screens(2)
    def test_two_screens_that_edit_are_told_of_each_other(self, screen):
        for answer in ("Take that one", "Keep mine"):
            self.sensors.speed = 8.0
            first, second = self.visit(screen), self.visit(screen)
            self.edit(first)
            self.edit(second)
            self.remove(first, "grade")
            first.click("#edittop >> text='Done'")
            first.wait_for_selector("#editbar", state="detached", timeout=PATIENT)
            self.remove(second, "elevation")
            second.click("#edittop >> text='Done'")
            second.wait_for_selector("text=The layout was changed on another screen", timeout=PATIENT)
            second.click(f"text='{answer}'")
            second.wait_for_selector("#editbar", state="detached", timeout=PATIENT)
            is_mine = answer == "Keep mine"
            missing = "elevation" if is_mine else "grade"
            self.assertNotIn(missing, self.widgets(second))
            # The other screen follows.
            first.wait_for_function(
                "id => ![...document.querySelectorAll('#widgets > li')].some(li => li.dataset.id === id)", arg=missing,
                timeout=PATIENT)
            self.assertEqual(self.widgets(first), self.widgets(second))
            self.remove_layouts(second)
            self.leave(first)
            self.leave(second)

    def remove_layouts(self, page):
        """Makes the first layout that of this screen again."""
        page.keyboard.press("e")
        page.click("#editbar >> text='Reset'")
        page.click(".question >> text='Reset'")
        page.click("#edittop >> text='Done'")
        page.wait_for_selector("#editbar", state="detached", timeout=PATIENT)


def seconds(text):
    """1:32 or 1:32:07 as seconds."""
    total = 0
    for part in text.split(":"):
        total = total * 60 + int(part)
    return total


if __name__ == "__main__":
    unittest.main()
