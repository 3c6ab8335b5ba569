import time

import grpc
import pytest
from google.protobuf import duration_pb2

import firstlight
from conftest import sessions
from firstlight.v1 import (
    preview_service_pb2 as preview_pb2,
    session_configuration_pb2 as configuration_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
)
from support import SYNTHETIC, Collector, call, changed, refused, take, timecode, watching

State = session_pb2.Session.State


def configure(stubs, name, configuration, **fields):
    request = sessions_pb2.ConfigureSessionRequest(name=name, configuration=configuration, **fields)
    return call(stubs.sessions.ConfigureSession, request)


def test_A1_a_new_session_is_stopped_and_empty(client, stubs):
    created = client.create_session("made-by-hand")
    try:
        assert created.name == "sessions/made-by-hand"
        assert created.state == State.STATE_STOPPED
        assert not created.configuration.inputs
        assert client.session(created.name) == created
        assert created.name in {session.name for session in sessions(client)}
        with refused("ALREADY_EXISTS", "SESSION_EXISTS"):
            client.create_session("made-by-hand")
    finally:
        client.delete_session(created.name)
    with refused("NOT_FOUND", "SESSION_NOT_FOUND"):
        client.session(created.name)


def test_A1_the_server_makes_an_id_when_none_is_given(client, session):
    names = {session(configure=False) for _ in range(3)}
    assert len(names) == 3
    assert all(name.startswith("sessions/") for name in names)


def test_A2_a_session_needs_an_input_and_an_output(client, session):
    empty = session(configure=False)
    with refused("FAILED_PRECONDITION", "NO_INPUT"):
        client.start(empty)
    with refused("FAILED_PRECONDITION", "NO_OUTPUT"):
        client.start(session(preview=False, photo=False))
    outputs_only = configuration_pb2.SessionConfiguration(preview=configuration_pb2.PreviewOutput())
    client.configure(empty, outputs_only)
    with refused("FAILED_PRECONDITION", "NO_INPUT"):
        client.start(empty)
    assert client.session(empty).state == State.STATE_STOPPED
    client.configure(empty, firstlight.configuration(SYNTHETIC[0]))
    assert client.start(empty).state == State.STATE_RUNNING


def test_A5_a_device_is_claimed_from_start_to_stop(client, session):
    holder = session(start=True)
    waiting = session()
    with refused("UNAVAILABLE", "DEVICE_IN_USE") as refusal:
        client.start(waiting)
    assert "synthetic-0" in " ".join(refusal.error.metadata.values())
    assert client.session(waiting).state == State.STATE_STOPPED
    client.stop(holder)
    assert client.start(waiting).state == State.STATE_RUNNING


def test_A5_two_sessions_run_two_cameras(client, session):
    names = [session(device, start=True) for device in SYNTHETIC]
    with client.preview(names[0], max_size=(320, 180)) as one, client.preview(names[1], max_size=(320, 180)) as other:
        seen = [frame for both in zip(take(one, 5), take(other, 5), strict=True) for frame in both]
    assert all(timecode(frame).sequence == frame.sequence for frame in seen)
    assert len({frame.stream_id for frame in seen}) == 2
    assert [client.session(name).state for name in names] == [State.STATE_RUNNING] * 2


def test_A8_the_preset_picks_the_size(client, session):
    name = session(configure=False)
    for preset, size in {
        configuration_pb2.SESSION_PRESET_HD_720P: (1280, 720),
        configuration_pb2.SESSION_PRESET_HD_1080P: (1920, 1080),
        configuration_pb2.SESSION_PRESET_HD_4K: (3840, 2160),
        configuration_pb2.SESSION_PRESET_HIGH: (1920, 1080),
    }.items():
        wanted = firstlight.configuration(SYNTHETIC[0], preset=preset)
        chosen = client.configure(name, wanted).resolved_configuration.inputs[0].format
        assert (chosen.width, chosen.height) == size


def test_A8_an_explicit_format_means_input_priority(client, session):
    name = session(pixel_format="YUYV", size=(640, 360))
    resolved = client.session(name).resolved_configuration
    assert resolved.preset == configuration_pb2.SESSION_PRESET_INPUT_PRIORITY
    assert resolved.inputs[0].format.pixel_format == "YUYV"


def test_A9_a_commit_with_one_bad_change_changes_nothing(client, stubs, session):
    name = session()
    before = client.session(name)
    bad = firstlight.configuration(SYNTHETIC[1], frame_rate=15)
    bad.photo.zero_shutter_lag_window.FromSeconds(60)
    with refused("INVALID_ARGUMENT") as refusal:
        configure(stubs, name, bad)
    assert [v.field for v in refusal.error.violations] == ["configuration.photo.zero_shutter_lag_window"]
    assert client.session(name) == before


def test_A9_validate_only_tells_everything_and_changes_nothing(client, stubs, session):
    name = session()
    before = client.session(name)
    good = configure(stubs, name, firstlight.configuration(SYNTHETIC[1], frame_rate=10), validate_only=True)
    assert not good.issues
    assert good.session.resolved_configuration.inputs[0].device == SYNTHETIC[1]

    bad = firstlight.configuration("devices/nowhere")
    bad.photo.zero_shutter_lag_window.FromSeconds(60)
    response = configure(stubs, name, bad, validate_only=True)
    assert {(issue.field, issue.reason) for issue in response.issues} == {
        ("configuration.inputs[0].device", "DEVICE_NOT_FOUND"),
        ("configuration.photo.zero_shutter_lag_window", "INVALID_ARGUMENT"),
    }
    assert client.session(name) == before


@pytest.mark.parametrize(
    ("configuration", "code", "reason"),
    [
        (firstlight.configuration("devices/nowhere"), "NOT_FOUND", "DEVICE_NOT_FOUND"),
        (
            firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(641, 7)),
            "FAILED_PRECONDITION",
            "FORMAT_NOT_SUPPORTED",
        ),
        (
            firstlight.configuration(SYNTHETIC[0], preset=configuration_pb2.SESSION_PRESET_INPUT_PRIORITY),
            "INVALID_ARGUMENT",
            None,
        ),
        (configuration_pb2.SessionConfiguration(preset=99), "INVALID_ARGUMENT", None),
        (firstlight.configuration("nowhere"), "INVALID_ARGUMENT", None),
        (
            configuration_pb2.SessionConfiguration(
                inputs=[configuration_pb2.SessionInput(id=id, device=SYNTHETIC[0]) for id in "ab"]
            ),
            "INVALID_ARGUMENT",
            "INVALID_ARGUMENT",
        ),
    ],
    ids=["device", "format", "input-priority", "preset", "device-name", "one-camera-twice"],
)
def test_A9_each_bad_configuration_has_its_own_error(stubs, session, configuration, code, reason):
    with refused(code, reason):
        configure(stubs, session(), configuration)


def test_A9_the_etag_changes_with_the_configuration_alone(client, stubs, session):
    name = session()
    first = client.session(name)
    client.start(name)
    assert client.session(name).etag == first.etag
    same = configure(stubs, name, first.configuration)
    assert (same.session.etag, same.reconfigured) == (first.etag, False)
    assert same.session.config_revision == first.config_revision

    slower = firstlight.configuration(SYNTHETIC[0], frame_rate=10)
    second = configure(stubs, name, slower, etag=first.etag)
    assert second.session.etag != first.etag
    assert second.reconfigured
    for refused_call in (
        lambda: configure(stubs, name, first.configuration, etag=first.etag),
        lambda: call(stubs.sessions.StopSession, sessions_pb2.StopSessionRequest(name=name, etag=first.etag)),
        lambda: call(stubs.sessions.DeleteSession, sessions_pb2.DeleteSessionRequest(name=name, etag=first.etag)),
    ):
        with refused("ABORTED", "ETAG_MISMATCH"):
            refused_call()
    assert client.session(name) == second.session


def test_A11_start_and_stop_may_be_repeated(client, session):
    name = session()
    for expected, act in ((State.STATE_RUNNING, client.start), (State.STATE_STOPPED, client.stop)):
        assert act(name).state == expected
        assert act(name).state == expected
        assert client.session(name).state == expected


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


def test_A11_events_are_resumed_after_one_that_was_seen(client, session):
    name = session()
    events = watching(client, name)
    client.start(name)
    client.stop(name)
    with client.watch_session(name) as fresh:
        newest = next(fresh).event_id
    told = events.wait_for(lambda items: items[-1].event_id == newest)
    with client.watch_session(name, after_event_id=told[-3].event_id) as resumed:
        assert take(resumed, 2) == told[-2:]
    for unknown in ("1", "nobody's", f"{newest}0"):
        with refused("OUT_OF_RANGE", "EVENTS_LOST"):
            next(client.watch_session(name, after_event_id=unknown))


def test_A11_events_of_another_session_of_the_same_name_are_lost(client):
    name = client.create_session("born-again").name
    client.configure(name, firstlight.configuration(SYNTHETIC[0]))
    with client.watch_session(name) as events:
        before = next(events).event_id
    client.delete_session(name)
    assert client.create_session("born-again").name == name
    try:
        with refused("OUT_OF_RANGE", "EVENTS_LOST"):
            next(client.watch_session(name, after_event_id=before))
    finally:
        client.delete_session(name)


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
