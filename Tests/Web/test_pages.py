"""Paths and pages: Back and reload, letting a screen in."""

import unittest

from browser import BrowserCase
from player import Player
import scenes

class PagesTests(BrowserCase):
    """Each test has a player and a page."""

    def visit(self, path="", **options):
        """Opens a path of the page."""
        self.player = Player()
        self.addCleanup(self.player.close)
        return self.open(query=path, player=self.player, **options)

    def path(self, page):
        """The path in the address bar."""
        return page.evaluate("location.pathname")

    def test_back_and_reload(self):
        page = self.visit()
        page.click("#bottom button:nth-child(3)")
        page.click("text=General")
        page.wait_for_selector("h1:text-is('General')")
        self.assertEqual(self.path(page), "/settings/general")
        page.reload()
        page.wait_for_selector("h1:text-is('General')")
        page.go_back()
        page.wait_for_selector("h1:text-is('Settings')")
        self.assertFalse(page.is_visible("#dashboard"))
        page.go_back()
        page.wait_for_selector("#dashboard", state="visible")
        self.assertEqual(self.path(page), "/")
        page.go_forward()
        page.wait_for_selector("h1:text-is('Settings')")

    def test_the_back_button_of_a_page_opened_by_its_address_leads_to_its_parent(self):
        page = self.visit("settings/general")
        page.click(".back")
        page.wait_for_selector("h1:text-is('Settings')")
        page.click(".back")
        page.wait_for_selector("#dashboard", state="visible")
        self.assertEqual(self.path(page), "/")

    def test_a_car_is_shown_on_every_page(self):
        for path in ("coach", "rides", "settings", "settings/general", "week"):
            with self.subTest(path):
                page = self.visit(path)
                page.wait_for_selector("h1:visible")
                self.player.send(scenes.riding(self.player.now, radar=scenes.FAST_CAR))
                page.wait_for_selector('#lane[data-state="fast"]')
                self.assertEqual(page.text_content("#band"), "FAST CAR 62 m")
                lane = page.evaluate("""() => {
                  const { left, width } = document.getElementById("lane").getBoundingClientRect();
                  return document.elementFromPoint(left + width / 2, 300).closest("#lane") !== null; }""")
                self.assertTrue(lane)

    def test_the_focus_is_on_the_heading_of_a_new_page(self):
        page = self.visit()
        page.click("#bottom button:nth-child(2)")
        page.wait_for_selector("h1:text-is('Rides')")
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Rides")
        self.assertEqual(page.title(), "Rides – Cyclometer")

    # Letting a screen in

    def test_an_unknown_screen_sees_only_the_pairing_page(self):
        page = self.unknown("settings/general")
        page.wait_for_selector("h1:text-is('Connect this screen')")
        self.assertEqual(self.path(page), "/pair")
        self.assertFalse(page.is_visible("#bottom"))

    def test_the_code_of_the_address_lets_in_and_leaves_the_address(self):
        page = self.unknown("pair#ABCDEF")
        page.wait_for_url(self.player.url)
        page.wait_for_selector("#dashboard", state="visible")
        self.assertEqual(self.player.posts, [("/api/1/pair", {"code": "ABCDEF"})])

    def test_a_code_that_arrives_on_the_open_page_lets_in(self):
        page = self.unknown()
        page.wait_for_selector(".digits")
        page.evaluate("location.hash = 'ABCDEF'")
        page.wait_for_selector("#dashboard", state="visible")
        self.assertEqual(self.player.posts, [("/api/1/pair", {"code": "ABCDEF"})])

    def test_digits_let_in(self):
        page = self.unknown()
        page.fill(".digits", "1111")
        page.click("text='Connect'")
        page.wait_for_selector("text=The code has eight digits.")
        page.fill(".digits", "9999 9999")
        page.click("text='Connect'")
        page.wait_for_selector("text=this code is wrong")
        page.fill(".digits", "1111 2222")
        page.click("text='Connect'")
        page.wait_for_selector("#dashboard", state="visible")

    def test_a_revoked_screen_is_asked_to_connect(self):
        page = self.visit()
        page.wait_for_selector(".widget")
        self.player.services.is_paired = False
        self.player.drop_readers()
        page.wait_for_selector("h1:text-is('Connect this screen')")

    def unknown(self, path=""):
        """Opens a path as a screen without a token."""
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.services.is_paired = False
        return self.open(query=path, player=self.player)


if __name__ == "__main__":
    unittest.main()
