# Rules as a value (R12), and the compiled variant that equal rules share. Included by _core.pyx.

cdef tuple _ISAS = ("auto", "generic", "x86-64-v3")  # by chase_isa
cdef tuple _FIELDS = (
    "reserve", "recycle", "chain", "handout", "setup", "wrap", "ricochet", "repetition",
)
cdef tuple _HANDOUTS = ("lowest", "any")  # by chase_handout
cdef tuple _REPETITIONS = ("threefold", "moves", "none")  # by chase_repetition


# ---- Variants --------------------------------------------------------------------------------

@cython.final
@cython.internal
@cython.no_gc
cdef class _Variant:
    """Owns one ``chase_variant``."""

    cdef chase_variant *handle
    cdef object __weakref__

    def __cinit__(self, object key=None):
        _need_key(key, "_Variant", "Rules")

    def __dealloc__(self):
        chase_variant_free(self.handle)


# Variants by (rules, instruction set). The weak table lets equal rules share one as long as any
# of them lives; the short queue keeps those of the latest rules alive, so that a loop that makes
# and drops the same rules does not build 150 KiB each time round.
cdef object _variants = WeakValueDictionary()
cdef object _latest_variants = deque(maxlen=8)


cdef int _wanted_isa() except -1:
    """The instruction set that the environment asks for."""
    cdef const char *wanted = getenv("CHASE_FAST_ISA")
    if wanted == NULL or wanted[0] == 0:
        return CHASE_ISA_AUTO
    name = (<bytes>wanted).decode("utf-8", "replace")
    if name not in _ISAS:
        raise ArgumentError(
            f"CHASE_FAST_ISA is {_show(name)}, expected one of {', '.join(_ISAS)}"
        )
    return _ISAS.index(name)


cdef _Variant _variant_of(const chase_rules *rules):
    cdef int isa = _wanted_isa()
    cdef chase_status status
    cdef _Variant variant
    cdef chase_variant *handle = NULL
    identity = (PyBytes_FromStringAndSize(<const char *>rules, sizeof(chase_rules)), isa)
    variant = _variants.get(identity)
    if variant is not None:
        return variant
    with nogil:
        status = chase_variant_new(rules, <chase_isa>isa, &handle)
    if status == CHASE_BAD_ARGUMENT:
        raise ArgumentError(
            f"CHASE_FAST_ISA asks for {_ISAS[isa]}, which this processor or build does not have; "
            f"it has {', '.join(available_isas())}"
        )
    if status != CHASE_OK:
        raise _status_exception(status, "the core could not build the rules")
    variant = _Variant.__new__(_Variant, _KEY)
    variant.handle = handle
    # Another thread may have been faster while the lock was released.
    variant = _variants.setdefault(identity, variant)
    _latest_variants.append(variant)
    return variant


def available_isas():
    """The instruction sets of the core that run on this machine, best first.

    ``CHASE_FAST_ISA`` in the environment names the one to use for rules made from then on
    (``auto``, the default, takes the best); results are the same under all of them.
    """
    cdef chase_rules rules
    cdef chase_variant *variant = NULL
    cdef chase_status status
    cdef list names = []
    chase_rules_default(&rules)
    for isa in range(CHASE_ISA_COUNT - 1, CHASE_ISA_AUTO, -1):
        status = chase_variant_new(&rules, <chase_isa><int>isa, &variant)
        if status == CHASE_OK:
            names.append(chase_variant_isa(variant).decode("ascii"))
            chase_variant_free(variant)
        elif status != CHASE_BAD_ARGUMENT:
            raise _status_exception(status, "the core could not build the standard rules")
    return tuple(names)


# ---- Reading fields --------------------------------------------------------------------------

cdef object _choice(str field, object value, tuple allowed):
    if not isinstance(value, str) or value not in allowed:
        names = ", ".join([repr(name) for name in allowed])
        raise InvalidRulesError(f"{field} must be one of {names}, not {_show(value)}")
    return allowed.index(value)


cdef object _yes_no(str field, object value):
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidRulesError(f"{field} must be True or False, not {_show(value)}")
    return bool(value)


cdef int _set_field(chase_rules *rules, str field, object value) except -1:
    cdef int at
    if field == "reserve":
        rules.reserve = _integer(value, field, 0, CHASE_MAX_RESERVE, InvalidRulesError)
    elif field == "recycle":
        rules.recycle = _yes_no(field, value)
    elif field == "chain":
        rules.chain = _yes_no(field, value)
    elif field == "handout":
        rules.handout = _choice(field, value, _HANDOUTS)
    elif field == "setup":
        if (
            not isinstance(value, str)
            or len(value) != CHASE_HOME_DICE
            or any([digit not in "123456" for digit in value])
        ):
            raise InvalidRulesError(
                f"setup must be a str of {CHASE_HOME_DICE} digits from 1 to {CHASE_MAX_VALUE}, "
                f"not {_show(value)}"
            )
        for at in range(CHASE_HOME_DICE):
            rules.setup[at] = int(value[at])
    elif field == "wrap":
        rules.wrap = _yes_no(field, value)
    elif field == "ricochet":
        rules.ricochet = _yes_no(field, value)
    elif field == "repetition":
        rules.repetition = _choice(field, value, _REPETITIONS)
    else:
        raise InvalidRulesError(f"there is no rule {_show(field)}, only {', '.join(_FIELDS)}")
    return 0


cdef str _rules_text(const chase_rules *rules):
    cdef char text[CHASE_RULES_SIZE]
    return text[:chase_rules_format(rules, text)].decode("ascii")


cdef int _parse_rules(object text, chase_rules *out) except -1:
    cdef const char *data
    cdef Py_ssize_t length
    cdef chase_error error
    cdef chase_status status
    if not isinstance(text, str):
        raise InvalidRulesError(f"the text of rules must be a str, not {_show(text)}")
    alive = _utf8(text, &data, &length)
    status = chase_rules_parse(data, length, out, &error)
    if status != CHASE_OK:
        raise _status_exception(status, _message_of(&error))
    return 0


cdef dict _presets():
    cdef chase_rules rules
    cdef dict presets = {}
    for name in ("standard", "rulebook", "russian", "wikipedia"):
        _parse_rules(name, &rules)
        presets[name] = _rules_text(&rules)
    return presets


# ---- Rules -----------------------------------------------------------------------------------

@cython.final
@cython.no_gc
cdef class Rules:
    """Rules(*, reserve=1, recycle=True, chain=False, handout='lowest', setup='123454321', \
wrap=True, ricochet=True, repetition='threefold')
--

The rules of one game (R12): an immutable value.

    Equal rules compare and hash equal, share their tables, print the same canonical text and have
    the same digest.

    Args:
        reserve: Spare dice of each side at the start, 0 to 16.
        recycle: Whether captured dice become spare dice.
        chain: Whether a die that captured directly may go on capturing.
        handout: Which dice may be raised when pips are due: ``lowest`` or ``any``.
        setup: Nine values, 1 to 6, of the home row, read from each player's own left.
        wrap: Whether the left and the right edge are joined.
        ricochet: Whether dice bounce off the top and the bottom row.
        repetition: ``threefold``, ``moves`` or ``none``.

    Raises:
        InvalidRulesError: No such field, or a value that is not allowed; names both.
        ArgumentError: ``CHASE_FAST_ISA`` names no instruction set that runs here.

    Attributes:
        FIELDS: The names of the fields in the order of R12.
        PRESETS: The named rules, each with its canonical text.
    """

    FIELDS = _FIELDS
    PRESETS = MappingProxyType(_presets())

    cdef _Variant _variant
    cdef const chase_rules *_fields

    def __cinit__(self, *positional, **fields):
        cdef chase_rules rules
        cdef chase_error error
        cdef chase_status status
        if positional:
            raise TypeError("Rules takes its fields by keyword; Rules.parse reads text")
        chase_rules_default(&rules)
        for field, value in fields.items():
            _set_field(&rules, field, value)
        status = chase_rules_check(&rules, &error)
        if status != CHASE_OK:
            raise _status_exception(status, _message_of(&error))
        self._variant = _variant_of(&rules)
        self._fields = chase_variant_rules(self._variant.handle)

    @classmethod
    def parse(cls, text):
        """Reads rules from text such as ``russian`` or ``reserve=2,chain=yes``.

        Args:
            text: A preset, or ``field=value`` items, or both (the preset first), with commas
                between them and no spaces.

        Raises:
            InvalidRulesError: The text cannot be read; says what is wrong and what is allowed.
        """
        cdef chase_rules rules
        _parse_rules(text, &rules)
        return _rules_of(&rules)

    @property
    def reserve(self):
        """Spare dice of each side at the start, 0 to 16."""
        return self._fields.reserve

    @property
    def recycle(self):
        """Whether captured dice become spare dice."""
        return self._fields.recycle != 0

    @property
    def chain(self):
        """Whether a die that captured directly may go on capturing."""
        return self._fields.chain != 0

    @property
    def handout(self):
        """Which dice may be raised when pips are due: ``lowest`` or ``any``."""
        return _HANDOUTS[self._fields.handout]

    @property
    def setup(self):
        """Nine digits: the values of the home row, from each player's own left."""
        return "".join([str(self._fields.setup[at]) for at in range(CHASE_HOME_DICE)])

    @property
    def wrap(self):
        """Whether the left and the right edge are joined."""
        return self._fields.wrap != 0

    @property
    def ricochet(self):
        """Whether dice bounce off the top and the bottom row."""
        return self._fields.ricochet != 0

    @property
    def repetition(self):
        """How a game is drawn by repetition: ``threefold``, ``moves`` or ``none``."""
        return _REPETITIONS[self._fields.repetition]

    @property
    def total(self):
        """Pips that each side shows after its own turn (R5): the sum of the setup."""
        return chase_rules_total(self._fields)

    @property
    def digest(self):
        """16 hex digits that name these rules: of the SHA-256 of all fields, spelled out."""
        # Imported when asked for, since few ask and OpenSSL takes its time to load.
        from hashlib import sha256

        spelled_out = ",".join([
            f"{field}={('yes' if value else 'no') if value is True or value is False else value}"
            for field, value in self.as_dict().items()
        ])
        return sha256(spelled_out.encode("ascii")).hexdigest()[:16]

    @property
    def isa(self):
        """The instruction set in use, ``generic`` or ``x86-64-v3``; no part of the value."""
        return chase_variant_isa(self._variant.handle).decode("ascii")

    def replace(self, **changes):
        """These rules with some fields changed.

        Raises:
            InvalidRulesError: No such field, or a value that is not allowed.
        """
        return Rules(**{**self.as_dict(), **changes})

    def as_dict(self):
        """All fields in the order of R12, as the constructor takes them."""
        return {field: getattr(self, field) for field in _FIELDS}

    def __str__(self):
        return _rules_text(self._fields)

    def __repr__(self):
        standard = _standard_rules()
        changed = [
            f"{field}={value!r}"
            for field, value in self.as_dict().items()
            if value != getattr(standard, field)
        ]
        return f"Rules({', '.join(changed)})"

    def __eq__(self, other):
        if not isinstance(other, Rules):
            return NotImplemented
        return _same_rules(self, <Rules>other)

    def __hash__(self):
        # FNV-1a over the struct, which has no padding: the same in every process.
        cdef const uint8_t *data = <const uint8_t *>self._fields
        cdef uint64_t value = 0xCBF29CE484222325ULL
        cdef uint64_t prime = 0x100000001B3ULL
        cdef size_t at
        for at in range(sizeof(chase_rules)):
            value = (value ^ data[at]) * prime
        return <Py_hash_t>value

    def __reduce__(self):
        return _unpickle_rules, (str(self),)


cdef bint _same_rules(Rules a, Rules b) noexcept:
    return a._fields == b._fields or memcmp(a._fields, b._fields, sizeof(chase_rules)) == 0


cdef Rules _rules_of(const chase_rules *rules):
    cdef int at
    return Rules(
        reserve=rules.reserve,
        recycle=rules.recycle != 0,
        chain=rules.chain != 0,
        handout=_HANDOUTS[rules.handout],
        setup="".join([str(rules.setup[at]) for at in range(CHASE_HOME_DICE)]),
        wrap=rules.wrap != 0,
        ricochet=rules.ricochet != 0,
        repetition=_REPETITIONS[rules.repetition],
    )


def _unpickle_rules(text):
    return Rules.parse(text)


# The default of every call that takes rules, by instruction set; made when first asked for, so
# that a bad CHASE_FAST_ISA is an error of that call and not of the import.
cdef list _standards = [None] * CHASE_ISA_COUNT


cdef Rules _standard_rules():
    cdef int isa = _wanted_isa()
    cdef Rules rules = _standards[isa]
    if rules is None:
        rules = _standards[isa] = Rules()
    return rules


cdef Rules _rules_or_standard(object rules):
    if rules is None:
        return _standard_rules()
    if not isinstance(rules, Rules):
        raise ArgumentError(
            f"rules must be Rules or None, not {_show(rules)}; Rules.parse reads text"
        )
    return <Rules>rules
