"""Sessions on demand: their camera runs while somebody watches, and at no other time."""

from __future__ import annotations

import contextlib
import time

import pytest

import firstlight
from conftest import sessions
from faults import REPLUG, UNPLUG, inject
from firstlight.v1 import photo_service_pb2 as photos_pb2, preview_service_pb2 as preview_pb2, session_pb2, types_pb2
from support import SYNTHETIC, TIMEOUT, Collector, Stubs, call, changed, refused, timecode, watching

State = session_pb2.Session.State
DEFAULT = "sessions/default"
DOOR = "sessions/door"
FILE = """
sessions:
  door:
    start: on-demand
    idle-timeout: {timeout}
    inputs:
      - device: devices/synthetic-0
        format: {{pixel_format: NV12, width: 320, height: 180}}
        frame_rate_override: {{numerator: 30, denominator: 1}}
    preview: {{}}
    video_data: [{{id: data}}]
    photo: {{}}
"""
#: How often a session that waits for its camera looks for it.
RETRY_SECONDS = 0.5
#: Longer than any test of this module takes.
LONG = 600


@pytest.fixture
def door(own_daemon, tmp_path):
    """Starts a daemon with the session `door`, which starts on demand and stops after this number of seconds, and gives
    a client of this daemon.
    """
    with contextlib.ExitStack() as stack:

        def start(timeout=0.2, rate=30):
            path = tmp_path / "firstlight.yaml"
            path.write_text(FILE.format(timeout=timeout).replace("numerator: 30", f"numerator: {rate}"))
            daemon = own_daemon("--config", str(path), "--enable-fault-injection")
            return stack.enter_context(firstlight.connect(daemon.address, timeout=TIMEOUT))

        yield start


def states(items):
    """The states that the events of a session tell, in their order."""
    return [name for name in map(changed, items) if name.startswith("STATE_")]


def test_the_first_viewer_starts_the_session_and_it_stops_after_the_last(door):
    client = door()
    assert client.session(DOOR).on_demand
    assert client.session(DOOR).state == State.STATE_STOPPED
    assert client.launch_timeline(DOOR).start_requested_ns == 0
    with contextlib.closing(watching(client, DOOR)) as events:
        with client.preview(DOOR, pixel_format="NV12") as first:
            shown = next(first)
            assert timecode(shown).sequence == shown.sequence
            with client.preview(DOOR, pixel_format="NV12") as second:
                assert next(second).stream_id == shown.stream_id
            # The second viewer has left, and frames go on coming.
            later = next(frame for frame in first if frame.sequence >= shown.sequence + 20)
            assert later.stream_id == shown.stream_id
            assert states(events.wait_for(len)) == ["STATE_STARTING", "STATE_RUNNING"]
        events.wait_for(lambda items: "STATE_STOPPED" in states(items))
        assert client.session(DOOR).state == State.STATE_STOPPED
        with client.preview(DOOR, pixel_format="NV12") as third:
            assert next(third).stream_id != shown.stream_id


def test_C8_the_launch_timeline_of_a_start_on_demand_has_every_step(door):
    client = door(LONG)
    with contextlib.closing(watching(client, DOOR)) as events, client.preview(DOOR) as preview:
        next(preview)
        items = events.wait_for(
            lambda items: any(
                event.launch_timeline.deferred_start_end_ns and event.launch_timeline.first_settled_frame_captured_ns
                for event in items
            )
        )
    timeline = [event.launch_timeline for event in items if changed(event) == "launch_timeline"][-1]
    assert timeline.process_start_ns < timeline.server_ready_ns < timeline.start_requested_ns
    steps = ("start_requested", "start_returned", "first_frame_sent", "deferred_start_end")
    instants = [getattr(timeline, f"{step}_ns") for step in steps]
    assert instants == sorted(instants)
    assert timeline.start_requested_ns < timeline.first_frame_captured_ns < timeline.first_frame_sent_ns
    assert {output.output for output in timeline.outputs} == {"preview", "data", "photo"}


def test_a_reader_of_video_data_is_a_viewer(door):
    client = door()
    with contextlib.closing(watching(client, DOOR)) as events:
        with client.video_data(DOOR, "data") as data:
            assert next(data).width == 320
        events.wait_for(lambda items: "STATE_STOPPED" in states(items))


def test_a_photo_of_a_stopped_session_starts_the_camera(door):
    client = door()
    with contextlib.closing(watching(client, DOOR)) as events:
        photo = client.photo(DOOR)
        assert timecode(photo).sequence == photo.sequence
        items = events.wait_for(lambda items: "STATE_STOPPED" in states(items))
        assert states(items)[:2] == ["STATE_STARTING", "STATE_RUNNING"]


def test_a_capture_whose_client_has_left_gets_its_photo(door):
    # The session stops as soon as nobody needs it, and the frame that the photo waits for takes a while to come.
    client = door(0, rate=5)
    photos = Stubs(client.channel).photos
    capture = photos.CapturePhoto(photos_pb2.CapturePhotoRequest(session=DOOR), timeout=TIMEOUT)
    begun = next(capture).event
    assert begun.HasField("will_begin_capture")
    capture.cancel()
    request = photos_pb2.WatchCapturesRequest(session=DOOR, after_event_id=begun.event_id)
    captures = Collector(firstlight.Stream(photos.WatchCaptures(request), lambda response: response))
    items = captures.wait_for(lambda items: items and items[-1].event.HasField("did_finish_capture"))
    assert not items[-1].event.did_finish_capture.HasField("error"), items
    with contextlib.closing(watching(client, DOOR)) as events:
        events.wait_for(
            lambda items: items[0].snapshot.state == State.STATE_STOPPED or "STATE_STOPPED" in states(items)
        )
    captures.close()


def test_a_viewer_of_a_session_that_could_not_start_gets_the_camera_of_a_later_commit(own_daemon):
    with firstlight.connect(own_daemon("--synthetic", "1").address, timeout=TIMEOUT) as client:
        session = client.session(DEFAULT)
        outputs = session.configuration
        without = type(outputs)()
        without.CopyFrom(outputs)
        del without.inputs[:]
        client.configure(DEFAULT, without)
        with contextlib.closing(watching(client, DEFAULT)) as events, client.preview(DEFAULT) as preview:
            with refused("FAILED_PRECONDITION", "NO_INPUT"):
                client.photo(DEFAULT)
            client.configure(DEFAULT, outputs)
            assert next(preview).width > 0
            assert states(events.wait_for(lambda items: "STATE_RUNNING" in states(items)))[0] == "STATE_STARTING"


def test_who_only_watches_events_neither_starts_the_session_nor_keeps_it_running(door):
    client = door()
    photos = Stubs(client.channel).photos

    def collected(stream):
        return Collector(firstlight.Stream(stream, lambda response: response))

    events = watching(client, DOOR)
    readiness = collected(photos.WatchReadiness(photos_pb2.WatchReadinessRequest(session=DOOR)))
    readiness.wait_for(len)
    captures = collected(photos.WatchCaptures(photos_pb2.WatchCapturesRequest(session=DOOR)))
    assert client.session(DOOR).state == State.STATE_STOPPED
    before = time.monotonic_ns()
    client.photo(DOOR)
    # The session starts for the photo alone.
    assert client.launch_timeline(DOOR).start_requested_ns > before
    # It stops after the photo, although all three still watch.
    captures.wait_for(len)
    items = events.wait_for(lambda items: "STATE_STOPPED" in states(items))
    assert states(items)[:2] == ["STATE_STARTING", "STATE_RUNNING"]
    for watcher in (events, readiness, captures):
        watcher.close()


def test_a_stop_by_a_client_holds_until_the_next_viewer_comes(door):
    client = door(LONG)
    request = preview_pb2.StreamPreviewRequest(session=DOOR, encoding=firstlight.Encoding.JPEG)
    staying = Collector(
        firstlight.Stream(Stubs(client.channel).previews.StreamPreview(request), lambda response: response)
    )
    staying.wait_for(lambda items: any(item.HasField("frame") for item in items))
    assert client.stop(DOOR).state == State.STATE_STOPPED
    staying.wait_for(lambda items: items[-1].status.session_state == State.STATE_STOPPED)
    assert client.session(DOOR).state == State.STATE_STOPPED
    with client.preview(DOOR) as preview:
        stream = next(preview).stream_id
        # The viewer who stayed gets the frames of the new stream, too.
        staying.wait_for(lambda items: any(item.frame.stream_id == stream for item in items))
    staying.close()


def test_a_start_by_a_client_lasts_for_the_idle_timeout(door):
    client = door()
    with contextlib.closing(watching(client, DOOR)) as events:
        assert client.start(DOOR).state == State.STATE_RUNNING
        events.wait_for(lambda items: "STATE_STOPPED" in states(items))


def test_a_camera_that_is_unplugged_while_it_is_watched_comes_back(door):
    client = door(LONG)
    with contextlib.closing(watching(client, DOOR)) as events, client.preview(DOOR, pixel_format="NV12") as preview:
        stream = next(preview).stream_id
        inject(client, UNPLUG)
        events.wait_for(lambda items: "STATE_INTERRUPTED" in states(items))
        assert client.session(DOOR).interruption_reason == types_pb2.INTERRUPTION_REASON_DEVICE_DISCONNECTED
        inject(client, REPLUG)
        assert next(frame for frame in preview if frame.stream_id != stream)


def test_a_viewer_of_an_absent_camera_waits_for_it(door):
    client = door(LONG)
    inject(client, UNPLUG)
    with contextlib.closing(watching(client, DOOR)) as events, client.preview(DOOR, pixel_format="NV12") as preview:
        events.wait_for(lambda items: "STATE_INTERRUPTED" in states(items))
        with refused("UNAVAILABLE", "DEVICE_DISCONNECTED"):
            client.photo(DOOR)
        inject(client, REPLUG)
        assert next(preview).width == 320


def test_nobody_waits_for_an_absent_camera_when_the_viewers_have_left(door):
    client = door()
    inject(client, UNPLUG)
    with contextlib.closing(watching(client, DOOR)) as events:
        with client.preview(DOOR, pixel_format="NV12"):
            events.wait_for(lambda items: "STATE_INTERRUPTED" in states(items))
        items = events.wait_for(lambda items: states(items)[-1] == "STATE_STOPPED")
        inject(client, REPLUG)
        # A stopped session does not claim its camera, so another session can start there.
        other = client.create_session(configuration=firstlight.configuration(SYNTHETIC[0]), start=True)
        assert other.state == State.STATE_RUNNING
        # A session that still waited for its camera would look for it during this time, and take it when it is free.
        time.sleep(2 * RETRY_SECONDS)
        client.stop(other.name)
        time.sleep(2 * RETRY_SECONDS)
        assert client.start(other.name).state == State.STATE_RUNNING
        client.stop(other.name)
        client.start(DOOR)
        since = events.wait_for(lambda now: states(now[len(items) :])[-1:] == ["STATE_RUNNING"])[len(items) :]
        assert states(since) == ["STATE_STARTING", "STATE_RUNNING"], "nothing happened before this start"


def test_a_camera_of_another_session_is_watched_when_it_is_free(door):
    client = door(LONG)
    other = client.create_session(configuration=firstlight.configuration(SYNTHETIC[0]), start=True).name
    with contextlib.closing(watching(client, DOOR)) as events, client.preview(DOOR, pixel_format="NV12") as preview:
        events.wait_for(lambda items: "STATE_INTERRUPTED" in states(items))
        assert client.session(DOOR).interruption_reason == types_pb2.INTERRUPTION_REASON_DEVICE_IN_USE
        client.stop(other)
        assert next(preview).width == 320


def test_without_declared_sessions_there_is_one_on_the_first_camera(own_daemon):
    with firstlight.connect(own_daemon().address, timeout=TIMEOUT) as client:
        (session,) = sessions(client)
        assert (session.name, session.state, session.on_demand) == (DEFAULT, State.STATE_STOPPED, True)
        assert [each.device for each in session.configuration.inputs] == [SYNTHETIC[0]]
        photo = session.resolved_configuration.photo
        assert photo.zero_shutter_lag_enabled
        assert photo.responsive_capture_enabled
        assert photo.fast_capture_prioritization_enabled
        assert photo.deferred_start_enabled
        with client.preview(DEFAULT, pixel_format="NV12") as preview:
            frame = next(preview)
            shown = client.photo(DEFAULT, of=frame)
            assert timecode(shown).sequence == frame.sequence


def test_the_default_session_is_there_without_prewarming_and_with_a_file_without_sessions(own_daemon, tmp_path):
    path = tmp_path / "firstlight.yaml"
    path.write_text("prewarm: false\n")
    daemon = own_daemon("--config", str(path))
    with (
        firstlight.connect(daemon.address, timeout=TIMEOUT) as client,
        client.preview(DEFAULT, pixel_format="NV12") as preview,
    ):
        assert next(preview).width > 0


def test_without_a_camera_viewers_find_the_outputs_of_the_default_session(own_daemon):
    with firstlight.connect(own_daemon("--synthetic", "0").address, timeout=TIMEOUT) as client:
        session = client.session(DEFAULT)
        assert (session.state, list(session.configuration.inputs)) == (State.STATE_STOPPED, [])
        first = call(Stubs(client.channel).previews.StreamPreview, preview_pb2.StreamPreviewRequest(session=DEFAULT))
        assert first.status.session_state == State.STATE_STOPPED
        with refused("FAILED_PRECONDITION", "NO_INPUT"):
            client.start(DEFAULT)
        with refused("FAILED_PRECONDITION", "NO_INPUT"):
            client.photo(DEFAULT)


@pytest.mark.parametrize("text", ["sessions: {}\n", FILE.format(timeout=LONG)], ids=["none", "another"])
def test_a_file_that_speaks_of_sessions_has_no_default_session(own_daemon, tmp_path, text):
    path = tmp_path / "firstlight.yaml"
    path.write_text(text)
    with firstlight.connect(own_daemon("--config", str(path)).address, timeout=TIMEOUT) as client:
        assert DEFAULT not in {session.name for session in sessions(client)}
        with refused("NOT_FOUND", "SESSION_NOT_FOUND"):
            client.session(DEFAULT)
