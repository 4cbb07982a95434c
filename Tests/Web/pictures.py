#!/usr/bin/env python3
"""Takes pictures of every view of the dashboard, at four sizes, light and dark, on one sheet each.

Usage: pictures.py FOLDER [VIEW…]
"""

import base64
import pathlib
import sys

from browser import SIZES
from views import VIEWS, Views

GROUND = "background:#777;margin:8px;display:flex;flex-wrap:wrap;gap:8px;align-items:flex-start"


def write_sheet(browser, pictures, path):
    """Puts the pictures of a view next to one another."""
    images = "".join(f'<img src="data:image/png;base64,{base64.b64encode(each.read_bytes()).decode()}">' for each in pictures)
    page = browser.new_page(viewport={"width": 2080, "height": 800})
    page.set_content(f'<body style="{GROUND}">{images}</body>')
    page.screenshot(path=path, full_page=True)
    page.close()


def main(folder, names):
    """One sheet per view."""
    folder.mkdir(parents=True, exist_ok=True)
    Views.setUpClass()
    for name in names or VIEWS:
        pictures = []
        for size in SIZES:
            views = Views()
            views.setUp()
            paths = {scheme: folder / f".{name}-{size[0]}-{scheme}.png" for scheme in ("light", "dark")}
            views.take(name, paths, size)
            pictures += paths.values()
            views.doCleanups()
            if views.errors:
                print(name, size, views.errors)
        write_sheet(Views.browser, pictures, folder / f"{name}.png")
        for each in pictures:
            each.unlink()
        print(name, flush=True)
    Views.doClassCleanups()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
