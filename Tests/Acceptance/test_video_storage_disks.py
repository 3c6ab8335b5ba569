"""What ends movies in the video storage early, or keeps them from their place: a full storage, files that are in the
way, and disks that are full, read-only or gone.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import subprocess

import pytest

import firstlight
from captures import SMALL
from disks import faulty_disk
from firstlight import MovieCodec
from firstlight.v1 import recording_pb2
from movies import ended, kinds
from storage_movies import begin, check_movie, drafts, movie_session, with_units
from storages import UNIT, Reason, xfs
from support import refused, wait_until

# Units are written through, and other tests use the disk too.
pytestmark = pytest.mark.timeout(120)

State = recording_pb2.Recording
Cause = recording_pb2.RecordingEnd
LARGE = {**SMALL, "size": (1280, 720), "frame_rate": 15}


FOREIGN = b"somebody else's"


def test_a_recording_whose_movie_cannot_move_can_be_deleted(storage, movies, tmp_path):
    session = movie_session(storage)
    events, name = begin(storage, session)
    place = movies / storage.sdk.recording(name).file
    place.write_bytes(FOREIGN)
    storage.sdk.stop_recording(name)
    failed = ended(events)[-1].recording
    assert (failed.end.cause, failed.playable) == (Cause.CAUSE_FAILED, False)
    assert not storage.sdk.recording(name).playable
    with refused("FAILED_PRECONDITION", "RECORDING_IN_PROGRESS"):
        storage.sdk.download_recording(name, tmp_path / "copy")
    storage.sdk.delete_recording(name)
    assert not storage.state.busy
    assert list(storage.sdk.recordings()) == []
    assert place.read_bytes() == FOREIGN
    assert drafts(movies) == []


def test_a_file_at_the_place_of_a_movie_outlives_a_crash_after_which_the_movie_comes_later(
    storage, start_movie_storage, movies
):
    session = movie_session(storage)
    _, name = begin(storage, session)
    told = storage.sdk.recording(name)
    place = movies / told.file
    place.write_bytes(FOREIGN)
    storage.daemon.process.kill()
    storage.daemon.process.wait(timeout=20)
    again = start_movie_storage()
    waiting = again.sdk.recording(name)
    assert (waiting.state, waiting.playable, waiting.frame_count) == (State.STATE_FINISHED, False, 0)
    assert place.read_bytes() == FOREIGN
    place.unlink()
    again.idle()
    arrived = again.sdk.recording(name)
    assert arrived.end.cause == Cause.CAUSE_DAEMON_ENDED
    assert arrived.frame_count >= told.frame_count
    check_movie(arrived, movies)


def test_a_storage_that_gets_full_ends_the_movie(storage, movies):
    storage.set_capacity(UNIT)
    storage.idle()
    session = movie_session(storage, LARGE, codec=MovieCodec.FFV1)
    events, _ = begin(storage, session)
    # The events end with the movie.
    finished = events.wait_for(lambda found: "finished" in kinds(found), timeout=50)[-1].recording
    assert finished.end.cause == Cause.CAUSE_FAILED
    why = firstlight.FirstlightError.from_status(finished.end.error)
    assert (why.code.name, why.reason) == ("RESOURCE_EXHAUSTED", "VIDEO_STORAGE_FULL")
    check_movie(finished, movies)
    assert storage.state.remaining_capacity == 0
    assert not storage.state.busy
    with refused("RESOURCE_EXHAUSTED", "VIDEO_STORAGE_FULL"):
        next(storage.sdk.start_recording(session))
    storage.replenish()
    assert storage.idle().remaining_capacity == UNIT
    events, name = begin(storage, session)
    storage.sdk.stop_recording(name)
    check_movie(ended(events)[-1].recording, movies)


def test_a_movie_for_whose_place_the_disk_has_no_room_moves_when_it_has(start_movie_storage, tmp_path):
    with xfs(tmp_path, 400 << 20) as place:
        movies = place / "movies"
        storage = start_movie_storage(movies=movies)
        storage.set_capacity(2 * UNIT)
        storage.idle()
        session = movie_session(storage, LARGE, codec=MovieCodec.FFV1)
        events, name = begin(storage, session)
        wait_until(lambda: storage.sdk.recording(name).recorded_file_size > 8 << 20, seconds=30)
        facts = os.statvfs(place)
        with (place / "others").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, facts.f_bavail * facts.f_frsize - (4 << 20))
        storage.sdk.stop_recording(name)
        failed = ended(events)[-1].recording
        assert (failed.end.cause, failed.playable) == (Cause.CAUSE_FAILED, False)
        assert firstlight.FirstlightError.from_status(failed.end.error).metadata["errno"] == "28"
        state = storage.state
        assert list(state.busy_reasons) == [Reason.BUSY_REASON_CAPTURING]
        assert state.HasField("error")
        (place / "others").unlink()
        assert not storage.idle().HasField("error")
        assert storage.sdk.recording(name).playable
        assert storage.daemon.stop() == 0
        # The record is repaired by the file.
        storage = start_movie_storage(movies=movies)
        repaired = storage.sdk.recording(name)
        assert repaired.frame_count == failed.frame_count
        # FFV1 may be too slow for every frame while other tests use the processors.
        check_movie(repaired, movies).check_complete(repaired)
        assert storage.daemon.stop() == 0


def test_a_disk_that_becomes_read_only_ends_the_movie_which_plays_once_the_disk_takes_writes(
    start_movie_storage, own_daemon, tmp_path, movies, monkeypatch
):
    with faulty_disk(own_daemon, tmp_path, monkeypatch, "storage") as disk:
        with disk.loading():
            storage = with_units(start_movie_storage(folder=disk.folder), 2)
        session = movie_session(storage)
        events, name = begin(storage, session)
        told = storage.sdk.recording(name).frame_count
        disk.set(writing=errno.EROFS, making=errno.EROFS)
        failed = ended(events)[-1].recording
        check_failure(failed, errno.EROFS)
        next(storage.sdk.preview(session))
        why = firstlight.FirstlightError.from_status(storage.until(lambda state: state.HasField("error")).error)
        assert why.metadata["errno"] == str(errno.EROFS)
        with refused("UNAVAILABLE", "VIDEO_STORAGE_BUSY") as refusal:
            next(storage.sdk.start_recording(session))
        assert why.message in refusal.error.message
        disk.set()
        storage.idle()
        arrived = storage.sdk.recording(name)
        assert arrived.frame_count == failed.frame_count >= told
        check_movie(arrived, movies)
        events, name = begin(storage, session)
        storage.sdk.stop_recording(name)
        finished = ended(events)[-1].recording
        check_movie(finished, movies).check_complete(finished)


def check_failure(recording, error: int) -> None:
    """Checks that the disk ended a recording with this error, and that its movie is still in the storage."""
    assert (recording.end.cause, recording.playable) == (Cause.CAUSE_FAILED, False)
    why = firstlight.FirstlightError.from_status(recording.end.error)
    assert (why.reason, why.metadata["errno"]) == ("PROCESSING_FAILED", str(error))


def test_a_disk_that_is_gone_ends_the_movie_which_plays_after_the_next_start(start_movie_storage, tmp_path, movies):
    with xfs(tmp_path, 400 << 20) as place:
        storage = start_movie_storage(folder=place / "storage")
        storage.set_capacity(2 * UNIT)
        storage.idle()
        session = movie_session(storage)
        events, name = begin(storage, session)
        told = storage.sdk.recording(name).frame_count
        # XFS_IOC_GOINGDOWN, as if the disk were pulled out: nothing that is in memory gets to it.
        folder = os.open(place, os.O_RDONLY)
        fcntl.ioctl(folder, 0x8004587D, struct.pack("I", 2))
        os.close(folder)
        failed = ended(events)[-1].recording
        assert (failed.end.cause, failed.playable) == (Cause.CAUSE_FAILED, False)
        assert firstlight.FirstlightError.from_status(failed.end.error).reason == "PROCESSING_FAILED"
        assert storage.state.HasField("error")
        next(storage.sdk.preview(session))
        assert storage.daemon.stop() == 0
        remount(place)
        storage = start_movie_storage(folder=place / "storage")
        storage.idle()
        repaired = storage.sdk.recording(name)
        # The record knows why the recording ended, because its own disk is well.
        assert repaired.end.cause == Cause.CAUSE_FAILED
        assert repaired.end.error.message == failed.end.error.message
        assert repaired.frame_count >= told
        check_movie(repaired, movies).check_complete(repaired)
        storage.check_disk(storage.idle())
        assert storage.daemon.stop() == 0


def remount(place):
    """Mounts a file system of `xfs` again."""
    subprocess.run(["umount", place], check=True)
    subprocess.run(["mount", "-o", "loop", place.with_name("disk.img"), place], check=True)
