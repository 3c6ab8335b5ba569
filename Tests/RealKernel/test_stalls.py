"""A USB camera that stays connected and delivers no pictures, or does not answer."""

import contextlib
import time

import grpc
import pytest

from client import configuration, error_info, next_frame, status_error_info
from firstlight.v1 import control_pb2, session_pb2, types_pb2 as types

STALLED = types.INTERRUPTION_REASON_DEVICE_STALLED
State = session_pb2.Session.State
#: A minute, in milliseconds. The kernel gives up after 5 s.
NEVER = 60_000
#: The seconds that one request without an answer may take, with the additional time of the emulated machine.
PATIENT = 5 + 4


@pytest.fixture
def camera(client, webcam):
    """The daemon's name of the webcam."""
    return webcam.device(client).name


def opened(client, camera, start=True):
    """A session on the webcam."""
    return client.open_session(camera, "MJPG", start)


def pictures(client, name):
    """A preview as the camera delivers it."""
    return client.stream_preview(name, types.ENCODING_JPEG)


@contextlib.contextmanager
def watched(client, camera):
    """A session on the webcam, with its events and its pictures."""
    with (
        opened(client, camera) as name,
        client.watch_session(name) as events,
        pictures(client, name) as stream,
    ):
        yield name, events, stream


def interruption(events):
    """The next interruption in the events."""
    return events.until(lambda message: message.event.HasField("was_interrupted"))[-1].event.was_interrupted


def until_resumed(events):
    """The events up to the end of an interruption, and the id of the new stream."""
    messages = events.until(lambda message: message.event.HasField("interruption_ended"))
    return messages, messages[-1].event.interruption_ended.stream_id


def assert_silent(error):
    """Checks that a status says that the camera does not answer."""
    assert error.code == grpc.StatusCode.UNAVAILABLE.value[0]
    assert status_error_info(error).reason == "DEVICE_NOT_RESPONDING"


def set_control(client, camera, name, control, value):
    """The result of setting one control."""
    setting = control_pb2.ControlSetting(control=control, value=control_pb2.ControlValue(integer=value))
    request = control_pb2.SetControlsRequest(device=camera, session=name, control_settings=[setting])
    return client.devices.SetControls(request, timeout=60).results[0]


def test_A12_a_webcam_that_stalls_is_told_and_resumes_by_itself(client, webcam, camera):
    with watched(client, camera) as (name, events, stream):
        before = next_frame(stream)
        webcam.stall()
        interrupted = interruption(events)
        assert interrupted.interruption_reason == STALLED
        assert_silent(interrupted.error)
        assert float(status_error_info(interrupted.error).metadata["silent_seconds"]) >= 1
        status = stream.until(lambda message: message.status.session_state == State.STATE_INTERRUPTED)[-1].status
        assert status.interruption_reason == STALLED
        webcam.resume()
        _, stream_id = until_resumed(events)
        after = next_frame(stream)
        while after.stream_id == before.stream_id:
            after = next_frame(stream)
        assert after.stream_id == stream_id
        assert after.dropped.discontinuity >= 1
        assert client.state(name) == State.STATE_RUNNING


def test_A12_a_webcam_that_sends_only_damaged_pictures_has_stalled(client, webcam, camera):
    with watched(client, camera) as (_, events, stream):
        before = next_frame(stream)
        webcam.spoil("garbage")
        interrupted = interruption(events)
        assert interrupted.interruption_reason == STALLED
        assert_silent(interrupted.error)
        assert int(status_error_info(interrupted.error).metadata["damaged_pictures"]) >= 5
        webcam.spoil_nothing()
        _, stream_id = until_resumed(events)
        after = next_frame(stream)
        while after.stream_id == before.stream_id:
            after = next_frame(stream)
        assert after.stream_id == stream_id


def test_A12_a_webcam_that_never_sends_a_first_picture_has_stalled(client, webcam, camera):
    webcam.stall()
    with opened(client, camera) as name, client.watch_session(name) as events:
        interrupted = interruption(events)
        assert interrupted.interruption_reason == STALLED
        assert float(status_error_info(interrupted.error).metadata["silent_seconds"]) >= 5
        webcam.resume()
        until_resumed(events)
        with pictures(client, name) as stream:
            next_frame(stream)


def test_A12_a_slow_webcam_does_not_stall(client, webcam, camera):
    """Ten periods of five pictures per second are two seconds."""
    with client.open_session(camera, "MJPG", start=False) as name:
        wanted = configuration(camera, "MJPG", ())
        wanted.inputs[0].frame_rate_override.CopyFrom(types.Rational(numerator=5, denominator=1))
        client.configure(name, wanted)
        client.start(name)
        with client.watch_session(name) as events, pictures(client, name) as stream:
            before = next_frame(stream)
            webcam.stall()
            # The test sleeps, because the absence of an interruption has no event.
            time.sleep(1.3)
            webcam.resume()
            after = next_frame(stream)
            while after.monotonic_time_ns - before.monotonic_time_ns < 1_300_000_000:
                after = next_frame(stream)
            assert after.stream_id == before.stream_id
            assert not any(message.event.HasField("was_interrupted") for message in events.waiting())


def test_A12_a_webcam_that_does_not_answer_refuses_its_start_with_that_reason(client, webcam, camera):
    with opened(client, camera, start=False) as name:
        webcam.answer_late("probe", NEVER)
        begin = time.monotonic()
        with pytest.raises(grpc.RpcError) as failure:
            client.start(name)
        assert time.monotonic() - begin < PATIENT
        assert failure.value.code() == grpc.StatusCode.UNAVAILABLE
        assert error_info(failure.value).reason == "DEVICE_NOT_RESPONDING"
        assert client.state(name) == State.STATE_STOPPED
        webcam.answer_well()
        assert client.start(name).state == State.STATE_RUNNING


def test_A12_a_webcam_that_refuses_to_stream_is_not_called_gone(client, webcam, camera):
    with opened(client, camera, start=False) as name:
        webcam.refuse("commit")
        with pytest.raises(grpc.RpcError) as failure:
            client.start(name)
        assert error_info(failure.value).reason == "DEVICE_NOT_RESPONDING"
        webcam.answer_well()
        assert client.start(name).state == State.STATE_RUNNING


@pytest.mark.parametrize("kind", ["late", "refused"])
def test_A12_a_control_without_an_answer_says_so_in_bounded_time(client, webcam, camera, kind):
    with opened(client, camera) as name, pictures(client, name) as stream:
        next_frame(stream)
        assert not set_control(client, camera, name, "brightness", 10).HasField("error")
        if kind == "late":
            webcam.answer_late("brightness", NEVER)
        else:
            webcam.refuse("brightness")
        begin = time.monotonic()
        result = set_control(client, camera, name, "brightness", 20)
        assert time.monotonic() - begin < PATIENT
        assert_silent(result.error)
        webcam.answer_well()
        # The kernel discards the late answer. The camera may have taken the value.
        assert not set_control(client, camera, name, "brightness", 30).HasField("error")
        assert webcam.status["brightness"] == 30
        next_frame(stream)
        assert client.state(name) == State.STATE_RUNNING


def test_A12_a_stalled_webcam_that_answers_nothing_is_stopped_in_bounded_time(client, webcam, camera):
    with opened(client, camera) as name:
        with client.watch_session(name) as events, pictures(client, name) as stream:
            next_frame(stream)
            for what in ("probe", "commit", "brightness", "exposure", "gain"):
                webcam.answer_late(what, NEVER)
            webcam.stall()
            assert interruption(events).interruption_reason == STALLED
            with pytest.raises(grpc.RpcError) as failure:
                client.start(name)
            assert error_info(failure.value).reason == "DEVICE_NOT_RESPONDING"
            begin = time.monotonic()
            assert client.stop(name).state == State.STATE_STOPPED
            assert time.monotonic() - begin < PATIENT
        webcam.answer_well()
        webcam.resume()
        assert client.start(name).state == State.STATE_RUNNING
        with pictures(client, name) as stream:
            next_frame(stream)
