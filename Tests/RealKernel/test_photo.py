"""The photo is the frame the person saw."""

from client import next_frame
from firstlight.v1 import photo_pb2
from picture import decode_jpeg_luma, drawn_sequence


def test_photo_of_a_named_frame_is_exactly_that_frame(client):
    with client.open_session(client.cameras()[0].name) as name, client.stream_preview(name) as stream:
        next_frame(stream)
        seen = next_frame(stream)
        # One frame, unchanged; what several become is measured by `scripts/bench fusion`.
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
    assert not photo.nearest_frame
    assert photo.zero_shutter_lag_used
    assert (photo.stream_id, photo.sequence) == (seen.stream_id, seen.sequence)
    assert photo.monotonic_time_ns == seen.monotonic_time_ns
    luma, width, height = decode_jpeg_luma(photo.data)
    assert (width, height) == (640, 360)
    assert drawn_sequence(luma, width) == seen.sequence
