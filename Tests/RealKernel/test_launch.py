"""Launches with a real driver: the order of the steps in the timeline and in the driver's own stamps."""

from contextlib import contextmanager

import grpc
import pytest

from client import PATIENCE, error_info, next_frame
from firstlight.v1 import session_service_pb2 as sessions_pb2

WILL, DID = "will_run_deferred_start", "did_run_deferred_start"


def kinds(messages):
    """The deferred start events among session events."""
    told = [message.event.WhichOneof("event") for message in messages]
    return [kind for kind in told if kind in (WILL, DID)]


def is_did(message):
    return message.event.WhichOneof("event") == DID


def timeline(client, name):
    request = sessions_pb2.GetLaunchTimelineRequest(name=name)
    return client.sessions.GetLaunchTimeline(request, timeout=PATIENCE).timeline


def run_deferred_start(client, name):
    client.sessions.RunDeferredStart(sessions_pb2.RunDeferredStartRequest(name=name), timeout=PATIENCE)


def commit(client, name, **changes):
    """Commits the session's configuration with some fields changed."""
    session = client.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name), timeout=PATIENCE).session
    configuration = session.configuration
    for field, value in changes.items():
        if value is None:
            configuration.ClearField(field)
        elif isinstance(value, bool):
            setattr(configuration, field, value)
        else:
            getattr(configuration, field).CopyFrom(value)
    request = sessions_pb2.ConfigureSessionRequest(name=name, configuration=configuration)
    client.sessions.ConfigureSession(request, timeout=PATIENCE)
    return configuration


@contextmanager
def manual(client):
    """A stopped session in manual mode, and its events."""
    with client.open_session(client.cameras()[0].name, start=False) as name:
        commit(client, name, automatically_runs_deferred_start=False)
        with client.watch_session(name) as events:
            events.next()
            yield name, events


def test_C1_C6_the_timeline_is_complete_and_in_order(client):
    with (
        client.open_session(client.cameras()[0].name, start=False) as name,
        client.watch_session(name) as events,
        client.stream_preview(name) as stream,
    ):
        client.start(name)
        first = next_frame(stream)
        told = events.until(is_did)
        # The picture settles a few frames later.
        while not timeline(client, name).HasField("first_settled_sequence"):
            next_frame(stream)
        launch = timeline(client, name)
    assert kinds(told) == [WILL, DID]
    steps = [
        launch.process_start_ns,
        launch.server_ready_ns,
        launch.session_created_ns,
        launch.configuration_committed_ns,
        launch.start_requested_ns,
        launch.first_frame_sent_ns,
        launch.deferred_start_begin_ns,
        launch.deferred_start_end_ns,
    ]
    assert all(steps)
    assert steps == sorted(steps)
    assert launch.start_requested_ns < launch.start_returned_ns
    # The daemon uses the driver's stamp unchanged. vivid stamps the end of a frame, 0.9 periods after it gave out the
    # frame.
    assert launch.start_requested_ns < launch.first_frame_captured_ns < launch.first_frame_sent_ns + 1_000_000_000 // 30
    assert launch.stream_id == first.stream_id
    assert launch.first_frame_captured_ns <= first.monotonic_time_ns
    assert launch.first_settled_frame_captured_ns >= launch.first_frame_captured_ns
    outputs = {output.output: output for output in launch.outputs}
    assert outputs["preview"].init_end_ns < launch.first_frame_sent_ns
    assert launch.first_frame_sent_ns < outputs["photo"].init_begin_ns < outputs["photo"].init_end_ns
    assert outputs["photo"].init_end_ns <= launch.deferred_start_end_ns


@pytest.mark.bare
def test_C5_deferring_everything_defers_nothing(client):
    with client.open_session(client.cameras()[0].name, start=False) as name, client.watch_session(name) as events:
        events.next()
        wanted = commit(client, name)
        wanted.preview.deferred_start_enabled = True
        commit(client, name, preview=wanted.preview)
        client.start(name)
        assert {output.output for output in timeline(client, name).outputs if output.init_end_ns} == {
            "preview",
            "photo",
        }
        client.stop(name)
        stopped = events.until(lambda message: message.event.state_changed.session_state == 1)
    assert kinds(stopped) == []


@pytest.mark.bare
def test_C7_C9_manual_mode_waits_for_the_call_and_a_commit_arms_it_again(client):
    with manual(client) as (name, events), client.stream_preview(name) as stream:
        client.start(name)
        for _ in range(40):
            next_frame(stream)
        assert not timeline(client, name).HasField("deferred_start_begin_ns")
        run_deferred_start(client, name)
        first = events.until(is_did)
        run_deferred_start(client, name)
        photo = commit(client, name).photo
        commit(client, name, photo=None)
        commit(client, name, photo=photo)
        run_deferred_start(client, name)
        second = events.until(is_did)
    assert kinds(first) == [WILL, DID]
    assert kinds(second) == [WILL, DID], "the repeated call told nothing"


@pytest.mark.bare
def test_C7_the_call_is_refused_in_automatic_mode(client):
    with client.open_session(client.cameras()[0].name) as name:
        with pytest.raises(grpc.RpcError) as failure:
            run_deferred_start(client, name)
        assert failure.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        assert error_info(failure.value).reason == "AUTOMATIC_DEFERRED_START"


@pytest.mark.bare
def test_C8_a_capture_starts_what_it_needs(client):
    with manual(client) as (name, events), client.stream_preview(name) as stream:
        client.start(name)
        next_frame(stream)
        captured = client.capture(name)
        assert any(event.WhichOneof("event") == "did_finish_processing_photo" for event in captured)
        assert kinds(events.until(is_did)) == [WILL, DID]
