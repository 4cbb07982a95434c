"""A map that is drawn, for pictures: tiles with the valley that the ride of reports.py goes through."""

import math

from reports import LONG_RIDE

# As a server has it that was given a map of the region.
VALLEY = {"name": "valley", "bytes": 41 << 20, "revision": "2a-6b1c-0", "format": "png", "min_zoom": 8, "max_zoom": 15,
          "title": "Valley", "attribution": "© OpenStreetMap contributors", "bounds": [11.2, 47.2, 11.6, 47.45]}
# In degrees north and east, as (latitude, longitude).
RIVER = [(47.20, 11.22), (47.235, 11.27), (47.262, 11.33), (47.268, 11.38), (47.262, 11.43), (47.281, 11.49), (47.29, 11.55), (47.31, 11.62)]
MAIN_ROAD = [(47.205, 11.2), (47.25, 11.29), (47.256, 11.36), (47.253, 11.42), (47.27, 11.5), (47.275, 11.62)]
ROADS = [
    [(47.253, 11.36), (47.29, 11.345), (47.33, 11.36), (47.36, 11.33), (47.41, 11.345)],
    [(47.262, 11.46), (47.30, 11.47), (47.335, 11.455), (47.37, 11.475), (47.43, 11.46)],
    [(47.33, 11.36), (47.345, 11.41), (47.335, 11.455)],
    [(47.29, 11.345), (47.30, 11.30), (47.285, 11.24)],
]
FORESTS = [
    [(47.275, 11.24), (47.30, 11.28), (47.345, 11.30), (47.35, 11.26), (47.33, 11.21), (47.29, 11.2)],
    [(47.285, 11.37), (47.30, 11.40), (47.295, 11.45), (47.325, 11.445), (47.335, 11.40), (47.315, 11.365)],
    [(47.35, 11.38), (47.385, 11.36), (47.40, 11.41), (47.385, 11.45), (47.355, 11.44), (47.348, 11.41)],
    [(47.30, 11.49), (47.33, 11.48), (47.365, 11.50), (47.36, 11.56), (47.315, 11.56)],
    [(47.205, 11.33), (47.24, 11.35), (47.243, 11.42), (47.225, 11.48), (47.2, 11.47)],
]
LAKES = [[(47.345, 11.345), (47.352, 11.353), (47.362, 11.349), (47.359, 11.338), (47.349, 11.337)]]
TOWNS = [(47.262, 11.40, 1500), (47.256, 11.345, 700), (47.275, 11.47, 800), (47.335, 11.362, 500), (47.335, 11.452, 600)]
TILE_PX = 256
METRES_ROUND = 40_075_016.7


def draw_tile(zoom, column, row):
    """A tile as an image of lines and areas."""
    count = 2 ** zoom

    def place(latitude, longitude):
        angle = math.radians(latitude)
        x = (longitude + 180) / 360 * count - column
        y = (1 - math.log(math.tan(angle) + 1 / math.cos(angle)) / math.pi) / 2 * count - row
        return f"{TILE_PX * x:.1f} {TILE_PX * y:.1f}"

    def path(points):
        return "M" + "L".join(place(*point) for point in points)

    # At the middle of the map, a pixel has so many metres.
    metres = METRES_ROUND * math.cos(math.radians(47.32)) / TILE_PX / count
    ride = [(point["latitude_deg"], point["longitude_deg"]) for piece in LONG_RIDE["track"]["pieces"] for point in piece["points"]]
    parts = ['<rect width="256" height="256" fill="#fafaf5"/>']
    parts += [f'<path d="{path(each)}Z" fill="#cfe6bd"/>' for each in FORESTS]
    parts += [f'<circle cx="{x}" cy="{y}" r="{radius / metres:.1f}" fill="#e4e2de"/>'
              for latitude, longitude, radius in TOWNS for x, y in [place(latitude, longitude).split()]]
    parts += [f'<path d="{path(each)}Z" fill="#9fcdf0"/>' for each in LAKES]
    lines = [([RIVER], "#8cc4ee", 110, 2), (ROADS + [ride], "#a9a9a9", 40, 1.6), (ROADS + [ride], "#ffffff", 22, .8),
             ([MAIN_ROAD], "#8a8a8a", 70, 2.8), ([MAIN_ROAD], "#fff3b8", 46, 1.6)]
    for group, color, width, least in lines:
        parts += [f'<path d="{path(each)}" fill="none" stroke="{color}" stroke-width="{max(least, width / metres):.1f}" '
                  'stroke-linejoin="round" stroke-linecap="round"/>' for each in group]
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256">{"".join(parts)}</svg>'.encode()
