"""Limits of recordings: they are looked at for each frame, however long the fragments of the file are."""

from __future__ import annotations

import pytest

import firstlight
from captures import SMALL
from firstlight import MovieCodec, movie_output
from firstlight.v1 import recording_pb2
from movies import begin, ended, kinds, read_movie, recording_session, see
from support import SYNTHETIC, refused

Recording = recording_pb2.Recording
Cause = recording_pb2.RecordingEnd

LIMIT = 300_000
#: The index of a fragment of so few frames, and the beginning of the file.
INDEX = 8192
MEBIBYTE = 1 << 20


def check(folder, finished: Recording, limit: int) -> None:
    """Checks a movie that a limit on its bytes ended: it plays, is as long as it says, and no larger than allowed."""
    path = folder / finished.file
    movie = read_movie(path)
    movie.check_complete(finished)
    assert path.stat().st_size == finished.recorded_file_size
    assert limit // 2 < finished.recorded_file_size <= limit + INDEX
    assert len(movie.boards) == finished.frame_count
    assert finished.recorded_duration.ToNanoseconds() / 1e9 == pytest.approx(movie.times[-1] + 1 / 30, abs=0.5 / 30)


@pytest.fixture
def recorder(disk):
    """A client of a daemon whose disk may misbehave, and the disk."""
    with firstlight.connect(disk.start().address, timeout=20) as client:
        yield client, disk


@pytest.mark.timeout(30)
def test_fault_F5_the_size_ends_a_movie_within_a_fragment(recorder):
    client, disk = recorder
    session = recording_session(client, SYNTHETIC[0], codec=MovieCodec.FFV1, **SMALL)
    *_, last = client.start_recording(session, fragment_seconds=60, max_bytes=LIMIT)
    assert last.recording.end.cause == Cause.CAUSE_MAX_RECORDED_FILE_SIZE
    check(disk.folder, last.recording, LIMIT)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("waits", ["for the disk", "in the pre-roll"])
def test_fault_F5_the_size_ends_a_movie_of_which_more_was_encoded(recorder, waits):
    """What waits to be written when the limit is reached stays out of the file."""
    client, disk = recorder
    movie = movie_output(codec=MovieCodec.FFV1, max_pre_roll=10 if waits == "in the pre-roll" else None)
    wanted = firstlight.configuration(SYNTHETIC[0], movie=movie, **SMALL)
    session = client.create_session(configuration=wanted, start=True).name
    options = {}
    if waits == "in the pre-roll":
        see(client, session, 45)
        options = {"pre_roll": 5}
    events, _ = begin(client, session, fragment_seconds=0.1, max_bytes=LIMIT, **options)
    if waits == "for the disk":
        disk.set(stands=True)
        see(client, session, 45)
        disk.set()
    finished = ended(events)[-1].recording
    assert finished.end.cause == Cause.CAUSE_MAX_RECORDED_FILE_SIZE
    check(disk.folder, finished, LIMIT)


@pytest.mark.timeout(30)
def test_fault_F5_the_free_space_ends_a_movie_within_a_fragment(recorder):
    client, disk = recorder
    # A fragment in QuickTime is in memory until it ends.
    session = recording_session(client, SYNTHETIC[0], codec=MovieCodec.PRO_RES, **SMALL)
    options = {"fragment_seconds": 60, "min_free_bytes": 1024 * MEBIBYTE}
    # The daemon's own movie takes the last free MiB.
    disk.set(free_mebibytes=1025)
    *_, last = client.start_recording(session, **options)
    assert last.recording.end.cause == Cause.CAUSE_MIN_FREE_DISK_SPACE
    check(disk.folder, last.recording, MEBIBYTE)
    # Another program takes it.
    disk.set(free_mebibytes=2048)
    events, name = begin(client, session, **options)
    see(client, session, 5)
    disk.set(free_mebibytes=1023)
    finished = ended(events)[-1].recording
    assert finished.end.cause == Cause.CAUSE_MIN_FREE_DISK_SPACE
    assert len(read_movie(disk.folder / finished.file).boards) == finished.frame_count >= 1
    # There is none for the next one.
    with refused("RESOURCE_EXHAUSTED", "DISK_FULL") as refusal:
        next(client.start_recording(session, "next.mov", **options))
    assert refusal.error.metadata["free_bytes"] == str(1023 * MEBIBYTE)
    assert {recording.name for recording in client.recordings()} == {last.recording.name, name}
    disk.set()
    events, name = begin(client, session, "next.mov")
    client.stop_recording(name)
    assert "finished" in kinds(ended(events))
