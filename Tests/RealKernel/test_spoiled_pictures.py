"""A webcam that spoils a third of its pictures, in every way in which webcams spoil pictures.

The driver's sequence numbers are the numbers of the pictures, so the number alone says what is wrong with a picture.
"""

import io
import subprocess
from itertools import pairwise
from pathlib import Path

import grpc
import numpy as np
import pytest
from PIL import Image

import firstlight
from client import PATIENCE, configuration, frames_until, next_frame, status_error_info
from firstlight import video_data_output
from firstlight.v1 import photo_pb2, photo_shot_pb2, preview_service_pb2 as preview, types_pb2
from test_launch import timeline

JPEG = types_pb2.ENCODING_JPEG
EXACT, NEAREST, DAMAGED = (
    photo_pb2.FRAME_MATCH_EXACT,
    photo_pb2.FRAME_MATCH_NEAREST,
    photo_pb2.FRAME_MATCH_DAMAGED,
)
SPEED, BALANCED = (
    photo_pb2.PHOTO_QUALITY_PRIORITIZATION_SPEED,
    photo_pb2.PHOTO_QUALITY_PRIORITIZATION_BALANCED,
)
#: Every third picture is spoilt. The remainder of its number divided by 24 decides in which way.
PERIOD = 24
SPOILT = {
    0: "no-tables",
    3: "padding",
    6: "no-end",
    9: "cut",
    12: "torn",
    15: "garbage",
    18: "other-size",
    21: "error-bit",
}
#: The daemon makes these pictures whole before they leave capture.
MENDED = ("no-tables", "padding")
#: These pictures never leave capture.
REFUSED = ("no-end", "cut", "garbage", "other-size")
NO_DROP = Path("/sys/module/uvcvideo/parameters/nodrop")


def kind(number):
    """What is wrong with a picture, or None when it is whole."""
    return SPOILT.get(number % PERIOD)


def luma(picture):
    """The luma of an image file."""
    return np.asarray(Image.open(io.BytesIO(picture)).convert("L"))


def shown_number(picture):
    """The number on the timecode board of an image file of any size."""
    board = firstlight.timecode.decode(luma(picture))
    assert board is not None, "the picture shows no board"
    return board.sequence


@pytest.fixture
def spoilt(webcam, client):
    """The daemon's name of a camera that spoils a third of its pictures."""
    for remainder, name in SPOILT.items():
        webcam.spoil(name, PERIOD, remainder)
    return webcam.device(client).name


@pytest.fixture
def driver_keeps(request):
    """Whether the driver hands on pictures that the camera marks as broken.

    The fixture must come before the camera, because the driver reads the parameter when the camera is plugged in.
    """
    subprocess.run(["modprobe", "uvcvideo"], check=True, timeout=PATIENCE)
    before = NO_DROP.read_text()
    NO_DROP.write_text(str(int(request.param)))
    yield request.param
    NO_DROP.write_text(before)


def small_preview(client, name):
    """A preview that the daemon makes of the camera's decoded pictures."""
    request = preview.StreamPreviewRequest(session=name, encoding=JPEG, max_size=types_pb2.Size(width=320, height=180))
    return client.stream(client.previews.StreamPreview(request))


def between(before, after):
    """What is wrong with each picture between two frames that a reader got."""
    return [kind(number) for number in range(before.sequence + 1, after.sequence)]


def refusals(lost, driver_keeps):
    """The number of these pictures that the daemon counts as damaged."""
    return sum(each in REFUSED or (driver_keeps and each == "error-bit") for each in lost)


@pytest.mark.timeout(180)  # Hundreds of pictures are decoded, which takes long on an emulated machine.
@pytest.mark.parametrize("driver_keeps", [False, True], ids=["dropped", "kept"], indirect=True)
def test_D3_every_spoilt_picture_is_counted_and_none_is_of_another_size(driver_keeps, client, spoilt):
    own = video_data_output("own", pixel_format="MJPG", queue_depth=8)
    with (
        client.open_session(spoilt, pixel_format="MJPG", video_data=[own]) as name,
        client.stream_preview(name, JPEG) as passed,
        small_preview(client, name) as small,
        client.stream_video_data(name, "own") as data,
    ):
        streams = {"passed": (passed, 640, 360), "small": (small, 320, 180), "data": (data, 640, 360)}
        for reader, (stream, width, height) in streams.items():
            first = next_frame(stream)
            frames, last = [first], first.sequence + 2 * PERIOD
            # A reader that is slow misses many pictures. It reads on until it has had each kind that it can get.
            wanted = {None, *MENDED} if reader == "small" else {None, *MENDED, "torn"}
            while frames[-1].sequence < last or not wanted <= {kind(frame.sequence) for frame in frames}:
                frames.append(next_frame(stream))
            for frame in frames:
                assert (frame.width, frame.height) == (width, height)
                # Only decoding shows that a picture is torn, and this reader gets the pictures undecoded.
                if kind(frame.sequence) != "torn":
                    assert luma(frame.data).shape == (height, width)
                    assert shown_number(frame.data) == frame.sequence
            assert {kind(frame.sequence) for frame in frames} == wanted
            all_skipped = all_torn = 0
            for before, after in pairwise(frames):
                lost = between(before, after)
                told = after.dropped
                flagged = lost.count("error-bit")
                refused = refusals(lost, driver_keeps)
                # On a slow machine the driver itself skips some pictures of any kind.
                skipped = told.discontinuity - (0 if driver_keeps else flagged)
                assert skipped >= 0, (lost, told)
                # Once one reader has decoded a torn picture, readers that have not had it yet lose it as damaged, too.
                # The picture may also be replaced by a newer one before any reader has decoded it.
                torn = lost.count("torn")
                assert refused - skipped <= told.damaged <= refused + torn, (lost, told)
                all_skipped += skipped
                all_torn += torn
                assert told.late + told.damaged + told.discontinuity == len(lost), (lost, told)
            if reader != "small":
                refused = refusals(map(kind, range(first.sequence + 1, frames[-1].sequence)), driver_keeps)
                damaged = sum(frame.dropped.damaged for frame in frames[1:])
                assert damaged > 0
                assert refused - all_skipped <= damaged <= refused + all_torn
                continue
            # The reader soon meets a torn picture that was decoded.
            before, after = frames[-2:]
            while after.dropped.damaged <= refusals(between(before, after), driver_keeps):
                before, after = after, next_frame(stream)
            assert "torn" in between(before, after)


def capture(client, name, settings=None, **moment):
    """The photos of a capture. Checks that the capture succeeded, and that each photo is whole and of its frame."""
    events = client.capture(name, settings=settings or photo_pb2.PhotoSettings(), **moment)
    assert not events[-1].did_finish_capture.HasField("error"), events[-1]
    photos = [
        event.did_finish_processing_photo.photo for event in events if event.HasField("did_finish_processing_photo")
    ]
    for photo in photos:
        shown = luma(photo.data)
        assert shown.shape == (360, 640)
        # A merged photo shows several numbers.
        if photo.fused_frame_count == 1:
            assert shown_number(photo.data) == photo.sequence
    return photos


def test_H1_photos_of_now_are_whole(client, spoilt):
    encodings = (types_pb2.ENCODING_JPEG, types_pb2.ENCODING_PNG)
    with client.open_session(spoilt, pixel_format="MJPG") as name, client.stream_preview(name, JPEG) as stream:
        next_frame(stream)
        taken = []
        # The photos meet every place in the period of spoilt pictures.
        for place in range(PERIOD):
            frames_until(stream, lambda frame, place=place: frame.sequence % PERIOD >= place)
            settings = photo_pb2.PhotoSettings(
                encoding=encodings[place % 2], quality_prioritization=(SPEED, BALANCED)[place // 2 % 2]
            )
            taken += capture(client, name, settings)
    assert len(taken) == PERIOD
    assert {kind(photo.sequence) for photo in taken} <= {None, *MENDED}


def test_H1_a_photo_of_now_takes_the_next_whole_picture(client, webcam):
    webcam.spoil("torn", every=2)
    with (
        client.open_session(webcam.device(client).name, pixel_format="MJPG") as name,
        client.stream_preview(name, JPEG) as stream,
    ):
        next_frame(stream)
        photos = []
        # Every other picture is torn, so a photo of now soon meets one.
        while not any(photo.frame_match == DAMAGED for photo in photos):
            settings = photo_pb2.PhotoSettings(quality_prioritization=SPEED)
            events = client.capture(name, settings=settings)
            assert not events[-1].did_finish_capture.HasField("error"), events[-1]
            photos.append(events[-2].did_finish_processing_photo.photo)
            assert shown_number(photos[-1].data) == photos[-1].sequence
            captured = next(event.did_capture_photo for event in events if event.HasField("did_capture_photo"))
            behind = photos[-1].sequence - captured.sequence
            assert (behind > 0 and behind % 2 == 1) == (photos[-1].frame_match == DAMAGED)
            assert (captured.sequence % 2 == 0) == (photos[-1].frame_match == DAMAGED)
            assert len(photos) < 100


def skipped_by_driver(before, after):
    """Whether the driver skipped pictures between two frames other than those that the camera marked as broken, as it
    does on a slow machine.
    """
    return after.dropped.discontinuity > between(before, after).count("error-bit")


@pytest.mark.timeout(180)  # Each kind of picture may need several attempts.
@pytest.mark.parametrize("quality", [SPEED, BALANCED], ids=["one frame", "merged"])
def test_H1_a_photo_of_a_named_frame_says_that_it_is_damaged_and_is_its_neighbour(client, spoilt, quality):
    wanted = {
        # The photo itself finds a torn picture that no reader has decoded. The number shows that a picture never left
        # capture.
        "torn": (DAMAGED, -1),
        **dict.fromkeys(REFUSED, (DAMAGED, -1)),
        # The driver reports only that the picture is missing.
        "error-bit": (NEAREST, -1),
        **dict.fromkeys((*MENDED, None), (EXACT, 0)),
    }
    own = video_data_output("own", pixel_format="MJPG", queue_depth=8)
    with (
        client.open_session(spoilt, pixel_format="MJPG", video_data=[own], window=2) as name,
        client.stream_video_data(name, "own") as data,
    ):
        seen = set()
        while seen < set(wanted):
            # The next picture of a kind that was not named yet, as soon as a picture follows it. The ring does not keep
            # it for long.
            data.waiting()
            before = next_frame(data)
            named = before.sequence + 1
            while kind(named) in seen:
                named += 1
            frames = [before, *frames_until(data, lambda frame, number=named: frame.sequence > number)]
            around = next(pair for pair in pairwise(frames) if pair[1].sequence >= named)
            if skipped_by_driver(*around):
                continue
            settings = photo_pb2.PhotoSettings(quality_prioritization=quality)
            (photo,) = capture(client, name, settings, viewfinder_sequence=named)
            assert (photo.frame_match, photo.sequence - named) == wanted[kind(named)], kind(named)
            seen.add(kind(named))


def test_H8_a_bracket_is_whole(client, spoilt, webcam):
    # Torn pictures are more frequent than usual, so that a step of the bracket soon meets one.
    webcam.spoil("torn", every=4, remainder=1)
    exposure = photo_shot_pb2.ManualExposure
    wanted = configuration(spoilt, "MJPG")
    wanted.photo.max_quality_prioritization = photo_pb2.PHOTO_QUALITY_PRIORITIZATION_QUALITY
    with client.open_session(spoilt, pixel_format="MJPG") as name, client.stream_preview(name, JPEG) as stream:
        client.configure(name, wanted)
        next_frame(stream)
        durations = []
        for nanoseconds in (8_000_000, 16_000_000, 32_000_000):
            manual = exposure()
            manual.exposure_duration.FromNanoseconds(nanoseconds)
            durations.append(photo_shot_pb2.BracketedPhotoSettings(manual_exposure=manual))
        for merging in (photo_shot_pb2.BRACKET_MERGING_NONE, photo_shot_pb2.BRACKET_MERGING_EXPOSURE_FUSION) * 2:
            settings = photo_pb2.PhotoSettings(bracket=durations, bracket_merging=merging)
            photos = capture(client, name, settings)
            assert len(photos) == (3 if merging == photo_shot_pb2.BRACKET_MERGING_NONE else 1)
            for photo in photos:
                # In this test the torn pictures are at other numbers.
                assert kind(photo.sequence) in (None, *MENDED, "torn")
                assert photo.sequence % 4 != 1
                assert photo.fused_frame_count == 3 // len(photos)


def test_C3_a_launch_begins_with_the_first_whole_picture(client, webcam):
    # Once in a stream: the first two pictures are refused, and the third cannot be decoded.
    webcam.spoil("cut", every=1_000_000)
    webcam.spoil("other-size", every=1_000_000, remainder=1)
    webcam.spoil("torn", every=1_000_000, remainder=2)
    with (
        client.open_session(webcam.device(client).name, pixel_format="MJPG", start=False) as name,
        small_preview(client, name) as small,
        client.watch_session(name) as events,
    ):
        # The preview and the events are there before the start.
        small.next()
        events.next()
        client.start(name)
        first = next_frame(small)
        # On a slow machine a newer picture may have replaced the first whole one.
        assert first.sequence >= 3
        told = first.dropped
        assert told.damaged >= 2
        assert told.late + told.damaged + told.discontinuity == first.sequence
        assert shown_number(first.data) == first.sequence
        events.until(lambda message: message.event.HasField("did_run_deferred_start"))
        launch = timeline(client, name)
        # The timeline's first frame is the torn one, which no reader has decoded yet.
        assert launch.first_frame_captured_ns <= first.monotonic_time_ns
        assert launch.first_frame_sent_ns > 0
        (photo,) = capture(client, name)
        assert photo.frame_match == EXACT


def test_H1_of_a_camera_that_spoils_everything_there_is_no_photo_and_it_says_why(client, webcam):
    with (
        client.open_session(webcam.device(client).name, pixel_format="MJPG", window=2) as name,
        client.stream_preview(name, JPEG) as stream,
    ):
        next_frame(stream)
        webcam.spoil("torn")
        frame = next_frame(stream)
        frames_until(stream, lambda later: later.sequence > frame.sequence + 60)
        for moment in ({}, {"viewfinder_sequence": frames_until(stream, lambda _: True)[-1].sequence}):
            error = client.capture(name, **moment)[-1].did_finish_capture.error
            assert error.code == grpc.StatusCode.DATA_LOSS.value[0]
            assert status_error_info(error).reason == "FRAME_DAMAGED"
        # The session still runs, and works again with whole pictures.
        webcam.spoil_nothing()
        with small_preview(client, name) as small:
            whole = next_frame(small)
        (photo,) = capture(client, name, viewfinder_sequence=whole.sequence)
        assert photo.frame_match == EXACT


@pytest.mark.parametrize("driver_keeps", [True], ids=["kept"], indirect=True)
def test_D3_uncompressed_pictures_that_are_too_short_are_damaged(driver_keeps, client, webcam):
    assert driver_keeps
    webcam.spoil("cut", every=3)
    camera = webcam.device(client).name
    wanted = configuration(camera, "YUYV", [video_data_output("own", pixel_format="YUYV", queue_depth=8)])
    wanted.inputs[0].format.width, wanted.inputs[0].format.height = 320, 180
    with client.open_session(camera, pixel_format="MJPG", start=False) as name:
        client.configure(name, wanted)
        with client.stream_video_data(name, "own") as data:
            client.start(name)
            assert_short_pictures_are_damaged(data)


def assert_short_pictures_are_damaged(data):
    """Checks that every third picture of the stream is counted as damaged, and no other one. On a slow machine the
    driver itself skips some pictures of both kinds.
    """
    frames = [next_frame(data), *frames_until(data, lambda frame: frame.sequence >= 30)]
    assert frames[0].sequence % 3 != 0
    for before, after in pairwise(frames):
        missing = range(before.sequence + 1, after.sequence)
        short, skipped = sum(number % 3 == 0 for number in missing), after.dropped.discontinuity
        assert short - skipped <= after.dropped.damaged <= short
        assert after.dropped.late + after.dropped.damaged + skipped == len(missing)
    assert sum(frame.dropped.damaged for frame in frames) > 0
