"""`python -m tests.bench.readers HOST PATH COUNT`: so many watches that only read, for tests.bench.watches.

They run in a process of their own with little overhead, so that the playground is measured.
"""

import hashlib
import json
import re
import selectors
import socket
import sys
import threading
import time
from collections import Counter

MOST_BYTES = 1 << 20
PATIENCE_SECONDS = 60.0
_SIZE = re.compile(rb"(?:\r\n)?([0-9a-f]+)\r\n")


class Reader:
    """A watch: the digest and the number of the received lines."""

    def __init__(self, host: str, port: int, path: str) -> None:
        self.socket = socket.create_connection((host, port))
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: application/json\r\n\r\n".encode())
        self.socket.setblocking(False)
        self.told = hashlib.blake2b(digest_size=16)
        self.events = 0
        self.is_open = False
        # Of the chunk that comes; and what came of the head of the answer or of the next chunk.
        self._left, self._rest = 0, b""

    def take(self, data: bytes) -> None:
        data, at = self._rest + data, 0
        self._rest = b""
        if not self.is_open:
            head, end, data = data.partition(b"\r\n\r\n")
            if not end:
                self._rest = head
                return
            assert head.startswith(b"HTTP/1.1 200 "), head
            self.is_open = True
        while at < len(data):
            if not self._left:
                size = _SIZE.match(data, at)
                if size is None:
                    self._rest = data[at:]
                    return
                at, self._left = size.end(), int(size[1], 16)
            piece = data[at : at + self._left]
            self.told.update(piece)
            self.events += piece.count(b"\n")
            at, self._left = at + len(piece), self._left - len(piece)


def main() -> None:
    host, _, port = sys.argv[1].partition(":")
    readers = [Reader(host, int(port), sys.argv[2]) for _ in range(int(sys.argv[3]))]
    sockets = selectors.DefaultSelector()
    for each in readers:
        sockets.register(each.socket, selectors.EVENT_READ, each)
    wanted: list[int] = []
    waiting = threading.Thread(target=lambda: wanted.append(int(input())), daemon=True)
    until, is_said = float("inf"), False
    while time.monotonic() < until and not (wanted and all(each.events >= wanted[0] for each in readers)):
        for key, _ in sockets.select(0.1):
            data = key.data.socket.recv(MOST_BYTES)
            if not data:
                sockets.unregister(key.fileobj)
            key.data.take(data)
        if not is_said and all(each.is_open for each in readers):
            print("open", flush=True)
            waiting.start()
            is_said = True
        if wanted and until == float("inf"):
            until = time.monotonic() + PATIENCE_SECONDS
    found = Counter(f"{each.events} {each.told.hexdigest()}" for each in readers)
    print(json.dumps({"told": found, "cpu": time.process_time()}), flush=True)


if __name__ == "__main__":
    main()
