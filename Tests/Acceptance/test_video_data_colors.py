"""The formats and colours in which programs get frames."""

import pytest

import firstlight
from firstlight import video_data_output
from firstlight.v1 import session_configuration_pb2 as configuration_pb2
from support import SYNTHETIC, refused

LIMITED = configuration_pb2.COLOR_RANGE_LIMITED


def test_D5_what_a_frame_can_be_given_in_is_published(client, session):
    name = session(pixel_format="YUYV", size=(640, 360), video_data=[video_data_output("data")])
    resolved = client.session(name).resolved_configuration.video_data[0]
    assert resolved.available_pixel_formats[0] == resolved.pixel_format == "YUYV"
    assert set(resolved.available_pixel_formats) >= {"AR24", "NV12", "YUYV", "GREY"}
    for index, format in enumerate(resolved.available_pixel_formats):
        wanted = video_data_output(f"data-{index}", pixel_format=format)
        client.configure(name, firstlight.configuration(SYNTHETIC[0], preset=None, video_data=[wanted]))


@pytest.mark.parametrize("wanted", ["MJPG", "H264", "XXXX"])
def test_D5_an_unsupported_format_is_refused_with_those_there_are(client, session, wanted):
    with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE") as refusal:
        session(pixel_format="NV12", size=(640, 360), video_data=[video_data_output("data", pixel_format=wanted)])
    assert refusal.error.metadata["available"] == "NV12, AR24, YUYV, GREY, BGR4"
    assert refusal.error.violations[0].field == "configuration.video_data[0].pixel_format"


def test_D5_rgb_has_no_range_to_choose(client, session):
    outputs = [video_data_output("data", pixel_format="AR24", color_range=LIMITED)]
    with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION") as refusal:
        session(pixel_format="NV12", size=(640, 360), video_data=outputs)
    assert refusal.error.violations[0].field == "configuration.video_data[0].color_range"
