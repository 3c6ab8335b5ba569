"""A camera that gives JPEG: programs get its bytes, and a reader that needs other pictures costs the other readers
nothing.
"""

import itertools
import tempfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import firstlight
from client import assert_every_gap_is_counted, frames_until, next_frame
from firstlight import SharedVideoDataStream, video_data_output
from firstlight.v1 import (
    overlay_pb2,
    types_pb2,
    video_data_service_pb2 as video_data,
)
from slow_link import SlowLink
from test_launch import timeline
from test_passthrough import ADDRESS, counted_daemon

JPEG = types_pb2.ENCODING_JPEG
SIZE = (640, 360)
RATE = 30
OUTPUTS = [video_data_output("own", pixel_format="MJPG", queue_depth=8), video_data_output("bgra", pixel_format="AR24")]


@pytest.fixture(scope="module")
def daemon(shared_webcam):
    """A client, a function that returns the number of codec calls, the path of the local socket, and the camera."""
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder) / "frames.sock"
        with counted_daemon("--local-socket", str(socket)) as (client, codec_calls):
            yield client, codec_calls, socket, shared_webcam


@pytest.fixture
def running(daemon):
    """A client, a function that returns the number of codec calls, the path of the local socket, the pictures that the
    camera sends, and the name of a running session.
    """
    client, codec_calls, socket, webcam = daemon
    with (
        webcam.recording() as recording,
        client.open_session(webcam.device(client).name, pixel_format="MJPG", video_data=OUTPUTS) as name,
    ):
        yield client, codec_calls, socket, recording, name


def pixels(picture):
    """A JPEG's R, G and B."""
    return np.asarray(Image.open(BytesIO(picture), formats=["JPEG"]).convert("RGB")).astype(float)


def blocks(picture):
    """The means of squares of 16 pixels. In such means the way in which chroma was enlarged does not show."""
    height, width, colors = picture.shape
    return picture[: height // 16 * 16].reshape(height // 16, 16, width // 16, 16, colors).mean(axis=(1, 3))


def passed(frame, recording):
    """Whether a frame's bytes are those that the camera sent under this number."""
    return frame.data == recording.picture(frame.sequence)


@pytest.mark.bare
def test_D5_video_data_is_the_devices_bytes_and_nothing_is_decoded_until_pixels_are_wanted(running):
    client, codec_calls, socket, recording, name = running
    with client.stream_video_data(name, "own") as own, client.stream_preview(name, JPEG) as viewer:
        # As for a preview alone, the daemon decodes some frames until the exposure has settled.
        while not timeline(client, name).HasField("first_settled_sequence"):
            next_frame(own)
        before = codec_calls()
        first = next_frame(own)
        frames = [first, *frames_until(own, lambda frame: frame.sequence >= first.sequence + 20)]
        with SharedVideoDataStream(socket, name, "own") as shared:
            local = [(frame.sequence, frame.pixel_format, bytes(frame.data)) for frame in itertools.islice(shared, 10)]
        assert codec_calls() == before, "a frame was decoded, encoded or converted"
        seen = frames_until(viewer, lambda frame: frame.sequence >= first.sequence + 20)
    assert_every_gap_is_counted(frames)
    assert_every_gap_is_counted(seen)
    for frame in frames:
        assert passed(frame, recording)
        assert (frame.encoding, frame.pixel_format) == (JPEG, "MJPG")
        assert (frame.width, frame.height) == SIZE
        assert not frame.planes
        assert frame.color_range == types_pb2.COLOR_RANGE_FULL
        assert frame.color_matrix == types_pb2.COLOR_MATRIX_BT601
    assert all(passed(frame, recording) for frame in seen)
    assert all((format, data) == ("MJPG", recording.picture(sequence)) for sequence, format, data in local)
    assert len({frame.data for frame in frames}) == len(frames), "it shows different pictures"

    with client.stream_video_data(name, "bgra") as bgra:
        frame = next_frame(bgra)
    assert codec_calls() > before, "the counter counts"
    assert (frame.pixel_format, frame.color_range) == ("AR24", types_pb2.COLOR_RANGE_FULL)
    shown = np.frombuffer(frame.data, np.uint8).reshape(SIZE[1], SIZE[0], 4)
    assert (shown[:, :, 3] == 255).all()
    error = np.abs(blocks(shown[:, :, 2::-1].astype(float)) - blocks(pixels(recording.picture(frame.sequence))))
    assert error.mean() < 1.5


def is_red(picture):
    return np.abs(picture[290:330, 490:540].mean(axis=(0, 1)) - (254, 0, 0)).max() < 8


@pytest.mark.bare
def test_D6_an_overlay_is_drawn_and_without_it_the_bytes_pass_again(running):
    client, _, _, recording, name = running
    pixel = {"width": 32, "height": 32, "rgba": bytes([255, 0, 0, 255]) * 32 * 32}
    red = overlay_pb2.Overlay(elements=[{"image": {"pixels": pixel, "x": 0.7, "y": 0.7, "relative_width": 0.2}}])
    with client.stream_preview(name, JPEG) as viewer, client.stream_video_data(name, "own") as own:
        assert not is_red(pixels(next_frame(viewer).data))
        client.video_data.SetOverlay(video_data.SetOverlayRequest(session=name, overlay=red))
        drawn = frames_until(viewer, lambda frame: not passed(frame, recording))[-1]
        client.video_data.SetOverlay(video_data.SetOverlayRequest(session=name))
        frames_until(viewer, lambda frame: passed(frame, recording))
        data = frames_until(own, lambda frame: frame.sequence >= drawn.sequence)
    picture, wanted = pixels(drawn.data), pixels(recording.picture(drawn.sequence))
    assert is_red(picture)
    error = np.abs(blocks(picture[:240]) - blocks(wanted[:240]))
    assert error.mean() < 1, "the picture below the overlay is not that of the frame's number"
    assert all(passed(frame, recording) for frame in data)


def test_D1_a_slow_link_gets_coarser_pictures_and_the_other_reader_the_cameras_own(running):
    client, _, _, recording, name = running
    with client.stream_preview(name, JPEG) as viewer:
        rate = RATE * len(next_frame(viewer).data)
    with (
        client.stream_preview(name, JPEG) as viewer,
        SlowLink(ADDRESS, bytes_per_second=rate / 3) as link,
        firstlight.connect(link.address) as far,
        far.preview(name, adaptive=True) as slow,
    ):
        first = next(slow)
        assert (passed(first, recording), slow.status.jpeg_quality) == (True, 0)
        # Three frames and 0.3 s of a link that is too slow are enough for the daemon to adapt.
        made = next((frame for frame in itertools.islice(slow, 40) if not passed(frame, recording)), None)
        assert made is not None, "it never adapts"
        assert 0 < slow.status.jpeg_quality < 80
        frames = frames_until(viewer, lambda frame: frame.sequence >= made.sequence)
    picture = pixels(made.data)
    assert picture.shape == (made.height, made.width, 3)
    assert all(passed(frame, recording) for frame in frames)
    assert len(frames) > 5
