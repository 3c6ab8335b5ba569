"""One call creates a running session, or fails and leaves no session."""

import contextlib

import grpc
import pytest

import firstlight
from captures import SMALL, at_once
from conftest import sessions
from faults import REPLUG, UNPLUG, inject, simulate, slow_start
from firstlight import PressureLevel
from firstlight.v1 import (
    preview_service_pb2 as preview_pb2,
    session_configuration_pb2 as configuration_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
)
from support import SYNTHETIC, TIMEOUT, Stubs, refused

State = session_pb2.Session.State
WANTED = firstlight.configuration(SYNTHETIC[0], **SMALL)
#: The session that a daemon has from the beginning.
DEFAULT = "sessions/default"


@pytest.fixture
def faulty(own_daemon):
    """A client of a daemon that accepts injected faults."""
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=8) as client:
        yield client


def names(client):
    return {session.name for session in sessions(client)}


def begin(client, session_id, configuration=WANTED):
    """Begins to create a running session. The call goes on while the test continues."""
    request = sessions_pb2.CreateSessionRequest(session_id=session_id, configuration=configuration, start=True)
    return Stubs(client.channel).sessions.CreateSession.future(request, timeout=8)


def first_frame(client, name, create):
    """The first frame of a session, or the error if there is none, and whether the creation was still under way."""
    meanwhile = not create.done()
    try:
        with client.preview(name) as preview:
            return next(preview), meanwhile
    except firstlight.FirstlightError as error:
        return error, meanwhile


def how_it_ended(create):
    """The state of the created session, or the code and the reason of the error."""
    try:
        return State.Name(create.result(timeout=TIMEOUT).session.state)
    except grpc.RpcError as error:
        failure = firstlight.FirstlightError.from_rpc_error(error)
        return f"{failure.code.name} {failure.reason}"


def told(action):
    """The error of a call that must fail: code, reason, metadata without the session's name, and fields."""
    with pytest.raises(firstlight.FirstlightError) as raised:
        action()
    error = raised.value
    metadata = {key: value for key, value in error.metadata.items() if key != "session"}
    return error.code.name, error.reason, metadata, [violation.field for violation in error.violations]


def test_one_call_leads_to_a_running_session(client, unique_id):
    created = client.create_session(unique_id, configuration=WANTED, start=True)
    try:
        assert created.name == f"sessions/{unique_id}"
        assert created.state == State.STATE_RUNNING
        assert created.configuration == WANTED
        assert client.session(created.name) == created
        with client.preview(created.name) as preview:
            frame = next(preview)
        assert (frame.width, frame.height) == SMALL["size"]
        assert frame.config_revision == created.config_revision
    finally:
        client.delete_session(created.name)


def test_a_session_created_with_a_configuration_is_as_one_configured_later(client, session):
    created = client.create_session(configuration=WANTED)
    try:
        assert created.state == State.STATE_STOPPED
        later = client.session(session(**SMALL))
        for field in ("configuration", "resolved_configuration", "output_capabilities", "cost_components"):
            assert getattr(created, field) == getattr(later, field), field
        assert (created.etag != "", created.config_revision) == (True, later.config_revision)
        assert client.start(created.name).state == State.STATE_RUNNING
    finally:
        client.delete_session(created.name)


def zero_shutter_lag_of_a_minute():
    wanted = firstlight.configuration(SYNTHETIC[0])
    wanted.photo.zero_shutter_lag_window.FromSeconds(60)
    return wanted


COMMITS = {
    "no device": firstlight.configuration("devices/nowhere"),
    "malformed device": firstlight.configuration("nowhere"),
    "unknown format": firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(641, 7)),
    "unknown preset": configuration_pb2.SessionConfiguration(preset=99),
    "out of range": zero_shutter_lag_of_a_minute(),
    "not together": firstlight.configuration(SYNTHETIC[0], zero_shutter_lag=False, responsive_capture=True),
}
STARTS = {
    "cost": firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(3840, 2160), frame_rate=60),
    "no output": firstlight.configuration(SYNTHETIC[0], preview=False, photo=False),
    "no input": configuration_pb2.SessionConfiguration(preview=configuration_pb2.PreviewOutput()),
}


@pytest.mark.parametrize("start", [False, True], ids=["stopped", "started"])
@pytest.mark.parametrize("kind", COMMITS)
def test_a_configuration_that_is_refused_leaves_no_session(client, session, unique_id, kind, start):
    expected = told(lambda: client.configure(session(configure=False), COMMITS[kind]))
    assert told(lambda: client.create_session(unique_id, configuration=COMMITS[kind], start=start)) == expected
    assert expected[3], "no field is named"
    assert all(field.startswith("configuration.") for field in expected[3])
    with refused("NOT_FOUND", "SESSION_NOT_FOUND"):
        client.session(f"sessions/{unique_id}")
    client.create_session(unique_id)
    client.delete_session(f"sessions/{unique_id}")


def test_each_field_at_fault_is_named_from_configuration_on(client):
    with refused("INVALID_ARGUMENT") as refusal:
        client.create_session(configuration=COMMITS["out of range"], start=True)
    assert [violation.field for violation in refusal.error.violations] == [
        "configuration.photo.zero_shutter_lag_window"
    ]


@pytest.mark.parametrize("kind", STARTS)
def test_a_start_that_is_refused_leaves_no_session(client, session, unique_id, kind):
    stopped = session(configure=False)
    client.configure(stopped, STARTS[kind])
    expected = told(lambda: client.start(stopped))
    assert told(lambda: client.create_session(unique_id, configuration=STARTS[kind], start=True)) == expected
    assert f"sessions/{unique_id}" not in names(client)
    assert client.start(session()).state == State.STATE_RUNNING, "the camera is free"


def test_a_start_without_a_configuration_has_no_input(client, unique_id):
    with refused("FAILED_PRECONDITION", "NO_INPUT"):
        client.create_session(unique_id, start=True)
    assert f"sessions/{unique_id}" not in names(client)


def test_a_malformed_id_creates_nothing(client):
    before = names(client)
    with refused("INVALID_ARGUMENT") as refusal:
        client.create_session("Not An Id", configuration=WANTED, start=True)
    assert [violation.field for violation in refusal.error.violations] == ["session_id"]
    assert names(client) == before
    assert client.device(SYNTHETIC[0]).session == ""


def test_a_camera_in_use_leaves_no_session(client, session, unique_id):
    holder = session(start=True)
    with refused("UNAVAILABLE", "DEVICE_IN_USE") as refusal:
        client.create_session(unique_id, configuration=WANTED, start=True)
    assert holder.endswith(refusal.error.metadata["session"])
    assert f"sessions/{unique_id}" not in names(client)
    assert client.device(SYNTHETIC[0]).session == holder
    assert client.session(holder).state == State.STATE_RUNNING
    client.stop(holder)
    client.create_session(unique_id, configuration=WANTED, start=True)
    client.delete_session(f"sessions/{unique_id}")


def test_an_id_that_is_taken_leaves_its_session_alone(client, session):
    name = session(start=True, **SMALL)
    before = client.session(name)
    with refused("ALREADY_EXISTS", "SESSION_EXISTS"):
        client.create_session(name.removeprefix("sessions/"), configuration=COMMITS["no device"], start=True)
    assert client.session(name) == before


def test_creations_that_failed_take_no_place(client):
    before = names(client)
    for _ in range(client.server_info().limits.max_sessions + 6):
        with refused("FAILED_PRECONDITION", "NO_OUTPUT"):
            client.create_session(configuration=STARTS["no output"], start=True)
    assert names(client) == before
    client.delete_session(client.create_session().name)


def test_of_many_creations_with_one_id_exactly_one_wins(client, unique_id):
    results = at_once(8, lambda _: client.create_session(unique_id, configuration=WANTED, start=True))
    created = [result for result in results if isinstance(result, session_pb2.Session)]
    refusals = [result.reason for result in results if isinstance(result, firstlight.FirstlightError)]
    try:
        assert (len(created), refusals) == (1, ["SESSION_EXISTS"] * 7)
        assert client.session(created[0].name).state == State.STATE_RUNNING
    finally:
        client.delete_session(f"sessions/{unique_id}")


def test_a_camera_that_is_unplugged_leaves_no_session(faulty):
    inject(faulty, UNPLUG)
    # A configuration cannot name a camera that is absent.
    with refused("NOT_FOUND", "DEVICE_NOT_FOUND"):
        faulty.create_session("gone", configuration=WANTED, start=True)
    assert names(faulty) == {DEFAULT}
    inject(faulty, REPLUG)
    assert faulty.create_session("gone", configuration=WANTED, start=True).state == State.STATE_RUNNING


def test_pressure_at_shutdown_leaves_no_session(faulty):
    simulate(faulty, PressureLevel.SHUTDOWN)
    with refused("UNAVAILABLE", "SYSTEM_PRESSURE"):
        faulty.create_session("hot", configuration=WANTED, start=True)
    assert names(faulty) == {DEFAULT}
    simulate(faulty, PressureLevel.NOMINAL)
    assert faulty.create_session("hot", configuration=WANTED, start=True).state == State.STATE_RUNNING


def test_the_first_frame_may_be_asked_for_before_the_call_has_returned(faulty):
    inject(faulty, slow_start(1))
    create = begin(faulty, "early")
    frame, meanwhile = first_frame(faulty, "sessions/early", create)
    assert meanwhile, "it was asked for too late to prove anything"
    assert (frame.width, frame.height) == SMALL["size"]
    assert create.result(timeout=8).session.state == State.STATE_RUNNING


@pytest.mark.parametrize("first", ["creation", "stream"])
def test_creation_and_preview_may_be_asked_for_at_once(client, unique_id, first):
    request = preview_pb2.StreamPreviewRequest(session=f"sessions/{unique_id}")
    for _ in range(20):
        # The two calls are on their way together, so either may reach the daemon first.
        create = begin(client, unique_id) if first == "creation" else None
        stream = Stubs(client.channel).previews.StreamPreview(request, timeout=TIMEOUT)
        create = create or begin(client, unique_id)
        assert any(answer.HasField("frame") for answer in stream)
        stream.cancel()
        assert how_it_ended(create) == "STATE_RUNNING"
        client.delete_session(f"sessions/{unique_id}")


def test_a_preview_of_a_creation_that_fails_is_told_that_there_is_no_session(faulty):
    inject(faulty, slow_start(1))
    create = begin(faulty, "in-vain")
    inject(faulty, UNPLUG)
    error, _ = first_frame(faulty, "sessions/in-vain", create)
    assert (error.code, error.reason) == (grpc.StatusCode.NOT_FOUND, "SESSION_NOT_FOUND")
    # The error depends on whether the camera was unplugged before the commit or after it.
    assert how_it_ended(create) in ("UNAVAILABLE DEVICE_DISCONNECTED", "NOT_FOUND DEVICE_NOT_FOUND")
    assert names(faulty) == {DEFAULT}


def test_a_session_deleted_while_it_is_created_is_gone(faulty):
    inject(faulty, slow_start(1))
    create = begin(faulty, "deleted")
    while True:
        assert not create.done()
        # A deletion that reaches the daemon before the creation finds no session.
        with contextlib.suppress(firstlight.FirstlightError):
            faulty.delete_session("sessions/deleted")
            break
    # The deletion interrupted the creation, or waited until the session existed.
    assert how_it_ended(create) in ("STATE_RUNNING", "ABORTED OPERATION_INTERRUPTED")
    assert names(faulty) == {DEFAULT}
    inject(faulty, slow_start(0))
    assert faulty.create_session("deleted", configuration=WANTED, start=True).state == State.STATE_RUNNING
