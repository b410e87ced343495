"""The cells of a balance document by variant and player."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from chase_fast.report.document import Document

Cell: TypeAlias = dict[str, Any]


class Grid:
    """Cells in the order of the document's players and variants.

    Attributes:
        document: Where all of it stands.
        base: Name of the variant that the others are compared with.
        margin: Half the width of the band that counts as equal, as a share.
        variants: Their names, in order.
        players: Likewise.
        cells: By player, and then by variant.
        comparisons: Likewise.
    """

    def __init__(self, document: Document) -> None:
        """Sorts what a checked document of kind "balance" holds."""
        self.document = document
        self.base: str = document["base"]
        self.margin: float = document["margin"]
        self.variants: list[str] = [item["name"] for item in document["variants"]]
        self.players: list[str] = [item["name"] for item in document["players"]]
        self.cells: list[Cell] = sorted(document["cells"], key=self._place)
        self.comparisons: list[Cell] = sorted(document["comparisons"], key=self._place)

    def _place(self, item: Cell) -> tuple[int, int]:
        return self.players.index(item["player"]), self.variants.index(item["variant"])

    def number(self, variant: str) -> int:
        """The number of a variant, which fixes its colour in all figures."""
        return self.variants.index(variant)

    def nodes(self, player: str) -> int | None:
        """Nodes that a player searches, None if it does not search so many."""
        nodes: int | None = self.document["players"][self.players.index(player)].get("nodes")
        return nodes

    def comparison(self, variant: str, player: str) -> Cell | None:
        """The comparison of a variant with the base under a player, if there is one."""
        for item in self.comparisons:
            if item["variant"] == variant and item["player"] == player:
                return item
        return None

    def by_player(self, wanted: Callable[[Cell], object]) -> list[tuple[str, list[Cell]]]:
        """For each player its cells that have something, players without one left out."""
        grouped = [
            (name, [cell for cell in self.cells if cell["player"] == name and wanted(cell)])
            for name in self.players
        ]
        return [(name, cells) for name, cells in grouped if cells]

    def strongest(self, wanted: Callable[[Cell], object]) -> tuple[str, list[Cell]] | None:
        """The player with the most nodes among those with such cells, and these cells.

        Where nodes do not tell, the last one of the document.
        """
        return max(
            enumerate(self.by_player(wanted)),
            key=lambda item: (self.nodes(item[1][0]) or 0, item[0]),
            default=(0, None),
        )[1]
