"""Packing of records and other rows that are stored in great numbers: Zstandard with a dictionary.

`dictionary.txt` has records of several shapes and heads of matrices, as the engine made them for the built-in examples
and for clusters of plain nodes and pods, the most usual one last. Never change it: packed rows need it to be read.
"""

import threading
from functools import cache
from pathlib import Path

import zstandard

_FOLDER = Path(__file__).parent
# Beyond it a packed record gets hardly smaller, and takes several times as long.
_LEVEL = 3
# For many records in one, each nearly the one before it: what differs are a few short texts, so that only long matches
# are worth a search. A third smaller than by that level, for 9 µs a record more.
_OF_MANY = zstandard.ZstdCompressionParameters(
    window_log=20,
    hash_log=17,
    chain_log=17,
    search_log=2,
    min_match=7,
    target_length=8,
    strategy=zstandard.STRATEGY_LAZY2,
    write_checksum=True,
)
# The first byte, which names the dictionary.
_PACKED = b"\x02"


@cache
def _dictionary(of_many: bool = False) -> zstandard.ZstdCompressionDict:
    """Digested once, for all threads."""
    found = zstandard.ZstdCompressionDict(
        (_FOLDER / "dictionary.txt").read_bytes(), dict_type=zstandard.DICT_TYPE_RAWCONTENT
    )
    if of_many:
        found.precompute_compress(compression_params=_OF_MANY)
    else:
        found.precompute_compress(level=_LEVEL)
    return found


class _Mine(threading.local):
    """A packer and an unpacker for each thread: none may be used by two at a time."""

    def __init__(self) -> None:
        # With a checksum: what is damaged is said to be.
        self.packer = zstandard.ZstdCompressor(_LEVEL, dict_data=_dictionary(), write_checksum=True)
        self.packer_of_many = zstandard.ZstdCompressor(compression_params=_OF_MANY, dict_data=_dictionary(True))
        self.unpacker = zstandard.ZstdDecompressor(dict_data=_dictionary())


_mine = _Mine()


def pack(text: str) -> bytes:
    """A byte that names the dictionary, then the compressed text. The same text gives the same bytes."""
    return pack_bytes(text.encode())


def pack_many(text: str) -> bytes:
    """The same for a text of many records."""
    return _PACKED + _mine.packer_of_many.compress(text.encode())


def pack_bytes(data: bytes) -> bytes:
    """The same for what is no text."""
    return _PACKED + _mine.packer.compress(data)


def is_packed(data: bytes) -> bool:
    """Whether `pack_bytes` wrote it, and nobody else who compresses."""
    return data[:1] == _PACKED


def unpack(data: bytes | memoryview) -> str:
    """The inverse of `pack`. Raises ValueError for what `pack` did not write."""
    return unpack_bytes(data).decode()


def unpack_bytes(data: bytes | memoryview) -> bytes:
    """The inverse of `pack_bytes`. Raises ValueError for what it did not write."""
    packed = bytes(data)
    if is_packed(packed):
        try:
            return _mine.unpacker.decompress(packed[1:])
        except zstandard.ZstdError as error:
            raise ValueError(f"damaged: {error}") from error
    raise ValueError("packed by another version, or not at all")


def check_unpacked_size(data: bytes, most: int) -> None:
    """Raise ValueError when `data` would unpack to more than `most` bytes; find it out without that much memory."""
    size = 0
    if is_packed(data):
        try:
            size = zstandard.frame_content_size(data[1:])
        except zstandard.ZstdError as error:
            raise ValueError(f"damaged: {error}") from error
    if size > most:
        raise ValueError(f"unpacks to more than {most} bytes")
