"""The photo shows the frame that the person saw."""

import pytest

from client import configuration, next_frame
from firstlight.v1 import photo_pb2, types_pb2
from picture import decode_jpeg_luma, drawn_sequence

pytestmark = pytest.mark.bare


def test_photo_of_a_named_frame_is_exactly_that_frame(client):
    with client.open_session(client.cameras()[0].name, window=2) as name, client.stream_preview(name) as stream:
        next_frame(stream)
        seen = next_frame(stream)
        # In this quality the photo is one unchanged frame.
        settings = photo_pb2.PhotoSettings(quality_prioritization=photo_pb2.PHOTO_QUALITY_PRIORITIZATION_SPEED)
        moment = {"viewfinder_sequence": seen.sequence, "viewfinder_stream_id": seen.stream_id}
        events = client.capture(name, settings=settings, **moment)

    kinds = [event.WhichOneof("event") for event in events]
    assert kinds == [
        "will_begin_capture",
        "will_capture_photo",
        "did_capture_photo",
        "did_finish_processing_photo",
        "did_finish_capture",
    ]
    assert not events[-1].did_finish_capture.HasField("error")
    photo = events[3].did_finish_processing_photo.photo
    assert photo.frame_match == photo_pb2.FRAME_MATCH_EXACT
    assert photo.zero_shutter_lag_used
    assert (photo.stream_id, photo.sequence) == (seen.stream_id, seen.sequence)
    assert photo.monotonic_time_ns == seen.monotonic_time_ns
    luma, width, height = decode_jpeg_luma(photo.data)
    assert (width, height) == (640, 360)
    assert drawn_sequence(luma, width) == seen.sequence


@pytest.mark.timeout(180)  # Nine photos are merged, which takes long on an emulated machine.
@pytest.mark.parametrize("quality", ["BALANCED", "QUALITY"])
def test_a_merged_photo_of_a_changing_number_shows_the_one_of_its_frame(client, quality):
    """vivid draws number and time into a picture without noise, so a trace of another frame would be visible there."""
    wanted = photo_pb2.PhotoQualityPrioritization.Value(f"PHOTO_QUALITY_PRIORITIZATION_{quality}")
    settings = photo_pb2.PhotoSettings(quality_prioritization=wanted, encoding=types_pb2.ENCODING_UNCOMPRESSED)
    camera = client.cameras()[0].name
    merged = []
    # The first photos after a start are merged of two frames, then of three, and so on.
    for _ in range(3):
        with client.open_session(camera, start=False) as name, client.stream_preview(name) as stream:
            chosen = configuration(camera)
            chosen.photo.max_quality_prioritization = wanted
            # A request may take long on an emulated machine. The window is so long that the frame is still in the ring.
            chosen.photo.zero_shutter_lag_window.FromSeconds(2)
            client.configure(name, chosen)
            client.start(name)
            next_frame(stream)
            for _ in range(3):
                # The frame must be a new one. The ring has already lost those that came during the photo before.
                stream.waiting()
                seen = next_frame(stream)
                moment = {"viewfinder_sequence": seen.sequence, "viewfinder_stream_id": seen.stream_id}
                events = client.capture(name, settings=settings, **moment)
                assert not events[-1].did_finish_capture.HasField("error")
                photo = events[3].did_finish_processing_photo.photo
                assert (photo.stream_id, photo.sequence) == (seen.stream_id, seen.sequence)
                assert drawn_sequence(photo.data, 2 * 640, 2) == seen.sequence
                assert largest_difference(photo.data, seen.data, lines=range(16, 48)) <= 4
                merged.append(photo.fused_frame_count)
    assert max(merged) > 1, "nothing was merged"


def largest_difference(picture: bytes, other: bytes, lines: range) -> int:
    """The largest difference of luma between two pictures in YUYV, 640 wide."""
    place = slice(2 * 640 * lines.start, 2 * 640 * lines.stop, 2)
    return max(abs(a - b) for a, b in zip(picture[place], other[place], strict=True))
