"""The network between the playground and Redis: a proxy that a test can stop."""

import socket
import threading
from contextlib import suppress
from typing import Self


class Proxy:
    """A proxy from a port of its own to `port`. Stalled, it keeps connections open and forwards nothing."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._moving = threading.Event()
        self._moving.set()
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.resume()
        with suppress(OSError):
            # It wakes the thread that accepts; closing alone would not.
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def stall(self) -> None:
        """Stop forwarding. Received bytes wait; new connections are accepted and not forwarded."""
        self._moving.clear()

    def resume(self) -> None:
        """Forward again, waiting bytes first."""
        self._moving.set()

    def cut(self) -> None:
        """End every connection."""
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for pair in pairs:
            _close(pair)

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near: socket.socket) -> None:
        self._moving.wait()
        try:
            far = socket.create_connection(("127.0.0.1", self._target))
        except OSError:
            return near.close()
        pair = (near, far)
        for end in pair:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            self._pairs.add(pair)
        threading.Thread(target=self._forward, args=(far, near, pair), daemon=True).start()
        return self._forward(near, far, pair)

    def _forward(self, source: socket.socket, target: socket.socket, pair: tuple[socket.socket, socket.socket]) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._moving.wait()
                target.sendall(data)
        self._moving.wait()
        with self._lock:
            self._pairs.discard(pair)
        _close(pair)


def _close(pair: tuple[socket.socket, socket.socket]) -> None:
    for end in pair:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
