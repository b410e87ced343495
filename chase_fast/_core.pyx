# cython: language_level=3, embedsignature=True, binding=True, auto_pickle=False, autotestdict=False
"""The compiled core: rules, positions, decisions, perft and playouts, backed by ``csrc/``.

The layer's contract. This module converts between Python and C, checks what comes from outside
once, releases the GIL in every call that may take longer than 50 us, and turns a status into an
exception in one place. It knows no rule of the game: whatever needs one is asked of ``chase.h``.
Users import its names from ``chase_fast``.

Objects are made by named constructors, since a C struct inside a Python object must never be
seen unfilled; ``_KEY`` below is what only this module can hand to ``__cinit__``. All classes but
``StopFlag`` are immutable, so that any thread may read them.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.number cimport PyNumber_AsSsize_t
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport getenv
from libc.string cimport memcmp, memcpy, memset

from chase_fast._csrc cimport *

from collections import deque, namedtuple
from collections.abc import Sequence
from types import MappingProxyType
from weakref import WeakValueDictionary

import numpy as np

from chase_fast._arguments import Code, as_int, shown as _show
from chase_fast.errors import (
    ArgumentError,
    ChaseError,
    GameOverError,
    IllegalMoveError,
    InvalidPositionError,
    InvalidRulesError,
    NotationError,
)


cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
    bint PyUnicode_IS_ASCII(object text)
    bytes PyUnicode_AsEncodedString(object text, const char *encoding, const char *errors)


# ---- One way in ------------------------------------------------------------------------------

cdef object _KEY = object()


cdef int _need_key(object key, str name, str instead) except -1:
    if key is not _KEY:
        raise TypeError(f"{name} has no public constructor; use {instead}")
    return 0


# ---- Status to exception ---------------------------------------------------------------------

# By status. A stopped call is no refusal of input, hence the root of the tree.
cdef tuple _EXCEPTIONS = (
    None,  # CHASE_OK
    MemoryError,  # CHASE_MEMORY
    ArgumentError,  # CHASE_BAD_ARGUMENT
    InvalidRulesError,  # CHASE_BAD_RULES
    NotationError,  # CHASE_BAD_SYNTAX
    InvalidPositionError,  # CHASE_INVALID_POSITION
    IllegalMoveError,  # CHASE_ILLEGAL
    ChaseError,  # CHASE_STOPPED
)
_STATUS_COUNT = CHASE_STATUS_COUNT


def _status_exception(int status, str message="", object offset=None):
    """The exception that stands for a status of ``chase.h``, made but not raised.

    Args:
        status: A ``chase_status`` other than ``CHASE_OK``.
        message: What the core said.
        offset: Index of the first faulty character, or None.

    Returns:
        The exception; None for ``CHASE_OK``.

    Raises:
        ArgumentError: ``status`` is no status.
    """
    if not 0 <= status < CHASE_STATUS_COUNT:
        raise ArgumentError(f"status must be from 0 to {CHASE_STATUS_COUNT - 1}, not {status}")
    if status == CHASE_OK:
        return None
    if status == CHASE_MEMORY:
        return MemoryError(message or "out of memory in the core")
    if status == CHASE_BAD_SYNTAX:
        return NotationError(message, offset)
    if status == CHASE_INVALID_POSITION:
        return InvalidPositionError((message,), offset)
    return _EXCEPTIONS[status](message)


cdef object _offset_of(const chase_error *error):
    # Bytes and characters are the same up to the first fault: no text has others than ASCII.
    return None if error.offset < 0 else error.offset


cdef str _message_of(const chase_error *error):
    # The core quotes characters of the text it read, whatever they are.
    message = (<const char *>error.message).decode("utf-8", "surrogatepass")
    if message.isprintable():
        return message
    return "".join([char if char.isprintable() else repr(char)[1:-1] for char in message])


# ---- Values from outside ---------------------------------------------------------------------

cdef object _index(object value, object code=None):
    """`value` as an int, or None; bools, floats and members of enumerations but `code` are none."""
    return value if type(value) is int else as_int(value, code=code)


cdef object _integer(
    object value, str name, object low, object high, object refuse, object code=None
):
    """`value` as an int from `low` to `high`, or an exception of the class `refuse`."""
    number = _index(value, code)
    if number is None or not low <= number <= high:
        shown = _show(value if number is None else number)
        raise refuse(f"{name} must be an int from {low} to {high}, not {shown}")
    return number


cdef object _utf8(object text, const char **data, Py_ssize_t *length):
    """UTF-8 bytes of any str; they live as long as the object that is returned.

    Lone surrogates, which UTF-8 forbids, go through as three bytes each, for the core to refuse
    like every other character that is not ASCII.
    """
    cdef bytes encoded
    if PyUnicode_IS_ASCII(text):
        data[0] = PyUnicode_AsUTF8AndSize(text, length)
        return text
    encoded = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass")
    data[0] = PyBytes_AS_STRING(encoded)
    length[0] = PyBytes_GET_SIZE(encoded)
    return encoded


include "_types.pxi"
include "_rules.pxi"
include "_moves.pxi"
include "_setup.pxi"
include "_position.pxi"
include "_legal.pxi"
include "_batch.pxi"
include "_columns.pxi"
include "_search.pxi"
include "_series.pxi"
