"""Records once what a client sends to open a stream. A thousand clients can then open it without a thousand gRPC
libraries.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable


def endpoint(address: str) -> tuple[str, int]:
    """The host and the port of `host:port`."""
    host, _, port = address.rpartition(":")
    return host, int(port)


def record(address: str, stream: Callable[[str, Callable[[], None]], None]) -> bytes:
    """The bytes that a client sends to the daemon at `address` to open a stream.

    This function calls `stream` with the address to connect to instead, and with a function that `stream` calls when
    the stream is open.
    """
    sent = bytearray()
    is_open = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def forward(source: socket.socket, target: socket.socket, copy: bytearray | None) -> None:
            with contextlib.suppress(OSError):
                while piece := source.recv(1 << 16):
                    if copy is not None and not is_open.is_set():
                        copy += piece
                    target.sendall(piece)

        def relay() -> None:
            client, _ = listener.accept()
            with client, socket.create_connection(endpoint(address)) as daemon:
                back = threading.Thread(target=forward, args=(daemon, client, None))
                back.start()
                forward(client, daemon, sent)
                daemon.shutdown(socket.SHUT_RDWR)
                back.join()

        relaying = threading.Thread(target=relay)
        relaying.start()
        stream(f"127.0.0.1:{listener.getsockname()[1]}", is_open.set)
        relaying.join()
    return bytes(sent)


def has_frame(received: bytes) -> bool:
    """Whether a frame has begun in the bytes that a daemon sent on one HTTP/2 stream. A frame is field 2 in the
    messages of previews and of video data.
    """
    messages = bytearray()
    while len(received) >= 9:
        length, kind, flags = int.from_bytes(received[:3], "big"), received[3], received[4]
        piece, received = received[9 : 9 + length], received[9 + length :]
        assert not (kind == 0 and flags & 8), "padding is not understood here"
        if kind == 0:
            messages += piece
    while len(messages) > 5:
        if messages[5] == 2 << 3 | 2:
            return True
        del messages[: 5 + int.from_bytes(messages[1:5], "big")]
    return False


def kill_a_client(address: str, opening: bytes, enough: int) -> None:
    """Starts a process that opens a stream and reads `enough` bytes, then kills the process while it reads the next
    ones.

    Fails when the stream ends before that, or when the bytes contain no frame.
    """
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        # When anything goes wrong, the child writes nothing to the pipe, and its end closes the pipe.
        try:
            received = bytearray()
            with socket.create_connection(endpoint(address), timeout=20) as connection:
                connection.sendall(opening)
                while len(received) < enough:
                    piece = connection.recv(1 << 16)
                    if not piece:
                        os._exit(1)
                    received += piece
                if not has_frame(received):
                    os._exit(1)
                os.write(told, b".")
                while connection.recv(1 << 16):
                    pass
        finally:
            os._exit(0)
    os.close(told)
    with os.fdopen(ready, "rb") as pipe:
        came = pipe.read(1) == b"."
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert came, f"no frame within {enough} bytes"
