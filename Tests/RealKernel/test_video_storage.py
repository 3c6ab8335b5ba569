"""Movies of V4L2 cameras in a video storage on a real ext4."""

import errno
from contextlib import contextmanager

import pytest

import firstlight
from client import assert_every_gap_is_counted, next_frame
from daemons import ADDRESS, own_daemon
from firstlight.v1 import recording_pb2
from mapped_disk import mapped_disk
from test_failing_disk import check_movie, failure_of
from test_recording import packets, start, started

Cause = recording_pb2.RecordingEnd

#: The bytes of a unit, which is the smallest storage.
UNIT = 64 << 20


@contextmanager
def storage_daemon(data, disk, remaining=UNIT):
    """Runs a daemon whose storage has one unit, of which `remaining` bytes are left. Gives two clients of it."""
    flags = ["--recordings-dir", disk.folder / "movies", "--video-storage-dir", disk.folder / "storage"]
    with (
        own_daemon(data, "--synthetic", "0", *flags, "--video-storage-capacity", str(UNIT)) as daemon,
        firstlight.connect(ADDRESS) as sdk,
    ):
        wait_for(sdk, lambda state: state.remaining_capacity == remaining and not state.busy)
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


@pytest.mark.timeout(240)
def test_G8_a_disk_that_becomes_read_only_ends_the_movie_which_plays_after_the_repair(client, tmp_path):
    with mapped_disk(mebibytes=200) as disk:
        with storage_daemon(tmp_path, disk) as (daemon, sdk):
            movie = firstlight.movie_output(uses_pro_video_storage=True)
            camera = daemon.cameras()[0].name
            session = start(sdk, camera, movie=movie, pixel_format="YUYV", size=(320, 180))
            with daemon.stream_preview(session) as viewer:
                frames = [next_frame(viewer)]
                events = sdk.start_recording(session, fragment_seconds=0.2)
                name = started(events)
                while sdk.recording(name).frame_count == 0:
                    frames.append(next_frame(viewer))
                disk.become_read_only()
                *_, finished = events
                frames += [message.frame for message in viewer.waiting() if message.HasField("frame")]
                frames.append(next_frame(viewer))
                assert_every_gap_is_counted(frames)
            assert failure_of(finished.recording) == errno.EROFS
            state = next(state for state in sdk.watch_video_storage() if state.HasField("error"))
            why = firstlight.FirstlightError.from_status(state.error)
            assert why.metadata["errno"] == str(errno.EROFS)
            with pytest.raises(firstlight.FirstlightError) as refusal:
                next(sdk.start_recording(session))
            assert refusal.value.reason == "VIDEO_STORAGE_BUSY"
            assert why.message in refusal.value.message
        disk.repair()
        with storage_daemon(tmp_path, disk, remaining=0) as (daemon, sdk):
            repaired = sdk.recording(name)
            assert repaired.playable
            path = disk.folder / "movies" / repaired.file
            assert len(packets(path)) == repaired.frame_count >= finished.recording.frame_count > 0
