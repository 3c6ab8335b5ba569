"""A viewer of live video over HTTP."""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import socket
from collections.abc import Iterator
from typing import Any, BinaryIO

import av
import numpy as np

import firstlight
from http_rpc import HTTPEndpoint
from support import TIMEOUT

#: The pages with live video, by FFmpeg's name of the container.
CONTAINERS = {"mpegts": "/stream.ts", "mp4": "/stream.mp4"}
#: The longest tick of the containers, in seconds.
TICK = 1 / 90_000
#: FFmpeg looks at a stream for so many microseconds before it gives the first picture.
LOOK = {"analyzeduration": "500000", "probesize": "200000"}


@dataclasses.dataclass(frozen=True)
class Picture:
    """A decoded picture."""

    #: The time from the first picture, in seconds.
    time: float
    is_key_frame: bool
    #: What the timecode board of the picture says.
    board: firstlight.timecode.Timecode

    def check_time(self, first: Picture, times: dict[int, int]) -> None:
        """Checks the time against the times of the driver by the numbers of the frames, to a tick."""
        span = times[self.board.sequence] - times[first.board.sequence]
        assert abs(self.time - first.time - span / 1e9) <= TICK


class Body:
    """The body of an answer as a file that cannot seek, which keeps what was read."""

    def __init__(self, source: http.client.HTTPResponse | BinaryIO) -> None:
        self._source = source
        self.count = 0

    def read(self, count: int) -> bytes:
        """The next bytes, at most `count`, as soon as there are any."""
        piece = self._source.read1(count)
        self.count += len(piece)
        return piece


def luma(frame: av.VideoFrame) -> np.ndarray:
    """The luma of a picture as it was coded."""
    plane = frame.planes[0]
    return np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[: plane.height, : plane.width]


def pictures(stream: Any) -> Iterator[Picture]:
    """The pictures of an open stream, each as soon as its bytes are there. Fails for a picture without its board."""
    video = stream.streams.video[0]
    assert video.codec_context.name == "h264"
    video.codec_context.thread_count = 1
    for packet in stream.demux(video):
        for frame in packet.decode():
            board = firstlight.timecode.decode(luma(frame))
            assert board is not None, f"the picture at {frame.pts} is broken"
            yield Picture(frame.time, frame.key_frame, board)


@contextlib.contextmanager
def watching(endpoint: HTTPEndpoint, container: str, query: str = "") -> Iterator[Iterator[Picture]]:
    """Opens a page with FFmpeg's libraries: its pictures, as they come."""
    with av.open(f"{endpoint.origin}{CONTAINERS[container]}?{query}", options=LOOK, timeout=TIMEOUT) as stream:
        yield pictures(stream)


@contextlib.contextmanager
def asking(endpoint: HTTPEndpoint, container: str, query: str = "") -> Iterator[http.client.HTTPResponse]:
    """Opens a page by a plain request."""
    with contextlib.closing(endpoint.connection()) as connection:
        connection.request("GET", f"{CONTAINERS[container]}?{query}")
        # A response without a length takes the socket over from the connection.
        with connection.getresponse() as response:
            assert response.status == 200, response.read()
            yield response


@contextlib.contextmanager
def connected(endpoint: HTTPEndpoint, container: str, query: str = "", version: str = "1.0") -> Iterator[BinaryIO]:
    """Opens a page on a connection whose kernel keeps little: the answer, from its head on."""
    with socket.socket() as asked:
        asked.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        asked.settimeout(TIMEOUT)
        asked.connect((endpoint.host, endpoint.port))
        asked.sendall(f"GET {CONTAINERS[container]}?{query} HTTP/{version}\r\nHost: localhost\r\n\r\n".encode())
        with asked.makefile("rb") as reply:
            yield reply
