"""How much a reader takes in at once, so that no file can fill the memory."""

MAX_LINE = 65_536
"""Longest line of the text format, in bytes of UTF-8 without its end."""

MAX_RECORD = 4_194_304
"""Longest record, in bytes of UTF-8: all its lines, or the one line of a JSON record. A game of
500,000 decisions still fits."""
