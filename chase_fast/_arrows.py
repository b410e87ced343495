"""Arrows of a decision: path, exits and bumps, exchanges and distributions."""

from collections.abc import Sequence
from math import hypot

from chase_fast._core import Direction, Position, TraceStep, cell_name, neighbour
from chase_fast._geometry import CHAMBER, Plane, Point
from chase_fast._lastmove import LastMove
from chase_fast._markup import DIE_HALF, Markup

# Width of the line, length and width of the head.
_WIDE, _NARROW = (5.0, 12.0, 14.5), (4.0, 9.5, 12.5)
_BADGES = {"crossing": 8.5, "exit": 7.0, "gain": 9.5}
_CASING = 3.0
_CHAMBER_GAP = 5.0
_BADGE_OFFSET = 18.0


class ArrowPainter:
    """Draws arrows at once and keeps what must stand above the dice for ``badges``."""

    def __init__(self, out: Markup, plane: Plane, position: Position) -> None:
        self.out = out
        self.plane = plane
        self.position = position
        self._crossings = 0
        self._badges: list[tuple[str, Point, str, str]] = []

    def decision(self, decision: LastMove, *, plan: bool = False) -> None:
        """Draws a decision; ``plan`` says that it has not been made."""
        groups = [("ray", decision.ray)] if decision.ray else []
        groups += [("exit", (step,)) for step in decision.exits]
        groups += [("push", (step,)) for step in decision.pushes]
        for kind, steps in groups:
            self._path(kind, "plan" if plan else kind, steps)
        role = "plan" if plan else "exit"
        away = Point(1.0, -1.0)
        cell, other = decision.move.cell, decision.move.other
        if cell is not None and other is not None:
            # As the pips go: heads at both ends would hardly fit between two dice.
            ends = (cell, other) if decision.gains[cell] < 0 else (other, cell)
            step = self._exchange(*ends)
            self._path("exchange", role, (step,))
            away = Point(0.0, 0.0).plus(
                self.plane.step(step.direction), 1 if ends[1] == cell else -1
            )
        for changed, gain in decision.gains.items():
            text = f"{gain:+d}".replace("-", "\N{MINUS SIGN}")
            at = self.plane.centre(changed).plus(away.outwards(), _BADGE_OFFSET)
            self._badges.append(("gain", at, text, role))
            away = Point(-away.x, -away.y)

    def link(self, origin: int, target: int) -> None:
        """A straight arrow between the centres of two cells."""
        self._open("link", origin, target)
        line = (self.plane.centre(origin), self.plane.centre(target))
        self._line("plan", _WIDE, line, self._gap(target, line))
        self.out.close()

    def badges(self) -> None:
        """Numbers of crossings, letters of exits, pips won and lost."""
        for kind, at, text, role in self._badges:
            self.out.open("g", data_badge=kind, data_text=text)
            self.out.circle(at, _BADGES[kind], f"{role}head")
            self.out.write(text, at, 11, "ontop", text_anchor="middle", font_weight="bold")
            self.out.close()

    def _path(self, kind: str, role: str, steps: Sequence[TraceStep]) -> None:
        origin, target = steps[0].origin, steps[-1].target
        size = _NARROW if kind in ("push", "exchange") else _WIDE
        self._open(kind, origin, target)
        for step in steps:
            if step.ricochets:
                edge = self.plane.end_row_edge(step.origin)
                self.out.line(edge, 6, role, data_ricochet=cell_name(step.origin))
        runs = self.plane.runs(steps)
        for run in runs:
            gap = None if run.leaves else self._gap(target, run.points)
            self._line(role, size, run.points, gap)
            if run.enters:
                self._crossing(run.points[0], role)
            if run.leaves:
                self._crossings += 1
                self._crossing(run.points[-1], role)
        if kind == "ray" and not self.position.value_at(origin):
            self.out.circle(runs[0].points[0], 5.5, f"{role}head")
        self.out.close()
        if steps[0].kind in ("left", "right"):
            middle = self.plane.centre(CHAMBER).towards(self.plane.centre(target), 16.0)
            self._badges.append(("exit", middle, steps[0].kind[0].upper(), role))

    def _crossing(self, at: Point, role: str) -> None:
        self._badges.append(("crossing", at, str(self._crossings), role))

    def _open(self, kind: str, origin: int, target: int) -> None:
        self.out.open("g", data_arrow=kind, data_from=cell_name(origin), data_to=cell_name(target))

    def _line(
        self,
        role: str,
        size: tuple[float, float, float],
        points: Sequence[Point],
        gap: float | None,
    ) -> None:
        """A line with a head ``gap`` short of its end; without one for None."""
        width, length, breadth = size
        line = list(points)
        tip, back = line[-1], line[-2]
        if gap is not None:
            tip = line[-1].towards(back, gap)
            line[-1] = line[-1].towards(back, gap + length - 1)
        self.out.line(line, width + _CASING, "casing")
        self.out.line(line, width, role, data_line="")
        if gap is not None:
            self._head(role, tip, back, length, breadth)

    def _head(self, role: str, tip: Point, back: Point, length: float, breadth: float) -> None:
        base = tip.towards(back, length)
        across, half = Point(base.y - tip.y, tip.x - base.x), breadth / 2 / length
        corners = (tip, base.plus(across, half), base.plus(across, -half))
        self.out.add("polygon", f"{role}head", points=corners)

    def _gap(self, target: int, points: Sequence[Point]) -> float:
        """From the centre of a cell to the edge of what stands there, against the arrow."""
        if target == CHAMBER:
            return _CHAMBER_GAP
        if not self.position.value_at(target):
            return 0.0
        across, down = points[-1].x - points[-2].x, points[-1].y - points[-2].y
        return DIE_HALF * hypot(across, down) / max(abs(across), abs(down))

    def _exchange(self, cell: int, other: int) -> TraceStep:
        direction = next(d for d in Direction if neighbour(cell, d) == other)
        reached = self.plane.centre(cell).plus(self.plane.step(direction))
        target = self.plane.centre(other)
        wraps = hypot(reached.x - target.x, reached.y - target.y) > 1
        return TraceStep("exchange", cell, other, direction, 0, int(wraps), 0, 0)
