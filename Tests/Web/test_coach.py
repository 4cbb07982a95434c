"""The page of the coach: its table of cadences, its beat as rendered without a speaker, and what it shows."""

import random
import unittest

from browser import BrowserCase
from player import Player
import scenes
from test_access import SIDEWAYS

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

# Plays visibility, and keeps the audio contexts (the last one is that of the coach), the beats put on them, and the vibrations.
STUBS = """
  let isHidden = false;
  Object.defineProperty(document, "hidden", { get: () => isHidden });
  window.hide = hides => {
    isHidden = hides;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  window.contexts = [];
  window.AudioContext = class extends AudioContext {
    constructor(...options) {
      super(...options);
      window.contexts.push(this);
    }
  };
  window.beats = [];
  const { start, stop } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function(time) {
    this.time = time;
    window.beats.push(this);
    start.call(this, time);
  };
  AudioBufferSourceNode.prototype.stop = function() {
    window.beats = window.beats.filter(each => each !== this);
    stop.call(this);
  };
  window.vibrated = [];
  Object.defineProperty(navigator, "vibrate", { value: length => window.vibrated.push(performance.now()) });
"""

# Shows the page again, and waits until it has found out whether the sound went on.
SHOW = """() => {
  hide(false);
  return window.contexts.at(-1).resume().then(() => new Promise(requestAnimationFrame));
}"""


class CoachTests(BrowserCase):
    """The page with played samples."""

    def visit(self, height=1.76, coach=None, language="en", rights=None, units=None, **options):
        """Opens the page of the coach."""
        self.player = Player()
        self.addCleanup(self.player.close)
        if rights:
            self.player.rights = rights
        services = self.player.services
        if height:
            services.rider["height_m"] = height
        if coach or units:
            services.store("settings/rider", {"version": 1, "coach": coach or {}, "units": units or {}})
        page = self.open(query="coach", player=self.player, script=STUBS, language=language, **options)
        page.wait_for_selector(".coach-play")
        return page

    def numbers(self, page):
        """Target, actual and difference, as a screen reader gets them."""
        return [text.strip() for text in page.locator(".coach-numbers dd .unseen").all_text_contents()]

    def wait(self, page, target, actual="", difference="–"):
        """Waits for the numbers."""
        page.wait_for_function("""expected => [...document.querySelectorAll(".coach-numbers dd .unseen")]
          .map(each => each.textContent.trim()).join() === expected""", arg=",".join([target, actual, difference]), timeout=6000)

    def wait_for(self, page, sentence):
        """Waits for a part of the sentence below the button."""
        page.wait_for_function("sentence => document.querySelector('.coach > .sentence').textContent.includes(sentence)",
                               arg=sentence, timeout=6000)

    def periods(self, page):
        """The times between the beats that are queued or were played, in beats per minute."""
        return page.evaluate("window.beats.slice(1).map((beat, index) => 60 / (beat.time - window.beats[index].time))")

    def play_on(self, page, seconds):
        """Waits until the sound has gone on for so long."""
        until = page.evaluate("window.contexts.at(-1).currentTime") + seconds
        page.wait_for_function("until => window.contexts.at(-1).currentTime > until", arg=until)

    def listen(self, page):
        """Keeps what is announced from now on in `window.said`. The address is that of the page's own modules."""
        page.evaluate("""async () => {
          const { Announcer } = await import("/f/0/js/ui/announcer.js");
          const { say } = Announcer.prototype;
          window.said = [];
          Announcer.prototype.say = function(text, topic) {
            window.said.push(text);
            say.call(this, text, topic);
          };
        }""")

    def speed(self, page, text):
        """Waits for the line of the speed that is followed."""
        page.wait_for_selector(f".fact .value:text-is('{text}')")

    def saved(self, page, key, value):
        """The stored choices, once one of them has a value."""
        for _ in range(100):
            saved = (self.player.services.document("settings/rider") or {}).get("coach", {})
            if saved.get(key) == value:
                break
            page.wait_for_timeout(50)
        return saved

    def test_the_speed_by_hand_has_steps_of_half_a_kilometre_per_hour(self):
        page = self.visit()
        self.wait(page, str(round(cadence(10 / 3.6, 1.76))))
        for _ in range(3):
            page.click("[aria-label='Speed: more']")
        page.wait_for_selector(".stepper:visible .number-text:text-is('11.5 km/h')")
        self.wait(page, str(round(cadence(11.5 / 3.6, 1.76))))
        page.click("[aria-label='Preference: less']")
        self.wait(page, str(round(cadence(11.5 / 3.6, 1.76, -1))))
        page.click("[aria-label='Speed: less']")
        saved = self.saved(page, "preference", -1)
        self.assertAlmostEqual(saved["speed_mps"], 11 / 3.6)
        page.reload()
        self.wait(page, str(round(cadence(11 / 3.6, 1.76, -1))))

    def test_a_choice_keeps_those_that_another_screen_stored_meanwhile(self):
        page = self.visit(coach={"every": 2})
        self.player.services.store("settings/rider", {"version": 1, "coach": {"every": 2, "sound": "wood"}})
        page.click("[aria-label='Preference: less']")
        self.assertEqual(self.saved(page, "preference", -1), {"every": 2, "sound": "wood", "preference": -1})

    def test_a_speed_between_two_steps_goes_to_the_next_one(self):
        for word, shown in (("less", "6.0 mph"), ("more", "6.5 mph")):
            with self.subTest(word):
                page = self.visit(units={"system": "imperial"})
                page.wait_for_selector(".stepper:visible .number-text:text-is('6.2 mph')")
                page.click(f"[aria-label='Speed: {word}']")
                page.wait_for_selector(f".stepper:visible .number-text:text-is('{shown}')")
                # A screen reader gets the new value, once.
                page.wait_for_function("text => document.querySelector('#spoken').textContent.includes(text)", arg=f"Speed: {shown}")
                self.leave(page)

    def store_elsewhere(self, **coach):
        """Another screen stores choices, and this one is told."""
        services = self.player.services
        document = services.document("settings/rider") or {"version": 1}
        services.store("settings/rider", {**document, "coach": {**document.get("coach", {}), **coach}})
        self.player.send([{"class": "document", "document": "settings/rider", "tag": '"new"'}])

    def test_choices_of_another_screen_are_shown_and_not_overwritten(self):
        page = self.visit()
        page.select_option("select:has(option:text-is('Wood'))", "wood")
        self.saved(page, "sound", "wood")
        page.locator("select:has(option:text-is('Wood'))").blur()
        self.store_elsewhere(sport="cycling", sound="drum", vibrates=True, target_rpm=84)
        self.wait(page, "84", "", "–")
        shown = page.evaluate("[...document.querySelectorAll('.coach select')].filter(each => each.offsetParent).map(each => each.value)")
        self.assertEqual((shown, page.get_attribute("[role=switch]:visible", "aria-checked")), (["cycling", "drum"], "true"))
        page.click("[aria-label='Target: more']")
        self.assertEqual(self.saved(page, "target_rpm", 85), {"sport": "cycling", "sound": "drum", "vibrates": True, "target_rpm": 85})

    def test_choices_that_arrive_late_are_shown(self):
        may_go = []
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.services.store("settings/rider", {"version": 1, "coach": {"sport": "cycling", "target_rpm": 84}})
        context = self.browser.new_context(viewport={"width": 360, "height": 780}, service_workers="block")
        self.addCleanup(context.close)
        page = context.new_page()
        page.route("**/api/1/settings/rider", lambda route: may_go.append(route))
        page.goto(self.player.url + "coach")
        page.wait_for_selector(".stepper:visible .number-text:text-is('10.0 km/h')")
        for route in may_go:
            route.continue_()
        self.wait(page, "84")
        self.assertEqual(page.locator("select").first.input_value(), "cycling")

    def test_a_choice_changes_the_beat_at_once_and_pause_ends_it(self):
        page = self.visit()
        page.click(".coach-play")
        page.wait_for_selector(".coach-play:has-text('Pause')")
        page.wait_for_function("() => window.beats.length >= 6")
        first = round(cadence(10 / 3.6, 1.76))
        for each in self.periods(page):
            self.assertAlmostEqual(each, first, delta=.02)
        asked = page.evaluate("""() => {
          for (let step = 0; step < 6; step += 1) document.querySelector("[aria-label='Speed: more']").click();
          return window.contexts.at(-1).currentTime;
        }""")
        self.play_on(page, .5)
        times = page.evaluate("window.beats.map(beat => beat.time)")
        second = round(cadence(13 / 3.6, 1.76))
        self.assertNotEqual(first, second)
        after = [60 / (b - a) for a, b in zip(times, times[1:]) if a > asked + .3]
        self.assertGreater(len(after), 0)
        for each in after:
            self.assertAlmostEqual(each, second, delta=.02)
        page.select_option("select:has(option:text-is('Every other step'))", "2")
        self.play_on(page, .5)
        self.assertAlmostEqual(self.periods(page)[-1], second / 2, delta=.02)
        page.click(".coach-play")
        count = page.evaluate("window.beats.filter(beat => beat.time <= window.contexts.at(-1).currentTime).length")
        self.assertEqual(page.evaluate("window.beats.length"), count)
        page.wait_for_function("() => window.contexts.at(-1).state === 'suspended'")

    def test_a_foot_pod_is_followed_and_its_silence_is_said(self):
        page = self.visit(coach={"source": "follow"}, height=1.76)
        self.wait_for(page, "No foot pod or GPS has sent a speed yet.")
        self.assertEqual(self.numbers(page)[0], "–")
        self.assertTrue(page.is_disabled(".coach-play"))
        self.player.send(scenes.running(self.player.now, 3.2, 84))
        target = round(cadence(3.2, 1.76))
        self.wait(page, str(target), "168", str(168 - target))
        self.wait_for(page, "Follows Stryd.")
        self.speed(page, "11.5 km/h")
        page.click(".coach-play")
        page.wait_for_selector(".coach-play:has-text('Pause')")
        # A pod that counts steps, and a faster runner.
        self.player.send(scenes.running(self.player.now, 4.5, 181))
        faster = round(cadence(4.5, 1.76))
        self.wait(page, str(faster), "181", f"{181 - faster:+d}".replace("+0", "0"))
        self.player.skip(5)
        self.player.send([])
        self.wait_for(page, f"The beat stays at {faster} per minute.")
        self.wait_for(page, "The speed is 5 s old.")
        self.assertRegex(page.text_content(".fact:visible .value"), r"^16\.2 km/h, \d+ s old$")
        self.assertEqual(self.numbers(page)[0], str(faster))
        self.play_on(page, .5)
        self.assertAlmostEqual(self.periods(page)[-1], faster, delta=.02)
        self.player.skip(60)
        self.player.send([])
        self.wait_for(page, "The speed is lost.")
        self.speed(page, "–")
        self.wait(page, str(faster))
        self.player.send(scenes.running(self.player.now, 0.0, 0))
        self.wait_for(page, "You are standing.")
        self.speed(page, "0.0 km/h")
        self.assertEqual(self.numbers(page)[0], str(faster))

    def test_another_state_is_announced_and_a_growing_age_is_not(self):
        page = self.visit(coach={"source": "follow"})
        page.goto(self.player.url)
        self.player.send(scenes.running(self.player.now, 3.2))
        self.listen(page)
        page.click("#bottom button.page:has-text('Coach')")
        page.wait_for_selector(".coach-play")
        self.wait_for(page, "Follows Stryd.")
        note = "document.querySelector('.coach > .sentence').textContent"
        for _ in range(3):
            before = page.evaluate(note)
            self.player.skip(5)
            self.player.send([])
            page.wait_for_function(f"before => {note} !== before", arg=before)
        said = [text for text in page.evaluate("window.said") if "speed" in text or "Follows" in text]
        self.assertEqual([text[:13] for text in said], ["Follows Stryd", "The speed is "])

    def test_the_receiver_is_followed_before_a_ride_begins(self):
        page = self.visit(coach={"source": "follow"}, height=None)
        self.player.send([scenes.sample("position", self.player.now, sensor="gps", speed_mps=3.5)])
        self.wait(page, "174")
        self.wait_for(page, "Follows GPS.")

    def test_without_a_height_the_page_says_so_and_takes_one(self):
        page = self.visit(height=None, coach={"speed_mps": 1.5})
        page.wait_for_selector("text=Without your height, the target depends on the speed alone.")
        self.wait(page, str(round(cadence(1.5))))
        page.fill("input", "1.9")
        page.press("input", "Enter")
        self.wait(page, str(round(cadence(1.5, 1.9))))
        self.assertNotEqual(round(cadence(1.5)), round(cadence(1.5, 1.9)))
        self.assertFalse(page.is_visible("text=Without your height"))
        self.assertEqual(self.player.services.rider["height_m"], 1.9)

    def test_a_height_among_the_choices_counts_if_the_rider_has_none(self):
        page = self.visit(height=None, coach={"speed_mps": 1.5, "height_m": 1.9})
        self.wait(page, str(round(cadence(1.5, 1.9))))
        page.fill("input", "1.6")
        page.press("input", "Enter")
        self.wait(page, str(round(cadence(1.5, 1.6))))
        self.assertEqual(self.player.services.rider["height_m"], 1.6)
        # It is removed from both.
        page.fill("input", "")
        page.press("input", "Enter")
        page.wait_for_selector("text=Without your height")
        self.assertNotIn("height_m", self.player.services.rider)

    def test_a_height_that_is_being_typed_stays_when_the_riders_arrives(self):
        page = self.visit(height=1.76)
        waiting = []
        page.route("**/api/1/daemon", lambda route: waiting.append(route))
        with page.expect_request("**/api/1/daemon"):
            page.reload()
        page.wait_for_selector("text=Without your height")
        page.get_by_label("Height").press_sequentially("1.")
        for route in waiting:
            route.continue_()
        page.wait_for_selector("text=Without your height", state="hidden")
        page.get_by_label("Height").press_sequentially("9")
        self.assertEqual(page.input_value("input"), "1.9")
        page.unroute("**/api/1/daemon")
        page.press("input", "Enter")
        self.wait(page, str(round(cadence(10 / 3.6, 1.9))))

    def test_a_screen_that_may_not_read_the_rider_keeps_the_height_with_the_choices(self):
        page = self.visit(height=None)
        self.player.services.refusals["rider"] = "this screen may not do that"
        page.reload()
        page.wait_for_selector("text=Without your height")
        page.fill("input", "2.8")
        page.press("input", "Enter")
        page.wait_for_selector("text=A height is from 1 to 2.5 m.")
        page.fill("input", "1.8")
        page.press("input", "Enter")
        page.wait_for_selector("text=Without your height", state="hidden")
        page.evaluate("history.pushState({}, '', '/rides'); dispatchEvent(new PopStateEvent('popstate'))")
        self.assertEqual(self.saved(page, "height_m", 1.8)["height_m"], 1.8)

    def test_a_cyclist_sets_the_target(self):
        page = self.visit(coach={"sport": "cycling", "target_rpm": 90})
        self.player.send([scenes.state("crank"), scenes.sample("cadence", self.player.now, cadence_rpm=86, source="crank")])
        self.wait(page, "90", "86", "-4")
        page.click("[aria-label='Target: less']")
        self.wait(page, "89", "86", "-3")
        self.assertFalse(page.is_visible("text=Preference"))

    def test_a_hidden_page_plays_on_and_says_what_the_browser_stopped(self):
        page = self.visit(coach={"source": "follow"}, fake_time=True)
        self.player.send(scenes.running(self.player.now, 3.2))
        self.wait_for(page, "Follows Stryd.")
        page.click(".coach-play")
        page.wait_for_selector(".coach-play:has-text('Pause')")
        page.evaluate("hide(true)")
        # Beats are queued for longer, and values still arrive.
        ahead = page.evaluate("window.beats.at(-1).time - window.contexts.at(-1).currentTime")
        self.assertGreater(ahead, 9)
        self.player.send(scenes.running(self.player.now, 4.5))
        page.wait_for_function("target => document.querySelector('.coach-numbers .unseen').textContent === target", arg=str(round(cadence(4.5, 1.76))))
        self.assertAlmostEqual(self.periods(page)[-1], round(cadence(4.5, 1.76)), delta=.02)
        page.evaluate(SHOW)
        self.assertNotIn("stopped", page.text_content(".coach > .sentence"))
        page.evaluate("hide(true)")
        page.evaluate("window.contexts.at(-1).suspend().then(() => {})")
        # A stream that falls silent is replaced.
        self.player.hang()
        with page.expect_request("**/events?*", timeout=8000):
            page.clock.run_for(3000)
        self.player.hang(False)
        page.evaluate("hide(false)")
        self.wait_for(page, "The browser stopped the beat.")
        self.assertEqual(page.evaluate("window.contexts.at(-1).state"), "running")
        # The beat goes on, and the sentence goes.
        page.clock.run_for(10_500)
        page.wait_for_function("() => !document.querySelector('.coach > .sentence').textContent.includes('stopped')")

    def test_a_visible_page_whose_sound_is_stopped_pauses_and_says_so(self):
        page = self.visit()
        page.click(".coach-play")
        page.wait_for_function("() => window.beats.length >= 4")
        page.evaluate("window.contexts.at(-1).suspend()")
        self.wait_for(page, "The browser stopped the beat.")
        self.assertEqual(page.text_content(".coach-play").strip(), "Play")
        page.click(".coach-play")
        page.wait_for_selector(".coach-play:has-text('Pause')")
        self.play_on(page, .2)
        self.assertEqual(page.text_content(".coach > .sentence"), "")

    def test_play_just_when_the_sound_begins_to_rest(self):
        page = self.visit()
        page.click(".coach-play")
        page.wait_for_function("() => window.beats.length >= 4")
        page.click(".coach-play")
        page.evaluate("""() => new Promise(resolve => {
          const { suspend } = AudioContext.prototype;
          AudioContext.prototype.suspend = function() {
            const done = suspend.call(this);
            // Until the sound has ended, some browsers name the state of before.
            Object.defineProperty(this, "state", { get: () => "running", configurable: true });
            document.querySelector(".coach-play").click();
            delete this.state;
            resolve();
            return done;
          };
        })""")
        page.wait_for_selector(".coach-play:has-text('Pause')")
        self.play_on(page, .5)
        self.assertEqual(page.text_content(".coach-play").strip(), "Pause")

    def test_a_page_that_was_left_says_no_more(self):
        page = self.visit(fake_time=True)
        page.evaluate("void (AudioContext.prototype.resume = () => new Promise(() => {}))")
        page.evaluate("void Object.defineProperty(BaseAudioContext.prototype, 'state', { get: () => 'suspended' })")
        page.click(".coach-play")
        page.click(".back")
        page.wait_for_selector("#dashboard", state="visible")
        self.listen(page)
        page.clock.run_for(1000)
        self.assertEqual([text for text in page.evaluate("window.said") if "sound" in text], [])

    def test_a_browser_without_sound_is_named(self):
        page = self.visit(language="de")
        page.evaluate("void (AudioContext.prototype.resume = () => new Promise(() => {}))")
        page.evaluate("void Object.defineProperty(BaseAudioContext.prototype, 'state', { get: () => 'suspended' })")
        page.click(".coach-play")
        self.wait_for(page, "Der Browser spielt keinen Ton.")
        self.assertEqual(page.text_content(".coach-play").strip(), "Start")

    def test_a_browser_whose_sound_cannot_be_opened_is_named(self):
        page = self.visit()
        page.evaluate("() => { window.AudioContext = class { constructor() { throw new DOMException('too many'); } }; }")
        page.click(".coach-play")
        self.wait_for(page, "The browser does not play sound.")
        self.assertEqual(page.text_content(".coach-play").strip(), "Play")

    def test_a_phone_vibrates_with_the_beat_and_leaving_ends_both(self):
        page = self.visit(coach={"vibrates": True}, fake_time=True)
        page.click(".coach-play")
        page.wait_for_function("() => window.vibrated.length >= 4")
        page.click(".back")
        page.wait_for_selector("#dashboard", state="visible")
        page.wait_for_function("() => window.contexts.at(-1).state === 'closed'")
        count = page.evaluate("window.vibrated.length")
        page.clock.run_for(2000)
        self.assertEqual(page.evaluate("window.vibrated.length"), count)

    def test_text_of_twice_the_size_fits(self):
        page = self.visit(language="de", size=(180, 390), coach={"source": "follow"})
        self.player.send(scenes.running(self.player.now, 3.2, 84))
        self.wait_for(page, "Folgt Stryd.")
        self.assertEqual(page.evaluate(SIDEWAYS), [])

    def test_a_run_has_a_button_of_the_coach(self):
        page = self.visit()
        page.goto(self.player.url)
        self.player.send(scenes.running(self.player.now))
        page.click("#bottom button.page:has-text('Coach')")
        page.wait_for_selector("h1:text-is('Coach')")
        page.click("#bottom button.page:has-text('Dashboard')")
        page.wait_for_selector("#dashboard", state="visible")


if __name__ == "__main__":
    unittest.main()
