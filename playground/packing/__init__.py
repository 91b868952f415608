"""Compression of records and other frequent rows: Zstandard with a dictionary.

`dictionary.txt` has sample records and sample headers of matrices. The engine wrote them for the built-in examples and
for clusters of plain Nodes and Pods. The most frequent sample is last. Never change the file: stored rows need it.
"""

import threading
from functools import cache
from pathlib import Path

import zstandard

_FOLDER = Path(__file__).parent
# Higher levels are much slower and save little.
_LEVEL = 3
# For a text of many similar records. They differ in few short parts, so the compressor searches only for long matches.
_BATCH_PARAMETERS = zstandard.ZstdCompressionParameters(
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
def _dictionary(is_batch: bool = False) -> zstandard.ZstdCompressionDict:
    """Return the dictionary. It is prepared once and used by all threads."""
    dictionary = zstandard.ZstdCompressionDict(
        (_FOLDER / "dictionary.txt").read_bytes(), dict_type=zstandard.DICT_TYPE_RAWCONTENT
    )
    if is_batch:
        dictionary.precompute_compress(compression_params=_BATCH_PARAMETERS)
    else:
        dictionary.precompute_compress(level=_LEVEL)
    return dictionary


class _ThreadCodecs(threading.local):
    """The compressors and the decompressor of one thread. Two threads must not share them."""

    def __init__(self) -> None:
        # The checksum detects damaged data.
        self.packer = zstandard.ZstdCompressor(_LEVEL, dict_data=_dictionary(), write_checksum=True)
        self.batch_packer = zstandard.ZstdCompressor(compression_params=_BATCH_PARAMETERS, dict_data=_dictionary(True))
        self.unpacker = zstandard.ZstdDecompressor(dict_data=_dictionary())


_codecs = _ThreadCodecs()


def pack(text: str) -> bytes:
    """Return a byte that names the dictionary, then the compressed text. The same text gives the same bytes."""
    return pack_bytes(text.encode())


def pack_texts(text: str) -> bytes:
    """Pack a text of many records."""
    return _PACKED + _codecs.batch_packer.compress(text.encode())


def pack_bytes(data: bytes) -> bytes:
    """Pack bytes."""
    return _PACKED + _codecs.packer.compress(data)


def is_packed(data: bytes) -> bool:
    """Return whether `pack_bytes` wrote the data."""
    return data[:1] == _PACKED


def unpack(data: bytes | memoryview) -> str:
    """Return the text that `pack` packed. Raises ValueError for other data."""
    return unpack_bytes(data).decode()


def unpack_bytes(data: bytes | memoryview) -> bytes:
    """Return the bytes that `pack_bytes` packed. Raises ValueError for other data."""
    packed = bytes(data)
    if is_packed(packed):
        try:
            return _codecs.unpacker.decompress(packed[1:])
        except zstandard.ZstdError as error:
            raise ValueError(f"damaged: {error}") from error
    raise ValueError("packed by another version, or not at all")


def check_unpacked_size(data: bytes, most: int) -> None:
    """Raise ValueError if `data` would unpack to more than `most` bytes, without unpacking it."""
    size = 0
    if is_packed(data):
        try:
            size = zstandard.frame_content_size(data[1:])
        except zstandard.ZstdError as error:
            raise ValueError(f"damaged: {error}") from error
    if size > most:
        raise ValueError(f"unpacks to more than {most} bytes")
