"""Recordings of V4L2 cameras, judged by FFmpeg."""

import json
import subprocess
from itertools import islice, pairwise

import pytest

import firstlight
from client import guest
from firstlight.v1 import device_service_pb2 as device, recording_pb2

Cause = recording_pb2.RecordingEnd


def packets(path):
    """The packets of a movie in the order of the file: their times in seconds, and their sizes. FFmpeg must decode all
    of them without a word.
    """
    return [(float(packet["pts_time"]), int(packet["size"])) for packet in _decoded(path)]


def pictures(path):
    """What `packets` returns, but with the bytes of each packet in place of its size."""
    movie = path.read_bytes()
    places = [(float(packet["pts_time"]), int(packet["pos"]), int(packet["size"])) for packet in _decoded(path)]
    return [(time, movie[place : place + size]) for time, place, size in places]


def _decoded(path):
    entries = "packet=pts_time,pos,size:stream=nb_read_frames"
    read = ["ffprobe", "-v", "error", "-count_frames", "-show_entries", entries, "-of", "json", str(path)]
    done = subprocess.run(read, capture_output=True, check=True)
    assert not done.stderr, done.stderr.decode()
    told = json.loads(done.stdout)
    (stream,) = told["streams"]
    assert int(stream["nb_read_frames"]) == len(told["packets"])
    return told["packets"]


def start(sdk, camera, **features):
    """Starts a session with a movie output. Returns its name."""
    wanted = firstlight.configuration(camera, **features)
    return sdk.create_session(configuration=wanted, start=True).name


def started(events):
    """The name of the recording, once it has its first frame."""
    return began(events).name


def began(events):
    """The recording as it began, once it has its first frame."""
    return next(event for event in events if event.HasField("started")).recording


def lost(recording):
    """The number of frames that a movie lacks."""
    return sum(count for _, count in recording.dropped.ListFields())


def absent_from(recording, found, stamps):
    """The time stamps of frames that a movie with these packets does not have."""
    times = [recording.start_monotonic_time_ns + round(time * 1e9) for time, _ in found]
    return [stamp for stamp in stamps if min(abs(time - stamp) for time in times) >= 1_000_000]


@pytest.mark.bare
def test_G1_vivid_is_recorded_with_the_drivers_times(sdk, client, tmp_path):
    camera = client.cameras()[0].name
    movie = firstlight.movie_output(quality=50)
    session = start(sdk, camera, movie=movie, pixel_format="YUYV", size=(640, 360))
    events = sdk.start_recording(session, fragment_seconds=0.5)
    name = started(events)
    stamps = []
    for frame in sdk.preview(session, max_size=(64, 36)):
        stamps.append(frame.monotonic_time_ns)
        if len(stamps) == 10:
            break
    stopped = sdk.stop_recording(name)
    path = tmp_path / "vivid.mp4"
    assert sdk.download_recording(name, path) == stopped.recorded_file_size
    found = packets(path)
    assert len(found) == stopped.frame_count
    # Each frame that the preview showed is in the movie at the time of its capture, or counts as dropped: the encoder
    # is slow on an emulated machine.
    absent = absent_from(stopped, found, stamps)
    assert len(absent) <= lost(stopped)
    assert len(absent) < len(stamps)
    assert all(after > before for (before, _), (after, _) in pairwise(found))
    sdk.delete_recording(name)
    sdk.delete_session(session)


def test_G1_vivid_is_recorded_until_it_goes_away(sdk, client, tmp_path):
    with client.watch_devices() as devices:
        camera = client.cameras()[0].name
        session = start(sdk, camera, movie=firstlight.movie_output(), pixel_format="YUYV", size=(320, 180))
        events = sdk.start_recording(session, fragment_seconds=0.5)
        name = started(events)
        with sdk.preview(session, max_size=(64, 36)) as preview:
            stamps = [frame.monotonic_time_ns for frame in islice(preview, 20)]
        guest("camera", "unbind")
        finished = list(events)[-1].recording
        guest("camera", "bind")
        # Both cameras are there, go away and come back.
        kinds = [devices.next().event.kind for _ in range(6)]
    assert kinds.count(device.DeviceEvent.KIND_CONNECTED) == 4
    assert finished.end.cause == Cause.CAUSE_SESSION
    error = firstlight.FirstlightError.from_status(finished.end.error)
    assert error.metadata["interruption"] == "DEVICE_DISCONNECTED"
    path = tmp_path / "vivid.mp4"
    assert sdk.download_recording(name, path) == finished.recorded_file_size
    found = packets(path)
    assert len(found) == finished.frame_count
    # Each frame that the preview showed is in the movie, or counts as dropped.
    absent = absent_from(finished, found, stamps)
    assert len(absent) <= lost(finished)
    assert len(absent) < len(stamps)
    sdk.delete_recording(name)
    sdk.delete_session(session)


def test_G1_the_webcams_jpeg_is_recorded_unchanged_up_to_the_unplugging(sdk, client, webcam, tmp_path):
    camera = webcam.device(client).name
    movie = firstlight.movie_output(codec=firstlight.MovieCodec.MOTION_JPEG)
    session = start(sdk, camera, movie=movie, pixel_format="MJPG", size=(640, 360))
    events = sdk.start_recording(session, fragment_seconds=0.5)
    name = started(events)
    sizes = {}
    with sdk.preview(session) as preview:
        for frame in preview:
            sizes[frame.monotonic_time_ns] = len(frame.data)
            if len(sizes) == 10:
                break
        webcam.unplug()
    finished = list(events)[-1].recording
    assert finished.end.cause == Cause.CAUSE_SESSION
    assert finished.end.error.message
    path = tmp_path / "webcam.mov"
    sdk.download_recording(name, path)
    found = packets(path)
    assert len(found) == finished.frame_count >= len(sizes)
    recorded = {finished.start_monotonic_time_ns + round(time * 1e9): size for time, size in found}
    for stamp, size in sizes.items():
        nearest = min(recorded, key=lambda time: abs(time - stamp))
        assert abs(nearest - stamp) < 1_000_000
        assert recorded[nearest] == size
    sdk.delete_recording(name)
    sdk.delete_session(session)
    webcam.plug()
