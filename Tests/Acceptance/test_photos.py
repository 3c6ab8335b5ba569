import io
import itertools
import threading
import time

import pytest
from google.protobuf import duration_pb2
from PIL import Image

import firstlight
from firstlight import FrameMatch
from firstlight.v1 import (
    photo_pb2,
    photo_service_pb2 as photos_pb2,
    session_configuration_pb2 as configuration_pb2,
    types_pb2,
)
from support import SYNTHETIC, Collector, call, refused, take, timecode

ORDER = [
    "will_begin_capture",
    "will_capture_photo",
    "did_capture_photo",
    "did_finish_processing_photo",
    "did_finish_capture",
]


@pytest.fixture
def running(session):
    """The name of a running session with preview and photo."""
    return session(start=True)


def capture(stubs, name, unique_id, **fields):
    """The raw stream of a capture, for fields that the client library hides."""
    settings = photo_pb2.PhotoSettings(unique_id=unique_id)
    return stubs.photos.CapturePhoto(photos_pb2.CapturePhotoRequest(session=name, settings=settings, **fields))


def finished(client, stubs, unique_id):
    """Waits for the end of a capture by calling GetCapture."""
    while True:
        request = photos_pb2.GetCaptureRequest(name=f"captures/{unique_id}")
        found = call(stubs.photos.GetCapture, request).capture
        if found.state != photos_pb2.Capture.STATE_IN_PROGRESS:
            return found
        # Without the pause one client would make more calls than it may.
        time.sleep(0.01)


@pytest.mark.alone
def test_J2_the_photo_is_the_very_frame_the_person_saw(client, session):
    name = session(start=True, window=2)
    with client.preview(name, max_size=(320, 180)) as preview:
        for frame in take(preview, 5):
            photo = client.photo(name, of=frame)
            assert timecode(photo) == (frame.sequence, frame.capture_time_ns, 0)
            assert (photo.sequence, photo.stream_id) == (frame.sequence, frame.stream_id)
            assert photo.zero_shutter_lag_used
            assert photo.frame_match is FrameMatch.EXACT


@pytest.mark.alone
def test_J2_a_frame_seen_a_second_ago_is_still_there(client, session):
    name = session(start=True, window=2)
    with client.preview(name, max_size=(320, 180)) as preview:
        seen = next(preview)
        next(frame for frame in preview if frame.sequence >= seen.sequence + 30)
        photo = client.photo(name, of=seen)
    assert timecode(photo).sequence == seen.sequence


def test_J2_a_frame_that_is_gone_gives_the_nearest_and_says_so(client, running):
    with client.preview(running, max_size=(320, 180)) as preview:
        seen = next(preview)
        newer = take(preview, 40)[-1]
        photo = client.photo(running, of=seen)
    assert photo.frame_match is FrameMatch.NEAREST
    assert seen.sequence < timecode(photo).sequence <= newer.sequence + 5


def test_J2_a_frame_of_an_earlier_stream_gives_the_nearest_and_says_so(client, running):
    with client.preview(running, max_size=(320, 180)) as preview:
        seen = next(preview)
        client.stop(running)
        client.start(running)
        next(frame for frame in preview if frame.stream_id != seen.stream_id)
        photo = client.photo(running, of=seen)
    assert photo.frame_match is FrameMatch.NEAREST
    assert photo.stream_id != seen.stream_id


def test_J1_a_shutter_time_gives_the_frame_of_that_time(client, running):
    with client.preview(running, max_size=(320, 180)) as preview:
        seen = take(preview, 3)[-1]
        take(preview, 3)
        photo = client.photo(running, at_ns=seen.capture_time_ns)
    assert timecode(photo).sequence == seen.sequence
    assert photo.shutter_lag_ns == timecode(photo).capture_time_ns - seen.capture_time_ns == 0


def test_J1_a_photo_of_now_comes_from_the_past_with_zero_shutter_lag(client, session):
    name = session(start=True)
    with client.preview(name, max_size=(320, 180)) as preview:
        take(preview, 5)
        photo = pressed(client, name)
    assert photo.zero_shutter_lag_used
    assert photo.shutter_lag_ns <= 0


def pressed(client, name):
    """A photo of this moment. Checks that the lag, subtracted from the board's time, gives a time within the call by
    the client's clock.
    """
    asked_ns = time.time_ns()
    photo = client.photo(name)
    assert asked_ns <= timecode(photo).capture_time_ns - photo.shutter_lag_ns <= time.time_ns()
    return photo


def test_J3_without_zero_shutter_lag_the_photo_comes_after_the_request(client, session):
    name = session(configure=False)
    wanted = firstlight.configuration(SYNTHETIC[0])
    wanted.photo.zero_shutter_lag_enabled = False
    client.configure(name, wanted)
    client.start(name)
    with client.preview(name, max_size=(320, 180)) as preview:
        seen = take(preview, 5)[-1]
        photo = pressed(client, name)
    assert not photo.zero_shutter_lag_used
    assert photo.shutter_lag_ns >= 0
    assert timecode(photo).sequence > seen.sequence


def test_H1_an_id_is_used_once(client, stubs, running, unique_id):
    photo = client.photo(running, unique_id=unique_id)
    assert photo.unique_id == unique_id
    with refused("ALREADY_EXISTS", "SETTINGS_ID_REUSED") as refusal:
        client.photo(running, unique_id=unique_id)
    assert unique_id in refusal.error.metadata.values()
    kept = finished(client, stubs, unique_id)
    assert kept.state == photos_pb2.Capture.STATE_FINISHED
    assert kept.photo.sequence == photo.sequence
    assert kept.photo.byte_count == len(photo.data)
    assert not kept.photo.data


def test_H1_the_server_makes_an_id_when_none_is_given(client, running):
    assert len({client.photo(running).unique_id for _ in range(3)}) == 3


def test_H1_a_broken_stream_does_not_cancel_the_capture(client, stubs, running, unique_id):
    stream = capture(stubs, running, unique_id)
    assert next(stream).event.HasField("will_begin_capture")
    stream.cancel()
    kept = finished(client, stubs, unique_id)
    assert kept.state == photos_pb2.Capture.STATE_FINISHED
    name = photos_pb2.DownloadCaptureRequest(name=f"captures/{unique_id}")
    data = b"".join(chunk.data for chunk in stubs.photos.DownloadCapture(name))
    assert len(data) == kept.photo.byte_count
    assert Image.open(io.BytesIO(data)).size == (kept.photo.width, kept.photo.height)


def test_H1_a_download_is_resumed_where_it_broke(client, stubs, running, unique_id):
    photo = client.photo(running, unique_id=unique_id)
    name = f"captures/{unique_id}"
    rest = list(stubs.photos.DownloadCapture(photos_pb2.DownloadCaptureRequest(name=name, offset=1000)))
    assert rest[0].offset == 1000
    assert b"".join(chunk.data for chunk in rest) == photo.data[1000:]
    assert all(len(chunk.data) <= 1 << 20 for chunk in rest)


def test_H1_an_unknown_capture_is_not_found(stubs):
    for method, request in (
        (stubs.photos.GetCapture, photos_pb2.GetCaptureRequest(name="captures/never")),
        (stubs.photos.DownloadCapture, photos_pb2.DownloadCaptureRequest(name="captures/never")),
    ):
        with refused("NOT_FOUND", "CAPTURE_NOT_FOUND"):
            call(method, request)


@pytest.mark.timeout(60)
def test_H2_each_overlapping_capture_tells_its_steps_in_order(patient, running):
    photos = []

    def shoot():
        photos.extend(patient.photo(running) for _ in range(5))

    threads = [threading.Thread(target=shoot) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({photo.unique_id for photo in photos}) == 30
    for photo in photos:
        assert [event.name for event in photo.events] == ORDER
        times = [event.monotonic_time_ns for event in photo.events]
        assert times == sorted(times)
        assert timecode(photo).sequence == photo.sequence


def test_H3_the_first_step_tells_what_the_settings_became(client, stubs, running, unique_id):
    client.photo(running)  # The first photo makes the output ready.
    stream = capture(stubs, running, unique_id)
    first = next(stream).event
    *_, last = stream
    resolved = first.will_begin_capture.resolved_settings
    assert (first.unique_id, last.event.unique_id) == (unique_id, unique_id)
    assert resolved.encoding == types_pb2.ENCODING_JPEG
    assert (resolved.size.width, resolved.size.height) == (1920, 1080)
    assert resolved.zero_shutter_lag_used
    assert last.event.HasField("did_finish_capture")
    assert not last.event.did_finish_capture.HasField("error")


def test_H10_photos_are_whole_jpeg_files_of_the_captured_size(client, session):
    name = session(start=True, preset=configuration_pb2.SESSION_PRESET_HD_4K)
    photo = client.photo(name, jpeg_quality=95)
    with Image.open(io.BytesIO(photo.data)) as image:
        image.load()
        assert (image.format, image.size) == ("JPEG", (3840, 2160))
    assert (photo.width, photo.height) == (3840, 2160)
    assert photo.data[:2] + photo.data[-2:] == b"\xff\xd8\xff\xd9"
    assert timecode(photo).sequence == photo.sequence


def test_H10_quality_changes_the_size(client, running):
    low, high = (client.photo(running, jpeg_quality=quality) for quality in (10, 100))
    assert len(low.data) < len(high.data) / 2


def test_a_photo_too_large_for_a_message_is_fetched_in_pieces(client, stubs, running, unique_id):
    events = [r.event for r in capture(stubs, running, unique_id, max_message_bytes=64 << 10)]
    photo = next(e.did_finish_processing_photo.photo for e in events if e.HasField("did_finish_processing_photo"))
    assert photo.data_omitted
    assert not photo.data
    assert photo.byte_count > 64 << 10
    request = photos_pb2.DownloadCaptureRequest(name=f"captures/{unique_id}")
    assert sum(len(chunk.data) for chunk in stubs.photos.DownloadCapture(request)) == photo.byte_count


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"settings": photo_pb2.PhotoSettings(unique_id="x" * 129)}, "settings.unique_id"),
        ({"settings": photo_pb2.PhotoSettings(unique_id="a\nb")}, "settings.unique_id"),
        ({"settings": photo_pb2.PhotoSettings(encoding=99)}, "settings.encoding"),
        ({"settings": photo_pb2.PhotoSettings(jpeg_quality=101)}, "settings.jpeg_quality"),
        ({"max_message_bytes": 1}, "max_message_bytes"),
    ],
)
def test_H1_a_value_out_of_range_is_refused_by_name(stubs, running, fields, field):
    with refused("INVALID_ARGUMENT") as refusal:
        call(stubs.photos.CapturePhoto, photos_pb2.CapturePhotoRequest(session=running, **fields))
    assert [violation.field for violation in refusal.error.violations] == [field]


def test_A13_a_photo_needs_a_running_session_with_a_photo_output(client, session):
    with refused("FAILED_PRECONDITION", "SESSION_NOT_RUNNING"):
        client.photo(session())
    with refused("NOT_FOUND", "OUTPUT_NOT_FOUND"):
        client.photo(session(start=True, photo=False))


@pytest.mark.alone
def test_J2_the_ring_is_as_deep_as_the_resolved_configuration_says(client, session):
    name = session(configure=False)
    wanted = firstlight.configuration(SYNTHETIC[0], frame_rate=30)
    wanted.photo.zero_shutter_lag_window.CopyFrom(duration_pb2.Duration(seconds=2))
    window = client.configure(name, wanted).resolved_configuration.photo.zero_shutter_lag_window
    assert window.ToMilliseconds() == 2000, "there is memory for it"
    client.start(name)
    # The rest is the time for taking the photo.
    frames_back = 50
    with client.preview(name, max_size=(320, 180)) as preview:
        frames = take(preview, 65)
        wanted_sequence = frames[-1].sequence - frames_back
        photo = client.photo(name, of=next(f for f in frames if f.sequence >= wanted_sequence))
    assert photo.frame_match is FrameMatch.EXACT


def test_F1_readiness_follows_the_session_and_the_capture(client, session):
    name = session()
    readiness = Collector(client.readiness(name))
    assert readiness.wait_for(len) == [firstlight.Readiness.SESSION_NOT_RUNNING]
    client.start(name)
    readiness.wait_for(lambda items: items[-1] is firstlight.Readiness.READY)
    before = len(readiness.wait_for(len))
    client.photo(name)
    told = readiness.wait_for(lambda items: len(items) > before and items[-1] is firstlight.Readiness.READY)
    assert told[before:] == [firstlight.Readiness.NOT_READY_WAITING_FOR_PROCESSING, firstlight.Readiness.READY]
    client.stop(name)
    told = readiness.wait_for(lambda items: items[-1] is firstlight.Readiness.SESSION_NOT_RUNNING and len(items) > 1)
    assert all(before is not after for before, after in itertools.pairwise(told)), "only changes are told"


def test_F1_readiness_is_ready_again_after_a_burst(client, running):
    readiness = Collector(client.readiness(running))
    readiness.wait_for(len)
    threads = [threading.Thread(target=client.photo, args=(running,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = readiness.wait_for(lambda items: items[-1] is firstlight.Readiness.READY)
    assert any(item not in (firstlight.Readiness.READY, firstlight.Readiness.SESSION_NOT_RUNNING) for item in told)
