"""Sessions that the machine's pressure interrupts, and that resume by themselves."""

from __future__ import annotations

import time

import pytest

import firstlight
from firstlight import AdaptationPolicy, PressureLevel
from firstlight.v1 import preview_service_pb2 as preview_pb2, session_pb2, types_pb2
from machines import stall
from pressure_rig import MACHINES, collecting, step
from support import SYNTHETIC, TIMEOUT, Stubs, changed, timecode

State = session_pb2.Session.State
SYSTEM_PRESSURE = types_pb2.INTERRUPTION_REASON_SYSTEM_PRESSURE


def responses(client, name):
    """The frames and statuses of a preview, in the order in which they came."""
    request = preview_pb2.StreamPreviewRequest(session=name, encoding=firstlight.Encoding.JPEG)
    return firstlight.Stream(Stubs(client.channel).previews.StreamPreview(request), lambda response: response)


def statuses(items):
    return [item.status for item in items if item.HasField("status")]


def frames(items):
    return [item.frame for item in items if item.HasField("frame")]


def resumed(items):
    """Whether frames came after an interruption."""
    kinds = [item.status.session_state if item.HasField("status") else "frame" for item in items]
    return State.STATE_INTERRUPTED in kinds and "frame" in kinds[kinds.index(State.STATE_INTERRUPTED) :]


@pytest.mark.parametrize("machine", MACHINES)
def test_A12_shutdown_interrupts_and_relief_resumes_by_itself(rig, machine):
    rig = rig(machine)
    name = rig.session()
    with collecting(rig.client.watch_session(name)) as events, collecting(responses(rig.client, name)) as preview:
        preview.wait_for(lambda items: len(frames(items)) > 2)
        rig.heat("SHUTDOWN")
        preview.wait_for(lambda items: statuses(items) and statuses(items)[-1].session_state == State.STATE_INTERRUPTED)
        assert statuses(preview.wait_for(len))[-1].interruption_reason == SYSTEM_PRESSURE
        session = rig.client.session(name)
        assert (session.state, session.interruption_reason) == (State.STATE_INTERRUPTED, SYSTEM_PRESSURE)
        rig.heat("NOMINAL")
        items = preview.wait_for(resumed)
        told = events.wait_for(lambda items: "STATE_RUNNING" in map(changed, items))
    # The first frame may come before or after the event that the session runs, so the test ignores the events of the
    # stream.
    told = [event for event in told if changed(event) not in ("snapshot", "launch_timeline", "stream_changed")]
    assert [changed(event) for event in told] == [
        "was_interrupted",
        "STATE_INTERRUPTED",
        "interruption_ended",
        "STATE_RUNNING",
    ]
    assert told[0].was_interrupted.interruption_reason == SYSTEM_PRESSURE
    assert rig.zone in told[0].was_interrupted.error.message
    before, after = (frame.stream_id for frame in (frames(items)[0], frames(items)[-1]))
    assert before != after == told[2].interruption_ended.stream_id
    first = next(frame for frame in frames(items) if frame.stream_id == after)
    assert first.dropped.discontinuity > 0


def test_A12_no_frame_is_taken_between_interruption_and_resumption(rig):
    rig = rig()
    name = rig.session(size=(320, 180))
    with rig.client.preview(name, pixel_format="NV12") as preview:
        assert timecode(next(preview)) is not None
        with collecting(rig.client.watch_session(name)) as events:
            rig.drill("SHUTDOWN")
            events.wait_for(lambda items: "STATE_INTERRUPTED" in map(changed, items))
            interrupted_ns = time.time_ns()
            # Frames that were on their way by now are older than this time.
            rig.drill("CRITICAL")
            told = events.wait_for(lambda items: "interruption_ended" in map(changed, items))
        (stream,) = (event.interruption_ended.stream_id for event in told if event.HasField("interruption_ended"))
        resumed_ns = next(frame.capture_time_ns for frame in preview if frame.stream_id == stream)
    assert resumed_ns > interrupted_ns


def test_E5_waiting_alone_never_interrupts(rig, sysfs):
    rig = rig("container")
    name = rig.session(AdaptationPolicy.SERVER)
    with collecting(rig.client.watch_session(name)) as events:
        sysfs.put({f"fs/cgroup/{resource}.pressure": stall(100, 100) for resource in ("cpu", "memory", "io")})
        told = events.wait_for(lambda items: "+ device_frame_rate" in map(step, items))
    applied = [event.adaptation_applied for event in told if event.HasField("adaptation_applied")]
    assert {PressureLevel(event.level) for event in applied} == {PressureLevel.SERIOUS}
    assert {cause.source for cause in applied[0].causes} == {"cgroup/cpu", "cgroup/memory", "cgroup/io"}
    assert rig.client.session(name).state == State.STATE_RUNNING


def state_once(client, condition):
    """Waits until the pressure state of the first camera fulfils `condition`, and returns the state."""
    deadline = time.monotonic() + TIMEOUT
    while not condition(state := client.system_pressure(SYNTHETIC[0])):
        assert time.monotonic() < deadline, state
        time.sleep(0.05)
    return state


def test_E3_a_camera_that_rests_is_not_asked(rig):
    rig = rig()
    name = rig.session(size=(320, 180))
    with collecting(rig.client.watch_session(name)) as events:
        state_once(rig.client, lambda state: state.cameras)
        rig.drill("SHUTDOWN")
        events.wait_for(lambda items: "STATE_INTERRUPTED" in map(changed, items))
        state_once(rig.client, lambda state: not state.cameras)
        rig.drill("NOMINAL")
        state_once(rig.client, lambda state: state.cameras)
        assert rig.client.session(name).state == State.STATE_RUNNING


@pytest.mark.timeout(30)
def test_A12_a_camera_that_rests_for_its_own_heat_is_asked_and_rests_until_it_has_cooled(rig):
    rig = rig("PC", "--pressure-thresholds", "devices/synthetic-0=40/50/60/70")
    name = rig.session(size=(320, 180))
    with collecting(rig.client.watch_session(name)) as events:
        rig.client.set_controls(SYNTHETIC[0], {"sensor_temperature": 72}, session=name)
        events.wait_for(lambda items: "STATE_INTERRUPTED" in map(changed, items))
        hot = rig.client.system_pressure(SYNTHETIC[0]).read_time.ToNanoseconds()
        # A level without readings would have fallen after 3 s.
        later = state_once(rig.client, lambda state: state.read_time.ToNanoseconds() > hot + 5_000_000_000)
        assert [camera.temperature_millidegrees for camera in later.cameras] == [72_000]
        assert later.level == PressureLevel.SHUTDOWN
        rig.client.set_controls(SYNTHETIC[0], {"sensor_temperature": 35}, session=name)
        told = events.wait_for(lambda items: "STATE_RUNNING" in map(changed, items))
    assert [changed(event) for event in told].count("was_interrupted") == 1
