"""Recordings of clients and continuous ones on a disk that is full, read-only, gone, or stands still."""

from __future__ import annotations

import errno
import itertools
import time

import grpc
import pytest

import firstlight
from captures import SMALL
from firstlight import MovieCodec
from firstlight.v1 import recording_pb2, recording_service_pb2 as recordings_pb2
from metrics import Endpoint
from movies import read_movie, recording_session
from processes import thread_names
from support import SYNTHETIC, Collector, Stubs, refused, wait_until

# A preview must have every frame while a disk fails, for which no other test may take the processors.
every_frame = pytest.mark.alone

SESSION = "sessions/door"
DOOR = """
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {pixel_format: NV12, width: 320, height: 180}
        frame_rate_override: {numerator: 30, denominator: 1}
    preview: {}
    record: {segment-duration: 60, fragment-interval: 1}
"""
State = recording_pb2.Recording
Cause = recording_pb2.RecordingEnd


@pytest.fixture
def faulty(disk):
    """A client of a daemon of its own, and the disk with its recordings."""
    with firstlight.connect(disk.start().address, timeout=20) as client:
        yield client, disk


@pytest.fixture
def door(disk, tmp_path):
    """A client of a daemon with a session that records continuously, the disk, and the daemon."""
    path = tmp_path / "firstlight.yaml"
    path.write_text(DOOR)
    daemon = disk.start("--config", str(path))
    with firstlight.connect(daemon.address, timeout=20) as client:
        yield client, disk, daemon


def has(events, kind: str) -> bool:
    return any(event.WhichOneof("kind") == kind for event in events)


def begin(client, session, **options) -> tuple[Collector, str]:
    """Starts a recording, and returns its events and its name once a fragment is on the disk."""
    events = Collector(client.start_recording(session, fragment_seconds=0.2, **options))
    name = events.wait_for(lambda found: has(found, "started"))[0].recording.name
    for _ in client.preview(session):
        if client.recording(name).frame_count > 0:
            return events, name


def end_of(events: Collector) -> recording_pb2.Recording:
    """The recording at its only `finished`, after which the stream ends with OK."""
    assert events.wait_for_end() is None
    kinds = [event.WhichOneof("kind") for event in events.close()]
    assert kinds.count("finished") == 1
    assert kinds[-1] == "finished"
    return events.close()[-1].recording


def check_preview(client, session) -> None:
    """Checks that a preview has every frame."""
    frames = list(itertools.islice(client.preview(session), 30))
    sequences = [frame.sequence for frame in frames]
    assert sequences == list(range(sequences[0], sequences[0] + 30))


@every_frame
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT])
def test_a_disk_that_fails_ends_the_recording(faulty, error):
    """The movie plays up to the failure, a client learns why, and the next recording succeeds on a sound disk."""
    client, disk = faulty
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    events, _ = begin(client, session)
    # A disk that is full or gone takes no records either.
    disk.set(writing=error, making=error)
    finished = end_of(events)
    check_preview(client, session)
    assert finished.state == State.STATE_FINISHED
    assert finished.end.cause == Cause.CAUSE_FAILED
    why = firstlight.FirstlightError.from_status(finished.end.error)
    assert why.reason == "PROCESSING_FAILED"
    assert why.metadata["errno"] == str(error)
    movie = read_movie(disk.folder / finished.file)
    movie.check_complete(finished)
    assert len(movie.boards) == finished.frame_count > 0
    kept = client.recording(finished.name)
    assert (kept.state, kept.end.cause, kept.frame_count) == (finished.state, finished.end.cause, finished.frame_count)

    disk.set()
    events, name = begin(client, session)
    client.stop_recording(name)
    finished = end_of(events)
    read_movie(disk.folder / finished.file).check_complete(finished)


@every_frame
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_takes_nothing_refuses_a_recording(faulty, error):
    client, disk = faulty
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    disk.set(writing=error, making=error)
    with refused("INTERNAL", "PROCESSING_FAILED") as refusal:
        next(client.start_recording(session))
    assert refusal.error.metadata["errno"] == str(error)
    assert list(client.recordings()) == []
    check_preview(client, session)


def test_a_record_that_is_not_on_the_storage_is_not_accepted(faulty):
    """The file system becomes read-only after it took the bytes of the record."""
    client, disk = faulty
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    disk.set(syncing=errno.EROFS)
    with refused("INTERNAL", "PROCESSING_FAILED") as refusal:
        next(client.start_recording(session))
    assert refusal.error.metadata["errno"] == str(errno.EROFS)
    disk.set()


@every_frame
@pytest.mark.timeout(60)
def test_a_disk_that_stands_still_costs_the_movie_frames_and_nothing_else(faulty):
    """What waits for the disk is bounded. Then frames are left out, and counted, and the movie goes on afterwards."""
    client, disk = faulty
    # Pictures without loss fill the memory for waiting samples within seconds. At this rate their encoder and a small
    # preview leave processor time to the test.
    large = {"size": (1280, 720), "frame_rate": 15}
    session = recording_session(client, SYNTHETIC[0], codec=MovieCodec.FFV1, **SMALL | large)
    events, name = begin(client, session)
    disk.set(stands=True)
    preview = client.preview(session, max_size=(320, 180))
    sequences = []
    for frame in preview:
        sequences.append(frame.sequence)
        if frame.sequence % 10 == 0 and client.recording(name).dropped.late >= 10:
            break
    assert sequences == list(range(sequences[0], sequences[0] + len(sequences)))
    disk.set()
    before = client.recording(name).frame_count
    seen = next(frame.sequence for frame in preview if client.recording(name).frame_count > before)
    client.stop_recording(name)
    stopped = time.monotonic_ns()
    following = next(each for each in client.preview(session) if each.monotonic_time_ns > stopped)
    finished = end_of(events)
    assert finished.end.cause == Cause.CAUSE_STOPPED
    movie = read_movie(disk.folder / finished.file)
    movie.check_times()
    missing = movie.sequences[-1] + 1 - movie.sequences[0] - len(movie.sequences)
    assert finished.dropped.late >= 10
    # The encoder may still have been behind at the end. What it left out then comes after the movie's last picture.
    assert seen <= movie.sequences[-1] + finished.dropped.late - missing < following.sequence


@every_frame
@pytest.mark.timeout(60)
@pytest.mark.parametrize("waits_for", ["file", "copy"])
def test_a_stop_that_outlasts_its_client_ends_the_recording(faulty, waits_for):
    """The call fails at the client's deadline. The recording is complete once the disk answers."""
    client, disk = faulty
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    events, name = begin(client, session, optimize_for_network_use=waits_for == "copy")
    disk.set(stands=waits_for == "file", copies_stand=waits_for == "copy")
    *_, shown = itertools.islice(client.preview(session), 10)
    told = client.recording(name)
    request = recordings_pb2.StopRecordingRequest(name=name)
    with pytest.raises(grpc.RpcError) as raised:
        Stubs(client.channel).recordings.StopRecording(request, timeout=0.5)
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    check_preview(client, session)
    assert client.recording(name).state == State.STATE_FINISHING
    assert not has(events.wait_for(len), "finished")
    disk.set()
    finished = end_of(events)
    assert (finished.state, finished.end.cause) == (State.STATE_FINISHED, Cause.CAUSE_STOPPED)
    assert finished.is_optimized_for_network_use == (waits_for == "copy")
    assert client.stop_recording(name) == finished
    movie = read_movie(disk.folder / finished.file)
    movie.check_complete(finished)
    movie.check_times()
    assert len(movie.boards) == finished.frame_count >= told.frame_count > 0
    # Each frame that a viewer had seen before the call is there.
    assert movie.sequences[-1] >= shown.sequence


def segment(client, is_wanted) -> recording_pb2.Recording:
    """The newest segment of the session once it is as wanted."""
    for _ in client.preview(SESSION):
        found = list(client.recordings(SESSION))
        if found and is_wanted(found[0]):
            return found[0]


@pytest.mark.timeout(60)
def test_a_full_disk_ends_a_segment_and_the_next_one_begins_on_a_sound_disk(door):
    client, disk, _ = door
    segment(client, lambda item: item.frame_count >= 30)
    disk.set(writing=errno.ENOSPC, making=errno.ENOSPC)
    failed = segment(client, lambda item: item.state == State.STATE_FINISHED)
    assert failed.end.cause == Cause.CAUSE_FAILED
    assert firstlight.FirstlightError.from_status(failed.end.error).metadata["errno"] == str(errno.ENOSPC)
    movie = read_movie(disk.folder / failed.file)
    movie.check_times()
    assert len(movie.boards) == failed.frame_count > 0
    # The record tells how long the movie is that plays.
    assert failed.recorded_duration.ToNanoseconds() / 1e9 == pytest.approx(movie.times[-1] + 1 / 30, abs=0.5 / 30)
    disk.set()
    following = segment(client, lambda item: item.playable and item.name != failed.name)
    assert following.state == State.STATE_RECORDING
    assert client.recording(failed.name).end.cause == Cause.CAUSE_FAILED
    client.delete_recording(failed.name)


@pytest.mark.timeout(60)
def test_a_disk_that_stands_still_bounds_the_runs_over_changes_of_the_session(door):
    client, disk, daemon = door
    first = segment(client, lambda item: item.playable)
    disk.set(stands=True)
    wanted = client.session(SESSION).configuration
    for quality in (30, 40, 50, 60):
        # Each change brings another output, which would begin a run.
        wanted.movie.quality = quality
        client.configure(SESSION, wanted)
        assert len(list(itertools.islice(client.preview(SESSION), 10))) == 10
    names = thread_names(daemon.process.pid)
    assert 1 <= names.count("movie-file") <= 2
    assert names.count("movie-encode") <= 2
    disk.set()
    segment(client, lambda item: item.playable and item.name != first.name and item.state == State.STATE_RECORDING)
    assert client.recording(first.name).end.cause == Cause.CAUSE_SESSION


@pytest.mark.timeout(60)
@pytest.mark.parametrize("waits", [False, True], ids=["recordings", "a call that waits for the disk"])
def test_a_disk_that_never_answers_does_not_keep_the_daemon(disk, own_daemon, tmp_path, waits):
    """The log names what may be incomplete, and the next daemon repairs it."""
    config = tmp_path / "firstlight.yaml"
    config.write_text(DOOR.replace("synthetic-0", "synthetic-1"))
    daemon = disk.start("--config", str(config), "--metrics-listen", "127.0.0.1:0")
    endpoint = Endpoint(daemon, tmp_path)
    with firstlight.connect(daemon.address, timeout=20) as client:
        session = recording_session(client, SYNTHETIC[0], **SMALL)
        _, name = begin(client, session)
        wait_until(lambda: all(each.frame_count > 0 for each in client.recordings()))
        file = client.recording(name).file
        disk.set(stands=True)
        if waits:
            client.stop(session)
            client.start(session)
            # The stream of the first recording goes on, since its file cannot be completed.
            wait_until(lambda: endpoint.scrape()("firstlight_grpc_calls") == 1)
            waiting = Collector(client.start_recording(session))
            wait_until(lambda: endpoint.scrape()("firstlight_grpc_calls") == 2)
        daemon.process.terminate()
        code = daemon.process.wait(timeout=30)
        if waits:
            assert waiting.wait_for_end() is not None
    assert code == (1 if waits else 0)
    (line,) = [line for line in (tmp_path / "firstlightd.log").read_text().splitlines() if "does not answer" in line]
    assert file in line
    assert "sessions/door" in line
    disk.set()
    with firstlight.connect(own_daemon("--recordings-dir", str(disk.folder)).address, timeout=20) as client:
        for recording in client.recordings():
            if recording.frame_count == 0:
                continue
            assert recording.end.cause == Cause.CAUSE_DAEMON_ENDED
            movie = read_movie(disk.folder / recording.file)
            assert movie.sequences == sorted(set(movie.sequences))
            assert len(movie.boards) == recording.frame_count
        assert client.recording(name).frame_count > 0
