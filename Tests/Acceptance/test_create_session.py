"""One call creates a running session, or fails and leaves no session."""

import contextlib

import grpc
import pytest

import firstlight
from captures import SMALL
from conftest import sessions
from faults import inject, slow_start
from firstlight.v1 import (
    preview_service_pb2 as preview_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
)
from support import SYNTHETIC, TIMEOUT, Stubs

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
