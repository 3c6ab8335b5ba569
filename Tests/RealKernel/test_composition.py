"""A composition of two cameras of the real driver. The driver draws a number into each picture, which shows which frame
is in each half of a composed picture.
"""

import contextlib
import time

import pytest

from client import assert_every_gap_is_counted, frames_until, guest
from firstlight import composition_input, layer, video_data_output
from firstlight.v1 import session_configuration_pb2 as configuration_pb2
from picture import drawn_sequence

SIZE = (640, 360)
#: The columns at which the halves of a composed picture begin. Each half shows a camera's picture unscaled.
LEFT, RIGHT = 0, 640


def configured(cameras, *columns):
    """A configuration of both cameras and a composition, whose layers show the cameras at these columns."""
    size = configuration_pb2.StreamFormat(pixel_format="YUYV", width=SIZE[0], height=SIZE[1])
    layers = [layer(f"cam-{number}", (column, 0, *SIZE)) for number, column in enumerate(columns)]
    both = composition_input("both", (2 * SIZE[0], SIZE[1]), layers)
    wanted = configuration_pb2.SessionConfiguration(
        inputs=[
            configuration_pb2.SessionInput(id=f"cam-{number}", device=camera.name, format=size)
            for number, camera in enumerate(cameras)
        ],
        video_data=[video_data_output("data", queue_depth=32)],
        connections=[configuration_pb2.SessionConnection(input="both", output="data")],
    )
    wanted.inputs.append(both)
    for camera in wanted.inputs[:2]:
        camera.frame_rate_override.numerator, camera.frame_rate_override.denominator = 15, 1
    return wanted


@contextlib.contextmanager
def composed(client):
    """A session whose composition shows both cameras, and its frames. The cameras count their frames differently,
    because the second one starts later.
    """
    cameras = client.cameras()
    with client.open_session(cameras[0].name, start=False) as name:
        client.configure(name, configured(cameras, LEFT))
        client.start(name)
        with client.stream_video_data(name, "data") as stream:
            frames_until(stream, lambda frame: frame.sequence >= 5)
            client.configure(name, configured(cameras, LEFT, RIGHT))
            frames_until(stream, lambda frame: len(frame.sources) == 2 and frame.sources[1].stream_id)
            yield name, cameras, stream


def check(frame, *columns):
    """Checks that each layer of a frame shows the frame that its source names, at its column."""
    assert [source.input for source in frame.sources] == ["cam-0", "cam-1"]
    for source, column in zip(frame.sources, columns, strict=True):
        assert drawn_sequence(frame.data[column:], frame.planes[0].stride) == source.sequence
    assert (frame.sequence, frame.monotonic_time_ns) == (frame.sources[0].sequence, frame.sources[0].monotonic_time_ns)


@pytest.mark.bare
@pytest.mark.parametrize("seconds", [5, pytest.param(60, marks=[pytest.mark.slow, pytest.mark.timeout(180)])])
def test_L1_the_layers_are_swapped_and_no_frame_is_lost(client, seconds):
    frames = []
    with composed(client) as (name, cameras, stream):
        end = time.monotonic() + seconds
        columns = (LEFT, RIGHT)
        while time.monotonic() < end:
            former, columns = columns, columns[::-1]
            revision = client.configure(name, configured(cameras, *columns)).session.config_revision
            returned = time.monotonic_ns()
            *before, first = frames_until(stream, lambda frame, revision=revision: frame.config_revision >= revision)
            last = first.sequence + 10
            swapped = [first, *frames_until(stream, lambda frame, last=last: frame.sequence >= last)]
            assert sum(frame.monotonic_time_ns > returned for frame in before) <= 2, "the swap comes within two frames"
            for frame in before:
                check(frame, *former)
            for frame in swapped:
                check(frame, *columns)
            frames += before + swapped
            for frame in frames:
                frame.ClearField("data")
    # Also checks that all are of one stream.
    assert_every_gap_is_counted(frames)
    partners = [frame.sources[1].sequence for frame in frames]
    assert partners == sorted(partners)
    assert len({frame.sources[1].stream_id for frame in frames}) == 1
    assert sum(not frame.sources[1].stale for frame in frames) > len(frames) // 2


def test_L1_a_disconnected_camera_is_shown_as_it_was(client):
    with composed(client) as (_, _, stream):
        (before,) = {frame.sources[1].stream_id for frame in frames_until(stream, lambda frame: True)}
        guest("camera", "disconnect", "1")
        frames = frames_until(stream, lambda frame: frame.sources[1].stream_id != before)
    # The first frame of the camera that is back may be stale, too: it waited for the next frame of the first layer.
    stale = [frame for frame in frames if frame.sources[1].stale and frame.sources[1].stream_id == before]
    assert len({frame.sources[1].sequence for frame in stale[-3:]}) == 1
    for frame in stale[-3:]:
        check(frame, LEFT, RIGHT)
    assert_every_gap_is_counted(frames)
