"""Line charts in SVG, in colors that are legible on white and on black. Each panel has its own
axis, starting at zero."""
import math
from html import escape

TONES = ["#d9622b", "#3b82c4"]
INK = "#7d8590"
WIDTH, HEIGHT = 300, 230
LEFT, RIGHT, TOP, BOTTOM = 42, 24, 44, 36
CLOSEST = 18


def growth(figures):
    return svg("Processor time per notification", "µs of processor time per notification", figures)


def svg(title, unit, panels):
    """`panels`: {what grows: {program: [(x, y), ...]}}."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * len(panels)} {HEIGHT + 24}" font-family="sans-serif" '
        f'font-size="11" fill="{INK}" role="img">', f"<title>{escape(title)}</title>"]
    for number, (name, lines) in enumerate(panels.items()):
        parts += [f'<g transform="translate({WIDTH * number},0)">', *panel(name, unit, lines), "</g>"]
    parts += [*legend(next(iter(panels.values()))), "</svg>"]
    return "\n".join(parts) + "\n"


def panel(name, unit, lines):
    places = sorted({x for line in lines.values() for x, _ in line})
    most = max(y for line in lines.values() for _, y in line)
    step = tidy_step(most)
    top = step * math.ceil(most / step)
    inner_width, inner_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def across(x):
        """From nothing on, or by its logarithm where it grows more than a thousand times."""
        share = math.log(x / places[0]) / math.log(places[-1] / places[0]) if places[-1] > 1000 * places[0] else x / places[-1]
        return LEFT + inner_width * share

    def up(y):
        return HEIGHT - BOTTOM - inner_height * y / top

    yield f'<text x="{LEFT}" y="18" font-size="12" font-weight="bold">{escape(name)}</text>'
    yield f'<text x="{LEFT}" y="33">{escape(unit)}</text>'
    for count in range(round(top / step) + 1):
        height = up(count * step)
        yield f'<path d="M{LEFT} {height:.1f}H{WIDTH - RIGHT}" stroke="{INK}" stroke-opacity="0.3"/>'
        yield f'<text x="{LEFT - 6}" y="{height + 4:.1f}" text-anchor="end">{count * step:g}</text>'
    for x in labelled(places, across):
        yield f'<text x="{across(x):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{x:,}</text>'
    for number, line in enumerate(lines.values()):
        points = [(across(x), up(y)) for x, y in line]
        way = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        yield f'<path d="M{way}" fill="none" stroke="{TONES[number]}" stroke-width="2"{dashes(number)}/>'
        for x, y in points:
            yield mark(number, x, y)


def labelled(places, across):
    """All but those that stand too close to the last one."""
    free = 0
    for x in places:
        if across(x) >= free:
            free = across(x) + CLOSEST
            yield x


def legend(lines):
    for number, name in enumerate(lines):
        x, y = LEFT + 120 * number, HEIGHT + 8
        yield f'<path d="M{x} {y}h26" stroke="{TONES[number]}" stroke-width="2"{dashes(number)}/>'
        yield mark(number, x + 13, y)
        yield f'<text x="{x + 32}" y="{y + 4}">{escape(name)}</text>'


def dashes(number):
    """The second is known without its colour, too."""
    return ' stroke-dasharray="5 3"' if number else ""


def mark(number, x, y):
    if number:
        return f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" fill="{TONES[number]}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{TONES[number]}"/>'


def tidy_step(most):
    """About five of it, and a number that people count in."""
    rough = most / 5
    unit = 10 ** math.floor(math.log10(rough))
    return next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
