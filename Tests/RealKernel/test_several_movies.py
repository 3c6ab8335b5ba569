"""Two cameras of the real driver in two movies of one session, recorded at once. The driver draws a number into each
picture, which shows which frames a movie has.
"""

import json
import subprocess
from itertools import pairwise

import pytest

import firstlight
from firstlight import camera_input, connection, movie_output
from picture import drawn_sequence
from test_recording import lost, started

# FFmpeg's programs are slow on an emulated machine.
pytestmark = [pytest.mark.bare, pytest.mark.timeout(180)]

SIZE = (320, 180)
RATE = 10


def drawn_numbers(path):
    """The numbers that are drawn into the pictures of a movie, in the order in which they are shown."""
    as_they_are = ["-vsync", "0", "-enc_time_base", "-1"]
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "gray", *as_they_are, "-"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert not done.stderr, done.stderr.decode()
    count = SIZE[0] * SIZE[1]
    return [drawn_sequence(done.stdout[at : at + count], SIZE[0]) for at in range(0, len(done.stdout), count)]


def shown_times(path):
    """The times of the pictures of a movie in seconds."""
    read = ["ffprobe", "-v", "error", "-show_entries", "packet=pts_time", "-of", "json", str(path)]
    found = json.loads(subprocess.run(read, capture_output=True, check=True).stdout)
    return sorted(float(packet["pts_time"]) for packet in found["packets"])


def test_L2_two_cameras_are_recorded_at_once_and_each_frame_is_there_once(sdk, client, tmp_path):
    cameras = client.cameras()
    wanted = firstlight.configuration(
        inputs=[
            camera_input(camera.name, id=f"cam-{number}", pixel_format="YUYV", size=SIZE, frame_rate=RATE)
            for number, camera in enumerate(cameras)
        ],
        photo=False,
        additional_previews=["side"],
        movie=movie_output(),
        additional_movies=[movie_output(id="second")],
        connections=[
            connection("preview", input="cam-0"),
            connection("side", input="cam-1"),
            connection("movie", input="cam-0"),
            connection("second", input="cam-1"),
        ],
    )
    session = sdk.create_session(configuration=wanted, start=True).name
    streams = [sdk.start_recording(session, output=output, fragment_seconds=0.5) for output in ("movie", "second")]
    names = [started(events) for events in streams]
    shown = [{}, {}]
    with (
        sdk.preview(session, max_size=(64, 36)) as first,
        sdk.preview(session, output="side", max_size=(64, 36)) as second,
    ):
        for _ in range(2 * RATE):
            for stamps, preview in zip(shown, (first, second), strict=True):
                frame = next(preview)
                stamps[frame.sequence] = frame.monotonic_time_ns
    stopped = [sdk.stop_recording(name) for name in names]
    assert [recording.output for recording in stopped] == ["movie", "second"]
    begins = max(recording.start_monotonic_time_ns for recording in stopped)
    for recording, stamps in zip(stopped, shown, strict=True):
        path = tmp_path / f"{recording.output}.mp4"
        sdk.download_recording(recording.name, path)
        numbers, times = drawn_numbers(path), shown_times(path)
        assert len(numbers) == recording.frame_count
        steps = [after - before for before, after in pairwise(numbers)]
        assert min(steps) >= 1, numbers
        # The encoder is slow on an emulated machine.
        assert sum(steps) - len(steps) <= lost(recording), numbers
        captured = {
            number: recording.start_monotonic_time_ns + round(time * 1e9)
            for time, number in zip(times, numbers, strict=True)
        }
        both = captured.keys() & stamps.keys()
        assert both
        assert len(stamps) - len(both) <= lost(recording)
        assert all(abs(captured[number] - stamps[number]) < 1_000_000 for number in both)
        # Both movies were recorded at the same time.
        assert recording.start_monotonic_time_ns + times[-1] * 1e9 > begins + 1e9
        sdk.delete_recording(recording.name)
    sdk.delete_session(session)
