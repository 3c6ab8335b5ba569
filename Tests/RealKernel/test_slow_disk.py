"""A recording on a disk that takes half a second for each write and then stands still."""

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
#: How many seconds the disk takes for each write.
DELAY = 0.5
#: For how many frames the disk stands still. These are three seconds, and many more frames than a driver has buffers.
STANDSTILL = 3 * RATE


@pytest.mark.timeout(120)
def test_G1_a_slow_disk_keeps_no_preview_waiting_and_every_frame_is_in_the_movie_or_counted(webcam, tmp_path):
    with (
        webcam.recording() as sent,
        mapped_disk(DELAY) as disk,
        own_daemon(tmp_path, "--synthetic", "0", "--recordings-dir", disk.folder) as daemon,
        firstlight.connect(ADDRESS) as sdk,
    ):
        movie = firstlight.movie_output(codec=firstlight.MovieCodec.MOTION_JPEG)
        camera = webcam.device(daemon).name
        session = start(sdk, camera, movie=movie, pixel_format="MJPG", size=(640, 360), frame_rate=RATE)
        with daemon.stream_preview(session, types.ENCODING_JPEG) as viewer:
            frames = [next_frame(viewer)]

            def watch(until):
                """Sees frames until the last one of them is as wanted."""
                while True:
                    frames.append(next_frame(viewer))
                    if until(frames[-1]):
                        return

            name = started(sdk.start_recording(session))
            watch(lambda _: sdk.recording(name).frame_count > 0)
            with disk.standing_still():
                watch(lambda _: True)
                begin, written = frames[-1].sequence, sdk.recording(name).frame_count
                watch(lambda frame: frame.sequence >= begin + STANDSTILL)
                assert sdk.recording(name).frame_count == written, "something reaches the disk"
            watch(lambda _: sdk.recording(name).frame_count > written)
        finished = sdk.stop_recording(name)
        assert finished.end.cause == Cause.CAUSE_STOPPED
        # Each picture of the movie must be one that the camera sent.
        known = sent.numbers
        numbers = [known[picture] for _, picture in pictures(disk.folder / finished.file)]

    # The preview may miss a frame now and then, because the machine is emulated. A preview that waited for a single
    # write of the disk would miss seven in a row.
    assert_every_gap_is_counted(frames)
    assert max(after.sequence - before.sequence for before, after in pairwise(frames)) < DELAY * RATE
    assert numbers == sorted(set(numbers))
    assert numbers[-1] - begin > STANDSTILL
    assert len(numbers) == finished.frame_count
    assert len(numbers) + lost(finished) == numbers[-1] - numbers[0] + 1
