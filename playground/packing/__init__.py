"""Text as it is stored: zlib with a dictionary of what all records have in common, which is most of each.

A dictionary is for ever: what was packed with it needs it to be read. `dictionary-1.txt` are records of several shapes,
as the engine gave them for the built-in examples, the most usual one last, where zlib looks first.
"""

import zlib
from pathlib import Path

_DICTIONARIES = {1: (Path(__file__).parent / "dictionary-1.txt").read_bytes()}
_NEWEST = 1
# Twice as small as level 1, and still less time than the database takes to store it.
_LEVEL = 6
_MEMORY = 9


def pack(text: str) -> bytes:
    """A byte that names the dictionary, then the compressed text. The same text gives the same bytes."""
    packer = zlib.compressobj(
        _LEVEL, zlib.DEFLATED, zlib.MAX_WBITS, _MEMORY, zlib.Z_DEFAULT_STRATEGY, _DICTIONARIES[_NEWEST]
    )
    return bytes([_NEWEST]) + packer.compress(text.encode()) + packer.flush()


def unpack(data: bytes | memoryview) -> str:
    """The inverse of `pack`. Raises ValueError for what `pack` did not write."""
    packed = bytes(data)
    dictionary = _DICTIONARIES.get(packed[0]) if packed else None
    if dictionary is None:
        raise ValueError("packed by another version, or not at all")
    try:
        unpacker = zlib.decompressobj(zdict=dictionary)
        text = unpacker.decompress(packed[1:]) + unpacker.flush()
    except zlib.error as error:
        raise ValueError(f"damaged: {error}") from error
    if not unpacker.eof:
        raise ValueError("damaged: the end is missing")
    return text.decode()
