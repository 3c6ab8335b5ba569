"""A TCP proxy that acts as a slow link. It limits the bytes per second from the daemon to the client, and delays both
directions.
"""

from __future__ import annotations

import collections
import contextlib
import socket
import threading
import time
from types import TracebackType
from typing import Self

_CHUNK = 1448


class SlowLink:
    """Forwards every connection to `target`. It shapes and delays what the daemon sends. It only delays what the client
    sends.

    The proxy buffers little, so the daemon has to hold back bytes that the link cannot carry yet, as with a real
    bottleneck.
    """

    def __init__(self, target: str, *, bytes_per_second: float, delay: float = 0.0) -> None:
        """Listens on a free port of the loopback interface."""
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        #: The rate from the daemon to the client. A test may change it at any time.
        self.bytes_per_second = bytes_per_second
        self._delay = delay
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for open_socket in (self._listener, *self._sockets):
            with contextlib.suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
            open_socket.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                daemon = socket.socket()
                # The proxy sets the buffer size before it connects. Later the window would already be larger, and stay
                # so.
                daemon.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                daemon.connect(self._target)
                for end in (client, daemon):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._sockets += [client, daemon]
                self._pipe(daemon, client, shaped=True)
                self._pipe(client, daemon, shaped=False)

    def _pipe(self, source: socket.socket, target: socket.socket, *, shaped: bool) -> None:
        """Starts the threads of one direction: one takes bytes from the source, one delivers them when their delay is
        over.
        """
        queue: collections.deque[tuple[float, bytes]] = collections.deque()
        filled = threading.Condition()

        def take() -> None:
            free = time.monotonic()
            with contextlib.suppress(OSError):
                while data := source.recv(_CHUNK):
                    if shaped:
                        free = max(free, time.monotonic()) + len(data) / self.bytes_per_second
                        time.sleep(max(0.0, free - time.monotonic()))
                    with filled:
                        queue.append((time.monotonic() + self._delay, data))
                        filled.notify()
            with filled:
                queue.append((0.0, b""))
                filled.notify()

        def deliver() -> None:
            with contextlib.suppress(OSError):
                while True:
                    with filled:
                        filled.wait_for(lambda: queue)
                        due, data = queue.popleft()
                    if not data:
                        target.shutdown(socket.SHUT_WR)
                        return
                    time.sleep(max(0.0, due - time.monotonic()))
                    target.sendall(data)

        for run in (take, deliver):
            threading.Thread(target=run, daemon=True).start()
