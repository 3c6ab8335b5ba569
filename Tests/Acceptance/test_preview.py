import itertools

import grpc
import pytest

import firstlight
from firstlight import Encoding, Gravity
from firstlight.v1 import (
    preview_service_pb2 as preview_pb2,
    session_configuration_pb2 as configuration_pb2,
    session_pb2,
    types_pb2,
)
from support import PREVIEWS, SYNTHETIC, Collector, call, excused, refused, take, timecode


def lost(frame):
    return sum(frame.dropped)


@pytest.mark.parametrize("max_size", [None, (320, 180)], ids=["as-captured", "320x180"])
def test_D1_the_pixels_say_what_the_message_says(client, session, max_size):
    name = session(start=True, preset=configuration_pb2.SESSION_PRESET_HD_1080P)
    with client.preview(name, max_size=max_size, jpeg_quality=50) as preview:
        for frame in take(preview, 10):
            assert (frame.width, frame.height) == (max_size or (1920, 1080))
            assert frame.luma().shape == (frame.height, frame.width)
            assert timecode(frame) == (frame.sequence, frame.capture_time_ns, 0)


@pytest.mark.parametrize("pixel_format", ["NV12", "YUYV"])
@pytest.mark.parametrize("wanted", ["NV12", "YUYV"])
def test_D5_raw_pictures_hold_what_was_captured(client, session, wanted, pixel_format):
    name = session(start=True, pixel_format=pixel_format, size=(640, 360))
    with client.preview(name, pixel_format=wanted) as preview:
        for frame in take(preview, 10):
            assert (frame.encoding, frame.pixel_format) == (Encoding.UNCOMPRESSED, wanted)
            assert (preview.status.encoding, preview.status.pixel_format) == (Encoding.UNCOMPRESSED, wanted)
            assert timecode(frame) == (frame.sequence, frame.capture_time_ns, 0)
            assert set(frame.luma()[:60].flat) == {16, 235}, "the board must be black and white to the bit"


def test_D2_frames_are_in_order_and_their_times_are_the_cameras(client, session):
    name = session(start=True, frame_rate=30)
    with client.preview(name, max_size=(320, 180)) as preview:
        frames = take(preview, 20)
    for before, after in itertools.pairwise(frames):
        assert after.sequence > before.sequence
        steps = after.sequence - before.sequence
        assert (after.monotonic_time_ns - before.monotonic_time_ns) / steps == pytest.approx(1e9 / 30, rel=0.02)
        wall_step = after.capture_time_ns - before.capture_time_ns
        assert wall_step / steps == pytest.approx(1e9 / 30, rel=0.02)


def test_B3_an_override_sets_the_rate(client, session):
    name = session(start=True, frame_rate=15)
    with client.preview(name, max_size=(320, 180)) as preview:
        frames = take(preview, 8)
    steps = frames[-1].sequence - frames[0].sequence
    period = (frames[-1].monotonic_time_ns - frames[0].monotonic_time_ns) / steps
    assert period == pytest.approx(1e9 / 15, rel=0.02)


def test_B1_every_listed_format_gives_frames_of_its_size(client, session):
    device = next(device for device in client.devices() if device.name == SYNTHETIC[0])
    name = session(configure=False)
    for format in device.formats:
        size = (format.size.width, format.size.height)
        configured = firstlight.configuration(SYNTHETIC[0], pixel_format=format.pixel_format, size=size, photo=False)
        client.configure(name, configured)
        client.start(name)
        with client.preview(name) as preview:
            frame = next(preview)
            assert (frame.width, frame.height) == size
            assert timecode(frame).sequence == frame.sequence
        client.stop(name)


def test_D1_a_new_reader_gets_the_newest_frame_at_once(client, session):
    # At 5 frames per second the next frame is 200 ms away, so a reader that waits for the next frame does not get this
    # one.
    name = session(start=True, frame_rate=5)
    with client.preview(name, max_size=(320, 180)) as first:
        seen = next(first)
        with client.preview(name, max_size=(320, 180)) as second:
            assert next(second).sequence == seen.sequence


def test_D1_the_aspect_is_kept(client, session):
    name = session(start=True, preset=configuration_pb2.SESSION_PRESET_HD_1080P)
    for wanted, given in {(320, 320): (320, 180), (4000, 90): (160, 90), (9999, 9999): (1920, 1080)}.items():
        with client.preview(name, max_size=wanted) as preview:
            frame = next(preview)
            assert (frame.width, frame.height) == given
            assert preview.status.size == types_pb2.Size(width=given[0], height=given[1])


def test_D1_the_status_comes_first(stubs, session):
    name = session(start=True)
    stream = stubs.previews.StreamPreview(preview_pb2.StreamPreviewRequest(session=name))
    first = next(stream)
    stream.cancel()
    assert first.status.stream_token
    assert first.status.session_state == session_pb2.Session.STATE_RUNNING


def test_D4_delivered_and_dropped_are_what_was_produced(client, session):
    name = session(start=True)
    with (
        client.preview(name, max_size=(320, 180), max_unacknowledged_frames=1) as slow,
        client.preview(name, max_size=(320, 180)) as fast,
    ):
        frames = take(slow, 2)
        take(fast, 20)
        frames += take(slow, 2)
        take(fast, 10)
        frames += take(slow, 3)
    assert sum(frame.dropped.late for frame in frames[1:]) > 20, "it was too slow, and must be told"
    produced = frames[-1].sequence - frames[0].sequence + 1
    assert len(frames) + sum(lost(frame) for frame in frames[1:]) == produced


def test_D1_a_slow_reader_gets_the_newest_and_does_not_slow_others(client, session):
    name = session(start=True)
    with (
        client.preview(name, max_size=(320, 180), max_unacknowledged_frames=1) as slow,
        client.preview(name, max_size=(320, 180)) as fast,
    ):
        stopped_at = next(slow).sequence
        newest = take(fast, 30)[-1]
        assert newest.sequence - stopped_at < 60, "the fast reader was held up"
        assert next(slow).sequence >= newest.sequence - 2


def test_D1_no_frame_comes_before_the_one_before_is_acknowledged(client, stubs, session):
    name = session(start=True)
    request = preview_pb2.StreamPreviewRequest(
        session=name, max_size=types_pb2.Size(width=320, height=180), max_unacknowledged_frames=1
    )
    stream = stubs.previews.StreamPreview(request)
    token = next(stream).status.stream_token
    first = next(r.frame for r in stream if r.HasField("frame"))
    with client.preview(name, max_size=(320, 180)) as other:
        later = take(other, 10)[-1]
    acknowledge = preview_pb2.AcknowledgeFramesRequest(stream_token=token, sequence=first.sequence)
    call(stubs.previews.AcknowledgeFrames, acknowledge)
    second = next(r.frame for r in stream if r.HasField("frame"))
    stream.cancel()
    # A frame that was sent before the acknowledgement would be the one right after the first.
    assert second.sequence >= later.sequence
    assert excused(second.dropped) == second.sequence - first.sequence - 1


def test_D1_an_unknown_stream_cannot_be_acknowledged(stubs):
    with refused("NOT_FOUND", "STREAM_NOT_FOUND"):
        call(stubs.previews.AcknowledgeFrames, preview_pb2.AcknowledgeFramesRequest(stream_token="nobody", sequence=1))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("encoding", 99),
        ("encoding", Encoding.HEIC),
        ("encoding", Encoding.PNG),
        ("pixel_format", "RGB3"),
        ("jpeg_quality", 0),
        ("jpeg_quality", 101),
        ("max_message_bytes", 1024),
        ("max_unacknowledged_frames", 65),
        ("max_size", types_pb2.Size()),
        ("max_frame_rate", types_pb2.Rational(numerator=0, denominator=1)),
        ("max_frame_rate", types_pb2.Rational(numerator=1, denominator=0)),
        ("gravity", 99),
    ],
)
def test_D1_a_value_out_of_range_is_refused_by_name(stubs, session, field, value):
    request = preview_pb2.StreamPreviewRequest(session=session(), **{field: value})
    with refused("INVALID_ARGUMENT") as refusal:
        call(stubs.previews.StreamPreview, request)
    assert refusal.error.violations[0].field.split(".")[0] == field


def test_D5_uncompressed_pictures_are_nv12_unless_told_otherwise(client, session):
    with client.preview(session(start=True), encoding=Encoding.UNCOMPRESSED, max_size=(320, 180)) as preview:
        assert next(preview).pixel_format == "NV12"


@pytest.mark.parametrize("encoding", [Encoding.JPEG, Encoding.H264])
def test_D5_a_pixel_format_is_for_uncompressed_pictures(client, session, encoding):
    with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE") as refusal:
        next(client.preview(session(), encoding=encoding, pixel_format="NV12"))
    assert [violation.field for violation in refusal.error.violations] == ["pixel_format"]


@pytest.mark.parametrize(
    ("gravity", "wide", "high"),
    [
        (Gravity.RESIZE, (640, 2), (2, 360)),
        (Gravity.RESIZE_ASPECT, (4, 2), (2, 2)),
        (Gravity.RESIZE_ASPECT_FILL, (640, 2), (2, 360)),
    ],
    ids=["resize", "aspect", "fill"],
)
def test_D1_the_most_extreme_sizes_are_served(client, session, gravity, wide, high):
    name = session(start=True, pixel_format="NV12", size=(640, 360), frame_rate=60)
    for wanted, given in {(2**32 - 1, 2): wide, (2, 2**32 - 1): high}.items():
        for pixel_format, asked in PREVIEWS.items():
            with client.preview(name, **asked, max_size=wanted, gravity=gravity) as preview:
                frames = take(preview, 2)
            assert {(frame.width, frame.height, frame.pixel_format) for frame in frames} == {(*given, pixel_format)}
            size = preview.status.size
            assert (size.width, size.height) == given


def test_D1_pictures_are_scaled_to_fit_the_message(client, session):
    name = session(start=True, pixel_format="NV12", size=(1920, 1080))
    with client.preview(name, pixel_format="NV12", max_message_bytes=64 << 10) as preview:
        frame = next(preview)
    assert 0.9 * (64 << 10) < len(frame.data) < 64 << 10, "as large as fits"
    assert frame.width / frame.height == pytest.approx(16 / 9, rel=0.05)
    assert timecode(frame).sequence == frame.sequence


def test_D1_a_lower_quality_makes_smaller_pictures(client, session):
    name = session(start=True)
    sizes = {}
    for quality in (10, 95):
        with client.preview(name, jpeg_quality=quality) as preview:
            sizes[quality] = len(next(preview).data)
    assert sizes[10] < sizes[95] / 2


def test_D1_a_stream_survives_a_stopped_session(client, session):
    name = session(start=True)
    with client.preview(name, max_size=(320, 180)) as preview:
        before = take(preview, 3)[-1]
        client.stop(name)
        client.start(name)
        after = next(frame for frame in preview if frame.stream_id != before.stream_id)
    assert after.dropped.discontinuity > 0
    assert after.monotonic_time_ns > before.monotonic_time_ns
    assert timecode(after).sequence == after.sequence


def test_D1_a_stopped_session_says_so(client, session):
    name = session(start=True)
    preview = client.preview(name, max_size=(320, 180))
    next(preview)
    reader = Collector(preview)
    client.stop(name)
    client.start(name)
    client.stop(name)
    client.delete_session(name)
    assert reader.wait_for_end().code is grpc.StatusCode.NOT_FOUND
    assert preview.status.session_state == session_pb2.Session.STATE_STOPPED


def test_D1_a_stream_ends_with_its_session_or_its_output(client, session):
    deleted = session(start=True)
    with client.preview(deleted) as preview:
        next(preview)
        client.delete_session(deleted)
        with refused("NOT_FOUND", "SESSION_NOT_FOUND"):
            take(preview, 100)
    changed = session(start=True)
    with client.preview(changed) as preview:
        next(preview)
        client.configure(changed, firstlight.configuration(SYNTHETIC[0], preview=False))
        with refused("FAILED_PRECONDITION", "OUTPUT_REMOVED"):
            take(preview, 100)


def test_D1_a_session_without_a_preview_has_none(client, stubs, session):
    with refused("NOT_FOUND", "OUTPUT_NOT_FOUND"):
        next(client.preview(session(preview=False)))
    with refused("NOT_FOUND", "OUTPUT_NOT_FOUND"):
        call(stubs.previews.StreamPreview, preview_pb2.StreamPreviewRequest(session=session(), output="other"))
