"""What programs learn about a real driver's frames: gain, colours, and the same bytes in shared memory."""

import itertools

import numpy as np
import pytest

from client import assert_every_gap_is_counted, frames_until, guest, next_frame
from daemons import own_daemon
from firstlight import SharedVideoDataStream, video_data_output
from firstlight.v1 import types_pb2
from picture import BARS, bars
from test_graph import OWN, drawn
from test_photo_shots import set_controls
from test_tone_mapping import samples


def test_D5_gain_is_the_one_set_and_exposure_that_no_driver_tells_is_absent(client):
    camera = client.cameras()[0].name
    with client.open_session(camera, video_data=[OWN]) as name, client.stream_video_data(name, "own") as stream:
        set_controls(client, camera, name, gain_automatic=False, gain=70)
        try:
            frames_until(stream, lambda frame: frame.gain == 70)
            # Another program changes the gain.
            guest("camera", "set", "0", "gain", "33")
            frames = frames_until(stream, lambda frame: frame.gain == 33)
        finally:
            set_controls(client, camera, name, gain=100, gain_automatic=True)
    # There is no other value in between, and the first value does not return.
    told = [frame.gain for frame in frames]
    assert told == [70] * (len(told) - 1) + [33]
    assert not any(frame.HasField("exposure_duration") for frame in frames)


def shown(frame):
    """The bars of video data as R, G, B, converted by the colour description of the frame."""
    data = np.frombuffer(frame.data, np.uint8)
    if frame.pixel_format == "AR24":
        pixels = data.reshape(360, 640, 4)
        assert (pixels[:, :, 3] == 255).all()
        return bars(pixels)[:, 2::-1]
    assert frame.color_matrix == types_pb2.COLOR_MATRIX_BT601
    if frame.pixel_format == "NV12":
        luma, chroma = data[: 360 * 640].reshape(360, 640, 1), data[360 * 640 :].reshape(180, 320, 2)
        picture = np.concatenate([luma, chroma.repeat(2, axis=0).repeat(2, axis=1)], axis=2)
    else:
        picture = data.reshape(360, 320, 4)[:, :, [0, 1, 3]]
    is_full = frame.color_range == types_pb2.COLOR_RANGE_FULL
    return 255 * np.clip(samples(bars(picture), 0.299, 0.114, is_full), 0, 1)


# In each case the daemon converts for two outputs or all of them. It gives a format that the camera already delivers
# unchanged.
@pytest.mark.bare
@pytest.mark.parametrize("pixel_format", ["YUYV", "NV12", "RGB3"])
def test_D5_each_format_shows_the_drivers_colours(client, pixel_format):
    formats = ["AR24", "NV12", "YUYV"]
    outputs = [video_data_output(each, pixel_format=each) for each in formats]
    with client.open_session(client.cameras()[0].name, pixel_format, video_data=outputs) as name:
        for each in formats:
            with client.stream_video_data(name, each) as stream:
                frame = next_frame(stream)
            assert (frame.pixel_format, frame.width, frame.height) == (each, 640, 360)
            # vivid truncates its samples instead of rounding them.
            assert shown(frame) == pytest.approx(np.array(BARS, float), abs=5), each


@pytest.mark.bare
def test_D2_shared_memory_has_the_pixels_that_the_network_has(tmp_path):
    socket = tmp_path / "frames.sock"
    with (
        own_daemon(tmp_path, "--synthetic", "0", "--local-socket", str(socket)) as client,
        client.open_session(client.cameras()[0].name, video_data=[OWN]) as name,
        client.stream_video_data(name, "own") as stream,
        # With one lease each frame comes only after the frame before was released.
        SharedVideoDataStream(socket, name, "own", max_leases=1) as shared,
    ):
        local, sent, common = {}, [], []
        # Both readers miss some frames on a slow machine, each of them others.
        while len(common) <= 5:
            local |= {frame.sequence: bytes(frame.data) for frame in itertools.islice(shared, 10)}
            last = max(local)
            sent += frames_until(stream, lambda frame, last=last: frame.sequence >= last)
            common = [frame for frame in sent if frame.sequence in local]
    assert_every_gap_is_counted(sent)
    for frame in sent:
        assert drawn(frame) == frame.sequence
    assert all(frame.data == local[frame.sequence] for frame in common)
