"""Movies of V4L2 cameras in a video storage on a real ext4."""

from contextlib import contextmanager

import pytest

import firstlight
from daemons import ADDRESS, own_daemon
from firstlight.v1 import recording_pb2
from mapped_disk import mapped_disk
from test_failing_disk import check_movie
from test_recording import packets, start, started

Cause = recording_pb2.RecordingEnd

#: The bytes of a unit, which is the smallest storage.
UNIT = 64 << 20


@contextmanager
def storage_daemon(data, disk):
    """Runs a daemon whose storage has one unit. Gives two clients of it."""
    flags = ["--recordings-dir", disk.folder / "movies", "--video-storage-dir", disk.folder / "storage"]
    with (
        own_daemon(data, "--synthetic", "0", *flags, "--video-storage-capacity", str(UNIT)) as daemon,
        firstlight.connect(ADDRESS) as sdk,
    ):
        wait_for(sdk, lambda state: state.remaining_capacity == UNIT and not state.busy)
        yield daemon, sdk


def wait_for(sdk, is_wanted):
    """The first state of the storage that is as wanted."""
    state = next(state for state in sdk.watch_video_storage() if state.HasField("error") or is_wanted(state))
    assert is_wanted(state), state
    return state


def recorded(sdk, session, disk):
    """A recording that was written to the storage."""
    events = sdk.start_recording(session, fragment_seconds=0.2)
    name = started(events)
    wait_for(sdk, lambda state: sdk.recording(name).recorded_file_size > 0 and state.remaining_capacity < UNIT - 8192)
    file = disk.folder / "movies" / sdk.recording(name).file
    assert not file.exists()
    finished = sdk.stop_recording(name)
    assert (finished.end.cause, finished.playable) == (Cause.CAUSE_STOPPED, True)
    assert file.stat().st_size == finished.recorded_file_size
    assert sdk.video_storage().remaining_capacity == 0
    return finished


@pytest.mark.timeout(180)
def test_G14_the_webcams_jpeg_leaves_the_storage_unchanged(webcam, tmp_path):
    with (
        mapped_disk(mebibytes=200) as disk,
        webcam.recording() as sent,
        storage_daemon(tmp_path, disk) as (daemon, sdk),
    ):
        movie = firstlight.movie_output(codec=firstlight.MovieCodec.MOTION_JPEG, uses_pro_video_storage=True)
        camera = webcam.device(daemon).name
        session = start(sdk, camera, movie=movie, pixel_format="MJPG", size=(640, 360), frame_rate=15)
        finished = recorded(sdk, session, disk)
        check_movie(disk.folder / "movies" / finished.file, finished, sent.numbers)


@pytest.mark.timeout(180)
def test_G14_vivid_is_recorded_into_the_storage(client, tmp_path):
    with mapped_disk(mebibytes=200) as disk, storage_daemon(tmp_path, disk) as (daemon, sdk):
        movie = firstlight.movie_output(uses_pro_video_storage=True)
        camera = daemon.cameras()[0].name
        session = start(sdk, camera, movie=movie, pixel_format="YUYV", size=(320, 180))
        finished = recorded(sdk, session, disk)
        assert len(packets(disk.folder / "movies" / finished.file)) == finished.frame_count
