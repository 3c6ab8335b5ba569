"""The sleep of a machine, as logind announces it. `scripts/vm-test suspend` covers what the clocks say."""

from __future__ import annotations

import pathlib
import time

import pytest

import firstlight
from faults import inject, stall
from firstlight.v1 import photo_service_pb2 as photo_pb2, session_pb2, types_pb2
from logind import Logind
from pressure_rig import collecting
from processes import thread_names
from support import SYNTHETIC, Collector, Stubs, changed, refused, timecode
from test_interruption import frames, responses, statuses
from test_stalls import told

State = session_pb2.Session.State
SUSPEND = types_pb2.INTERRUPTION_REASON_SYSTEM_SUSPEND
SMALL = {"pixel_format": "NV12", "size": (320, 180)}
LOCK = ["sleep:firstlightd:delay"]


@pytest.fixture
def logind(monkeypatch):
    """A private bus with a mock of logind."""
    logind = Logind()
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", logind.address)
    try:
        logind.arrive()
        yield logind
    finally:
        logind.remove()


@pytest.fixture
def machine(logind, own_daemon):
    """A client of a daemon. The daemon already has its inhibitor lock at logind."""
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=15) as client:
        wait_for_locks(logind, LOCK)
        yield client


def wait_for_locks(logind: Logind, wanted: list[str]) -> None:
    """Waits up to 20 s for the inhibitor locks to be as wanted. logind answers a call for each look."""
    end = time.monotonic() + 20
    while (locks := logind.locks()) != wanted:
        assert time.monotonic() < end, locks


def running(client, **wanted):
    """The name of a running session."""
    configuration = firstlight.configuration(SYNTHETIC[0], frame_rate=30, **SMALL, **wanted)
    return client.create_session(configuration=configuration, start=True).name


def test_A12_cameras_are_closed_before_a_sleep_and_run_by_themselves_after_it(machine, logind):
    name = running(machine)
    with collecting(responses(machine, name)) as preview:
        preview.wait_for(lambda items: len(frames(items)) > 3)
        with collecting(machine.watch_session(name)) as events:
            events.wait_for(len)
            logind.sleep(True)
            # logind waits for the lock. When the lock is gone, the camera is closed.
            wait_for_locks(logind, [])
            session = machine.session(name)
            assert (session.state, session.interruption_reason) == (State.STATE_INTERRUPTED, SUSPEND)
            asleep_ns = time.monotonic_ns()
            with refused("UNAVAILABLE", "SYSTEM_SUSPEND"):
                machine.start(name)
            logind.sleep(False)
            happened = told(events.wait_for(lambda items: "STATE_RUNNING" in map(changed, items)))
            wait_for_locks(logind, LOCK)
        items = preview.wait_for(lambda items: frames(items)[-1].stream_id != frames(items)[0].stream_id)
    assert [changed(event) for event in happened] == [
        "was_interrupted",
        "STATE_INTERRUPTED",
        "interruption_ended",
        "STATE_RUNNING",
    ]
    assert happened[0].was_interrupted.interruption_reason == SUSPEND
    assert SUSPEND in [status.interruption_reason for status in statuses(items)]
    former = frames(items)[0].stream_id
    assert all(frame.monotonic_time_ns < asleep_ns for frame in frames(items) if frame.stream_id == former)
    first = next(frame for frame in frames(items) if frame.stream_id != former)
    assert first.stream_id == happened[2].interruption_ended.stream_id
    assert first.monotonic_time_ns > asleep_ns
    assert first.dropped.discontinuity >= 1


def test_A12_time_stamps_are_right_after_a_sleep(machine, logind):
    name = running(machine)
    logind.sleep(True)
    wait_for_locks(logind, [])
    logind.sleep(False)
    with machine.preview(name, pixel_format="NV12") as preview:
        frame = next(preview)
        assert timecode(frame) == (frame.sequence, frame.capture_time_ns, 0)
        assert 0 <= time.time_ns() - frame.capture_time_ns < 1_000_000_000


def test_A12_a_photo_under_way_ends_with_the_sleep(machine, logind):
    name = running(machine, zero_shutter_lag=False)
    machine.photo(name)
    machine.stop(name)
    inject(machine, stall(60))
    machine.start(name)
    request = photo_pb2.CapturePhotoRequest(session=name)
    stream = firstlight.Stream(Stubs(machine.channel).photos.CapturePhoto(request), lambda response: response.event)
    photo = Collector(stream)
    photo.wait_for(len)
    logind.sleep(True)
    assert photo.wait_for_end() is None
    error = firstlight.FirstlightError.from_status(photo.close()[-1].did_finish_capture.error)
    assert (error.code.name, error.reason) == ("ABORTED", "OPERATION_INTERRUPTED")
    assert error.metadata["interruption"] == "SYSTEM_SUSPEND"
    logind.sleep(False)


def test_A12_logind_that_goes_while_the_machine_sleeps_leaves_nobody_waiting(machine, logind):
    name = running(machine)
    with collecting(machine.watch_session(name)) as events:
        # The first event shows the session as it is, and a change that came before it has no event of its own.
        events.wait_for(len)
        logind.sleep(True)
        events.wait_for(lambda items: "STATE_INTERRUPTED" in map(changed, items))
        logind.leave()
        events.wait_for(lambda items: "interruption_ended" in map(changed, items))
    logind.arrive()
    wait_for_locks(logind, LOCK)


def test_A12_a_bus_that_goes_while_the_machine_sleeps_leaves_nobody_waiting(machine, logind):
    name = running(machine)
    with collecting(machine.watch_session(name)) as events:
        # The first event shows the session as it is, and a change that came before it has no event of its own.
        events.wait_for(len)
        logind.sleep(True)
        events.wait_for(lambda items: "STATE_INTERRUPTED" in map(changed, items))
        logind.close()
        events.wait_for(lambda items: "interruption_ended" in map(changed, items))
    with machine.preview(name) as preview:
        next(preview)


def test_A12_a_bus_that_was_restarted_is_heard_again(machine, logind):
    name = running(machine)
    logind.close()
    logind.start_bus()
    logind.arrive()
    wait_for_locks(logind, LOCK)
    logind.sleep(True)
    wait_for_locks(logind, [])
    session = machine.session(name)
    assert (session.state, session.interruption_reason) == (State.STATE_INTERRUPTED, SUSPEND)
    logind.sleep(False)
    wait_for_locks(logind, LOCK)
    assert machine.session(name).state == State.STATE_RUNNING


def test_A12_without_a_bus_the_daemon_runs_and_says_so_once(own_daemon, monkeypatch, tmp_path):
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/nobody")
    daemon = own_daemon()
    with firstlight.connect(daemon.address, timeout=15) as client:
        name = running(client)
        with client.preview(name) as preview:
            next(preview)
        assert "sleep" not in thread_names(daemon.process.pid), "nobody to listen to"
    log = pathlib.Path(tmp_path / "firstlightd.log").read_text().splitlines()
    about = [line for line in log if "sleep" in line or "bus" in line]
    assert len(about) == 1
    assert " info " in about[0]
