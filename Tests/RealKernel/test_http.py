"""What browsers and players get of a real driver's camera by HTTP."""

from __future__ import annotations

import email.message
import http.client
import itertools
import urllib.request
from collections.abc import Iterator

import pytest

from client import PATIENCE
from firstlight.v1 import types_pb2, viewfinder_service_pb2 as viewfinder
from picture import decode_jpeg_luma, drawn_sequence

pytestmark = pytest.mark.bare


def parts(answer: http.client.HTTPResponse) -> Iterator[tuple[email.message.Message, bytes]]:
    """The heads and the pictures of a stream."""
    while answer.readline().startswith(b"--"):
        head = http.client.parse_headers(answer)
        yield head, answer.read(int(head["Content-Length"]))
        assert answer.readline() == b"\r\n"


def drawn(jpeg: bytes) -> int:
    """The driver's number that vivid drew into a picture."""
    luma, width, _ = decode_jpeg_luma(jpeg)
    return drawn_sequence(luma, width)


def test_parts_are_the_frames_that_their_heads_name(client, http_address):
    with client.open_session(client.cameras()[0].name) as name:
        address = f"http://{http_address}/stream.mjpg?session={name}"
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            found = [(int(head["X-Sequence"]), drawn(jpeg)) for head, jpeg in itertools.islice(parts(answer), 10)]
        assert [sequence for sequence, _ in found] == [number for _, number in found]
        assert [sequence for sequence, _ in found] == sorted({sequence for sequence, _ in found})
        with urllib.request.urlopen(f"http://{http_address}/snapshot.jpg?session={name}", timeout=PATIENCE) as answer:
            assert drawn(answer.read()) == int(answer.headers["X-Sequence"])


def test_a_viewfinder_shows_both_cameras(client):
    cameras = client.cameras()[:2]
    with client.open_session(cameras[0].name) as first, client.open_session(cameras[1].name) as second:
        contents = viewfinder.ViewfinderContents(sessions=[first, second])
        for name in (first, second):
            request = contents.previews.add(id=name).request
            request.session, request.encoding = name, types_pb2.ENCODING_JPEG
        with client.stream(
            client.viewfinder.StreamViewfinder(viewfinder.StreamViewfinderRequest(contents=contents))
        ) as stream:
            for name in (first, second):
                shown = stream.until(
                    lambda message, name=name: message.preview.id == name and message.preview.message.HasField("frame")
                )[-1]
                frame = shown.preview.message.frame
                assert drawn(frame.data) == frame.sequence
