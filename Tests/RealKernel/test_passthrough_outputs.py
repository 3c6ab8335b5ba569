"""A camera that gives JPEG: programs get its bytes, and who needs another picture costs the others nothing."""

import itertools
import tempfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import firstlight
import footage
from client import assert_every_gap_is_counted, frames_until, next_frame
from firstlight import SharedVideoDataStream, video_data_output
from firstlight.v1 import (
    overlay_pb2,
    types_pb2,
    video_data_service_pb2 as video_data,
)
from slow_link import SlowLink
from test_launch import timeline
from test_passthrough import ADDRESS, counted_daemon, loopback

JPEG = types_pb2.ENCODING_JPEG
OUTPUTS = [video_data_output("own", pixel_format="MJPG", queue_depth=8), video_data_output("bgra", pixel_format="AR24")]


@pytest.fixture(scope="module")
def daemon():
    """A client, how many pictures the daemon coded, its socket, and the camera's pictures with their places."""
    with tempfile.TemporaryDirectory() as folder, footage.camera() as pictures:
        socket = Path(folder) / "frames.sock"
        with counted_daemon("--local-socket", str(socket)) as (client, codec_calls):
            yield client, codec_calls, socket, {picture: place for place, picture in enumerate(pictures)}


@pytest.fixture
def running(daemon):
    """As `daemon`, and a running session."""
    client = daemon[0]
    with client.open_session(loopback(client), pixel_format="MJPG", video_data=OUTPUTS) as name:
        yield *daemon, name


def pixels(picture):
    """A JPEG's R, G and B."""
    return np.asarray(Image.open(BytesIO(picture), formats=["JPEG"]).convert("RGB")).astype(float)


def blocks(picture):
    """The means of squares, in which it does not matter how chroma was enlarged."""
    height, width, colors = picture.shape
    return picture[: height // 16 * 16].reshape(height // 16, 16, width // 16, 16, colors).mean(axis=(1, 3))


def the_cameras(frame, given):
    """Gives the camera's picture of each number in the stream of a passed frame, whose place in the loop is known."""
    pictures = list(given)
    return lambda sequence: pictures[(given[frame.data] + sequence - frame.sequence) % len(pictures)]


def test_D5_video_data_is_the_devices_bytes_and_nothing_is_decoded_until_pixels_are_wanted(running):
    client, codec_calls, socket, given, name = running
    with client.stream_video_data(name, "own") as own, client.stream_preview(name, JPEG) as viewer:
        # As for the preview alone: until the exposure is stable some frames are looked at.
        while not timeline(client, name).HasField("first_settled_sequence"):
            next_frame(own)
        before = codec_calls()
        first = next_frame(own)
        frames = [first, *frames_until(own, lambda frame: frame.sequence >= first.sequence + 20)]
        with SharedVideoDataStream(socket, name, "own") as shared:
            local = [(frame.sequence, frame.pixel_format, bytes(frame.data)) for frame in itertools.islice(shared, 10)]
        assert codec_calls() == before, "a frame was decoded, encoded or converted"
        seen = frames_until(viewer, lambda frame: frame.sequence >= first.sequence + 20)
    # v4l2loopback calls the first buffer after STREAMON number 0, whatever picture it holds, as `v4l2-ctl --stream-mmap
    # --verbose` shows. From the next one on its numbers count what was written.
    seen = [frame for frame in seen if frame.sequence > 0]
    assert_every_gap_is_counted(frames)
    picture = the_cameras(first, given)
    for frame in frames:
        assert frame.data == picture(frame.sequence)
        assert (frame.encoding, frame.pixel_format) == (JPEG, "MJPG")
        assert (frame.width, frame.height) == footage.SIZE
        assert not frame.planes
        assert frame.color_range == types_pb2.COLOR_RANGE_FULL
        assert frame.color_matrix == types_pb2.COLOR_MATRIX_BT601
        # The driver has neither control.
        assert not frame.HasField("gain")
        assert not frame.HasField("exposure_duration")
    assert all(frame.data == picture(frame.sequence) for frame in seen)
    assert all((format, data) == ("MJPG", picture(sequence)) for sequence, format, data in local)

    with client.stream_video_data(name, "bgra") as bgra:
        frame = next_frame(bgra)
    assert codec_calls() > before, "the counter counts"
    assert (frame.pixel_format, frame.color_range) == ("AR24", types_pb2.COLOR_RANGE_FULL)
    shown = np.frombuffer(frame.data, np.uint8).reshape(footage.SIZE[1], footage.SIZE[0], 4)
    assert (shown[:, :, 3] == 255).all()
    error = np.abs(blocks(shown[:, :, 2::-1].astype(float)) - blocks(pixels(picture(frame.sequence))))
    # The next picture differs by 3, the colours of BT.709 by 9.
    assert error.mean() < 1.5


def is_red(picture):
    return np.abs(picture[290:330, 490:540].mean(axis=(0, 1)) - (254, 0, 0)).max() < 8


def test_D6_an_overlay_is_drawn_and_without_it_the_bytes_pass_again(running):
    client, _, _, given, name = running
    pixel = {"width": 32, "height": 32, "rgba": bytes([255, 0, 0, 255]) * 32 * 32}
    red = overlay_pb2.Overlay(elements=[{"image": {"pixels": pixel, "x": 0.7, "y": 0.7, "relative_width": 0.2}}])
    with client.stream_preview(name, JPEG) as viewer, client.stream_video_data(name, "own") as own:
        assert not is_red(pixels(next_frame(viewer).data))
        client.video_data.SetOverlay(video_data.SetOverlayRequest(session=name, overlay=red))
        drawn = frames_until(viewer, lambda frame: frame.data not in given)[-1:]
        client.video_data.SetOverlay(video_data.SetOverlayRequest(session=name))
        *more, passed = frames_until(viewer, lambda frame: frame.data in given)
        data = frames_until(own, lambda frame: frame.sequence >= passed.sequence)
    # What video data has under the number, not what the loop's place says: the driver may write into a buffer again
    # before the daemon has copied it.
    under = {frame.sequence: frame.data for frame in data}
    frame = next((frame for frame in (*drawn, *more) if frame.sequence in under), None)
    assert frame is not None, "video data lost every frame that was drawn on"
    picture, wanted = pixels(frame.data), pixels(under[frame.sequence])
    assert is_red(picture)
    error = np.abs(blocks(picture[:240]) - blocks(wanted[:240]))
    assert error.mean() < 1, "under it is the frame that it says it is"
    assert all(frame.data in given for frame in data)


def test_D1_a_slow_link_gets_coarser_pictures_and_the_other_reader_the_cameras_own(running):
    client, _, _, given, name = running
    rate = footage.RATE * sum(map(len, given)) / len(given)
    with (
        client.stream_preview(name, JPEG) as viewer,
        SlowLink(ADDRESS, bytes_per_second=rate / 3) as link,
        firstlight.connect(link.address) as far,
        far.preview(name, adaptive=True) as slow,
    ):
        passed = next(slow)
        assert (passed.data in given, slow.status.jpeg_quality) == (True, 0)
        # Three frames and 0.3 s of a link that is too slow are enough.
        made = next((frame for frame in itertools.islice(slow, 40) if frame.data not in given), None)
        assert made is not None, "it never adapts"
        assert 0 < slow.status.jpeg_quality < 80
        frames = frames_until(viewer, lambda frame: frame.sequence >= made.sequence)
    picture = pixels(made.data)
    assert picture.shape == (made.height, made.width, 3)
    assert all(frame.data in given for frame in frames)
    assert len(frames) > 5
