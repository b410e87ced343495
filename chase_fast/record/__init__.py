"""Records of games: tags, decisions, comments, and how the game ended.

A :class:`Record` is one game as plain data. :func:`read_records` and :class:`RecordWriter` stream
any number of them from and to files in two formats: a text for people in the manner of PGN, and one
JSON object a line for machines. ``docs/notation.md`` gives both grammars.

>>> record = Record.from_text('''[Red "Ann"]
... [Blue "Ben"]
... [Rules "standard"]
... [Result "*"]
...
... 1. a1=2,a2=1 2. i8=1,i9=2 {why not} *
... ''')
>>> record.red, len(record.moves), record.comments
('Ann', 2, ('', 'why not'))
>>> Record.from_json(record.to_json()) == record
True
"""

from chase_fast.record.lines import MAX_LINE, MAX_RECORD
from chase_fast.record.model import Record
from chase_fast.record.stream import OnError, RecordFormat, RecordWriter, read_records

__all__ = [
    "MAX_LINE",
    "MAX_RECORD",
    "OnError",
    "Record",
    "RecordFormat",
    "RecordWriter",
    "read_records",
]
