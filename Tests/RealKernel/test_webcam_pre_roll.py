"""A recording of a USB camera's own pictures that begins before its request."""

import time

import firstlight
from client import assert_every_gap_is_counted, frames_until, next_frame
from test_recording import began, lost, pictures, start
from test_webcam import shown_number

RATE = 15
PRE_ROLL = 2
SECOND = 1_000_000_000


def test_G1_a_pre_roll_of_the_webcams_jpeg_has_each_picture_once_and_unchanged(sdk, client, webcam, tmp_path):
    movie = firstlight.movie_output(codec=firstlight.MovieCodec.MOTION_JPEG, max_pre_roll=PRE_ROLL)
    every = firstlight.video_data_output("every", pixel_format="MJPG", queue_depth=64)
    features = {"pixel_format": "MJPG", "size": (640, 360), "frame_rate": RATE}
    with webcam.recording() as sent:
        session = start(sdk, webcam.device(client).name, movie=movie, video_data=[every], **features)
        with client.stream_video_data(session, "every") as stream:
            frames = [next_frame(stream)]

            def watch(seconds):
                """Takes the frames of so many seconds."""
                end = frames[-1].monotonic_time_ns + seconds * SECOND
                frames.extend(frames_until(stream, lambda frame: frame.monotonic_time_ns >= end))

            watch(PRE_ROLL + 0.5)
            before = time.monotonic_ns()
            recording = began(sdk.start_recording(session, pre_roll=PRE_ROLL, fragment_seconds=0.5))
            after = time.monotonic_ns()
            watch(1)
            finished = sdk.stop_recording(recording.name)
        path = tmp_path / "webcam.mov"
        sdk.download_recording(recording.name, path)
        found = pictures(path)
        numbers = [shown_number(picture) for _, picture in found]
        for number, (_, picture) in zip(numbers, found, strict=True):
            assert picture == sent.picture(number), f"picture {number} is not what the camera sent"
    sdk.delete_recording(recording.name)
    sdk.delete_session(session)

    request = recording.start_monotonic_time_ns + recording.pre_roll_duration.ToNanoseconds()
    assert before <= request <= after
    # Each picture is a key frame, so the movie begins with the first one of the two seconds before the request.
    assert_every_gap_is_counted(frames)
    stamps = {frame.sequence: frame.monotonic_time_ns for frame in frames}
    wanted = min(number for number, stamp in stamps.items() if stamp >= request - PRE_ROLL * SECOND)
    assert (numbers[0], stamps[wanted]) == (wanted, recording.start_monotonic_time_ns)
    # The movie goes on beyond the request. What it lacks, if anything, is counted.
    assert recording.start_monotonic_time_ns + found[-1][0] * SECOND > request
    assert numbers == sorted(set(numbers))
    assert len(numbers) + lost(finished) == numbers[-1] - numbers[0] + 1
    assert len(numbers) == finished.frame_count
    for number, (movie_time, _) in zip(numbers, found, strict=True):
        if number in stamps:
            driver_time = stamps[number] - recording.start_monotonic_time_ns
            assert abs(driver_time - movie_time * SECOND) < SECOND / 1000
