"""A map as docs/maps.md makes it: its commands are run on a small extract, and the real server serves it."""

import http.client
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import zlib

from stack import BUILD, ROOT, Stack

SOUTH, WEST, NORTH, EAST = 48.128, 11.56, 48.147, 11.60
FOREST, WATER, MAIN_ROAD = (200, 230, 180), (140, 200, 240), (77, 77, 77)
FEATURES = [
    ({"highway": "primary", "name": "Main"}, [(48.1300, 11.560), (48.1300, 11.600)]),
    ({"highway": "cycleway"}, [(48.1450, 11.560), (48.1320, 11.600)]),
    ({"waterway": "river"}, [(48.1280, 11.578), (48.1470, 11.578)]),
    ({"natural": "water"}, [(48.138, 11.585), (48.138, 11.595), (48.144, 11.595), (48.144, 11.585), (48.138, 11.585)]),
    ({"landuse": "forest"}, [(48.132, 11.562), (48.132, 11.572), (48.138, 11.572), (48.138, 11.562), (48.132, 11.562)]),
]


def write_extract(path):
    """Data of OpenStreetMap, as XML."""
    nodes, ways = [], []
    for tags, points in FEATURES:
        places = list(dict.fromkeys(points))
        numbers = {place: len(nodes) + index + 1 for index, place in enumerate(places)}
        nodes += [f'<node id="{numbers[place]}" version="1" lat="{place[0]}" lon="{place[1]}"/>' for place in places]
        ways.append(f'<way id="{len(ways) + 1}" version="1">' + "".join(f'<nd ref="{numbers[place]}"/>' for place in points)
                    + "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items()) + "</way>")
    bounds = f'<bounds minlat="{SOUTH}" minlon="{WEST}" maxlat="{NORTH}" maxlon="{EAST}"/>'
    path.write_text('<?xml version="1.0"?><osm version="0.6">' + bounds + "".join(nodes + ways) + "</osm>", encoding="utf-8")


def commands():
    """The blocks of the page after that with the name of the extract."""
    page = (ROOT / "docs/maps.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^    .*\n)+", page, flags=re.M)
    name = next(index for index, block in enumerate(blocks) if block.strip().startswith("extract="))
    return "".join(re.sub("^    ", "", block, flags=re.M) for block in blocks[name + 1:])


def tile_of(zoom, latitude, longitude):
    """Column, row, and the pixel within the tile."""
    count, angle = 2 ** zoom, math.radians(latitude)
    x = (longitude + 180) / 360 * count
    y = (1 - math.log(math.tan(angle) + 1 / math.cos(angle)) / math.pi) / 2 * count
    return int(x), int(y), int(x % 1 * 256), int(y % 1 * 256)


def pixel_of(image, x, y):
    """A color of a PNG with eight bits per channel, of a palette or not: tiles at the edge have transparent parts."""
    chunks, place = {}, 8
    while place < len(image):
        length, kind = int.from_bytes(image[place:place + 4]), image[place + 4:place + 8]
        chunks[kind] = chunks.get(kind, b"") + image[place + 8:place + 8 + length]
        place += 12 + length
    assert chunks[b"IHDR"][8] == 8
    size = {2: 3, 3: 1, 6: 4}[chunks[b"IHDR"][9]]
    data, width, above = zlib.decompress(chunks[b"IDAT"]), 256 * size, bytes(256 * size)
    for row in range(y + 1):
        start = row * (width + 1)
        line = bytearray(data[start + 1:start + 1 + width])
        for index in range(width):
            left, corner = (line[index - size], above[index - size]) if index >= size else (0, 0)
            line[index] = (line[index] + predicted(data[start], left, above[index], corner)) % 256
        above = bytes(line)
    if size == 1:
        return tuple(chunks[b"PLTE"][3 * above[x]:3 * above[x] + 3])
    return tuple(above[size * x:size * x + 3])


def predicted(method, left, up, corner):
    """What the filter of a row of a PNG adds to a byte."""
    if method == 4:
        guess = left + up - corner
        return min((left, up, corner), key=lambda each: abs(guess - each))
    return (0, left, up, (left + up) // 2)[method]


class MapTests(unittest.TestCase):
    """docs/maps.md, from the extract to a tile over HTTP."""

    def test_the_documented_commands_make_a_map(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="maps-"))
        self.addCleanup(shutil.rmtree, folder)
        write_extract(folder / "region.osm")
        stack = Stack(has_recorder=False)
        self.addCleanup(stack.close)
        environment = {**os.environ, "CYCLOMETER_SOCKET": str(stack.run / "control.sock"), "PATH": f"{BUILD.resolve()}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-euc", "extract=region.osm\n" + commands()], cwd=folder, env=environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        [found] = stack.ask_web("maps")["maps"]
        self.assertEqual((found["name"], found["title"], found["format"], found["max_zoom"]), ("region", "My region", "png", 15))
        self.assertEqual(found["attribution"], "© OpenStreetMap contributors")
        self.assertLess(found["min_zoom"], 15)
        west, south, east, north = found["bounds"]
        for value, wanted in ((west, WEST), (south, SOUTH), (east, EAST), (north, NORTH)):
            self.assertAlmostEqual(value, wanted, delta=0.001)
        cookie = stack.pair("view")
        for place, color in (((48.135, 11.567), FOREST), ((48.141, 11.590), WATER), ((48.130, 11.590), MAIN_ROAD),
                             ((48.1345, 11.583), (255, 255, 255))):
            column, row, x, y = tile_of(15, *place)
            seen = pixel_of(self.fetch(stack, cookie, f"/tiles/region/15/{column}/{row}"), x, y)
            self.assertLessEqual(max(abs(one - other) for one, other in zip(seen, color)), 4, (place, seen))

    def fetch(self, stack, cookie, path):
        """An image of the server."""
        connection = http.client.HTTPConnection(stack.address, timeout=20)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={"Cookie": f"{cookie['name']}={cookie['value']}"})
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "image/png"), path)
        return answer.read()


if __name__ == "__main__":
    unittest.main()
