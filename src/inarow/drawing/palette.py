"""The colours of boards, stones and pages, light and dark, as plain data.

Red and yellow differ in brightness as well as in hue, and every stone carries a cross or a ring, so that they can be
told apart without colour.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

Colour = tuple[int, int, int]
"""Red, green and blue, from 0 to 255."""
BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)


@dataclass(frozen=True)
class Theme:
    """The colours of everything that is drawn."""

    name: str
    back: Colour
    panel: Colour
    raised: Colour
    line: Colour
    text: Colour
    faint: Colour
    accent: Colour
    on_accent: Colour
    board: Colour
    board_edge: Colour
    hole: Colour
    first: Colour
    second: Colour
    good: Colour
    bad: Colour
    even: Colour

    def stone(self, player: int) -> Colour:
        """Return the colour of a player's stones."""
        return self.second if player else self.first


DARK = Theme(
    name="dark",
    back=(19, 23, 31),
    panel=(29, 35, 46),
    raised=(43, 51, 66),
    line=(64, 75, 95),
    text=(236, 239, 244),
    faint=(148, 160, 180),
    accent=(88, 148, 255),
    on_accent=(10, 16, 28),
    board=(37, 84, 168),
    board_edge=(28, 64, 132),
    hole=(14, 18, 25),
    first=(226, 62, 62),
    second=(255, 205, 66),
    good=(94, 200, 140),
    bad=(240, 120, 120),
    even=(170, 178, 192),
)

LIGHT = Theme(
    name="light",
    back=(244, 243, 239),
    panel=(255, 255, 255),
    raised=(233, 232, 227),
    line=(205, 203, 196),
    text=(28, 32, 40),
    faint=(105, 110, 122),
    accent=(28, 94, 214),
    on_accent=(255, 255, 255),
    board=(45, 104, 205),
    board_edge=(34, 82, 166),
    hole=(225, 231, 242),
    first=(206, 42, 42),
    second=(250, 190, 30),
    good=(18, 128, 74),
    bad=(196, 40, 40),
    even=(100, 106, 118),
)

THEMES = {theme.name: theme for theme in (DARK, LIGHT)}


def mixed(a: Colour, b: Colour, share: float) -> Colour:
    """Mix two colours, with this share of the second."""
    return (
        round(a[0] + (b[0] - a[0]) * share),
        round(a[1] + (b[1] - a[1]) * share),
        round(a[2] + (b[2] - a[2]) * share),
    )


def shade(colour: Colour, name: str) -> Colour:
    """Return a stone's colour as it is (``plain``), or that of its rim (``dark``) or bevel (``light``)."""
    if name == "plain":
        return colour
    return mixed(colour, BLACK, 0.22) if name == "dark" else mixed(colour, WHITE, 0.16)


def dimmed(colour: Colour, ground: Colour) -> Colour:
    """Return the colour of a stone that is not part of the winning line."""
    return mixed(colour, ground, 0.55)


def hexadecimal(colour: Colour) -> str:
    """Return a colour in hexadecimal, such as ``#2d68cd``."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


_NAMES = [field.name for field in fields(Theme) if field.name != "name"]


def theme_css() -> str:
    """Return a style sheet with both themes as variables; the system chooses unless the page sets ``data-theme``."""
    return "\n".join(
        [
            f":root {{ color-scheme: light; {_variables(LIGHT)} }}",
            "@media (prefers-color-scheme: dark) {",
            f"  :root:not([data-theme]) {{ color-scheme: dark; {_variables(DARK)} }}",
            "}",
            f':root[data-theme="dark"] {{ color-scheme: dark; {_variables(DARK)} }}',
            "",
        ]
    )


def _variables(theme: Theme) -> str:
    return " ".join(f"--{name.replace('_', '-')}: {hexadecimal(getattr(theme, name))};" for name in _NAMES)
