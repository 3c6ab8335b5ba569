"""The contents of overlays: pixels, labels and the time appear at the places asked for and nowhere else."""

import itertools
import time

import numpy as np
import pytest

from bars import channels
from firstlight.v1 import overlay_pb2, video_data_service_pb2 as video_data_pb2
from support import call

CAMERA = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30, "photo": False}
#: The first line below the timecode board, which changes with each frame.
BELOW_BOARD = 60
#: R, G, B, A of the quarters of a picture, and their colours on the camera's black in limited-range BT.601. The last
#: quarter is half transparent yellow.
QUARTERS = [
    ((255, 0, 0, 255), (81, 90, 240)),
    ((0, 255, 0, 255), (145, 54, 34)),
    ((0, 0, 255, 255), (41, 240, 110)),
    ((255, 255, 0, 128), (113, 72, 137)),
]
BLACK = (16, 128, 128)


@pytest.fixture
def drawn(client, stubs, bars):
    """A preview whose camera shows bars, and the function that draws over this preview."""
    name = bars(**CAMERA)

    def draw(*elements):
        request = video_data_pb2.SetOverlayRequest(session=name, overlay=overlay_pb2.Overlay(elements=elements))
        call(stubs.video_data.SetOverlay, request)

    with client.preview(name, pixel_format="NV12") as preview:
        yield preview, draw


def until(frames, condition):
    """The first of the next 60 frames for which `condition` holds, or None."""
    return next((frame for frame in itertools.islice(frames, 60) if condition(frame)), None)


def difference(frame, other):
    """The lines and columns below the board where two pictures differ by more than noise."""
    luma, before = frame.luma()[BELOW_BOARD:].astype(int), other.luma()[BELOW_BOARD:].astype(int)
    lines, columns = np.nonzero(np.abs(luma - before) > 30)
    return lines + BELOW_BOARD, columns


def differs(frame, other):
    return len(difference(frame, other)[0]) > 0


def quarters(rectangle, side):
    """The four parts of a picture that is drawn as a square of `side` pixels, in the order of QUARTERS."""
    left, top = rectangle
    half = side // 2
    return [(left + column * half, top + line * half, half) for line in (0, 1) for column in (0, 1)]


def off(frame, place, color):
    """The largest difference of any sample of a square from a colour, in code values."""
    left, top, side = place
    worst = 0
    for plane, value, step in zip(channels(frame), color, (1, 2, 2), strict=True):
        square = plane[top // step : (top + side) // step, left // step : (left + side) // step]
        worst = max(worst, np.abs(square.astype(int) - value).max())
    return worst


@pytest.mark.parametrize(
    ("keywords", "side", "blurred"),
    [({}, 32, 0), ({"relative_width": 64 / 640}, 64, 4)],
    ids=["pixel-for-pixel", "enlarged"],
)
def test_D6_pixels_land_where_asked_in_their_colours(drawn, keywords, side, blurred):
    preview, draw = drawn
    pixels = np.zeros((32, 32, 4), np.uint8)
    for (x, y, half), (rgba, _) in zip(quarters((0, 0), 32), QUARTERS, strict=True):
        pixels[y : y + half, x : x + half] = rgba
    # This place is in the last bar, which is black.
    left, top = 568, 200
    before = next(preview)
    image = {"pixels": {"width": 32, "height": 32, "rgba": pixels.tobytes()}, "x": left / 640, "y": top / 360}
    draw({"image": {**image, **keywords}})
    frame = until(preview, lambda frame: differs(frame, before))
    assert frame, "nothing was drawn"
    for (x, y, half), (_, color) in zip(quarters((left, top), side), QUARTERS, strict=True):
        # Noise shows through the quarter that is half transparent.
        inside = (x + blurred, y + blurred, half - 2 * blurred)
        assert off(frame, inside, color) <= (3 if color != QUARTERS[3][1] else 6), (color, inside)
    for beside in [(left - 8, top, 8), (left + side, top, 8), (left, top - 8, 8), (left, top + side, 8)]:
        assert off(frame, beside, BLACK) <= 10, beside


def test_D6_a_box_has_its_label_above_it(drawn):
    preview, draw = drawn
    before = next(preview)
    # This place is on the last two bars, which are dark.
    box = {"x": 0.78, "y": 0.6, "relative_width": 0.2, "relative_height": 0.2}
    left, top = 0.78 * 640, 0.6 * 360
    draw({"box": box})
    plain = until(preview, lambda frame: differs(frame, before))
    assert plain, "no box was drawn"
    assert difference(plain, before)[0].min() >= top - 2, "there is no label"
    draw({"box": {**box, "label": "label"}})
    labelled = until(preview, lambda frame: differs(frame, plain))
    assert labelled, "no label was drawn"
    lines, columns = difference(labelled, plain)
    assert top - 20 <= lines.min() < lines.max() <= top
    assert left - 2 <= columns.min() < columns.max() <= left + 100
    assert len(lines) > 30
    # The label has the colour of the box: green, brighter than anything else here, and without red.
    assert labelled.luma()[lines, columns].max() > 110
    assert channels(labelled)[2][lines // 2, columns // 2].min() < 90


def test_D6_the_time_of_capture_advances(drawn):
    preview, draw = drawn
    text = {"x": 0.05, "y": 0.5, "relative_height": 0.1, "background": 0x000000FF}
    before = next(preview)
    draw({"text": {**text, "string": "{time}"}})
    first = until(preview, lambda frame: differs(frame, before))
    assert first, "nothing was drawn"
    later = next(frame for frame in preview if frame.capture_time_ns > first.capture_time_ns + 1_000_000_000)
    lines, columns = difference(later, first)
    assert len(lines) > 10, "the time stands still"
    assert 180 <= lines.min() < lines.max() < 216
    assert columns.min() >= 32
    # The overlay with the time looks like an overlay with the same words.
    words = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(later.capture_time_ns // 1_000_000_000))
    draw()
    assert until(preview, lambda frame: not differs(frame, before)), "it stays"
    draw({"text": {**text, "string": words}})
    assert until(preview, lambda frame: not differs(frame, later)), f"it is not {words}"
