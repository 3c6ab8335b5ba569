import contextlib
import socket
import time

import pytest

import firstlight
from firstlight.v1 import preview_service_pb2 as preview_pb2, shared_video_data_pb2 as shared_pb2
from support import PREVIEWS, SYNTHETIC, TIMEOUT, call, changed, refused, take, timecode, watching

WILL, DID = "will_run_deferred_start", "did_run_deferred_start"


@pytest.fixture
def events(client):
    """Collects the events of sessions."""
    collectors = []

    def follow(name):
        collectors.append(watching(client, name))
        return collectors[-1]

    yield follow
    for collector in collectors:
        collector.close()


def deferred_events(items):
    return [changed(event) for event in items if changed(event) in (WILL, DID)]


def test_C1_the_timeline_is_complete_and_in_order(client, session, events):
    name = session()
    told = events(name)
    with client.preview(name) as preview:
        client.start(name)
        next(preview)
        told.wait_for(lambda items: DID in deferred_events(items))
    timeline = client.launch_timeline(name)
    steps = [
        timeline.process_start_ns,
        timeline.server_ready_ns,
        timeline.session_created_ns,
        timeline.configuration_committed_ns,
        timeline.start_requested_ns,
        timeline.first_frame_captured_ns,
        timeline.first_frame_sent_ns,
        timeline.deferred_start_begin_ns,
        timeline.deferred_start_end_ns,
    ]
    assert all(steps)
    assert steps == sorted(steps)
    assert timeline.start_requested_ns < timeline.start_returned_ns
    outputs = {output.output: output for output in timeline.outputs}
    assert set(outputs) == {"preview", "photo"}
    assert outputs["preview"].init_end_ns < timeline.first_frame_sent_ns
    assert outputs["photo"].init_begin_ns > timeline.first_frame_sent_ns
    assert outputs["photo"].init_end_ns <= timeline.deferred_start_end_ns


def test_C3_the_first_frame_was_sent_before_a_client_on_this_machine_has_it(client, session):
    name = session()
    with client.preview(name) as preview:
        before_ns = time.monotonic_ns()
        client.start(name)
        frame = next(preview)
        after_ns = time.monotonic_ns()
    timeline = client.launch_timeline(name)
    assert before_ns < timeline.start_requested_ns < timeline.first_frame_sent_ns < after_ns
    assert timeline.first_frame_captured_ns <= frame.monotonic_time_ns < after_ns


def test_C5_the_photo_output_is_deferred_by_default_and_the_preview_is_not(client, session):
    resolved = client.session(session()).resolved_configuration
    assert resolved.automatically_runs_deferred_start
    assert not resolved.preview.deferred_start_enabled
    assert resolved.photo.deferred_start_enabled


def test_C5_without_deferred_outputs_start_prepares_everything_and_tells_nothing(client, session, events):
    name = session(configure=False)
    wanted = firstlight.configuration(SYNTHETIC[0])
    wanted.photo.deferred_start_enabled = False
    client.configure(name, wanted)
    told = events(name)
    with client.preview(name) as preview:
        client.start(name)
        timeline = client.launch_timeline(name)
        assert {output.output for output in timeline.outputs if output.init_end_ns} == {"preview", "photo"}
        take(preview, 5)
        client.stop(name)
    items = told.wait_for(lambda items: changed(items[-1]) == "STATE_STOPPED")
    assert deferred_events(items) == []


def test_C5_deferring_every_output_defers_none(client, session, events):
    name = session(configure=False)
    wanted = firstlight.configuration(SYNTHETIC[0])
    wanted.preview.deferred_start_enabled = True
    client.configure(name, wanted)
    told = events(name)
    with client.preview(name) as preview:
        client.start(name)
        timeline = client.launch_timeline(name)
        assert {output.output for output in timeline.outputs if output.init_end_ns} == {"preview", "photo"}
        take(preview, 5)
        client.stop(name)
    items = told.wait_for(lambda items: changed(items[-1]) == "STATE_STOPPED")
    assert deferred_events(items) == []


@pytest.mark.parametrize("encoding", PREVIEWS)
@pytest.mark.parametrize("watched_before", [True, False], ids=["watched before the start", "watched while it runs"])
def test_C5_a_deferred_preview_tells_that_it_waits_and_shows_what_comes_after(
    client, stubs, session, encoding, watched_before
):
    name = session(pixel_format="NV12", size=(640, 360), additional_previews=["second"], automatic_deferred_start=False)
    with client.preview(name) as main, contextlib.ExitStack() as stack:

        def watch():
            return stack.enter_context(client.preview(name, output="second", **PREVIEWS[encoding]))

        second = watch() if watched_before else None
        client.start(name)
        next(main)
        second = second or watch()
        first = call(stubs.previews.StreamPreview, preview_pb2.StreamPreviewRequest(session=name, output="second"))
        assert first.HasField("status")
        assert not first.status.previewing
        last = take(main, 10)[-1]
        client.run_deferred_start(name)
        # These are all the pictures that the reader was ever sent. A picture from before deferred start would be the
        # first.
        shown = take(second, 3)
        assert second.status.previewing
    assert shown[0].sequence > last.sequence
    assert (shown[0].width, shown[0].height) == (640, 360)


def test_C6_automatic_mode_starts_after_the_first_frame_was_sent(client, session, events):
    name = session()
    told = events(name)
    with client.preview(name) as preview:
        client.start(name)
        next(preview)
        told.wait_for(lambda items: DID in deferred_events(items))
    timeline = client.launch_timeline(name)
    assert timeline.first_frame_sent_ns < timeline.deferred_start_begin_ns


def test_C6_automatic_mode_needs_no_viewer(client, session, events):
    name = session()
    told = events(name)
    client.start(name)
    told.wait_for(lambda items: DID in deferred_events(items))


def begun_after_ns(timeline):
    """The nanoseconds from the camera's first frame to the begin of deferred start."""
    return timeline.deferred_start_begin_ns - timeline.first_frame_captured_ns


@contextlib.contextmanager
def limited(own_daemon, tmp_path, seconds):
    """A client of a daemon that waits `seconds` for readers before deferred start, and the path of the daemon's local
    socket.
    """
    path = tmp_path / "frames.sock"
    daemon = own_daemon("--deferred-start-limit", str(seconds), "--local-socket", str(path))
    with firstlight.connect(daemon.address, timeout=8) as client:
        assert client.server_info().deferred_start_limit.ToTimedelta().total_seconds() == seconds
        yield client, path


def created(client, **outputs):
    wanted = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(640, 360), **outputs)
    name = client.create_session(configuration=wanted).name
    told = watching(client, name)
    return name, told


def test_C6_an_output_that_nobody_reads_is_not_waited_for(own_daemon, tmp_path):
    with limited(own_daemon, tmp_path, 60) as (client, _):
        outputs = [firstlight.video_data_output("data")]
        name, told = created(client, video_data=outputs, additional_previews=["second"])
        with client.preview(name) as preview:
            client.start(name)
            next(preview)
            # The event comes within the timeout of the test, which is much shorter than the limit.
            told.wait_for(lambda items: DID in deferred_events(items))
        timeline = client.launch_timeline(name)
        assert timeline.first_frame_sent_ns < timeline.deferred_start_begin_ns


def test_C6_with_two_streams_it_runs_after_both(own_daemon, tmp_path):
    with limited(own_daemon, tmp_path, 60) as (client, path):
        name, told = created(client, video_data=[firstlight.video_data_output("data")])
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as program, client.preview(name) as preview:
            # The program opens the data output and does not ask for a frame yet.
            program.settimeout(TIMEOUT)
            program.connect(str(path))
            opening = shared_pb2.SharedVideoDataOpen(session=name, output="data")
            program.send(shared_pb2.SharedVideoDataRequest(open=opening).SerializeToString())
            assert shared_pb2.SharedVideoDataResponse.FromString(program.recv(1 << 16)).HasField("status")
            client.start(name)
            take(preview, 20)
            assert not client.launch_timeline(name).HasField("deferred_start_begin_ns")
            assert deferred_events(told.wait_for(len)) == []
            before_ns = time.monotonic_ns()
            program.send(shared_pb2.SharedVideoDataRequest(read={"frames": 1}).SerializeToString())
            told.wait_for(lambda items: DID in deferred_events(items))
        assert client.launch_timeline(name).deferred_start_begin_ns > before_ns


@pytest.mark.parametrize("seconds", [0.25, 2.5])
def test_C6_without_a_reader_it_runs_at_the_limit(own_daemon, tmp_path, seconds):
    with limited(own_daemon, tmp_path, seconds) as (client, _):
        name, told = created(client)
        client.start(name)
        told.wait_for(lambda items: DID in deferred_events(items))
        waited = begun_after_ns(client.launch_timeline(name)) / 1e9
        # A frame's stamp is the begin or the end of its exposure. The wait begins when the first frame has arrived.
        assert seconds <= waited < seconds + 2


def test_C7_manual_mode_waits_for_the_call(client, session, events):
    name = session(automatic_deferred_start=False)
    told = events(name)
    with client.preview(name) as preview:
        client.start(name)
        take(preview, 45)
        timeline = client.launch_timeline(name)
        assert not timeline.HasField("deferred_start_begin_ns")
        assert {output.output for output in timeline.outputs if output.init_begin_ns} == {"preview"}

        client.run_deferred_start(name)
        told.wait_for(lambda items: DID in deferred_events(items))
        client.run_deferred_start(name)
        take(preview, 5)
        client.stop(name)
    items = told.wait_for(lambda items: changed(items[-1]) == "STATE_STOPPED")
    assert deferred_events(items) == [WILL, DID]


def test_C7_a_new_commit_arms_it_again(client, session, events):
    name = session(automatic_deferred_start=False, photo=False)
    told = events(name)
    client.start(name)
    client.configure(name, firstlight.configuration(SYNTHETIC[0], automatic_deferred_start=False))
    client.run_deferred_start(name)
    told.wait_for(lambda items: deferred_events(items) == [WILL, DID])
    client.configure(name, firstlight.configuration(SYNTHETIC[0], automatic_deferred_start=False, photo=False))
    client.configure(name, firstlight.configuration(SYNTHETIC[0], automatic_deferred_start=False))
    client.run_deferred_start(name)
    told.wait_for(lambda items: deferred_events(items) == [WILL, DID] * 2)


def test_C7_the_call_belongs_to_manual_mode_and_to_a_running_session(client, session):
    with refused("FAILED_PRECONDITION", "AUTOMATIC_DEFERRED_START"):
        client.run_deferred_start(session(start=True))
    with refused("FAILED_PRECONDITION", "SESSION_NOT_RUNNING"):
        client.run_deferred_start(session(SYNTHETIC[1], automatic_deferred_start=False))


def test_C8_a_capture_starts_what_it_needs(client, session, events):
    name = session(automatic_deferred_start=False)
    told = events(name)
    with client.preview(name) as preview:
        client.start(name)
        frame = next(preview)
        photo = client.photo(name, of=frame)
    assert timecode(photo).sequence == frame.sequence
    items = told.wait_for(lambda items: DID in deferred_events(items))
    assert deferred_events(items) == [WILL, DID]
    steps = {step.name: step.monotonic_time_ns for step in photo.events}
    assert client.launch_timeline(name).deferred_start_begin_ns < steps["did_finish_processing_photo"]


def test_C9_one_will_and_one_did_for_each_commit_after_the_outputs_are_ready(client, session, events):
    name = session()
    told = events(name)
    client.start(name)
    items = told.wait_for(lambda items: DID in deferred_events(items))
    assert deferred_events(items) == [WILL, DID]
    outputs = {
        changed(event): list(getattr(event, changed(event)).output_ids)
        for event in items[1:]
        if changed(event) in (WILL, DID)
    }
    assert outputs == {WILL: ["photo"], DID: ["photo"]}
    timeline = client.launch_timeline(name)
    assert timeline.outputs
    assert all(output.init_end_ns <= timeline.deferred_start_end_ns for output in timeline.outputs)
