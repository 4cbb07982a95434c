"""The table of contrasts, computed from the style sheets, and that no colour is written elsewhere."""

import pathlib
import re
import unittest

CSS = pathlib.Path(__file__).resolve().parents[2] / "Sources/Page/css"
AA, LARGE, SUN = 4.5, 3.0, 7.0

# Text or shape, ground, and the least contrast in the light and in the dark scheme.
TABLE = [
    ("text-primary", "bg-primary", SUN, SUN), ("text-primary", "bg-secondary", SUN, SUN),
    ("text-primary", "bg-tertiary", SUN, SUN), ("text-primary", "bg-elevated", SUN, SUN),
    ("text-secondary", "bg-primary", AA, AA), ("text-secondary", "bg-secondary", AA, AA),
    ("text-secondary", "bg-elevated", AA, AA),
    ("text-on-primary-fill", "primary", SUN, SUN), ("text-on-okay", "rating-okay", SUN, SUN),
    ("text-on-bad", "rating-bad", AA, AA),
    ("rating-good", "bg-primary", LARGE, LARGE), ("rating-bad", "bg-primary", LARGE, LARGE),
    ("rating-bad", "bg-secondary", LARGE, LARGE), ("destructive", "bg-primary", AA, AA),
    ("destructive", "bg-tertiary", LARGE, LARGE),
    ("text-primary", "rating-bad-bg", SUN, SUN), ("text-primary", "rating-okay-bg", SUN, SUN),
    ("text-primary", "rating-good-bg", SUN, SUN), ("text-primary", "primary-light", SUN, SUN),
    ("text-primary", "primary-muted", SUN, AA), ("bg-primary", "text-primary", SUN, SUN),
    *((f"text-on-hr-zone-{zone}", f"hr-zone-{zone}", AA, AA) for zone in range(1, 6)),
    ("primary-dark", "bg-primary", LARGE, LARGE), ("radar-car-edge", "rating-okay", LARGE, LARGE),
    ("code-dark", "code-light", SUN, SUN),
]


def tokens(*names):
    """The custom properties of style sheets, the later ones first."""
    found = {}
    for name in names:
        found.update(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6});", (CSS / f"{name}.css").read_text()))
    return found


def luminance(color):
    """WCAG's relative luminance."""
    parts = [int(color[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """WCAG's contrast of two colours."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


class ColorTests(unittest.TestCase):
    """Both schemes. These tests need no browser."""

    def test_the_computation(self):
        self.assertAlmostEqual(contrast("#ffffff", "#000000"), 21)
        self.assertAlmostEqual(contrast("#60bd10", "#ffffff"), 2.4, places=1)

    def test_contrasts(self):
        for scheme, names in (("light", ["tokens"]), ("dark", ["tokens", "dark"])):
            colors = tokens(*names)
            for text, ground, *least in TABLE:
                with self.subTest(scheme=scheme, text=text, ground=ground):
                    found = contrast(colors[text], colors[ground])
                    self.assertGreaterEqual(round(found, 1), least[scheme == "dark"])

    def test_the_dark_scheme_has_a_value_for_every_colour(self):
        same_in_both = {"code-light", "code-dark"}
        self.assertEqual(set(tokens("tokens")) - set(tokens("dark")) - same_in_both, set())

    def test_no_colour_is_written_elsewhere(self):
        pattern = re.compile(r"#[0-9a-fA-F]{3,8}\b(?![\w-])|\b(?:rgb|hsl)a?\(")
        for file in sorted(CSS.glob("*.css")):
            if file.stem in ("tokens", "dark"):
                continue
            rules = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.S)
            values = re.findall(r":[^;{}]*;", rules)
            with self.subTest(file=file.name):
                self.assertEqual([value for value in values if pattern.search(value)], [])


if __name__ == "__main__":
    unittest.main()
