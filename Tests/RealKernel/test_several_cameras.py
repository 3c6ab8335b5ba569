"""Two cameras of the real driver in one session, one of which has the multi-planar API."""

import contextlib
import time

import grpc
import pytest

from client import assert_every_gap_is_counted, error_info, frames_until, guest, next_frame
from firstlight.v1 import (
    device_service_pb2 as device,
    session_configuration_pb2 as configuration_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
)
from machine import node, nodes_open
from picture import drawn_sequence

RUNNING = session_pb2.Session.STATE_RUNNING
STOPPED = session_pb2.Session.STATE_STOPPED
INTERRUPTED = session_pb2.Session.STATE_INTERRUPTED


def configured(cameras, disabled=()):
    """A configuration of these cameras, each with a video data output of its own, by the number of the camera."""
    size = configuration_pb2.StreamFormat(pixel_format="YUYV", width=640, height=360)
    return configuration_pb2.SessionConfiguration(
        inputs=[
            configuration_pb2.SessionInput(id=f"cam-{number}", device=camera.name, format=size)
            for number, camera in enumerate(cameras)
        ],
        video_data=[configuration_pb2.VideoDataOutput(id=f"data-{number}") for number in range(len(cameras))],
        connections=[
            configuration_pb2.SessionConnection(
                input=f"cam-{number}", output=f"data-{number}", enabled=number not in disabled
            )
            for number in range(len(cameras))
        ],
    )


@contextlib.contextmanager
def both(client):
    """A session with both cameras, and the frames of each."""
    cameras = client.cameras()
    with client.open_session(cameras[0].name, start=False) as name:
        client.configure(name, configured(cameras))
        client.start(name)
        with client.stream_video_data(name, "data-0") as first, client.stream_video_data(name, "data-1") as second:
            yield name, cameras, first, second


def without_picture(frame):
    """A copy without the picture, which must show the frame's number. The pictures of a minute have no room in the
    guest.
    """
    assert drawn_sequence(frame.data, frame.planes[0].stride, 2) == frame.sequence
    frame.ClearField("data")
    # The memory of the picture is free when the whole message is.
    copy = type(frame)()
    copy.CopyFrom(frame)
    return copy


def statuses(client, name):
    session = client.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name)).session
    return session.state, [status.state for status in session.input_status]


@pytest.mark.bare
@pytest.mark.parametrize("seconds", [5, pytest.param(60, marks=[pytest.mark.slow, pytest.mark.timeout(180)])])
def test_L1_every_number_of_both_cameras_is_delivered_or_counted(client, seconds):
    frames = [], []
    with both(client) as (_, _, *streams):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for stream, delivered in zip(streams, frames, strict=True):
                delivered.append(without_picture(next_frame(stream)))
        for stream, delivered in zip(streams, frames, strict=True):
            delivered += [without_picture(message.frame) for message in stream.waiting() if message.HasField("frame")]
    for delivered in frames:
        assert len(delivered) > seconds
        # Also checks that all are of one stream.
        assert_every_gap_is_counted(delivered)


def test_L1_a_disconnected_camera_interrupts_itself_alone(client):
    with both(client) as (name, _, first, second), client.watch_session(name) as events:
        other = [next_frame(second)]
        lost = next_frame(first)
        guest("camera", "disconnect", "0")
        told = events.until(lambda message: message.event.HasField("was_interrupted"))[-1].event
        assert told.was_interrupted.input == "cam-0"
        told = events.until(lambda message: message.event.HasField("interruption_ended"))[-1].event
        assert told.interruption_ended.input == "cam-0"
        again = frames_until(first, lambda frame: frame.stream_id != lost.stream_id)[-1]
        assert again.stream_id == told.interruption_ended.stream_id
        other += frames_until(second, lambda frame: frame.monotonic_time_ns > again.monotonic_time_ns)
        kinds = [message.event.WhichOneof("event") for message in events.waiting()]
    # Also checks that all are of one stream.
    assert_every_gap_is_counted(other)
    assert "state_changed" not in kinds


@pytest.mark.bare
@pytest.mark.parametrize("closed", [0, 1])
def test_L1_a_camera_without_an_enabled_connection_is_closed(client, process, closed):
    with both(client) as (name, cameras, *streams):
        frames = [next_frame(streams[1 - closed])]
        next_frame(streams[closed])
        assert nodes_open(process) == [node(0), node(1)]
        client.configure(name, configured(cameras, disabled=[closed]))
        assert nodes_open(process) == [node(1 - closed)]
        assert statuses(client, name) == (RUNNING, [STOPPED if n == closed else RUNNING for n in range(2)])
        found = client.devices.GetDevice(device.GetDeviceRequest(name=cameras[closed].name)).device
        assert found.session == name
        with client.open_session(cameras[closed].name, start=False) as other:
            with pytest.raises(grpc.RpcError) as failure:
                client.start(other)
            assert error_info(failure.value).reason == "DEVICE_IN_USE"
        client.configure(name, configured(cameras))
        assert nodes_open(process) == [node(0), node(1)]
        frames_until(streams[closed], lambda frame: frame.config_revision >= 4)
        frames += frames_until(streams[1 - closed], lambda frame: frame.config_revision >= 4)
    assert_every_gap_is_counted(frames[1:])


def test_L1_a_refused_camera_leaves_the_other_alone(client):
    cameras = client.cameras()
    with client.open_session(cameras[1].name, start=False) as name:
        client.configure(name, configured(cameras[1:]))
        client.start(name)
        with client.stream_video_data(name, "data-0") as stream:
            next_frame(stream)
            before = client.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name)).SerializeToString()
            guest("camera", "set", "0", "inject_vidioc_streamon_error", "1")
            with pytest.raises(grpc.RpcError) as failure:
                client.configure(name, configured([cameras[1], cameras[0]]))
            assert error_info(failure.value).reason == "DEVICE_FAILED"
            after = client.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name)).SerializeToString()
            assert after == before
            newest = next_frame(stream).sequence
            frames = frames_until(stream, lambda frame: frame.sequence > newest + 10)
            assert_every_gap_is_counted(frames)
            client.configure(name, configured([cameras[1], cameras[0]]))
            assert statuses(client, name) == (RUNNING, [RUNNING, RUNNING])
