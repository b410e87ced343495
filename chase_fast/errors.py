"""The exceptions of Chase Fast: one tree, and every refusal of input is a ``ValueError``."""


class ChaseError(Exception):
    """Root of all errors raised by this package."""


class InvalidRulesError(ChaseError, ValueError):
    """A rules text or value outside R12; says what is allowed."""


class NotationError(ChaseError, ValueError):
    """Text that cannot be read: what was wrong, where, what is allowed.

    Attributes:
        offset: Index of the first faulty character, or None where there is no one place.
    """

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (*self.args, self.offset)


class InvalidPositionError(ChaseError, ValueError):
    """A position that R13 does not allow, or text that is not CFEN.

    Attributes:
        reasons: Every reason, one sentence each.
        offset: Index of the first faulty character for a syntax error, else None.
    """

    def __init__(self, reasons: tuple[str, ...], offset: int | None = None) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons
        self.offset = offset

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.reasons, self.offset)


class IllegalMoveError(ChaseError, ValueError):
    """A well-formed decision that is not legal in the position; says why, with the rule."""


class ArgumentError(ChaseError, ValueError):
    """A number or option outside its documented range."""


class GameOverError(IllegalMoveError):
    """A decision in a game that has ended (R11)."""
