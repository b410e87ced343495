"""Balance: what rule variants do to the game, with verdicts that claim no more than was shown."""

from chase_fast.balance.document import document_of
from chase_fast.balance.run import BalanceResult, look_closer, play_balance
from chase_fast.balance.settings import KIND, LEVELS, BalanceOptions, balance_settings

__all__ = [
    "KIND",
    "LEVELS",
    "BalanceOptions",
    "BalanceResult",
    "balance_settings",
    "document_of",
    "look_closer",
    "play_balance",
]
