#!/usr/bin/env python3
"""Takes pictures of the dashboard at every size and in both schemes.

Usage: pictures.py FOLDER [NAME…]
"""

import pathlib
import sys

from browser import SIZES, BrowserCase
from player import Player
import scenes

ALL = {
    "riding": lambda now: scenes.riding(now),
    "radar": lambda now: scenes.riding(now, radar=scenes.FAST_CAR),
    "longest": scenes.longest,
    "missing": lambda now: [scenes.state("strap", "searching")],
}


def main(folder, names):
    """One picture per scene, size and scheme."""
    BrowserCase.setUpClass()
    for name in names or ALL:
        for size in SIZES:
            for scheme in ("light", "dark"):
                case = BrowserCase()
                case.setUp()
                player = Player()
                page = case.open(size, scheme, player=player)
                player.send(ALL[name](player.now))
                page.wait_for_timeout(900)
                page.screenshot(path=pathlib.Path(folder) / f"{name}-{size[0]}-{scheme}.png")
                case.doCleanups()
                player.close()
                print(name, size, scheme, case.errors)
    BrowserCase.tearDownClass()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
