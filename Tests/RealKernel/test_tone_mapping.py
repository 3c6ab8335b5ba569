"""A driver that reports range and transfer function, and the previews that the daemon makes with them."""

from contextlib import contextmanager
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from client import guest, next_frame
from firstlight.v1 import (
    session_configuration_pb2 as configuration_pb2,
    types_pb2,
)
from picture import BARS, bars


@contextmanager
def vivid(**controls):
    """Sets controls of the first camera. Afterwards they are 0, or their default where this is not 0."""
    defaults = {"colorspace": 2}
    try:
        for name, value in controls.items():
            guest("camera", "set", "0", name, str(value))
        yield
    finally:
        for name in controls:
            guest("camera", "set", "0", name, str(defaults.get(name, 0)))


def shown(client, name):
    """The bars of a JPEG preview, as R, G, B."""
    with client.stream_preview(name, types_pb2.ENCODING_JPEG) as stream:
        picture = Image.open(BytesIO(next_frame(stream).data), formats=["JPEG"]).convert("RGB")
    return bars(np.asarray(picture).astype(float))


def light(sample):
    """The light in cd/m² of a sample of SMPTE ST 2084."""
    power = np.clip(sample, 0, 1) ** (32 / 2523)
    return 10_000 * (np.maximum(power - 3424 / 4096, 0) / (2413 / 128 - 2392 / 128 * power)) ** (16384 / 2610)


def samples(pairs, kr, kb, is_full=False):
    """R', G', B' from 0 to 1 of samples in Y, Cb, Cr."""
    black, luma, chroma = (0, 255, 255) if is_full else (16, 219, 224)
    y, cb, cr = (pairs[:, 0] - black) / luma, (pairs[:, 1] - 128) / chroma, (pairs[:, 2] - 128) / chroma
    red, blue = y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb
    return np.stack([red, (y - kr * red - kb * blue) / (1 - kr - kb), blue], axis=1)


def given_and_shown(client):
    """The first camera's frame as video data, its bars in Y, Cb and Cr, and the bars of its preview in R, G and B."""
    native = [configuration_pb2.VideoDataOutput(id="native")]
    with client.open_session(client.cameras()[0].name, video_data=native) as name:
        with client.stream_video_data(name, "native") as stream:
            frame = next_frame(stream)
        found = shown(client, name)
    pairs = np.frombuffer(frame.data, np.uint8).reshape(360, 320, 4).astype(float)
    return frame, bars(np.stack([pairs[:, :, 0], pairs[:, :, 1], pairs[:, :, 3]], axis=2)), found


# The numbers are those of vivid's menus: Rec. 709 in limited range, and sRGB in full range. ImagingTests has the other
# pairs.
@pytest.mark.parametrize(("colorspace", "weights", "quantization"), [(1, (0.2126, 0.0722), 2), (2, (0.299, 0.114), 1)])
def test_B8_full_and_limited_range_look_alike(client, colorspace, weights, quantization):
    with vivid(colorspace=colorspace, quantization=quantization):
        frame, given, found = given_and_shown(client)
    is_full = quantization == 1
    assert frame.color_range == (types_pb2.COLOR_RANGE_FULL if is_full else types_pb2.COLOR_RANGE_LIMITED)
    assert found == pytest.approx(255 * np.clip(samples(given, *weights, is_full), 0, 1), abs=2)
    # vivid truncates its samples instead of rounding them.
    assert found == pytest.approx(np.array(BARS, float), abs=5)


@pytest.mark.parametrize(("colorspace", "weights"), [(1, (0.2126, 0.0722)), (4, (0.2627, 0.0593))])
def test_B8_what_a_driver_gives_in_SMPTE_2084_is_shown_as_screens_can(client, colorspace, weights):
    # Pattern 2 has real light values: white is half of 100 cd/m², which a screen shows exactly.
    with vivid(colorspace=colorspace, transfer_function=7, quantization=2, test_pattern=2):
        frame, given, found = given_and_shown(client)
    assert frame.color_transfer == types_pb2.COLOR_TRANSFER_PQ
    wanted = light(samples(given, *weights))
    assert 45 < wanted[0].mean() < 60, f"white has {wanted[0]} cd/m2"
    if colorspace == 4:
        wanted = (
            wanted @ np.array([[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]]).T
        )
    assert found == pytest.approx(255 * np.clip(wanted / 203, 0, 1) ** (1 / 2.4), abs=3)
