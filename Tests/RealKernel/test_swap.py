"""A swap between two cameras of the real driver. The pixels of a picture show which camera took it."""

import itertools
import threading
import time

import numpy as np
import pytest

import firstlight
from client import PATIENCE, configuration, frames_until
from firstlight.v1 import session_configuration_pb2 as configuration_pb2, types_pb2
from picture import decode_jpeg_luma

OWN = configuration_pb2.VideoDataOutput(id="own")
FRAMES = 10


def board(picture):
    """The timecode on the board of a JPEG."""
    luma, width, height = decode_jpeg_luma(picture.data)
    shown = firstlight.timecode.decode(np.frombuffer(luma, np.uint8).reshape(height, width))
    assert shown is not None, "no timecode board in the picture"
    return shown


def photographs(client, name, photos, is_over):
    """Takes one photo after the other into `photos`. A swap ends the capture that is in flight, with or without a
    photo.
    """
    while not is_over.is_set():
        done = next(e for e in client.capture(name) if e.HasField("did_finish_processing_photo"))
        if done.did_finish_processing_photo.HasField("photo"):
            photos.append(done.did_finish_processing_photo.photo)


@pytest.mark.timeout(180)  # A hundred pictures are decoded, which takes long on an emulated machine.
def test_A16_no_picture_of_the_old_webcam_comes_under_the_new_name(client, webcams):
    # Neither a port nor a place in a list would give these numbers.
    numbers = {"first": 71, "second": 34}
    cameras = {name: webcams(number=number).device(client).name for name, number in numbers.items()}
    order = ["first", "second", "first"]

    def configured(camera):
        wanted = configuration(cameras[camera], "MJPG", [OWN])
        wanted.inputs[0].id = camera
        return wanted

    photos, is_over = [], threading.Event()
    with (
        client.open_session(cameras["first"], "MJPG", start=False, video_data=[OWN]) as name,
        client.watch_session(name) as events,
        client.stream_preview(name, types_pb2.ENCODING_JPEG) as preview,
        client.stream_video_data(name, "own") as data,
    ):
        client.configure(name, configured("first"))
        client.start(name)
        seen = {stream: frames_until(stream, lambda frame: frame.sequence >= FRAMES) for stream in (preview, data)}
        photographer = threading.Thread(target=photographs, args=(client, name, photos, is_over))
        photographer.start()
        asked = []
        for camera in order[1:]:
            asked.append(time.monotonic_ns())
            response = client.configure(name, configured(camera))
            assert response.reconfigured
            returned = time.monotonic_ns()
            revision = response.session.config_revision
            for stream, frames in seen.items():
                frames += frames_until(stream, lambda f, camera=camera: f.input == camera and f.sequence >= FRAMES)
                assert all(f.monotonic_time_ns < returned for f in frames if f.config_revision < revision)
        is_over.set()
        photographer.join(PATIENCE)
        told = events.until(lambda message: message.event.HasField("stream_changed"))
        told += events.until(lambda message: message.event.HasField("stream_changed"))
    owners = {}
    for frames in seen.values():
        for frame in frames:
            shown = board(frame)
            assert (shown.sequence, shown.camera) == (frame.sequence, numbers[frame.input])
            owners[frame.stream_id] = shown.camera
        assert [camera for camera, _ in itertools.groupby(frame.input for frame in frames)] == order
    assert photos
    for photo in photos:
        shown = board(photo)
        assert (shown.sequence, shown.camera) == (photo.sequence, owners[photo.stream_id])
    changes = [message.event.stream_changed for message in told if message.event.HasField("stream_changed")]
    swaps = [pair for pair in itertools.pairwise(seen[data]) if pair[0].input != pair[1].input]
    for change, (old, new), before in zip(changes, swaps, asked, strict=True):
        unseen = new.dropped.late + new.dropped.out_of_buffers + new.dropped.discontinuity - 1
        gap, between = change.gap.ToNanoseconds(), new.monotonic_time_ns - old.monotonic_time_ns
        assert change.stream_id == new.stream_id
        assert 0 < gap <= between
        assert unseen > 0 or gap == between, "the reader had the last frame and the first"
        # The old camera went on until the commit was requested.
        assert gap < new.monotonic_time_ns - before + 1_000_000_000
