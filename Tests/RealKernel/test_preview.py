"""Frames as the driver numbers them."""

import subprocess

import pytest

from client import PATIENCE, assert_every_gap_is_counted, frames_until, guest, next_frame
from firstlight.v1 import preview_service_pb2 as preview
from picture import decode_jpeg_luma, drawn_sequence

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
        assert frame.encoding == preview.PREVIEW_ENCODING_YUYV
        assert len(frame.data) == 640 * 360 * 2
        assert drawn(frame) == frame.sequence
    assert_every_gap_is_counted(frames)


def test_frame_rate_is_set_to_30_although_the_drivers_default_is_5(client):
    with client.open_session(client.cameras()[0].name) as name, client.stream_preview(name) as stream:
        next_frame(stream)
        command = ["v4l2-ctl", "-d", "/dev/video0", "--get-parm"]
        driver = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    assert "Frames per second: 30.000" in driver


def test_encoded_preview_is_the_frame_it_says_it_is(client):
    encoding = preview.PREVIEW_ENCODING_JPEG
    with client.open_session(client.cameras()[1].name) as name, client.stream_preview(name, encoding) as stream:
        for _ in range(5):
            frame = next_frame(stream)
            luma, width, height = decode_jpeg_luma(frame.data)
            assert (width, height) == (640, 360)
            assert drawn_sequence(luma, width) == frame.sequence


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
