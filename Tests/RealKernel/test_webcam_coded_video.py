"""A USB camera that offers H.264 beside other formats: its pictures by the driver uvcvideo, coded and decoded."""

import io

from PIL import Image

from client import next_frame
from coded_video import clip, is_key_frame, number, slices
from firstlight.v1 import types_pb2
from test_devices import driver_format

SIZE = (640, 360)


def test_field_B18_the_h264_of_a_webcam_is_passed_on_and_decoded(client, webcams):
    shown = clip("H264", SIZE)
    webcam = webcams(clip=shown)
    camera = webcam.device(client)
    assert [each.pixel_format for each in camera.formats if each.size.width == SIZE[0]] == ["MJPG", "MJPG", "H264"]
    with client.open_session(camera.name, "H264", window=4) as session:
        with client.stream_preview(session, types_pb2.ENCODING_H264) as coded:
            frames = [next_frame(coded) for _ in range(20)]
        assert driver_format(webcam.node) == ("H264", *SIZE)
        assert frames[0].key_frame
        for frame in frames:
            picture = shown[frame.sequence % len(shown)]
            assert slices("H264", frame.data) == slices("H264", picture)
            assert frame.key_frame == is_key_frame("H264", picture)
        with client.stream_preview(session, types_pb2.ENCODING_JPEG) as decoded:
            for frame in [next_frame(decoded) for _ in range(5)]:
                assert number(Image.open(io.BytesIO(frame.data))) == frame.sequence % len(shown)


def test_field_B18_pictures_that_the_driver_marks_as_damaged_end_with_the_next_key_frame(client, webcams):
    webcam = webcams(clip=clip("H264", SIZE, keys=10))
    webcam.spoil("error-bit", 30, 13)
    with (
        client.open_session(webcam.device(client).name, "H264") as session,
        client.stream_preview(session, types_pb2.ENCODING_H264) as coded,
    ):
        found = [next_frame(coded)]
        while found[-1].sequence < 75:
            found.append(next_frame(coded))
    # Picture 13 of each 30 is damaged, and the pictures up to the key frame need it.
    assert not [frame.sequence for frame in found if frame.sequence % 30 in range(13, 20)]
    assert [frame.sequence for frame in found if frame.sequence % 30 == 20]
    assert sum(frame.dropped.damaged for frame in found) >= 7
