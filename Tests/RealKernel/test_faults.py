"""Cameras that go away and come back under a running session."""

import grpc
import pytest

from client import (
    Client,
    Stream,
    assert_every_gap_is_counted,
    error_info,
    frames_until,
    guest,
    next_frame,
    status_error_info,
)
from firstlight.v1 import device_service_pb2 as device, session_pb2, types_pb2 as types

GONE = types.INTERRUPTION_REASON_DEVICE_DISCONNECTED
RUNNING = session_pb2.Session.STATE_RUNNING


def device_changes(stream: Stream, name: str, count: int) -> list[int]:
    """The kinds of the next `count` events about one camera."""
    kinds: list[int] = []
    while len(kinds) < count:
        event = stream.next().event
        if event.device.name == name:
            kinds.append(event.kind)
    return kinds


def skip_present(stream: Stream, cameras: list[device.Device]) -> None:
    for _ in cameras:
        assert stream.next().event.kind == device.DeviceEvent.KIND_CONNECTED


def assert_was_interrupted(events: Stream) -> None:
    interrupted = events.until(lambda message: message.event.HasField("was_interrupted"))[-1].event.was_interrupted
    assert interrupted.interruption_reason == GONE
    assert status_error_info(interrupted.error).reason == "DEVICE_DISCONNECTED"
    assert interrupted.error.code == grpc.StatusCode.UNAVAILABLE.value[0]


def assert_frames_flow_again(client: Client, name: str, events: Stream, stream: Stream, before) -> None:
    ended = events.until(lambda message: message.event.HasField("interruption_ended"))[-1].event.interruption_ended
    assert ended.stream_id != before.stream_id
    frames = frames_until(stream, lambda frame: frame.stream_id != before.stream_id)
    assert frames[-1].stream_id == ended.stream_id
    assert frames[-1].dropped.discontinuity >= 1
    again = [frames[-1], next_frame(stream), next_frame(stream)]
    assert_every_gap_is_counted(again)
    assert client.state(name) == session_pb2.Session.STATE_RUNNING


def test_lost_camera_comes_back_by_itself_while_the_other_streams_on(client):
    cameras = client.cameras()
    lost, other = cameras
    with (
        client.watch_devices() as devices,
        client.open_session(lost.name) as lost_session,
        client.open_session(other.name) as other_session,
        client.watch_session(lost_session) as events,
        client.watch_session(other_session) as other_events,
        client.stream_preview(lost_session) as lost_stream,
        client.stream_preview(other_session) as other_stream,
    ):
        skip_present(devices, cameras)
        before = next_frame(lost_stream)
        other_before = next_frame(other_stream)

        guest("camera", "disconnect", "0")
        assert_was_interrupted(events)
        assert_frames_flow_again(client, lost_session, events, lost_stream, before)
        assert device_changes(devices, lost.name, 2) == [
            device.DeviceEvent.KIND_DISCONNECTED,
            device.DeviceEvent.KIND_CONNECTED,
        ]

        newest = next_frame(other_stream).sequence
        frames = [other_before, *frames_until(other_stream, lambda frame: frame.sequence > newest + 10)]
        other_kinds = [message.event.WhichOneof("event") for message in other_events.waiting()]
        assert devices.waiting() == []
    assert all(frame.stream_id == other_before.stream_id for frame in frames)
    assert "was_interrupted" not in other_kinds


def test_removed_cameras_come_back_by_themselves(client):
    cameras = client.cameras()
    camera = cameras[0]
    with (
        client.watch_devices() as devices,
        client.open_session(camera.name) as name,
        client.open_session(camera.name, start=False) as waiting,
        client.watch_session(name) as events,
        client.stream_preview(name) as stream,
    ):
        skip_present(devices, cameras)
        before = next_frame(stream)

        guest("camera", "unbind")
        assert_was_interrupted(events)
        assert device_changes(devices, camera.name, 1) == [device.DeviceEvent.KIND_DISCONNECTED]
        assert client.state(name) == session_pb2.Session.STATE_INTERRUPTED
        assert client.cameras() == []
        with pytest.raises(grpc.RpcError) as failure:
            client.devices.GetDevice(device.GetDeviceRequest(name=camera.name))
        assert failure.value.code() == grpc.StatusCode.NOT_FOUND
        assert error_info(failure.value).reason == "DEVICE_NOT_FOUND"
        with pytest.raises(grpc.RpcError) as failure:
            client.start(waiting)
        assert failure.value.code() == grpc.StatusCode.UNAVAILABLE
        with pytest.raises(grpc.RpcError) as failure:
            client.capture(name)
        assert failure.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        assert error_info(failure.value).reason == "SESSION_NOT_RUNNING"

        guest("camera", "bind")
        assert_frames_flow_again(client, name, events, stream, before)
        assert device_changes(devices, camera.name, 1) == [device.DeviceEvent.KIND_CONNECTED]


def test_status_explains_the_frozen_picture(client):
    with client.open_session(client.cameras()[1].name) as name, client.stream_preview(name) as stream:
        next_frame(stream)
        guest("camera", "unbind")
        status = stream.until(
            lambda message: (
                message.HasField("status") and message.status.session_state == session_pb2.Session.STATE_INTERRUPTED
            )
        )[-1].status
        assert status.interruption_reason == GONE
        guest("camera", "bind")
        stream.until(lambda message: message.HasField("status") and message.status.session_state == RUNNING)
        next_frame(stream)
