"""Pictures of matplotlib made fit to stand inside an HTML page beside others.

One picture serves light and dark: its colours become variables of the page's style sheet, with the
light colour as what remains where there is none. Ids get the name of the picture in front, the
style sheet that would reach the whole page goes, and so do sizes, since the page sets them.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping

_FONT = re.compile(r"font-family:[^;]*;?\s*")
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_STILL = re.compile(r"rotate\(-?0 [^)]*\)")
_LINK = re.compile(r"#([\w.-]+)")
# Where coordinates stand; all are in points of a picture some hundreds of points wide.
_PLACES = ("d", "x", "y", "width", "height", "transform")


def inline(svg: str, *, name: str, label: str, colours: Mapping[str, str]) -> str:
    """Rewrites a picture that matplotlib saved with ``svg.fonttype`` none.

    Args:
        svg: The file's text.
        name: Goes before every id; no two pictures of a page have the same.
        label: What it shows, for who cannot see it.
        colours: CSS variable by light colour, ``#rrggbb``.

    Returns:
        One ``svg`` element without namespaces, as HTML knows it.
    """
    root = ET.fromstring(svg)
    used = set(_links(root))
    _strip(root)
    for element in root.iter():
        _rename(element)
        _restyle(element, colours)
        _anchor(element, name, used)
    size = root.get("viewBox", "")
    root.attrib.clear()
    root.attrib.update(
        {
            "class": "plot",
            "viewBox": size,
            "role": "img",
            "aria-label": label,
            # What matplotlib's style sheet asks for.
            "stroke-linejoin": "round",
        }
    )
    return ET.tostring(root, encoding="unicode")


def _links(root: ET.Element) -> Iterator[str]:
    for element in root.iter():
        for key, value in element.attrib.items():
            if key.endswith("href") or value.startswith("url("):
                yield from _LINK.findall(value)


def _strip(element: ET.Element) -> None:
    """Takes out style sheets, empty definitions and the white space between elements."""
    for child in list(element):
        _strip(child)
        child.tail = None
        kind = child.tag.rpartition("}")[2]
        if kind in ("style", "metadata") or (kind in ("defs", "g") and not len(child)):
            element.remove(child)
    if len(element):
        element.text = None


def _rename(element: ET.Element) -> None:
    element.tag = element.tag.rpartition("}")[2]
    for key in [key for key in element.attrib if "}" in key]:
        element.set(key.rpartition("}")[2], element.attrib.pop(key))


def _restyle(element: ET.Element, colours: Mapping[str, str]) -> None:
    style = element.get("style")
    if style is not None:
        style = _FONT.sub("", style)
        element.set("style", _COLOUR.sub(lambda m: _variable(m[0], colours), style))
    for key in _PLACES:
        value = element.get(key)
        if value is None:
            continue
        value = " ".join(_NUMBER.sub(lambda m: _rounded(m[0]), _STILL.sub("", value)).split())
        if value:
            element.set(key, value)
        else:
            del element.attrib[key]


def _variable(colour: str, colours: Mapping[str, str]) -> str:
    return f"var({colours[colour]},{colour})" if colour in colours else colour


def _rounded(number: str) -> str:
    text = f"{float(number):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _anchor(element: ET.Element, name: str, used: set[str]) -> None:
    """Ids that something refers to get the picture's name in front, the others go."""
    own = element.get("id")
    if own is not None:
        if own in used:
            element.set("id", f"{name}-{own}")
        else:
            del element.attrib["id"]
    for key, value in element.attrib.items():
        if key == "href" or value.startswith("url("):
            element.set(key, _LINK.sub(rf"#{name}-\1", value))
