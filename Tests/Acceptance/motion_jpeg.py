"""A viewer of Motion JPEG over HTTP, which checks the form of all that it gets."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import http.client
import io
from collections.abc import Iterator

import numpy as np
from PIL import Image

import firstlight
from http_rpc import HTTPEndpoint


@dataclasses.dataclass(frozen=True)
class Picture:
    """A picture with the fields of its part, or of its answer."""

    fields: dict[str, str]
    jpeg: bytes

    @property
    def image(self) -> Image.Image:
        """The decoded picture."""
        return Image.open(io.BytesIO(self.jpeg))

    @property
    def sequence(self) -> int:
        """The driver's number of the frame."""
        return int(self.fields["X-Sequence"])

    @property
    def board(self) -> firstlight.timecode.Timecode:
        """What the timecode board of the picture says."""
        board = firstlight.timecode.decode(np.asarray(self.image.convert("L")))
        assert board is not None
        return board

    @property
    def age_ns(self) -> int:
        """The time since the capture."""
        return int((datetime.datetime.now(datetime.UTC).timestamp()) * 1e9) - self.board.capture_time_ns

    def check(self) -> None:
        """Checks that the fields belong to the picture."""
        assert self.fields["Content-Type"] == "image/jpeg"
        assert int(self.fields["Content-Length"]) == len(self.jpeg)
        assert self.fields["X-Stream-Id"]
        assert self.sequence == self.board.sequence
        nanoseconds = self.board.capture_time_ns
        day = datetime.datetime.fromtimestamp(nanoseconds // 10**9, datetime.UTC)
        assert self.fields["X-Capture-Time"] == f"{day:%Y-%m-%dT%H:%M:%S}.{nanoseconds % 10**9:09}Z"
        assert self.fields["X-Timestamp"] == f"{nanoseconds // 10**9}.{nanoseconds % 10**9 // 1000:06}"


def parts(response: http.client.HTTPResponse) -> Iterator[Picture]:
    """The parts of a stream. Fails when the stream has anything else than parts."""
    kind, boundary = response.headers["Content-Type"].split("; boundary=")
    assert kind == "multipart/x-mixed-replace"
    while line := response.readline():
        assert line == f"--{boundary}\r\n".encode()
        fields = {}
        while line := response.readline().rstrip():
            name, value = line.decode().split(": ", 1)
            fields[name] = value
        if not fields:
            return
        yield Picture(fields, response.read(int(fields["Content-Length"])))
        assert response.readline() == b"\r\n"


@contextlib.contextmanager
def watching(endpoint: HTTPEndpoint, query: str = "", below: str = "", **fields: str) -> Iterator[Iterator[Picture]]:
    """Opens `/stream.mjpg`, below the path of a proxy: the pictures, as they come."""
    with contextlib.closing(endpoint.connection()) as connection:
        connection.request("GET", f"{below}/stream.mjpg?{query}", headers=fields)
        # A response without a length takes the socket over from the connection.
        with connection.getresponse() as response:
            assert response.status == 200, response.read()
            yield parts(response)


def snapshot(endpoint: HTTPEndpoint, query: str = "", **fields: str) -> Picture:
    """The picture of `/snapshot.jpg`."""
    response, body = endpoint.ask("GET", f"/snapshot.jpg?{query}", **fields)
    assert response.status == 200, body
    assert response.headers["Cache-Control"] == "no-store"
    return Picture(dict(response.headers.items()), body)
