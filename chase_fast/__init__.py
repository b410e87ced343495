"""Chase Fast: exact, fast simulation of the board game Chase."""

from chase_fast._version import __version__

__all__ = ["__version__"]
