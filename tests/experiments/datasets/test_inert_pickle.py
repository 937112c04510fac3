import pickle  # noqa: TID251 - written here, never opened
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from experiments.datasets import inert_pickle
from experiments.datasets.inert_pickle import read_inert_pickle
from ml.errors import DatasetUnavailable

PROTOCOLS = pytest.mark.parametrize("protocol", range(6))
VALUES = np.array([[1, -2, 3], [4, 5, 600]], dtype=np.int32)

# As cPickle of Python 2.7 with numpy 1.16 writes VALUES, in protocols 2 and 0.
PYTHON_2_BINARY = (
    b"\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x01cnumpy\nndarray\nq\x02K\x00\x85U\x01b\x87"
    b"Rq\x03(K\x01K\x02K\x03\x86cnumpy\ndtype\nq\x04U\x02i4K\x00K\x01\x87Rq\x05(K\x03U\x01<NNN"
    b"J\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T\x18\x00\x00\x00" + VALUES.tobytes() + b"tb."
)
PYTHON_2_TEXT = (
    b"cnumpy.core.multiarray\n_reconstruct\np1\n(cnumpy\nndarray\np2\n(I0\ntS'b'\ntRp3\n"
    b"(I1\n(I2\nI3\ntcnumpy\ndtype\np4\n(S'i4'\nI0\nI1\ntRp5\n(I3\nS'<'\nNNNI-1\nI-1\nI0\ntbI00\n"
    rb"S'\x01\x00\x00\x00\xfe\xff\xff\xff\x03\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00X\x02\x00\x00'"
    b"\ntb."
)


def read_stream(folder: Path, stream: bytes) -> Any:
    path = folder / "ind.cora.x"
    path.write_bytes(stream)
    return read_inert_pickle(path)


def python_2_array(code: bytes, shape: bytes, raw: bytes) -> bytes:
    """An array as in PYTHON_2_BINARY, with any element type, shape and content."""
    return (
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
        b"(K\x01" + shape + b"cnumpy\ndtype\nU\x02" + code + b"K\x00K\x01\x87R\x89" + raw + b"tb."
    )


def matrix_with(**changed: Any) -> bytes:
    matrix = sp.csr_matrix(np.eye(2))
    vars(matrix).update(changed)
    return pickle.dumps(matrix, 2)


@PROTOCOLS
@pytest.mark.parametrize("code", ["|b1", "|u1", "<i4", "<i8", ">i4", "<f4", "<f8"])
def test_arrays_are_read_unchanged(tmp_path: Path, protocol: int, code: str) -> None:
    for values in (VALUES.astype(code), np.asfortranarray(VALUES.astype(code))):
        read = read_stream(tmp_path, pickle.dumps(values, protocol))
        np.testing.assert_array_equal(read, values)
        assert read.dtype == values.dtype.newbyteorder("=")


@PROTOCOLS
def test_a_sparse_matrix_is_read_unchanged(tmp_path: Path, protocol: int) -> None:
    matrix = sp.csr_matrix(np.array([[0, 1.5, 0], [0, 0, 0], [2, 0, 3]], dtype=np.float32))
    read = read_stream(tmp_path, pickle.dumps(matrix, protocol))
    np.testing.assert_array_equal(read.toarray(), matrix.toarray())


@PROTOCOLS
def test_neighbours_are_read_as_plain_dicts_and_lists(tmp_path: Path, protocol: int) -> None:
    neighbours = defaultdict(list, {0: [1, 70_000], 1: [0], 2: [], 300: list(range(2000))})
    read = read_stream(tmp_path, pickle.dumps(neighbours, protocol))
    assert type(read) is dict
    assert read == neighbours


@PROTOCOLS
def test_plain_values_are_read_unchanged(tmp_path: Path, protocol: int) -> None:
    values = [
        None,
        True,
        False,
        -1,
        2**70,
        0.5,
        "text é",
        b"\x80\xff",
        (1,),
        (1, 2, 3, 4),
        {"a": ()},
    ]
    assert read_stream(tmp_path, pickle.dumps(values, protocol)) == values


@pytest.mark.parametrize("stream", [PYTHON_2_BINARY, PYTHON_2_TEXT])
def test_arrays_of_python_2_are_read(tmp_path: Path, stream: bytes) -> None:
    np.testing.assert_array_equal(read_stream(tmp_path, stream), VALUES)


def test_texts_of_python_2_are_latin_1(tmp_path: Path) -> None:
    assert read_stream(tmp_path, b"\x80\x02U\x02\xe9\xff.") == "éÿ"


def test_a_sparse_matrix_of_python_2_is_read(tmp_path: Path) -> None:
    stream = pickle.dumps(sp.csr_matrix(np.eye(2)), 2)
    for new, old in ((b"scipy.sparse._csr", b"scipy.sparse.csr"), (b"numpy._core", b"numpy.core")):
        assert new in stream
        stream = stream.replace(new, old)
    np.testing.assert_array_equal(read_stream(tmp_path, stream).toarray(), np.eye(2))


@pytest.mark.parametrize(
    "stream",
    [
        b"cos\nsystem\n(S'touch {}'\ntR.",
        b"cposix\nsystem\n(S'touch {}'\ntR.",
        b"(S'touch {}'\nios\nsystem\n.",
        b"(cos\nsystem\nS'touch {}'\no.",
        b'cbuiltins\neval\n(S\'open("{}", "w")\'\ntR.',
        b'c__builtin__\neval\n(S\'open("{}", "w")\'\ntR.',
        b"\x80\x04\x8c\x08builtins\x8c\x04open\x93(V{}\nV" + b"w\ntR.",
        b"cnumpy\nload\n(S'{}'\ntR.",
        b"c_codecs\nencode\n(cos\nsystem\nS'{}'\ntR.",
    ],
)
def test_functions_named_by_a_stream_are_not_called(tmp_path: Path, stream: bytes) -> None:
    witness = tmp_path / "witness"
    with pytest.raises(DatasetUnavailable, match=r"ind\.cora\.x .*not allowed"):
        read_stream(tmp_path, stream.replace(b"{}", str(witness).encode()))
    assert not witness.exists()


def test_modules_named_by_a_stream_are_not_imported(tmp_path: Path) -> None:
    assert "antigravity" not in sys.modules
    with pytest.raises(DatasetUnavailable, match=r"antigravity\.fly"):
        read_stream(tmp_path, b"cantigravity\nfly\n.")
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize(
    ("stream", "met"),
    [
        (pickle.dumps(np.array([{}, []], dtype=object), 2), "type O8"),
        (pickle.dumps(np.array(["text"]), 2), "type U4"),
        (pickle.dumps(np.zeros(1, dtype="i4,f4"), 2), "state of a Element"),
        (pickle.dumps({1, 2}, 4), "EMPTY_SET"),
        (python_2_array(b"i4", b"J\xff\xff\xff\x0f\x85", b"U\x04abcd"), "has 4 bytes"),
        (python_2_array(b"i4", b"J\xff\xff\xff\x7f\x85", b"U\x04abcd"), "within bounds"),
        (python_2_array(b"i4", b"J\xff\xff\xff\xff\x85", b"U\x04abcd"), "within bounds"),
        (python_2_array(b"i4", b"K\x02\x85", b"U\x04abcd"), "has 4 bytes"),
        (python_2_array(b"i4", b"K\x01\x85", b"]"), "consists of a list"),
        (python_2_array(b"O8", b"K\x01\x85", b"]"), "type O8"),
        (PYTHON_2_BINARY[:-1], "too early"),
        (PYTHON_2_BINARY[:-9], "remain"),
        (b"", "too early"),
        (b"]q\x00h\x00a.", "recalls a list"),
        (b"}q\x00K\x01h\x00s.", "recalls a dict"),
        (b"]q\x00h\x00\x85q\x01a.", "recalls a list"),
        (b"T\x41\x00\x00\x00" + b"a" * 65 + b"q\x00h\x00\x86.", "recalls a str"),
        (b"h\x07.", "place 7"),
        (b"R.", "than there is"),
        (b"K\x01\x86.", "than there is"),
        (b"K\x01(\x85.", "than there is"),
        (b"t.", "mark that is not there"),
        (b"K\x01K\x02.", "one value"),
        (b"K\x01(.", "one value"),
        (b"cnumpy\nndarray\n.", "one value"),
        (b"K\x01K\x02a.", "appends to a int"),
        (b"]K\x01K\x02s.", "sets items of a list"),
        (b"}(K\x01u.", "has no value"),
        (b"}]K\x01s.", "neither a node"),
        (b"}\x8a\x08" + (2**61 - 1).to_bytes(8, "little") + b"K\x01s.", "neither a node"),
        (b"}J\xff\xff\xff\xffK\x01s.", "neither a node"),
        (b"]p2305843009213693951\n.", "at place 2305843009213693951"),
        (b"]p-1\n.", "at place -1"),
        (b"}}b.", "state of a dict"),
        (b"K\x01)R.", "call of int"),
        (b"K\x01K\x02\x93.", "other than texts"),
        (b"Pfile\n.", "PERSID"),
        (b"\x82\x01.", "EXT1"),
        (b"\xff.", "no operation"),
        (b"not a pickle", "no operation"),
        (b"I" + b"9" * 5000 + b"\n.", "digits"),
        (matrix_with(indices=np.array([0, 9], np.int32)), "indices must be"),
        (matrix_with(indices=np.array([0, -9], np.int32)), "indices must be"),
        (matrix_with(indptr=np.array([0, 9, 0], np.int32)), "out of order"),
        (matrix_with(indptr=np.array([0, 1, 9], np.int32)), "index pointer"),
        (matrix_with(indices=np.array([0.0, 1.0])), "whole numbers"),
        (matrix_with(data=[1.0, 1.0]), "unexpected form"),
        (matrix_with(_shape=(2,)), "unexpected form"),
        (matrix_with(_shape=(2, 2, 2)), "neither one nor two"),
    ],
)
def test_content_other_than_plain_data_is_refused_by_name(
    tmp_path: Path, stream: bytes, met: str
) -> None:
    with pytest.raises(DatasetUnavailable, match=rf"ind\.cora\.x .*{met}"):
        read_stream(tmp_path, stream)


def test_deep_nesting_is_refused_without_recursion(tmp_path: Path) -> None:
    with pytest.raises(DatasetUnavailable, match="call of tuple"):
        read_stream(tmp_path, b")" + b"\x85" * 100_000 + b")R.")


@pytest.mark.parametrize("bound", ["MAX_BYTES", "MAX_OPERATIONS"])
def test_a_file_beyond_the_bounds_is_refused(
    tmp_path: Path, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inert_pickle, bound, 20)
    with pytest.raises(DatasetUnavailable, match=r"(longer|more) than 20"):
        read_stream(tmp_path, pickle.dumps(list(range(100)), 2))
