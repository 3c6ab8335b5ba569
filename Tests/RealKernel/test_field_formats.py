"""Formats and orders of fields of a real driver that people report trouble with in other camera servers."""

import io

import numpy as np
import pytest
from PIL import Image

import firstlight
from client import next_frame
from firstlight import video_data_output
from firstlight.v1 import types_pb2
from picture import bars
from test_hdmi_source import v4l2

#: Values of 16 bits by the name of their format: the kind of number, and by how much the upper eight bits are shifted.
VALUES = {"Y10": ("<u2", 2), "Y12": ("<u2", 4), "Y16": ("<u2", 8), "Y16-BE": (">u2", 8)}
#: The number of the S-Video input, whose pictures are interlaced.
S_VIDEO = "2"


def raw(client, camera, pixel_format, kind):
    """The values of a frame, and a preview of the camera as luma."""
    outputs = [video_data_output("raw")]
    with client.open_session(camera, pixel_format, video_data=outputs) as session:
        with client.stream_video_data(session, "raw") as stream:
            frame = next_frame(stream)
        with client.stream_preview(session, types_pb2.ENCODING_JPEG) as stream:
            shown = np.asarray(Image.open(io.BytesIO(next_frame(stream).data)).convert("L"))
    assert frame.pixel_format == pixel_format
    return np.frombuffer(frame.data, kind).reshape(360, 640, 1), shown[:, :, np.newaxis]


@pytest.mark.parametrize("pixel_format", VALUES)
def test_field_B14_programs_get_the_values_of_the_driver(client, pixel_format):
    kind, shift = VALUES[pixel_format]
    camera = client.cameras()[0].name
    eight, _ = raw(client, camera, "GREY", np.uint8)
    values, shown = raw(client, camera, pixel_format, kind)
    assert np.abs((bars(values) / (1 << shift)) - bars(eight)).max() < 1.5
    # White and black are the brightest and the darkest bar.
    assert bars(shown).max() > 240
    assert bars(shown).min() < 15


def test_field_B17_a_driver_that_is_set_to_fields_apart_gives_whole_pictures(client, sdk):
    v4l2("--set-input", S_VIDEO)
    try:
        v4l2("--set-fmt-video=width=720,height=576,field=alternate")
        assert "Alternating" in v4l2("--get-fmt-video")
        camera = client.cameras()[0]
        assert not camera.HasField("unavailable")
        wanted = firstlight.configuration(camera.name, pixel_format="YUYV", size=(720, 576))
        session = sdk.create_session("svideo", configuration=wanted, start=True).name
        try:
            with client.stream_preview(session) as stream:
                frame = next_frame(stream)
            assert (frame.width, frame.height) == (720, 576)
            assert "Interlaced" in v4l2("--get-fmt-video")
        finally:
            sdk.delete_session(session)
    finally:
        v4l2("--set-input", "0")
        client.cameras()
