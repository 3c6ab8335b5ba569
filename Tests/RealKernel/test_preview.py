"""Previews with the sequence numbers of the driver."""

import subprocess
from io import BytesIO

import av
import numpy as np
import pytest
from PIL import Image

from client import PATIENCE, assert_every_gap_is_counted, configuration, frames_until, guest, next_frame
from firstlight import connection
from firstlight.v1 import preview_service_pb2 as preview, types_pb2
from picture import BARS, bars, decode_jpeg_luma, drawn_sequence

FRAMES = 60


def drawn(frame: preview.PreviewFrame) -> int:
    return drawn_sequence(frame.data, frame.planes[0].stride, step=2)


@pytest.mark.parametrize("planes", ["single-planar", "multi-planar"])
def test_preview_carries_the_drivers_numbers_without_an_unexplained_gap(client, planes):
    camera = client.cameras()[("single-planar", "multi-planar").index(planes)]
    with client.open_session(camera.name, start=False) as name, client.stream_preview(name) as stream:
        client.start(name)
        first = next_frame(stream)
        frames = [first, *frames_until(stream, lambda frame: frame.sequence >= first.sequence + FRAMES)]
    for frame in frames:
        assert (frame.width, frame.height) == (640, 360)
        assert (frame.encoding, frame.pixel_format) == (types_pb2.ENCODING_UNCOMPRESSED, "YUYV")
        assert len(frame.data) == 640 * 360 * 2
        assert drawn(frame) == frame.sequence
    assert_every_gap_is_counted(frames)


def test_frame_rate_is_set_to_30_although_the_drivers_default_is_5(client):
    with client.open_session(client.cameras()[0].name) as name, client.stream_preview(name) as stream:
        next_frame(stream)
        command = ["v4l2-ctl", "-d", "/dev/video0", "--get-parm"]
        driver = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    assert "Frames per second: 30.000" in driver


@pytest.mark.bare
def test_encoded_preview_is_the_frame_it_says_it_is(client):
    encoding = types_pb2.ENCODING_JPEG
    with client.open_session(client.cameras()[1].name) as name, client.stream_preview(name, encoding) as stream:
        for _ in range(5):
            frame = next_frame(stream)
            luma, width, height = decode_jpeg_luma(frame.data)
            assert (width, height) == (640, 360)
            assert drawn_sequence(luma, width) == frame.sequence


@pytest.mark.bare
def test_D1_h264_begins_with_a_key_frame_and_decodes_to_the_frames_it_says(client):
    decoder = av.CodecContext.create("h264", "r")
    # The decoder gives each picture as soon as it has the data.
    decoder.thread_count = 1
    decoder.flags |= av.codec.context.Flags.low_delay
    encoding = types_pb2.ENCODING_H264
    with client.open_session(client.cameras()[0].name) as name, client.stream_preview(name, encoding) as stream:
        frames = [next_frame(stream) for _ in range(8)]
    assert frames[0].key_frame
    assert not all(frame.key_frame for frame in frames)
    for frame in frames:
        assert frame.encoding == encoding
        (picture,) = decoder.decode(av.Packet(frame.data))
        assert (picture.width, picture.height) == (frame.width, frame.height) == (640, 360)
        luma = picture.planes[0]
        assert drawn_sequence(bytes(luma), luma.line_size) == frame.sequence


@pytest.mark.bare
@pytest.mark.parametrize(
    ("turn", "back"),
    [({"mirrored": True}, np.fliplr), ({"rotated": 90}, np.rot90)],
    ids=["mirrored", "turned"],
)
def test_A7_D1_a_turned_preview_is_the_cameras_picture_turned(client, turn, back):
    camera = client.cameras()[0].name
    wanted = configuration(camera)
    wanted.connections.append(connection("preview", **turn))
    with client.open_session(camera, start=False) as name:
        client.configure(name, wanted)
        client.start(name)
        with client.stream_preview(name, types_pb2.ENCODING_JPEG) as stream:
            frame = next_frame(stream)
    shown = Image.open(BytesIO(frame.data), formats=["JPEG"])
    assert shown.size == (frame.width, frame.height)
    upright = back(np.asarray(shown.convert("RGB")).astype(float))
    assert upright.shape == (360, 640, 3)
    assert bars(upright) == pytest.approx(np.array(BARS, float), abs=6)
    luma = np.ascontiguousarray(back(np.asarray(shown.convert("L"))))
    assert drawn_sequence(luma.tobytes(), 640) == frame.sequence


def test_frames_the_driver_drops_are_counted(client):
    camera = client.cameras()[0]
    with client.open_session(camera.name) as name, client.stream_preview(name) as stream:
        first = next_frame(stream)
        guest("camera", "set", "0", "percentage_of_dropped_buffers", "50")
        try:
            frames = [first, *frames_until(stream, lambda frame: frame.sequence >= first.sequence + FRAMES)]
        finally:
            guest("camera", "set", "0", "percentage_of_dropped_buffers", "0")
    assert_every_gap_is_counted(frames)
    assert sum(frame.dropped.discontinuity for frame in frames) > 0
