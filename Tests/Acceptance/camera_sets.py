"""Sessions with several cameras, and what their streams and states have to be."""

from __future__ import annotations

import contextlib
import itertools

import firstlight
from firstlight import camera_input, connection, video_data_output
from firstlight.v1 import (
    session_pb2,
    session_service_pb2 as session_service_pb2,
)
from support import Collector, changed, excused, timecode

CAMERAS = [f"devices/synthetic-{number}" for number in range(9)]
SMALL = {"pixel_format": "NV12", "size": (320, 180), "frame_rate": 30}
State = session_pb2.Session.State


def cameras(count, **settings):
    """The inputs `cam-0`, `cam-1` and so on, in a small format."""
    return [camera_input(CAMERAS[number], id=f"cam-{number}", **{**SMALL, **settings}) for number in range(count)]


def configured(inputs, disabled=()):
    """A configuration in which each input has a video data output of its own, called `data-` and the number."""
    numbers = [input.id.removeprefix("cam-") for input in inputs]
    return firstlight.configuration(
        inputs=inputs,
        preview=False,
        photo=False,
        video_data=[video_data_output(f"data-{number}", queue_depth=32) for number in numbers],
        connections=[
            connection(f"data-{number}", input=f"cam-{number}", enabled=number not in disabled) for number in numbers
        ],
    )


def started(client, configuration):
    """Makes a session, starts it and returns its name."""
    return client.create_session(configuration=configuration, start=True).name


@contextlib.contextmanager
def reading(client, name, *numbers):
    """Collects the frames of the outputs `data-0`, `data-1` and so on."""
    readers = {number: Collector(client.video_data(name, f"data-{number}")) for number in numbers}
    try:
        yield readers
    finally:
        for reader in readers.values():
            reader.close()


def check_steady(frames, number):
    """Checks that the frames are one stream of one camera, of which none is missing but those that this reader was too
    slow for, and those that the camera itself left out because the machine was busy. A frame that a commit loses is
    reported by nobody.
    """
    assert {frame.input for frame in frames} == {f"cam-{number}"}
    assert len({frame.stream_id for frame in frames}) == 1
    for before, after in itertools.pairwise(frames):
        assert after.sequence == before.sequence + 1 + excused(after.dropped), (before, after)
    for frame in frames[:: max(1, len(frames) // 20)]:
        assert timecode(frame) == (frame.sequence, frame.capture_time_ns, number)


def states(client, name):
    """The state of each input, by its id."""
    return {status.input: status.state for status in client.session(name).input_status}


def input_changes(events):
    """The inputs that moved to another state, and that state, in the order of the events."""
    return [
        (event.input_changed.input_status.input, event.input_changed.input_status.state)
        for event in events
        if changed(event) == "input_changed"
    ]
