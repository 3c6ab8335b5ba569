"""A camera that stays connected and delivers no frames: the daemon reports it, starts the camera again, and the session
resumes by itself.
"""

from __future__ import annotations

import time

import pytest

import firstlight
from faults import inject, slow_start, stall
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2
from firstlight.v1 import photo_service_pb2 as photo_pb2, session_pb2, types_pb2
from pressure_rig import collecting
from support import SYNTHETIC, Collector, Stubs, changed, refused, take
from test_interruption import frames, responses, statuses

State = session_pb2.Session.State
STALLED = types_pb2.INTERRUPTION_REASON_DEVICE_STALLED
SMALL = {"pixel_format": "NV12", "size": (320, 180)}


@pytest.fixture
def camera(own_daemon):
    """A client of a daemon that accepts injected faults."""
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=15) as client:
        yield client


def running(client, frame_rate=30, **wanted):
    """The name of a running session."""
    configuration = firstlight.configuration(SYNTHETIC[0], frame_rate=frame_rate, **SMALL, **wanted)
    return client.create_session(configuration=configuration, start=True).name


def told(events):
    """The events, without those of a launch and without the gap, which comes before or after the end of the stall."""
    return [event for event in events if changed(event) not in ("snapshot", "launch_timeline", "stream_changed")]


def is_interrupted(items):
    return bool(statuses(items)) and statuses(items)[-1].session_state == State.STATE_INTERRUPTED


def test_A12_a_camera_that_stalls_is_told_and_resumes_by_itself(camera):
    name = running(camera)
    with collecting(responses(camera, name)) as preview:
        preview.wait_for(lambda items: len(frames(items)) > 5)
        with collecting(camera.watch_session(name)) as events:
            events.wait_for(len)
            inject(camera, stall(3))
            items = preview.wait_for(is_interrupted)
            silence_ns = time.monotonic_ns() - frames(items)[-1].monotonic_time_ns
            session = camera.session(name)
            with refused("UNAVAILABLE", "DEVICE_NOT_RESPONDING"):
                camera.start(name)
            happened = events.wait_for(lambda items: "STATE_RUNNING" in map(changed, items))
            items = preview.wait_for(lambda items: frames(items)[-1].stream_id != frames(items)[0].stream_id)
    assert silence_ns >= 1_000_000_000, "a camera counts as stalled only after 1 s and 10 periods"
    assert (session.state, session.interruption_reason) == (State.STATE_INTERRUPTED, STALLED)
    assert STALLED in [status.interruption_reason for status in statuses(items)]
    happened = told(happened)
    assert [changed(event) for event in happened] == [
        "was_interrupted",
        "STATE_INTERRUPTED",
        "interruption_ended",
        "STATE_RUNNING",
    ]
    assert happened[0].was_interrupted.interruption_reason == STALLED
    error = firstlight.FirstlightError.from_status(happened[0].was_interrupted.error)
    assert (error.code.name, error.reason) == ("UNAVAILABLE", "DEVICE_NOT_RESPONDING")
    assert 1 <= float(error.metadata["silent_seconds"]) < 3
    stream = happened[2].interruption_ended.stream_id
    first = next(frame for frame in frames(items) if frame.stream_id != frames(items)[0].stream_id)
    assert first.stream_id == stream
    assert first.dropped.discontinuity >= 1


def test_A12_a_camera_that_delivers_only_damaged_pictures_has_stalled(camera):
    name = running(camera)
    with camera.preview(name) as preview, collecting(camera.watch_session(name)) as events:
        before = next(preview)
        inject(camera, {"corrupt": fault_pb2.CorruptFault(frames=60)})
        happened = told(events.wait_for(lambda items: "interruption_ended" in map(changed, items)))
        after = next(frame for frame in preview if frame.stream_id != before.stream_id)
    interrupted = next(event.was_interrupted for event in happened if changed(event) == "was_interrupted")
    assert interrupted.interruption_reason == STALLED
    error = firstlight.FirstlightError.from_status(interrupted.error)
    assert error.reason == "DEVICE_NOT_RESPONDING"
    assert "damaged pictures" in error.message
    damaged = int(error.metadata["damaged_pictures"])
    # The camera delivers 30 damaged pictures in the second before a stall. A busy machine skips some.
    assert 5 <= damaged < 60
    # No frame reports the damaged pictures from before the stall. The first whole frame reports the later ones.
    assert after.dropped.damaged == 60 - damaged


def test_A12_ten_periods_of_a_slow_camera_are_longer_than_a_second(camera):
    name = running(camera, frame_rate=5)
    with camera.preview(name) as preview, collecting(camera.watch_session(name)) as events:
        before = take(preview, 3)[-1]
        inject(camera, stall(1.5))
        after = take(preview, 5)[-1]
        assert after.stream_id == before.stream_id
        gap_ns = after.monotonic_time_ns - before.monotonic_time_ns
        assert gap_ns > 1_500_000_000
        assert "was_interrupted" not in map(changed, events.wait_for(len))


@pytest.mark.timeout(60)
def test_A12_a_first_frame_that_never_comes_is_a_stall(camera):
    configuration = firstlight.configuration(SYNTHETIC[0], **SMALL)
    name = camera.create_session(configuration=configuration).name
    inject(camera, stall(7))
    with collecting(camera.watch_session(name)) as events:
        started = time.monotonic()
        assert camera.start(name).state == State.STATE_RUNNING, "the start succeeds although no frame comes"
        happened = events.wait_for(lambda items: "was_interrupted" in map(changed, items))
        assert time.monotonic() - started >= 5
        (interrupted,) = [event for event in happened if changed(event) == "was_interrupted"]
        assert interrupted.was_interrupted.interruption_reason == STALLED
        events.wait_for(lambda items: "interruption_ended" in map(changed, items))
    with camera.preview(name) as preview:
        take(preview, 3)


def test_A12_a_photo_that_waits_for_a_stalled_camera_ends_with_that_reason(camera):
    name = running(camera, zero_shutter_lag=False)
    camera.photo(name)
    with collecting(camera.watch_session(name)) as events:
        events.wait_for(len)
        inject(camera, stall(3))
        request = photo_pb2.CapturePhotoRequest(session=name)
        stream = firstlight.Stream(Stubs(camera.channel).photos.CapturePhoto(request), lambda response: response.event)
        photo = Collector(stream)
        assert photo.wait_for_end() is None
        events.wait_for(lambda items: "STATE_RUNNING" in map(changed, items))
    error = firstlight.FirstlightError.from_status(photo.close()[-1].did_finish_capture.error)
    assert (error.code.name, error.reason) == ("ABORTED", "OPERATION_INTERRUPTED")
    assert error.metadata["interruption"] == "DEVICE_STALLED"
    assert camera.photo(name).data


def test_A12_a_stalled_session_stops_and_leaves_the_camera_to_others(camera):
    name = running(camera)
    with camera.preview(name) as preview, collecting(camera.watch_session(name)) as events:
        take(preview, 3)
        inject(camera, stall(4))
        events.wait_for(lambda items: "STATE_INTERRUPTED" in map(changed, items))
        assert camera.stop(name).state == State.STATE_STOPPED
        # This session waits for its first frame, as with any camera.
        other = running(camera)
        with camera.preview(other) as frames_of_other:
            take(frames_of_other, 3)
        assert changed(events.wait_for(len)[-1]) == "STATE_STOPPED"


def test_A12_a_camera_that_takes_its_time_to_change_its_format_does_not_stall(camera):
    name = running(camera)
    with camera.preview(name) as preview, collecting(camera.watch_session(name)) as events:
        before = take(preview, 3)[-1]
        inject(camera, slow_start(1.5))
        camera.configure(
            name, firstlight.configuration(SYNTHETIC[0], frame_rate=30, pixel_format="NV12", size=(640, 360))
        )
        after = next(frame for frame in preview if frame.stream_id != before.stream_id)
        assert after.monotonic_time_ns - before.monotonic_time_ns > 1_500_000_000
        happened = [changed(event) for event in told(events.wait_for(len))]
    assert "was_interrupted" not in happened
    assert camera.session(name).state == State.STATE_RUNNING
