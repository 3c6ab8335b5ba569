"""The formats and colours in which programs get frames."""

import numpy as np
import pytest

import firstlight
from firstlight import video_data_output
from firstlight.v1 import session_configuration_pb2 as configuration_pb2
from support import SYNTHETIC, refused

#: The 75 % bars of SMPTE EG 1 in 8-bit BT.601, from left to right; what the scene `bars` is made of.
BARS = [
    (180, 128, 128),
    (162, 44, 142),
    (131, 156, 44),
    (112, 72, 58),
    (84, 184, 198),
    (65, 100, 212),
    (35, 212, 114),
    (16, 128, 128),
]
FULL, LIMITED = configuration_pb2.COLOR_RANGE_FULL, configuration_pb2.COLOR_RANGE_LIMITED


def to_range(color, is_full):
    """A limited-range colour in the range of a frame."""
    if not is_full:
        return color
    return tuple([(color[0] - 16) * 255 / 219] + [128 + (chroma - 128) * 255 / 224 for chroma in color[1:]])


def to_bgr(color):
    luma, cb, cr = (color[0] - 16) * 255 / 219, *((chroma - 128) * 255 / 224 for chroma in color[1:])
    return np.clip((luma + 1.772 * cb, luma - 0.344136 * cb - 0.714136 * cr, luma + 1.402 * cr), 0, 255)


def bar(plane, index, pixels_per_bar):
    """The mean of a bar's middle, so that noise and the neighbours' chroma do not count."""
    left = int((index + 0.25) * pixels_per_bar)
    return plane[plane.shape[0] // 2 :, left : left + pixels_per_bar // 2].mean(axis=(0, 1))


def shown(frame, index):
    """What a frame shows of a bar, in its own colours."""
    width, height, array = frame.width, frame.height, frame.as_array()
    if frame.pixel_format == "NV12":
        chroma = array[height:].reshape(height // 2, width // 2, 2)
        return (bar(array[:height], index, width // 8), *bar(chroma, index, width // 16))
    if frame.pixel_format == "YUYV":
        pairs = array.reshape(height, width // 2, 4)
        first, cb, second, cr = bar(pairs, index, width // 16)
        return (first + second) / 2, cb, cr
    if frame.pixel_format == "GREY":
        return (bar(array, index, width // 8),)
    blue, green, red, opacity = bar(array, index, width // 8)
    assert frame.pixel_format == "BGR4" or opacity == 255, "AR24 is opaque"
    return blue, green, red


@pytest.fixture
def bars(client):
    """Colour bars before the first camera, and what was there before afterwards."""
    client.set_controls(SYNTHETIC[0], {"test_pattern": 2})
    yield
    client.set_controls(SYNTHETIC[0], {"reset_controls": None})


@pytest.mark.parametrize("camera", ["NV12", "YUYV"])
@pytest.mark.parametrize(
    "wanted",
    [
        [("", None), ("GREY", None), ("GREY", FULL), ("AR24", None), ("BGR4", None)],
        [(format, colors) for format in ("NV12", "YUYV") for colors in (None, LIMITED, FULL)],
    ],
    ids=["usual", "ranges"],
)
def test_D5_each_format_shows_the_same_colours(client, bars, session, camera, wanted):
    outputs = [
        video_data_output(f"data-{index}", pixel_format=format, color_range=colors)
        for index, (format, colors) in enumerate(wanted)
    ]
    name = session(start=True, pixel_format=camera, size=(640, 360), photo=False, video_data=outputs)
    for index, (format, colors) in enumerate(wanted):
        with client.video_data(name, f"data-{index}") as data:
            frame = next(data)
        assert frame.pixel_format == (format or camera)
        is_rgb = format in ("AR24", "BGR4")
        assert frame.is_full_range == (is_rgb or colors == FULL)
        for place, color in enumerate(BARS):
            truth = to_bgr(color) if is_rgb else to_range(color, frame.is_full_range)
            seen = shown(frame, place)
            assert np.abs(np.subtract(seen, truth[: len(seen)])).max() <= 2, (format, colors, place, seen, truth)


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
