"""The formats and colours in which programs get frames."""

import pytest

import firstlight
from firstlight import video_data_output
from firstlight.v1 import types_pb2
from support import SYNTHETIC, capabilities, refused

LIMITED = types_pb2.COLOR_RANGE_LIMITED


def test_D5_what_a_frame_can_be_given_in_is_published(client, session):
    name = session(pixel_format="YUYV", size=(640, 360), video_data=[video_data_output("data")])
    configured = client.session(name)
    available = capabilities(configured, "data").available_pixel_formats
    assert available[0] == configured.resolved_configuration.video_data[0].pixel_format == "YUYV"
    assert set(available) >= {"AR24", "NV12", "YUYV", "GREY"}
    for index, format in enumerate(available):
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
