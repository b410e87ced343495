"""The colours of the pictures, by the part that each thing plays.

Every element carries its colours as presentation attributes, which each SVG renderer knows, and
a class. The theme "auto" adds a style sheet that overrides them where the viewer prefers a dark
scheme. The rules of that sheet are always the same and reach only pictures of that theme, so that
several pictures in one HTML page do not disturb each other.

Red and blue dice also differ in lightness and in outline (red dark and solid, blue light with a
heavy border), so that they can be told apart in greyscale and by any eye.
"""

from typing import Literal, TypeAlias

from chase_fast._arguments import choice

Theme: TypeAlias = Literal["light", "dark", "auto"]

# role -> property -> (light, dark)
_ROLES: dict[str, dict[str, tuple[str, str]]] = {
    "page": {"fill": ("#fbf8f2", "#1c1e22")},
    "cell": {"fill": ("#f1e9d9", "#2d3036"), "stroke": ("#c9bb9f", "#4a4f58")},
    "touched": {"fill": ("#fbe69a", "#5a5022")},
    "highlight": {"fill": ("#c9e7b8", "#2f5a3c")},
    "chamber": {"fill": ("#5b5247", "#0f1013"), "stroke": ("#c9bb9f", "#6b717c")},
    "cushion": {"stroke": ("#6d6252", "#a3a8b1")},
    "gap": {"stroke": ("#fbf8f2", "#1c1e22")},
    "seam": {"stroke": ("#2b8a7b", "#52c7b4")},
    "text": {"fill": ("#3a352d", "#e3e5e8")},
    "faint": {"fill": ("#8b8069", "#8f959f")},
    "red": {"fill": ("#b3202c", "#c22f3a"), "stroke": ("#6f0f18", "#f0959b")},
    "redpip": {"fill": ("#ffffff", "#ffffff")},
    "blue": {"fill": ("#e6f0fd", "#dceafc"), "stroke": ("#1a56b0", "#3f83e6")},
    "bluepip": {"fill": ("#123f86", "#123f86")},
    "ghost": {"stroke": ("#8b8069", "#8f959f")},
    "casing": {"stroke": ("#fbf8f2", "#1c1e22")},
    "ontop": {"fill": ("#ffffff", "#16181b")},
    "cross": {"stroke": ("#fbf8f2", "#1c1e22")},
    "capturing": {"stroke": ("#d99a00", "#ffcf40")},
}
# Lines are stroked and never filled, heads and badges filled and never stroked: two roles each.
_ARROWS: dict[str, tuple[str, str]] = {
    "ray": ("#6a2fa0", "#c79bf2"),
    "exit": ("#0c7c6c", "#4fd0bb"),
    "push": ("#c96a00", "#ffae4d"),
    "plan": ("#4c5563", "#c3cad5"),
}
for _name, _pair in _ARROWS.items():
    _ROLES[_name] = {"stroke": _pair}
    _ROLES[f"{_name}head"] = {"fill": _pair}


def check_theme(theme: object) -> None:
    """Raises ``ArgumentError`` for an unknown theme."""
    choice(theme, "theme", ("light", "dark", "auto"))


def colours(role: str, theme: Theme) -> dict[str, str]:
    """The colour attributes of a role; those of the light scheme for the theme "auto"."""
    scheme = 1 if theme == "dark" else 0
    return {name: pair[scheme] for name, pair in _ROLES[role].items()}


def style_sheet() -> str:
    """The text of the style sheet of the theme "auto"."""
    rules = "".join(
        f".cf-auto .cf-{role}{{{';'.join(f'{name}:{pair[1]}' for name, pair in roles.items())}}}"
        for role, roles in _ROLES.items()
    )
    return f"@media (prefers-color-scheme:dark){{{rules}}}"
