"""A driver that refuses calls at each step of a session's life. The client gets a typed error, the former configuration
stays, and another try succeeds.
"""

import grpc
import pytest

from client import (
    Client,
    assert_every_gap_is_counted,
    error_info,
    frames_until,
    guest,
    next_frame,
    status_error_info,
)
from firstlight.v1 import (
    session_configuration_pb2 as configuration_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
)

STOPPED = session_pb2.Session.STATE_STOPPED
RUNNING = session_pb2.Session.STATE_RUNNING

# The buttons of vivid that make the next call of one kind fail, and the name of the call.
REFUSALS = {
    "inject_vidioc_reqbufs_error": "VIDIOC_REQBUFS",
    "inject_vidioc_qbuf_error": "VIDIOC_QBUF",
    "inject_vidioc_streamon_error": "VIDIOC_STREAMON",
}


def inject(control: str, value: int = 1) -> None:
    """Sets a control of the first camera."""
    guest("camera", "set", "0", control, str(value))


def as_bytes(client: Client, name: str) -> bytes:
    """The answer of GetSession as bytes."""
    session = client.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name)).session
    return session.SerializeToString(deterministic=True)


def configuration(camera: str, width: int, height: int) -> configuration_pb2.SessionConfiguration:
    """A configuration of one camera in YUYV with a preview and a photo output."""
    size = configuration_pb2.StreamFormat(pixel_format="YUYV", width=width, height=height)
    return configuration_pb2.SessionConfiguration(
        inputs=[configuration_pb2.SessionInput(device=camera, format=size)],
        preview=configuration_pb2.PreviewOutput(),
        photo=configuration_pb2.PhotoOutput(),
    )


def configure(client: Client, name: str, wanted: configuration_pb2.SessionConfiguration):
    """Commits a configuration."""
    return client.sessions.ConfigureSession(sessions_pb2.ConfigureSessionRequest(name=name, configuration=wanted))


def assert_fails(act, call: str) -> None:
    """Checks that `act` fails because the driver refused `call`."""
    with pytest.raises(grpc.RpcError) as failure:
        act()
    assert failure.value.code() is grpc.StatusCode.UNAVAILABLE
    info = error_info(failure.value)
    assert (info.reason, info.metadata["call"], info.metadata["errno"]) == ("DEVICE_FAILED", call, "EINVAL")


@pytest.mark.parametrize(("control", "call"), REFUSALS.items())
def test_refusal_before_configuring_shows_at_start_and_once(client, control, call):
    camera = client.cameras()[0].name
    with client.open_session(camera, start=False) as name, client.stream_preview(name) as stream:
        inject(control)
        # The commit only asks the driver what it would do (TRY_FMT), which does not fail.
        configure(client, name, configuration(camera, 320, 180))
        before = as_bytes(client, name)
        assert_fails(lambda: client.start(name), call)
        assert as_bytes(client, name) == before
        client.start(name)
        assert next_frame(stream).width == 320


# The list lacks the refused buffer: the running stream, which can do without one buffer, would meet that error first.
@pytest.mark.parametrize("control", ["inject_vidioc_reqbufs_error", "inject_vidioc_streamon_error"])
def test_refused_reconfiguration_leaves_the_former_one_running(client, control):
    camera = client.cameras()[0].name
    with (
        client.open_session(camera) as name,
        client.stream_preview(name) as stream,
        client.watch_session(name) as events,
    ):
        events.next()
        first = next_frame(stream)
        before = as_bytes(client, name)
        inject(control)
        assert_fails(lambda: configure(client, name, configuration(camera, 320, 180)), REFUSALS[control])
        assert as_bytes(client, name) == before
        # The same readers get the former picture again, in a new stream with a discontinuity.
        again = frames_until(stream, lambda frame: frame.stream_id != first.stream_id)
        assert {(frame.width, frame.config_revision) for frame in again} == {(640, first.config_revision)}
        assert again[-1].dropped.discontinuity >= 1
        assert_every_gap_is_counted([again[-1], next_frame(stream)])
        assert [event for event in events.waiting() if event.event.HasField("state_changed")] == []
        # The driver refuses only once, so the next commit succeeds.
        assert configure(client, name, configuration(camera, 320, 180)).reconfigured
        assert frames_until(stream, lambda frame: frame.width == 320)


def test_reconfiguration_that_leaves_no_way_back_stops_with_the_former_configuration(client):
    camera = client.cameras()[0].name
    with (
        client.open_session(camera) as name,
        client.stream_preview(name) as stream,
        client.watch_session(name) as events,
    ):
        next_frame(stream)
        before = client.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name)).session
        # The new format fails at the first error, the return to the former format at the second.
        inject("inject_vidioc_reqbufs_error")
        inject("inject_vidioc_streamon_error")
        assert_fails(lambda: configure(client, name, configuration(camera, 320, 180)), "VIDIOC_REQBUFS")
        told = events.until(lambda message: message.event.state_changed.session_state == STOPPED)
        errors = [message.event.runtime_error.error for message in told if message.event.HasField("runtime_error")]
        assert [status_error_info(error).metadata["call"] for error in errors] == ["VIDIOC_STREAMON"]
        after = client.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name)).session
        before.state = before.input_status[0].state = STOPPED
        assert after == before
        client.start(name)
        assert frames_until(stream, lambda frame: frame.width == 640)[-1].config_revision == before.config_revision


def test_fatal_error_of_a_running_camera_stops_the_session(client):
    camera = client.cameras()[0].name
    with (
        client.open_session(camera) as name,
        client.stream_preview(name) as stream,
        client.watch_session(name) as events,
    ):
        first = next_frame(stream)
        before = client.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name)).session
        inject("inject_fatal_streaming_error")
        told = events.until(lambda message: message.event.state_changed.session_state == STOPPED)
        errors = [message.event.runtime_error.error for message in told if message.event.HasField("runtime_error")]
        assert [status_error_info(error).reason for error in errors] == ["DEVICE_FAILED"]
        assert errors[0].code == grpc.StatusCode.UNAVAILABLE.value[0]
        after = client.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name)).session
        assert (after.etag, after.configuration) == (before.etag, before.configuration)
        client.start(name)
        frames_until(stream, lambda frame: frame.stream_id != first.stream_id)


def test_refused_buffers_cost_nothing_but_a_buffer(client):
    with client.open_session(client.cameras()[0].name) as name, client.stream_preview(name) as stream:
        first = next_frame(stream)
        inject("inject_vidioc_qbuf_error")
        frames = [first, *frames_until(stream, lambda frame: frame.sequence >= first.sequence + 20)]
        assert client.state(name) == RUNNING
    assert_every_gap_is_counted(frames)


def test_a_buffer_that_the_driver_flags_is_damaged(client):
    with client.open_session(client.cameras()[0].name) as name, client.stream_preview(name) as stream:
        first = next_frame(stream)
        inject("inject_v4l2_buf_flag_error")
        frames = [first, *frames_until(stream, lambda frame: frame.dropped.damaged > 0)]
    assert frames[-1].dropped.damaged == 1
    assert_every_gap_is_counted(frames)


def test_sequence_numbers_go_on_where_the_drivers_wrap(client):
    inject("wrap_sequence_number")
    try:
        with client.open_session(client.cameras()[0].name) as name, client.stream_preview(name) as stream:
            frames = frames_until(stream, lambda frame: frame.sequence > 2**32)
    finally:
        inject("wrap_sequence_number", 0)
    assert frames[0].sequence < 2**32
    assert_every_gap_is_counted(frames)


@pytest.mark.parametrize("kind", [1, 2])
def test_time_stamps_grow_where_the_drivers_wrap(client, kind):
    inject("wrap_timestamp", kind)
    try:
        with client.open_session(client.cameras()[0].name) as name, client.stream_preview(name) as stream:
            first = next_frame(stream)
            frames = [first, *frames_until(stream, lambda frame: frame.sequence >= first.sequence + 20)]
    finally:
        inject("wrap_timestamp", 0)
    assert_every_gap_is_counted(frames)


def test_reconfiguring_without_the_camera_keeps_what_was_wanted(client):
    camera = client.cameras()[0].name
    with (
        client.open_session(camera) as name,
        client.stream_preview(name) as stream,
        client.watch_session(name) as events,
    ):
        first = next_frame(stream)
        guest("camera", "unbind")
        events.until(lambda message: message.event.HasField("was_interrupted"))
        events.until(lambda message: message.event.HasField("state_changed"))
        before = as_bytes(client, name)
        with pytest.raises(grpc.RpcError) as failure:
            configure(client, name, configuration(camera, 320, 180))
        assert failure.value.code() is grpc.StatusCode.NOT_FOUND
        assert error_info(failure.value).reason == "DEVICE_NOT_FOUND"
        # The session has this configuration already, so the commit changes nothing, with or without the camera.
        configure(client, name, configuration(camera, 640, 360))
        assert as_bytes(client, name) == before
        guest("camera", "bind")
        again = frames_until(stream, lambda frame: frame.stream_id != first.stream_id)[-1]
        assert (again.width, again.config_revision) == (640, first.config_revision)
