"""The life of a session under several clients, slow cameras and calls that their clients abandon."""

import itertools

import grpc
import pytest
from google.protobuf import duration_pb2

import firstlight
from conftest import sessions
from faults import inject
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2, fault_injection_service_pb2_grpc as fault_grpc
from firstlight.v1 import (
    server_service_pb2 as server_pb2,
    session_configuration_pb2 as configuration_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
)
from support import SYNTHETIC, Stubs, call, changed, refused, take, watching

State = session_pb2.Session.State


def as_bytes(client, name):
    """The answer of GetSession as bytes."""
    return client.session(name).SerializeToString(deterministic=True)


def states(events):
    """The states that `events` report, from the snapshot on."""
    first = State.Name(events[0].snapshot.state)
    return [first, *(changed(event) for event in events if changed(event).startswith("STATE_"))]


@pytest.fixture
def slow(own_daemon):
    """A client of a daemon whose first camera takes two seconds to start."""
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=8) as client:
        fault = fault_pb2.StartLatencyFault(latency=duration_pb2.Duration(seconds=2))
        request = fault_pb2.InjectFaultRequest(device=SYNTHETIC[0], start_latency=fault)
        call(fault_grpc.FaultInjectionServiceStub(client.channel).InjectFault, request)
        yield client


@pytest.mark.timeout(60)
def test_A1_a_slow_start_delays_nobody_else(slow):
    stubs = Stubs(slow.channel)
    inject(slow, {"start_latency": fault_pb2.StartLatencyFault(latency=duration_pb2.Duration(seconds=6))}, SYNTHETIC[0])
    name = slow.create_session().name
    slow.configure(name, firstlight.configuration(SYNTHETIC[0]))
    health = slow.channel.unary_unary("/grpc.health.v1.Health/Check")
    start = stubs.sessions.StartSession.future(sessions_pb2.StartSessionRequest(name=name))
    # Forty rounds of calls must fit into the six seconds of the start, so no call waited for it.
    rounds = 0
    while not start.done() and rounds < 40:
        assert health(b"", timeout=8) == b"\x08\x01"
        call(stubs.server.GetServerInfo, server_pb2.GetServerInfoRequest())
        assert slow.session(name).state in (State.STATE_STOPPED, State.STATE_STARTING)
        rounds += 1
    assert not start.done()
    assert rounds == 40
    # Meanwhile another session with another camera starts and is deleted.
    other = slow.create_session().name
    slow.configure(other, firstlight.configuration(SYNTHETIC[1]))
    assert slow.start(other).state == State.STATE_RUNNING
    slow.delete_session(other)
    assert not start.done()
    assert start.result().session.state == State.STATE_RUNNING


def test_A11_a_start_whose_deadline_passes_runs_to_its_end(slow):
    stubs = Stubs(slow.channel)
    name = slow.create_session().name
    slow.configure(name, firstlight.configuration(SYNTHETIC[0]))
    events = watching(slow, name)
    with pytest.raises(grpc.RpcError) as raised:
        stubs.sessions.StartSession(sessions_pb2.StartSessionRequest(name=name), timeout=0.2)
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    # The daemon does not stop half-way: the start runs to its end, and a stop waits for its turn.
    assert slow.session(name).state == State.STATE_STARTING
    assert slow.stop(name).state == State.STATE_STOPPED
    told = events.wait_for(lambda items: changed(items[-1]) == "STATE_STOPPED")
    assert states(told) == ["STATE_STOPPED", "STATE_STARTING", "STATE_RUNNING", "STATE_STOPPING", "STATE_STOPPED"]


def test_A1_a_slow_start_is_no_idleness(slow):
    name = slow.create_session(idle_timeout=0.5).name
    slow.configure(name, firstlight.configuration(SYNTHETIC[0]))
    assert slow.start(name).state == State.STATE_RUNNING


def test_A9_a_commit_refused_while_running_leaves_every_byte_and_every_stream(client, session):
    running = session(start=True)
    session(SYNTHETIC[1], start=True)
    before = as_bytes(client, running)
    events = watching(client, running)
    unknown, missing = firstlight.configuration(SYNTHETIC[0]), firstlight.configuration("devices/nowhere")
    unknown.photo.zero_shutter_lag_window.FromSeconds(60)
    with client.preview(running) as preview:
        first = next(preview)
        with refused("UNAVAILABLE", "DEVICE_IN_USE"):
            client.configure(running, firstlight.configuration(SYNTHETIC[1]))
        with refused("INVALID_ARGUMENT"):
            client.configure(running, unknown)
        with refused("NOT_FOUND", "DEVICE_NOT_FOUND"):
            client.configure(running, missing)
        with refused("ABORTED", "ETAG_MISMATCH"):
            client.configure(running, firstlight.configuration(SYNTHETIC[0], photo=False), etag="stale")
        after = take(preview, 3)[-1]
    assert as_bytes(client, running) == before
    assert (after.stream_id, after.config_revision) == (first.stream_id, first.config_revision)
    client.stop(running)
    stopped = events.wait_for(lambda items: changed(items[-1]) == "STATE_STOPPED")
    of_the_launch = {"launch_timeline", "will_run_deferred_start", "did_run_deferred_start"}
    told = {changed(event) for event in stopped[1:]} - of_the_launch
    assert told == {"STATE_STOPPING", "STATE_STOPPED"}, "a refused commit told something"


def test_A9_an_equal_commit_is_nothing(client, session):
    name = session(start=True)
    before = as_bytes(client, name)
    events = watching(client, name)
    with client.preview(name) as preview:
        first = next(preview)
        for _ in range(3):
            client.configure(name, firstlight.configuration(SYNTHETIC[0]))
        after = take(preview, 3)[-1]
    assert (after.stream_id, after.config_revision) == (first.stream_id, first.config_revision)
    assert as_bytes(client, name) == before
    assert "configuration_committed" not in map(changed, events.close())


def test_A9_a_renamed_input_does_not_restart_the_camera(client, session):
    name = session(start=True)
    with client.preview(name) as preview:
        first = next(preview)
        renamed = firstlight.configuration(SYNTHETIC[0])
        renamed.inputs[0].id = "front"
        client.configure(name, renamed)
        after = next(frame for frame in preview if frame.input == "front")
    assert after.stream_id == first.stream_id


def test_A9_a_photo_output_added_later_does_not_take_the_cameras_memory(client, session):
    large = configuration_pb2.SESSION_PRESET_HD_4K
    name = session(preset=large, photo=False, start=True)
    with client.preview(name, max_size=(320, 180)) as preview:
        first = next(preview)
        client.configure(name, firstlight.configuration(SYNTHETIC[0], preset=large))
        # These are more frames than the ring holds. The ring is full, and frames still come.
        frames = list(itertools.takewhile(lambda frame: frame.sequence < first.sequence + 60, preview))
    assert frames
    assert frames[-1].stream_id == first.stream_id
    assert sum(frame.dropped.out_of_buffers for frame in frames) == 0


def test_A11_deleting_waits_for_its_turn(client, stubs, session):
    name = session()
    starts = [
        stubs.sessions.StartSession.future(sessions_pb2.StartSessionRequest(name=name), timeout=8) for _ in range(3)
    ]
    client.delete_session(name)
    for start in starts:
        # Each start is served before the deletion or refused after it.
        assert start.code() in (grpc.StatusCode.OK, grpc.StatusCode.NOT_FOUND)
    assert client.start(session()).state == State.STATE_RUNNING


def test_A1_a_forgotten_session_gives_its_camera_back(client, session):
    forgotten = client.create_session(idle_timeout=0.3).name
    client.configure(forgotten, firstlight.configuration(SYNTHETIC[0]))
    client.start(forgotten)
    waiting = session()
    while forgotten in {session.name for session in sessions(client)}:
        pass
    assert client.start(waiting).state == State.STATE_RUNNING
