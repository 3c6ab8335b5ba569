"""Photos of two cameras of the real driver, taken at the same time. The driver draws a number into each picture, which
shows which frame a photo is.
"""

import io

import pytest
from PIL import Image

from firstlight.v1 import photo_pb2, session_configuration_pb2 as configuration_pb2, types_pb2
from picture import drawn_sequence

pytestmark = pytest.mark.bare

SIZE = (640, 360)
RATE = 15
PERIOD_NS = 10**9 // RATE


def configured(cameras):
    """A configuration whose photo output has both cameras, one of which has the multi-planar API."""
    size = configuration_pb2.StreamFormat(pixel_format="YUYV", width=SIZE[0], height=SIZE[1])
    wanted = configuration_pb2.SessionConfiguration(
        inputs=[
            configuration_pb2.SessionInput(id=f"cam-{number}", device=camera.name, format=size)
            for number, camera in enumerate(cameras)
        ],
        photo=configuration_pb2.PhotoOutput(constituent_photo_delivery_enabled=True),
        connections=[
            configuration_pb2.SessionConnection(input=f"cam-{number}", output="photo") for number in range(len(cameras))
        ],
    )
    for camera in wanted.inputs:
        camera.frame_rate_override.numerator, camera.frame_rate_override.denominator = RATE, 1
    return wanted


def shown(photo):
    """The number that the driver drew into the frame of a photo."""
    if photo.encoding == types_pb2.ENCODING_UNCOMPRESSED:
        assert photo.pixel_format == "YUYV"
        return drawn_sequence(photo.data, 2 * SIZE[0], 2)
    picture = Image.open(io.BytesIO(photo.data)).convert("L")
    assert picture.size == SIZE
    return drawn_sequence(picture.tobytes(), SIZE[0], 1)


def test_H12_both_cameras_are_captured_at_the_same_time(client):
    cameras = client.cameras()
    with client.open_session(cameras[0].name, start=False) as name:
        client.configure(name, configured(cameras[:2]))
        client.start(name)
        for index in range(20):
            inputs = ["cam-0", "cam-1"][:: -1 if index % 2 else 1]
            encoding = types_pb2.ENCODING_UNCOMPRESSED if index == 10 else types_pb2.ENCODING_JPEG
            settings = photo_pb2.PhotoSettings(encoding=encoding, constituent_inputs=inputs)
            events = client.capture(name, settings=settings, max_message_bytes=16 << 20)
            assert not events[-1].did_finish_capture.HasField("error"), events[-1]
            taken = [event.did_capture_photo for event in events if event.HasField("did_capture_photo")]
            photos = [
                event.did_finish_processing_photo.photo
                for event in events
                if event.HasField("did_finish_processing_photo")
            ]
            assert [photo.input for photo in photos] == [step.input for step in taken] == inputs
            for photo, step in zip(photos, taken, strict=True):
                assert shown(photo) == photo.sequence == step.sequence
                assert photo.stream_id == step.stream_id
            apart = photos[1].monotonic_time_ns - photos[0].monotonic_time_ns
            assert abs(apart) < PERIOD_NS / 2
