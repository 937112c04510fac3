"""Reads pickled arrays as plain data: it parses opcodes, and imports or calls nothing by name."""

import codecs
import pickletools
from collections.abc import Callable, Iterator
from enum import Enum, auto
from io import BytesIO
from pathlib import Path
from typing import Any

from experiments.datasets.plain_arrays import (
    MAX_BYTES,
    Element,
    NotPlain,
    check_sizes,
    make_array,
    make_matrix,
)
from ml.errors import DatasetUnavailable

MAX_OPERATIONS = 4_000_000  # PubMed's graph, the longest known file, takes a tenth
_MAX_RECALLED = 64
_MAX_PLACE = 2**31
"""Larger integers could be chosen so that all of them collide as keys of a dict."""
_MAX_REASON = 200


class _Name(Enum):
    """Names that a stream may mention; they are compared and never resolved."""

    MAKE_ARRAY = "numpy._core.multiarray _reconstruct"
    FROM_BUFFER = "numpy._core.numeric _frombuffer"
    ARRAY = "numpy ndarray"
    DTYPE = "numpy dtype"
    MATRIX = "scipy.sparse._csr csr_matrix"
    DEFAULT_DICT = "collections defaultdict"
    LIST = "builtins list"
    OBJECT = "builtins object"
    RECONSTRUCTOR = "copyreg _reconstructor"
    NEW_OBJECT = "copyreg __newobj__"
    ENCODE = "_codecs encode"


_OLDER_MODULES = {
    "__builtin__": "builtins",
    "copy_reg": "copyreg",
    "numpy.core.multiarray": "numpy._core.multiarray",
    "numpy.core.numeric": "numpy._core.numeric",
    "scipy.sparse.csr": "scipy.sparse._csr",
}


class _Pending(Enum):
    """An object that the stream has announced and not filled yet."""

    ARRAY = auto()
    MATRIX = auto()


def read_inert_pickle(path: Path) -> object:
    """Return the numbers, texts, lists, dicts, arrays or sparse matrix of a pickled file.

    Deviation: a list, dict or array may not be referenced twice, so there are no cycles, and only
        short values may be: the size of the result is in proportion to the file. Arrays hold
        numbers, never objects; the values of a sparse matrix are float64.
    Raises: DatasetUnavailable with the file and the first unknown operation or name in it.
    """
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    try:
        return _interpret(content)
    except ValueError as fault:
        reason = str(fault)[:_MAX_REASON]
        raise DatasetUnavailable(f"{path.name} is not a file of plain arrays: {reason}") from fault


def _interpret(content: bytes) -> object:
    if len(content) > MAX_BYTES:
        raise NotPlain(f"it is longer than {MAX_BYTES} bytes")
    machine = _Machine()
    for count, (operation, argument) in enumerate(_operations(BytesIO(content))):
        if count >= MAX_OPERATIONS:
            raise NotPlain(f"it takes more than {MAX_OPERATIONS} operations")
        if operation not in _ACTIONS:
            raise NotPlain(f"the operation {operation} is not allowed")
        _ACTIONS[operation](machine, argument)
    return machine.result()


def _operations(stream: BytesIO) -> Iterator[tuple[str, Any]]:
    """Parse operations one by one up to STOP.

    Deviation: like ``pickletools.genops``, which however accepts Python 2 texts in ASCII only.
    """
    while code := stream.read(1).decode("latin-1"):
        opcode = _OPCODES.get(code)
        if opcode is None:
            raise NotPlain(f"there is no operation {code!r}")
        if opcode.name == "STOP":
            return
        if opcode.name == "STRING":
            quoted = pickletools.read_stringnl(stream, decode=False)
            yield opcode.name, codecs.decode(quoted, "unicode_escape")
        else:
            yield opcode.name, opcode.arg.reader(stream) if opcode.arg else None
    raise NotPlain("it ends too early")


class _Machine:
    """The stack and memo of a stream; a mark starts a new stack on top of the current one."""

    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._outer: list[list[Any]] = []
        self._memo: dict[int, Any] = {}

    def push(self, value: Any) -> None:
        self._stack.append(value)

    def take(self, count: int) -> list[Any]:
        if len(self._stack) < count:
            raise NotPlain("it takes more from the stack than there is")
        taken = self._stack[-count:]
        del self._stack[-count:]
        return taken

    def mark(self) -> None:
        self._outer.append(self._stack)
        self._stack = []

    def take_marked(self) -> list[Any]:
        if not self._outer:
            raise NotPlain("it goes back to a mark that is not there")
        taken, self._stack = self._stack, self._outer.pop()
        return taken

    def remember(self, place: int | None) -> None:
        (value,) = self.take(1)
        place = len(self._memo) if place is None else place
        if not 0 <= place < _MAX_PLACE:
            raise NotPlain(f"it remembers something at place {place}")
        self._memo[place] = value
        self.push(value)

    def recall(self, place: int) -> None:
        if place not in self._memo:
            raise NotPlain(f"it recalls place {place}, where nothing is")
        value = self._memo[place]
        short = isinstance(value, str | bytes) and len(value) <= _MAX_RECALLED
        if not short and not isinstance(value, _Name | Element):
            raise NotPlain(f"it recalls a {type(value).__name__}")
        self.push(value)

    def extend(self, values: list[Any]) -> None:
        (target,) = self.take(1)
        if not isinstance(target, list):
            raise NotPlain(f"it appends to a {type(target).__name__}")
        self.push(target)
        target.extend(values)

    def update(self, values: list[Any]) -> None:
        (target,) = self.take(1)
        if not isinstance(target, dict):
            raise NotPlain(f"it sets items of a {type(target).__name__}")
        self.push(target)
        target.update(_dict_of(values))

    def result(self) -> object:
        if self._outer or len(self._stack) != 1 or isinstance(self._stack[0], Enum | Element):
            raise NotPlain("it does not end with one value")
        return self._stack[0]


def _dict_of(values: list[Any]) -> dict[int | str, Any]:
    keys = values[::2]
    if len(values) % 2 or not all(_is_key(key) for key in keys):
        raise NotPlain("a key has no value or is neither a node nor a text")
    return dict(zip(keys, values[1::2], strict=True))


def _is_key(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and 0 <= value < _MAX_PLACE)


def _named(module: object, name: object) -> _Name:
    if not isinstance(module, str) or not isinstance(name, str):
        raise NotPlain("it names something by other than texts")
    wanted = f"{_OLDER_MODULES.get(module, module)} {name}"
    for known in _Name:
        if known.value == wanted:
            return known
    raise NotPlain(f"it names {module}.{name}, which is not allowed")


def _build(function: object, arguments: object) -> object:
    """Return plain data in place of the object that the call would have made."""
    match function, arguments:
        case _Name.MAKE_ARRAY, (_Name.ARRAY, (0,), "b" | b"b"):
            return _Pending.ARRAY
        case _Name.FROM_BUFFER, (raw, Element() as element, shape, "C" | "F" as order):
            return make_array(raw, element, shape, by_column=order == "F")
        case _Name.DTYPE, (str() as code, *_):
            return Element(code)
        case _Name.DEFAULT_DICT, (_Name.LIST,):
            return {}
        case _Name.RECONSTRUCTOR | _Name.NEW_OBJECT, (_Name.MATRIX, *_):
            return _Pending.MATRIX
        case _Name.ENCODE, (str() as text, "latin1"):
            return text.encode("latin-1")
    called = function.value if isinstance(function, _Name) else type(function).__name__
    raise NotPlain(f"a call of {called} has other arguments than expected")


def _fill(target: object, state: object) -> object:
    """Return a stand-in completed by its state."""
    match target, state:
        case Element(), (3 | 4, "<" | ">" | "|" as order, None, None, None, *_):
            target.order = order
            return target
        case _Pending.ARRAY, (1, shape, Element() as element, int() as by_column, raw):
            return make_array(raw, element, shape, by_column=bool(by_column))
        case _Pending.MATRIX, {"data": data, "indices": columns, "indptr": starts, "_shape": shape}:
            return make_matrix(data, columns, starts, check_sizes(shape))
    raise NotPlain(f"the state of a {type(target).__name__} is other than expected")


_Action = Callable[[_Machine, Any], None]
_OPCODES = {opcode.code: opcode for opcode in pickletools.opcodes}
_TEXTS = "STRING BINSTRING SHORT_BINSTRING UNICODE BINUNICODE SHORT_BINUNICODE BINUNICODE8"
_BYTES = "BINBYTES SHORT_BINBYTES BINBYTES8 BYTEARRAY8"
_LITERALS = f"INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT {_TEXTS} {_BYTES}"
_ACTIONS: dict[str, _Action] = {
    **dict.fromkeys(("PROTO", "FRAME"), lambda *_: None),
    **dict.fromkeys(_LITERALS.split(), _Machine.push),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"), _Machine.remember),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), _Machine.recall),
    "NONE": lambda machine, _: machine.push(None),
    "NEWTRUE": lambda machine, _: machine.push(True),
    "NEWFALSE": lambda machine, _: machine.push(False),
    "MARK": lambda machine, _: machine.mark(),
    "EMPTY_TUPLE": lambda machine, _: machine.push(()),
    "TUPLE1": lambda machine, _: machine.push(tuple(machine.take(1))),
    "TUPLE2": lambda machine, _: machine.push(tuple(machine.take(2))),
    "TUPLE3": lambda machine, _: machine.push(tuple(machine.take(3))),
    "TUPLE": lambda machine, _: machine.push(tuple(machine.take_marked())),
    "EMPTY_LIST": lambda machine, _: machine.push([]),
    "LIST": lambda machine, _: machine.push(machine.take_marked()),
    "APPEND": lambda machine, _: machine.extend(machine.take(1)),
    "APPENDS": lambda machine, _: machine.extend(machine.take_marked()),
    "EMPTY_DICT": lambda machine, _: machine.push({}),
    "DICT": lambda machine, _: machine.push(_dict_of(machine.take_marked())),
    "SETITEM": lambda machine, _: machine.update(machine.take(2)),
    "SETITEMS": lambda machine, _: machine.update(machine.take_marked()),
    "GLOBAL": lambda machine, names: machine.push(_named(*names.split(" ", 1))),
    "STACK_GLOBAL": lambda machine, _: machine.push(_named(*machine.take(2))),
    "REDUCE": lambda machine, _: machine.push(_build(*machine.take(2))),
    "NEWOBJ": lambda machine, _: machine.push(_build(_Name.NEW_OBJECT, machine.take(2))),
    "BUILD": lambda machine, _: machine.push(_fill(*machine.take(2))),
}
