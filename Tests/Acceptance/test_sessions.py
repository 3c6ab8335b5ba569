import time

import grpc
from google.protobuf import duration_pb2

import firstlight
from conftest import sessions
from firstlight.v1 import (
    preview_service_pb2 as preview_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
)
from support import SYNTHETIC, Collector, call, changed, refused, take, timecode, watching

State = session_pb2.Session.State


def test_A5_two_sessions_run_two_cameras(client, session):
    names = [session(device, start=True) for device in SYNTHETIC]
    with client.preview(names[0], max_size=(320, 180)) as one, client.preview(names[1], max_size=(320, 180)) as other:
        seen = [frame for both in zip(take(one, 5), take(other, 5), strict=True) for frame in both]
    assert all(timecode(frame).sequence == frame.sequence for frame in seen)
    assert len({frame.stream_id for frame in seen}) == 2
    assert [client.session(name).state for name in names] == [State.STATE_RUNNING] * 2


def test_A11_events_tell_the_life_in_order(client, session):
    name = session()
    events = watching(client, name)
    assert events.wait_for(len)[0].snapshot.name == name
    client.start(name)
    client.stop(name)
    told = events.wait_for(lambda items: changed(items[-1]) == "STATE_STOPPED")
    states = [changed(event) for event in told if changed(event).startswith("STATE_")]
    assert states == ["STATE_STARTING", "STATE_RUNNING", "STATE_STOPPING", "STATE_STOPPED"]
    ids = [event.event_id for event in told]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    with client.watch_session(name, after_event_id=ids[0]) as again:
        assert take(again, len(told) - 1) == told[1:]
    client.delete_session(name)
    assert events.wait_for_end().code is grpc.StatusCode.NOT_FOUND


def test_A11_a_cancelled_start_leaves_a_whole_session(client, stubs, session):
    name = session()
    events = watching(client, name)
    start = stubs.sessions.StartSession.future(sessions_pb2.StartSessionRequest(name=name))
    events.wait_for(lambda items: any(changed(event) == "STATE_STARTING" for event in items))
    start.cancel()
    # Steps of the launch may follow before the test reads the events.
    events.wait_for(lambda items: any(changed(event) == "STATE_RUNNING" for event in items))
    assert client.start(name).state == State.STATE_RUNNING
    assert client.stop(name).state == State.STATE_STOPPED


def test_A13_a_preview_opened_before_start_is_quiet_then_flows(client, stubs, session):
    name = session()
    request = preview_pb2.StreamPreviewRequest(session=name)
    told = Collector(firstlight.Stream(stubs.previews.StreamPreview(request), lambda response: response))
    (opened,) = told.wait_for(len)
    assert opened.status.session_state == State.STATE_STOPPED
    asked_ns = time.time_ns()
    client.start(name)
    responses = told.wait_for(lambda items: sum(item.HasField("frame") for item in items) >= 3)
    frames = [firstlight.Frame.from_message(item.frame) for item in responses if item.HasField("frame")]
    assert all(timecode(frame).capture_time_ns > asked_ns for frame in frames)
    statuses = [item.status.session_state for item in responses if item.HasField("status")]
    assert statuses[-1] == State.STATE_RUNNING


def test_A16_a_live_session_keeps_its_camera_when_only_an_output_changes(client, session):
    name = session(start=True, photo=False)
    with client.preview(name) as preview:
        before = next(preview)
        client.configure(name, firstlight.configuration(SYNTHETIC[0]))
        after = take(preview, 5)[-1]
    assert after.stream_id == before.stream_id
    assert after.config_revision > before.config_revision


def test_A1_an_idle_session_goes_away_by_itself(client, stubs):
    request = sessions_pb2.CreateSessionRequest(idle_timeout=duration_pb2.Duration(nanos=300_000_000))
    name = call(stubs.sessions.CreateSession, request).session.name
    with refused("NOT_FOUND", "SESSION_NOT_FOUND"):
        # ListSessions does not name the session in its request, so the call does not keep the session alive.
        while name in {session.name for session in sessions(client)}:
            pass
        client.session(name)


def test_A1_an_attached_stream_keeps_a_session(client):
    name = client.create_session(idle_timeout=0.3).name
    other = client.create_session(idle_timeout=0.6).name
    with client.watch_session(name) as events:
        next(events)
        while other in {session.name for session in sessions(client)}:
            pass
        assert client.session(name).name == name
    client.delete_session(name)
