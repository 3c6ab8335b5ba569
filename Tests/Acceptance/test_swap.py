"""Swapping cameras under a running session. The pixels of a picture show which camera took it."""

import contextlib
import itertools
import threading
import time

import firstlight
from firstlight import Encoding, video_data_output
from support import SYNTHETIC, Collector, changed, timecode, watching

#: The cameras by the id of the session's input. The position here is the camera number in the pictures.
CAMERAS = dict(zip(("first", "second"), SYNTHETIC, strict=True))
SMALL = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30}
PERIOD = 1_000_000_000 // 30
OUTPUTS = [video_data_output("raw"), video_data_output("grey", pixel_format="GREY")]


def configured(camera):
    wanted = firstlight.configuration(CAMERAS[camera], video_data=OUTPUTS, responsive_capture=True, **SMALL)
    wanted.inputs[0].id = camera
    return wanted


def number(camera):
    return list(CAMERAS).index(camera)


@contextlib.contextmanager
def photographer(client, name):
    """Takes one photo after the other and gives the growing list of photos. A swap ends the captures that are in
    flight.
    """
    photos, failures, is_over = [], [], threading.Event()

    def shoot():
        while not is_over.is_set():
            try:
                photos.append(client.photo(name))
            except firstlight.FirstlightError as error:
                failures.append(error)

    thread = threading.Thread(target=shoot)
    thread.start()
    try:
        yield photos
    finally:
        is_over.set()
        thread.join()
    assert {failure.reason for failure in failures} <= {"OPERATION_INTERRUPTED"}


def test_A16_after_a_swap_no_picture_of_the_old_camera_comes_under_the_new_name(client, session):
    name = session(configure=False)
    client.configure(name, configured("first"))
    client.start(name)
    client.photo(name)
    told = watching(client, name)
    readers = {
        "jpeg": Collector(client.preview(name, jpeg_quality=50, max_size=(320, 180))),
        "uncompressed": Collector(client.preview(name, encoding=Encoding.UNCOMPRESSED)),
        "raw": Collector(client.video_data(name, "raw")),
        "grey": Collector(client.video_data(name, "grey")),
    }
    order = ["first", "second", "first", "second"]
    commits = []
    with photographer(client, name) as photos:
        for before, after in itertools.pairwise(order):
            for reader in readers.values():
                reader.wait_for(lambda frames, before=before: [f.input for f in frames[-5:]] == [before] * 5)
            seen = readers["raw"].wait_for(len)[-1]
            asked = time.monotonic_ns()
            revision = client.configure(name, configured(after)).config_revision
            commits.append((asked, time.monotonic_ns(), revision))
            # One photo is of now, the other asks for a frame of the camera that was replaced.
            for photo in (client.photo(name), client.photo(name, of=seen)):
                assert timecode(photo).camera == number(after)
        for reader in readers.values():
            reader.wait_for(lambda frames: [f.input for f in frames[-5:]] == [order[-1]] * 5)
        told.wait_for(lambda events: [changed(event) for event in events].count("stream_changed") == len(commits))
    cameras = {}
    for what, reader in readers.items():
        frames = reader.close()
        for frame in frames:
            assert timecode(frame) == (frame.sequence, frame.capture_time_ns, number(frame.input)), what
            cameras[frame.stream_id] = number(frame.input)
        assert [camera for camera, _ in itertools.groupby(frame.input for frame in frames)] == order, what
        assert len({frame.stream_id for frame in frames}) == len(order), "each swap is a new stream"
        for asked, returned, revision in commits:
            assert all(frame.monotonic_time_ns < returned for frame in frames if frame.config_revision < revision)
            assert all(frame.monotonic_time_ns > asked for frame in frames if frame.config_revision >= revision)
    assert {cameras[photo.stream_id] for photo in photos} == {0, 1}
    for photo in photos:
        assert timecode(photo) == (photo.sequence, photo.capture_time_ns, cameras[photo.stream_id])

    changes = [event.stream_changed for event in told.close() if changed(event) == "stream_changed"]
    swaps = [pair for pair in itertools.pairwise(readers["raw"].close()) if pair[0].input != pair[1].input]
    for change, (old, new), (asked, returned, _) in zip(changes, swaps, commits, strict=True):
        assert change.stream_id == new.stream_id
        # The gap that the reader saw includes frames that it did not get. One discontinuity is the swap itself.
        unseen = new.dropped.late + new.dropped.out_of_buffers + new.dropped.discontinuity - 1
        seen = new.monotonic_time_ns - old.monotonic_time_ns
        gap = change.gap.ToNanoseconds()
        assert seen - unseen * (PERIOD + 1) <= gap <= seen
        assert gap < returned - asked + 500_000_000


def test_A16_a_change_of_format_tells_its_gap_and_a_stop_has_none(client, session):
    name = session(start=True, **SMALL)
    told = watching(client, name)
    with client.preview(name) as preview:
        next(preview)
        client.configure(name, firstlight.configuration(SYNTHETIC[0], pixel_format="YUYV", size=(320, 180)))
        second = next(frame for frame in preview if frame.width == 320)
        client.stop(name)
        client.start(name)
        third = next(frame for frame in preview if frame.stream_id != second.stream_id)
        client.configure(name, firstlight.configuration(SYNTHETIC[0], **SMALL))
        fourth = next(frame for frame in preview if frame.width == 640)
        events = told.wait_for(lambda events: [changed(event) for event in events].count("stream_changed") == 2)
    told.close()
    streams = [event.stream_changed.stream_id for event in events if changed(event) == "stream_changed"]
    assert streams == [second.stream_id, fourth.stream_id]
    assert third.stream_id not in streams
