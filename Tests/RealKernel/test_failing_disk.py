"""Recordings on a disk that is full and on one that fails, with the errors of a real file system."""

import errno
from contextlib import contextmanager
from itertools import pairwise

import pytest

import firstlight
from client import assert_every_gap_is_counted, next_frame
from daemons import ADDRESS, own_daemon
from firstlight.v1 import recording_pb2, types_pb2 as types
from mapped_disk import mapped_disk
from test_recording import lost, pictures, start, started

Cause = recording_pb2.RecordingEnd

RATE = 15
#: How many frames the preview may lack in a row, because the machine is emulated.
MOST_MISSING = RATE // 2


class Recorder:
    """A session of a webcam on a daemon of its own, and a viewer of its preview."""

    def __init__(self, sdk, session, viewer):
        self.sdk, self._session, self._viewer = sdk, session, viewer
        self._frames = [next_frame(viewer)]

    def begin(self, **limits):
        """Starts a recording. Returns its events once a fragment of it is on the disk."""
        events = self.sdk.start_recording(self._session, fragment_seconds=0.2, **limits)
        name = started(events)
        while self.sdk.recording(name).frame_count == 0:
            self._frames.append(next_frame(self._viewer))
        return events

    def end_of(self, events):
        """The recording at `finished`. The preview must have gone on in the meantime, and still go on."""
        *_, finished = events
        assert finished.HasField("finished")
        self._frames += [message.frame for message in self._viewer.waiting() if message.HasField("frame")]
        self._frames.append(next_frame(self._viewer))
        assert_every_gap_is_counted(self._frames)
        assert max(after.sequence - before.sequence for before, after in pairwise(self._frames)) <= MOST_MISSING
        return finished.recording


@contextmanager
def recorder(camera, data, disk):
    """Runs a daemon that records on a disk."""
    with (
        own_daemon(data, "--synthetic", "0", "--recordings-dir", disk.folder) as daemon,
        firstlight.connect(ADDRESS) as sdk,
    ):
        movie = firstlight.movie_output(codec=firstlight.MovieCodec.MOTION_JPEG)
        features = {"pixel_format": "MJPG", "size": (640, 360), "frame_rate": RATE}
        session = start(sdk, camera.device(daemon).name, movie=movie, **features)
        with daemon.stream_preview(session, types.ENCODING_JPEG) as viewer:
            yield Recorder(sdk, session, viewer)


def check_movie(path, recording, known):
    """Checks that a movie plays and has as many pictures as was told, each of them once. `known` are the numbers of the
    camera's pictures by their bytes. What is missing between them must be counted.
    """
    numbers = [known[picture] for _, picture in pictures(path)]
    assert len(numbers) == recording.frame_count > 0
    assert numbers == sorted(set(numbers))
    assert numbers[-1] - numbers[0] + 1 - len(numbers) <= lost(recording)


def failure_of(recording):
    """The error number with which the disk ended a recording."""
    assert recording.end.cause == Cause.CAUSE_FAILED
    error = firstlight.FirstlightError.from_status(recording.end.error)
    assert error.reason == "PROCESSING_FAILED"
    return int(error.metadata["errno"])


@pytest.mark.timeout(120)
def test_G1_a_disk_that_is_full_and_then_fails_ends_recordings_and_nothing_else(webcam, tmp_path):
    with mapped_disk() as disk:
        with webcam.recording() as sent, recorder(webcam, tmp_path, disk) as daemon:
            with disk.nearly_full(room=256 << 10):
                full = daemon.end_of(daemon.begin())
            events = daemon.begin()
            disk.fail()
            failed = daemon.end_of(events)
            for recording in (full, failed):
                assert daemon.sdk.recording(recording.name).frame_count == recording.frame_count
            known = sent.numbers
        disk.repair()
        with webcam.recording() as sent, recorder(webcam, tmp_path, disk) as daemon:
            # The disk has the record from before its failure, so this daemon repairs the recording.
            assert daemon.sdk.recording(failed.name).frame_count == failed.frame_count
            limited = daemon.end_of(daemon.begin(min_free_bytes=disk.free - (64 << 10)))
            known_later = sent.numbers
        # The disk has every frame that the daemon told before the failure.
        for recording, numbers in ((full, known), (failed, known), (limited, known_later)):
            check_movie(disk.folder / recording.file, recording, numbers)
    assert failure_of(full) == errno.ENOSPC
    assert failure_of(failed) in (errno.EIO, errno.EROFS)
    assert "The movie cannot be written" in failed.end.error.message
    assert limited.end.cause == Cause.CAUSE_MIN_FREE_DISK_SPACE
