"""Recordings: their events, files, limits and ends, judged by FFmpeg and by the timecode boards of the pictures."""

from __future__ import annotations

import itertools
import os
import pathlib

import pytest

import firstlight
from captures import SMALL
from faults import REPLUG, UNPLUG, inject
from firstlight import MovieCodec, MovieContainer
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2
from firstlight.v1 import recording_pb2, recording_service_pb2 as recordings_pb2
from movies import ended, kinds, lost, read_movie, record, recording_session
from support import SYNTHETIC, Collector, Stubs, call, refused

State = recording_pb2.Recording
Cause = recording_pb2.RecordingEnd


@pytest.fixture
def recorder(own_daemon, tmp_path):
    """A client of a daemon of its own, and the folder of its recordings."""
    folder = tmp_path / "movies"
    daemon = own_daemon("--enable-fault-injection", "--recordings-dir", str(folder))
    with firstlight.connect(daemon.address, timeout=20) as client:
        yield client, folder


def test_a_movie_has_every_frame_at_its_time(recorder):
    client, folder = recorder
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    events = record(client, session, "a/b.mp4", fragment_seconds=0.2)
    assert kinds(events) == ["accepted", "started", "will_finish", "finished"]
    finished = events[-1].recording
    assert (finished.state, finished.end.cause, finished.playable) == (
        State.STATE_FINISHED,
        Cause.CAUSE_STOPPED,
        True,
    )
    movie = read_movie(folder / "a/b.mp4")
    movie.check_complete(finished)
    movie.check_times()
    assert (movie.codec, movie.size) == ("h264", SMALL["size"])
    assert len(movie.boards) == finished.frame_count >= 10
    assert finished.frame_count + lost(finished) >= 20
    assert finished.recorded_file_size == (folder / "a/b.mp4").stat().st_size
    assert finished.start_time.ToNanoseconds() == pytest.approx(movie.boards[0].capture_time_ns, abs=1_000_000)
    # With the frames that a busy machine may have cost.
    periods = movie.sequences[-1] - movie.sequences[0] + 1
    assert finished.recorded_duration.ToNanoseconds() / 1e9 == pytest.approx(periods / 30, abs=1 / 30)


@pytest.mark.parametrize(
    ("codec", "container", "name"),
    [
        (MovieCodec.H264, MovieContainer.MATROSKA, "h264"),
        (MovieCodec.H264, MovieContainer.MPEG_TS, "h264"),
        (MovieCodec.HEVC, MovieContainer.MOV, "hevc"),
        (MovieCodec.PRO_RES, None, "prores"),
        (MovieCodec.FFV1, None, "ffv1"),
    ],
)
def test_codecs_and_containers(recorder, codec, container, name):
    client, folder = recorder
    session = recording_session(client, SYNTHETIC[0], codec=codec, **SMALL)
    finished = record(client, session, container=container, frames=8)[-1].recording
    movie = read_movie(folder / finished.file)
    # A software encoder may be too slow for every frame while other tests use the processors.
    movie.check_complete(finished)
    movie.check_times()
    assert movie.codec == name


def test_a_pause_leaves_no_gap(recorder):
    client, folder = recorder
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    events = Collector(client.start_recording(session, "pause", fragment_seconds=0.2))
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    frames = client.preview(session)
    list(itertools.islice(frames, 10))
    assert client.pause_recording(name).state == State.STATE_PAUSED
    list(itertools.islice(frames, 10))
    assert client.resume_recording(name).state in (State.STATE_RECORDING, State.STATE_STARTING)
    list(itertools.islice(frames, 10))
    stopped = client.stop_recording(name)
    assert kinds(ended(events)) == ["accepted", "started", "paused", "resumed", "will_finish", "finished"]
    movie = read_movie(folder / "pause.mp4")
    gaps = [after - before for before, after in itertools.pairwise(movie.sequences)]
    *others, pause = sorted(gaps)
    assert pause > 3
    assert sum(gap - 1 for gap in others) <= lost(stopped)
    assert max(after - before for before, after in itertools.pairwise(movie.times)) < (1.5 + lost(stopped)) / 30
    assert stopped.frame_count == len(movie.boards)
    with refused("FAILED_PRECONDITION", "RECORDING_ENDED"):
        client.pause_recording(name)
    assert client.stop_recording(name) == stopped


@pytest.mark.parametrize(
    ("limit", "cause"),
    [
        ({"max_seconds": 0.5}, Cause.CAUSE_MAX_RECORDED_DURATION),
        ({"max_bytes": 20_000}, Cause.CAUSE_MAX_RECORDED_FILE_SIZE),
    ],
)
def test_a_limit_ends_the_movie_with_its_cause(recorder, limit, cause):
    client, folder = recorder
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    events = list(client.start_recording(session, fragment_seconds=0.1, **limit))
    finished = events[-1].recording
    assert finished.end.cause == cause
    movie = read_movie(folder / finished.file)
    movie.check_complete(finished)
    if "max_seconds" in limit:
        # Frames are stamped in whole microseconds, so the 15th may end a microsecond after half a second.
        assert 14 - lost(finished) <= len(movie.boards) <= 15
        assert finished.recorded_duration.ToNanoseconds() <= 500_000_000


def test_a_file_that_exists_stays_as_it_is(recorder):
    client, folder = recorder
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    folder.mkdir(exist_ok=True)
    (folder / "old.mp4").write_bytes(b"precious")
    with refused("ALREADY_EXISTS", "RECORDING_EXISTS"):
        next(client.start_recording(session, "old.mp4"))
    assert (folder / "old.mp4").read_bytes() == b"precious"
    assert list(client.recordings()) == []


def test_a_link_does_not_lead_outside(recorder, tmp_path):
    client, folder = recorder
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    client.devices()
    outside = tmp_path / "outside"
    outside.mkdir()
    folder.mkdir(exist_ok=True)
    (folder / "link").symlink_to(outside)
    with pytest.raises(firstlight.FirstlightError):
        next(client.start_recording(session, "link/out"))
    assert list(outside.iterdir()) == []


def test_two_recordings_of_an_output_at_once_are_refused(recorder):
    client, _ = recorder
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    events = Collector(client.start_recording(session))
    name = events.wait_for(len)[0].recording.name
    with refused("FAILED_PRECONDITION", "RECORDING_IN_PROGRESS"):
        next(client.start_recording(session))
    with refused("FAILED_PRECONDITION", "RECORDING_IN_PROGRESS"):
        client.delete_recording(name)
    client.stop_recording(name)
    assert len(list(client.recordings())) == 1


def test_the_recording_goes_on_when_the_client_leaves(recorder):
    client, folder = recorder
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    with client.start_recording(session) as events:
        name = next(events).recording.name
    list(itertools.islice(client.preview(session), 10))
    assert client.recording(name).state == State.STATE_RECORDING
    stopped = client.stop_recording(name)
    assert len(read_movie(folder / stopped.file).boards) == stopped.frame_count


@pytest.mark.parametrize("how", ["stop", "delete", "unplug", "format", "remove"])
def test_the_end_of_the_session_ends_the_movie(recorder, how):
    client, folder = recorder
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    events = Collector(client.start_recording(session, fragment_seconds=0.1))
    events.wait_for(lambda found: "started" in kinds(found))
    list(itertools.islice(client.preview(session), 10))
    match how:
        case "stop":
            client.stop(session)
        case "delete":
            client.delete_session(session)
        case "unplug":
            inject(client, UNPLUG)
        case "format":
            features = {**SMALL, "size": (640, 360)}
            client.configure(
                session, firstlight.configuration(SYNTHETIC[0], movie=firstlight.movie_output(), **features)
            )
        case "remove":
            client.configure(session, firstlight.configuration(SYNTHETIC[0], **SMALL))
    found = ended(events)
    finished = found[-1].recording
    assert kinds(found)[-2:] == ["will_finish", "finished"]
    assert finished.end.cause == Cause.CAUSE_SESSION
    assert finished.end.error.message
    movie = read_movie(folder / finished.file)
    movie.check_complete(finished)
    assert len(movie.boards) == finished.frame_count
    if how == "unplug":
        inject(client, REPLUG)


@pytest.mark.alone
def test_photos_cost_the_movie_no_frame(recorder):
    client, folder = recorder
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    events = Collector(client.start_recording(session))
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    for _ in range(5):
        client.photo(session)
    stopped = client.stop_recording(name)
    movie = read_movie(folder / stopped.file)
    movie.check_complete()
    assert not any(value for _, value in stopped.dropped.ListFields())


def test_what_the_camera_lost_is_counted_by_the_recording_and_by_its_span(recorder):
    client, folder = recorder
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    events = Collector(client.start_recording(session))
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    inject(client, {"drop": fault_pb2.DropFault(frames=3)})
    for _ in client.preview(session):
        if client.recording(name).dropped.discontinuity > 0:
            break
    list(itertools.islice(client.preview(session), 5))
    stopped = client.stop_recording(name)
    # The movie goes on after the gap, and its span does, too.
    movie = read_movie(folder / stopped.file)
    movie.check_times()
    assert movie.sequences[-1] - movie.sequences[0] >= len(movie.sequences) + 2
    # A busy machine may cost more.
    assert stopped.dropped.discontinuity >= 3
    (span,) = client.recording_spans(session)
    assert list(span.recording_names) == [name]
    assert span.dropped == stopped.dropped


def test_a_recording_is_fetched_while_it_runs_and_afterwards(recorder, tmp_path):
    client, folder = recorder
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    events = Collector(client.start_recording(session, fragment_seconds=0.1))
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    while client.recording(name).recorded_file_size == 0:
        next(client.preview(session))
    part = tmp_path / "part.mp4"
    assert client.download_recording(name, part) > 0
    read_movie(part).check_complete(client.recording(name))
    stopped = client.stop_recording(name)
    whole = tmp_path / "whole.mp4"
    assert client.download_recording(name, whole) == stopped.recorded_file_size
    assert whole.read_bytes() == (folder / stopped.file).read_bytes()
    request = recordings_pb2.DownloadRecordingRequest(name=name, offset=stopped.recorded_file_size + 1)
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
        call(Stubs(client.channel).recordings.DownloadRecording, request)
    client.delete_recording(name)
    assert not (folder / stopped.file).exists()
    with refused("NOT_FOUND", "RECORDING_NOT_FOUND"):
        client.recording(name)


def test_recordings_are_listed_with_filters(recorder):
    client, _ = recorder
    first, second = (recording_session(client, device, **SMALL) for device in SYNTHETIC[:2])
    done = record(client, first, frames=3)[-1].recording
    running = Collector(client.start_recording(second)).wait_for(len)[0].recording
    assert [each.name for each in client.recordings()] == [running.name, done.name]
    assert [each.name for each in client.recordings(first)] == [done.name]
    assert [each.name for each in client.recordings(state=State.STATE_FINISHED)] == [done.name]
    client.stop_recording(running.name)


def test_a_restart_knows_every_recording(own_daemon, tmp_path):
    folder = tmp_path / "movies"
    flags = ("--recordings-dir", str(folder))
    daemon = own_daemon(*flags)
    with firstlight.connect(daemon.address, timeout=20) as client:
        session = recording_session(client, SYNTHETIC[0], **SMALL)
        done = record(client, session, frames=5)[-1].recording
        events = Collector(client.start_recording(session, fragment_seconds=0.1))
        name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
        while client.recording(name).recorded_file_size == 0:
            next(client.preview(session))
        running = client.recording(name)
    daemon.process.kill()
    daemon.process.wait()
    with firstlight.connect(own_daemon(*flags).address, timeout=20) as client:
        assert client.recording(done.name) == done
        repaired = client.recording(name)
        assert repaired.end.cause == Cause.CAUSE_DAEMON_ENDED
        movie = read_movie(folder / repaired.file)
        # Which frames were lost is known only while the daemon runs.
        movie.check_complete(running, among=running.frame_count)
        movie.check_times()
        assert len(movie.boards) == repaired.frame_count > 0
        assert repaired.recorded_file_size == (folder / repaired.file).stat().st_size


def test_a_daemon_that_stops_completes_its_movies(own_daemon, tmp_path):
    folder = tmp_path / "movies"
    daemon = own_daemon("--recordings-dir", str(folder))
    with firstlight.connect(daemon.address, timeout=20) as client:
        session = recording_session(client, SYNTHETIC[0], **SMALL)
        events = Collector(client.start_recording(session))
        events.wait_for(lambda found: "started" in kinds(found))
        list(itertools.islice(client.preview(session), 10))
        daemon.process.terminate()
        finished = events.wait_for(lambda found: kinds(found)[-1] == "finished")[-1].recording
    assert finished.end.cause == Cause.CAUSE_SESSION
    assert len(read_movie(folder / finished.file).boards) == finished.frame_count >= 8


def test_a_folder_that_cannot_be_used_is_told(own_daemon, tmp_path):
    file = tmp_path / "file"
    file.write_text("no folder")
    daemon = own_daemon("--recordings-dir", str(file / "movies"))
    with firstlight.connect(daemon.address, timeout=20) as client:
        session = recording_session(client, SYNTHETIC[0], **SMALL)
        with refused("INTERNAL", "PROCESSING_FAILED"):
            next(client.start_recording(session))
        assert next(client.preview(session)).sequence >= 0


def test_the_folder_is_as_the_documents_say(recorder):
    client, folder = recorder
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    finished = record(client, session, frames=3)[-1].recording
    assert pathlib.PurePath(finished.file).parts[0] == session.removeprefix("sessions/")
    assert (folder / ".firstlight" / f"{finished.name.removeprefix('recordings/')}.json").exists()
    assert os.stat(folder / finished.file).st_mode & 0o777 == 0o644
