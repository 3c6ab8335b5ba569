"""A camera of high dynamic range: previews look right on screens, and video data stays as captured."""

import numpy as np
import pytest

import firstlight
from bars import BARS, rgb
from firstlight import Encoding, video_data_output
from support import SYNTHETIC, capabilities, take, timecode
from test_preview_h264 import Decoder

WIDE = {"pixel_format": "P010", "size": (640, 360), "frame_rate": 10}
#: The first line of the camera's ramp from black to 10,000 cd/m².
RAMP = 330


@pytest.fixture
def wide(client, session):
    """The name of a running session with colour bars of high dynamic range and the ramp below them."""
    outputs = [video_data_output("native"), video_data_output("data", pixel_format="NV12")]
    name = session(start=True, video_data=outputs, **WIDE)
    client.set_controls(SYNTHETIC[0], {"test_pattern": 2}, session=name)
    yield name
    client.set_controls(SYNTHETIC[0], {"test_pattern": None}, session=name)


def bar_means(picture):
    """The mean of each bar's middle, between board and ramp."""
    bar = picture.shape[1] / 8
    return [
        picture[100:300, int((index + 0.25) * bar) : int((index + 0.75) * bar)].mean(axis=(0, 1)) for index in range(8)
    ]


def as_screens_show(frame):
    """R, G and B of the camera's frame by the standards. The result is exact up to half of a screen's white."""
    codes = frame.as_array() >> 6
    luma = (codes[:360] - 64.0) / 876
    chroma = ((codes[360:].reshape(180, 320, 2) - 512.0) / 896).repeat(2, axis=0).repeat(2, axis=1)
    red, blue = luma + 1.4746 * chroma[:, :, 1], luma + 1.8814 * chroma[:, :, 0]
    green = (luma - 0.2627 * red - 0.0593 * blue) / 0.678
    power = np.clip(np.stack([red, green, blue], axis=2), 0, 1) ** (32 / 2523)
    light = 10_000 * (np.maximum(power - 3424 / 4096, 0) / (2413 / 128 - 2392 / 128 * power)) ** (16384 / 2610)
    wide = np.array([[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]])
    return 255 * np.clip(light @ wide.T / 203, 0, 1) ** (1 / 2.4)


def assert_shows(client, session, picture):
    """Checks that the bars of `picture`, in R, G, B, match the camera's frame, and that the frame matches the scene."""
    camera = bar_means(as_screens_show(take(client.video_data(session, "native"), 3)[-1]))
    for shown, given, color in zip(bar_means(picture), camera, BARS, strict=True):
        assert shown == pytest.approx(given, abs=3)
        # Ten bits are not more exact for dark colours: in BT.2020 these are small differences of large numbers.
        assert np.maximum(shown, 24) == pytest.approx(np.maximum(rgb(*color), 24), abs=6)


def test_B8_previews_show_the_colours_and_keep_highlights(client, wide):
    frame = take(client.preview(wide, encoding=Encoding.JPEG, jpeg_quality=95), 3)[-1]
    picture = frame.as_array()
    assert_shows(client, wide, picture)
    ramp = picture[RAMP + 8 : RAMP + 24].mean(axis=(0, 2))
    steps = ramp.reshape(20, 32).mean(axis=1)
    # Up to 1,000 cd/m² each step of the ramp is visible. Above this, no step becomes darker.
    assert (np.diff(steps[3:16]) > 1).all(), f"the ramp is flat: {steps}"
    assert (np.diff(steps) > -1).all(), f"the ramp goes back: {steps}"
    assert timecode(frame).sequence == frame.sequence


def test_B8_raw_and_coded_previews_are_mapped_too(client, wide):
    raw = take(client.preview(wide, pixel_format="NV12"), 3)[-1]
    coded = take(client.preview(wide, encoding=Encoding.H264, jpeg_quality=95), 3)
    # The expected luma is limited-range BT.709.
    camera = as_screens_show(take(client.video_data(wide, "native"), 3)[-1])
    wanted = bar_means(16 + camera @ np.array([0.2126, 0.7152, 0.0722]) * 219 / 255)
    decoder = Decoder()
    decoded = [decoder.decode(frame) for frame in coded][-1]
    for frame, luma in [(raw, raw.luma()), (coded[-1], decoded)]:
        assert bar_means(luma) == pytest.approx(wanted, abs=2), frame.pixel_format
        assert firstlight.timecode.decode(luma).sequence == frame.sequence


def test_B8_video_data_is_what_the_camera_gave(client, wide):
    frame = take(client.video_data(wide, "native"), 3)[-1]
    assert frame.pixel_format == "P010"
    codes = frame.as_array() >> 6
    assert (codes[RAMP:360] == np.round(64 + 876 * np.arange(640) / 639)).all()
    # The bar of 75 % white has PQ of 101 cd/m².
    assert bar_means(codes[:360])[0] == pytest.approx(510, abs=1)
    converted = take(client.video_data(wide, "data"), 3)[-1]
    assert bar_means(converted.luma())[0] == pytest.approx(510 / 4, abs=1), "conversion maps no tones"


def test_B8_a_session_tells_what_is_mapped(client, session):
    name = session(configure=False)

    def told(**keywords):
        return capabilities(client.configure(name, firstlight.configuration(SYNTHETIC[0], **keywords)), "preview")

    assert told(**WIDE).tone_mapping_enabled
    assert not told(**{**WIDE, "pixel_format": "NV12"}).tone_mapping_enabled


def test_B8_photos_of_it_can_be_looked_at(client, wide):
    photo = client.photo(wide, quality=firstlight.Quality.SPEED)
    assert_shows(client, wide, photo.as_array())
