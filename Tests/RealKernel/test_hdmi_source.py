"""The HDMI input of vivid, whose driver tells of changes of the source, and whose signal a test can take away."""

import contextlib
import subprocess
import time

import pytest

import firstlight
from client import PATIENCE, guest, next_frame, status_error_info
from firstlight.v1 import session_pb2, types_pb2 as types
from machine import node

State = session_pb2.Session.State
#: The number of the HDMI input. The others are a webcam, a tuner and S-Video.
HDMI = "3"
#: What the control `dv_timings_signal_mode` lets the input receive.
CURRENT, NO_SIGNAL, NO_LOCK, SELECTED = "0", "1", "2", "4"
#: Two of the timings that the control `dv_timings` offers, without interlacing.
SMALL, LARGE = "640x480p59", "720x480p59"
#: Without these, the size of the pictures is that of the signal.
SCALING = ("enable_capture_cropping", "enable_capture_composing", "enable_capture_scaler")


def v4l2(*arguments: str) -> str:
    """What v4l2-ctl says of the first camera."""
    command = ["v4l2-ctl", "-d", node(0), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout


def send(timings: str) -> None:
    """Lets the source send a size."""
    # Several standards have timings of the same name.
    number = next(line.split(":")[0].strip() for line in v4l2("--list-ctrls-menus").splitlines() if timings in line)
    v4l2("-c", f"dv_timings={number},dv_timings_signal_mode={SELECTED}")


@pytest.fixture
def camera(client):
    """The daemon's name of the camera at its HDMI input, which gets the small size."""
    for control in SCALING:
        guest("camera", "set", "0", control, "0")
    v4l2("--set-input", HDMI)
    send(SMALL)
    yield client.cameras()[0].name
    v4l2("-c", f"dv_timings_signal_mode={CURRENT}")
    v4l2("--set-input", "0")
    for control in SCALING:
        guest("camera", "set", "0", control, "1")
    client.cameras()


@contextlib.contextmanager
def watched(client, sdk, camera):
    """A session that leaves the format open, with its events and its pictures."""
    name = sdk.create_session("hdmi", configuration=firstlight.configuration(camera), start=True).name
    try:
        with client.watch_session(name) as events, client.stream_preview(name, types.ENCODING_JPEG) as stream:
            yield name, events, stream
    finally:
        sdk.delete_session(name)


def interruption(events):
    """The next interruption in the events."""
    return events.until(lambda message: message.event.HasField("was_interrupted"))[-1].event.was_interrupted


def until_size(stream, width):
    """Reads frames until they have a width."""
    frame = next_frame(stream)
    deadline = time.monotonic() + PATIENCE
    while frame.width != width and time.monotonic() < deadline:
        frame = next_frame(stream)
    assert frame.width == width


def test_field_B1_the_size_of_an_hdmi_source_is_followed(client, sdk, camera):
    (listed,) = [each for each in client.cameras() if each.name == camera]
    assert {(each.size.width, each.size.height) for each in listed.formats} == {(640, 480)}
    with watched(client, sdk, camera) as (_, events, stream):
        until_size(stream, 640)
        send(LARGE)
        assert "has changed" in interruption(events).error.message
        until_size(stream, 720)
        send(SMALL)
        until_size(stream, 640)


@pytest.mark.parametrize(("mode", "errno"), [(NO_SIGNAL, "ENOLINK"), (NO_LOCK, "ENOLCK")])
def test_field_B1_an_hdmi_signal_that_goes_is_the_reason_until_it_returns(client, sdk, camera, mode, errno):
    with watched(client, sdk, camera) as (name, events, stream):
        until_size(stream, 640)
        v4l2("-c", f"dv_timings_signal_mode={mode}")
        info = status_error_info(interruption(events).error)
        assert (info.reason, info.metadata["errno"]) == ("NO_SIGNAL", errno)
        assert client.state(name) == State.STATE_INTERRUPTED
        send(SMALL)
        events.until(lambda message: message.event.HasField("interruption_ended"))
        assert client.state(name) == State.STATE_RUNNING
        until_size(stream, 640)
