"""The page's colours as a style sheet, made from the palette that every picture of inarow uses."""

from __future__ import annotations

from dataclasses import fields

from inarow.drawing.palette import DARK, LIGHT, Theme, hexadecimal

_NAMES = [field.name for field in fields(Theme) if field.name != "name"]


def theme_css() -> str:
    """Variables for both themes; the system's choice counts unless the page sets ``data-theme``."""
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
