"""The exceptions of Chase Fast: one tree, and every refusal of input is a ``ValueError``."""


class ChaseError(Exception):
    """Root of all errors raised by this package."""


class InvalidRulesError(ChaseError, ValueError):
    """A rules text or value outside R12; says what is allowed."""


class NotationError(ChaseError, ValueError):
    """Text that cannot be read: what was wrong, where, what is allowed.

    Attributes:
        offset: Index of the first faulty character in the text that was given, counted from 0 as
            in the message; the length of the text if it ends too early; None where there is no
            one place.
    """

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (*self.args, self.offset)


class AmbiguousNotationError(NotationError):
    """Text in another program's notation that fits more than one decision.

    Attributes:
        candidates: Every decision that fits, in our own notation, in canonical order.
        offset: Index of the first character of the ambiguous decision, counted from 0, or None.
    """

    def __init__(
        self, message: str, candidates: tuple[str, ...] = (), offset: int | None = None
    ) -> None:
        super().__init__(message, offset)
        self.candidates = candidates

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (*self.args, self.candidates, self.offset)


class InvalidPositionError(ChaseError, ValueError):
    """A position that R13 does not allow, or text that is not CFEN.

    Attributes:
        reasons: Every reason, one sentence each.
        offset: For a syntax error as in `NotationError`, else None.
    """

    def __init__(self, reasons: tuple[str, ...], offset: int | None = None) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons
        self.offset = offset

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.reasons, self.offset)


class IllegalMoveError(ChaseError, ValueError):
    """A well-formed decision that is not legal in the position; says why, with the rule."""


class RecordError(ChaseError, ValueError):
    """A game record that cannot be read or written.

    Attributes:
        reason: What is wrong and what is allowed.
        source: Name of the file, or None where there is none.
        line: Number of the faulty line, counted from 1, or None where there is none.
    """

    def __init__(self, reason: str, source: str | None = None, line: int | None = None) -> None:
        where = f"line {line}" if source is None else source if line is None else f"{source}:{line}"
        super().__init__(reason if source is None and line is None else f"{where}: {reason}")
        self.reason = reason
        self.source = source
        self.line = line

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.reason, self.source, self.line)


class ArgumentError(ChaseError, ValueError):
    """An argument that is not what it is documented to be: wrong type, outside its range."""


class GameOverError(IllegalMoveError):
    """A decision in a game that has ended (R11)."""


class StoppedError(ChaseError):
    """Work that ended early, without a result, since its `StopFlag` was set."""


class StoreError(ChaseError):
    """The folder of a run that cannot be used: in use, damaged, of other kind, or not writable."""
