"""What a preview shows, by its pixels: shape, orientation, colour and rate."""

import itertools

import numpy as np
import pytest

import firstlight
from firstlight import Encoding, Gravity, connection
from support import SYNTHETIC, refused, take, timecode

# SyntheticCapture's BarsScene, left to right: Y, Cb, Cr in limited-range BT.601.
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
SMALL = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30}


def rgb(y, cb, cr):
    """A limited-range BT.601 colour as R, G, B."""
    y, cb, cr = (y - 16) * 255 / 219, (cb - 128) * 255 / 224, (cr - 128) * 255 / 224
    return np.clip([y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb], 0, 255)


@pytest.fixture
def bars(client, session):
    """A running session with a camera that shows colour bars without noise."""

    names = []

    def make(**keywords):
        name = session(start=True, **{**SMALL, **keywords})
        client.set_controls(SYNTHETIC[0], {"test_pattern": 2}, session=name)
        names.append(name)
        return name

    yield make
    for name in names:
        client.set_controls(SYNTHETIC[0], {"test_pattern": None}, session=name)


def settled(preview):
    """A frame that was taken after the controls were set."""
    return take(preview, 4)[-1]


def middle(plane, index, margin=0.25):
    """The inside of a bar: chroma of neighbours is mixed at the edges."""
    height, width = plane.shape[:2]
    bar = width / 8
    columns = slice(int((index + margin) * bar), int((index + 1 - margin) * bar))
    return plane[height // 2 : height - 8, columns].astype(float)


def check_nv12(frame, order=range(8)):
    picture = frame.as_array()
    luma, chroma = picture[: frame.height], picture[frame.height :].reshape(-1, frame.width // 2, 2)
    for index, bar in enumerate(order):
        y, cb, cr = BARS[bar]
        # The camera's noise averages out.
        assert middle(luma, index).mean() == pytest.approx(y, abs=2)
        assert middle(chroma, index).mean(axis=(0, 1)) == pytest.approx((cb, cr), abs=2)


def check_jpeg(frame, order=range(8)):
    picture = frame.as_array()
    for index, bar in enumerate(order):
        assert middle(picture, index).mean(axis=(0, 1)) == pytest.approx(rgb(*BARS[bar]), abs=2)


@pytest.mark.parametrize("pixel_format", ["NV12", "YUYV"])
def test_D1_colour_bars_in_jpeg(client, bars, pixel_format):
    with client.preview(bars(pixel_format=pixel_format), jpeg_quality=95) as preview:
        check_jpeg(settled(preview))


@pytest.mark.parametrize("max_size", [None, (320, 180)], ids=["as-captured", "scaled"])
def test_D1_colour_bars_in_raw(client, bars, max_size):
    name = bars()
    with client.preview(name, encoding=Encoding.NV12, max_size=max_size) as preview:
        check_nv12(settled(preview))
    with client.preview(name, encoding=Encoding.YUYV, max_size=max_size) as preview:
        picture = next(preview).as_array()
        for index, (y, cb, cr) in enumerate(BARS):
            assert middle(picture[:, :, 0], index).mean() == pytest.approx(y, abs=2)
            assert middle(picture[:, 0::2, 1], index).mean() == pytest.approx(cb, abs=2)
            assert middle(picture[:, 1::2, 1], index).mean() == pytest.approx(cr, abs=2)


def test_D1_colour_bars_mirrored_and_rotated(client, bars):
    name = bars(connections=[connection("preview", mirrored=True), connection("photo")])
    backwards = range(7, -1, -1)
    with client.preview(name, encoding=Encoding.NV12) as preview:
        check_nv12(settled(preview), backwards)
    with client.preview(name, jpeg_quality=95, rotation=180) as preview:
        # Half a turn of the mirrored picture: upside down, and the bars in their order.
        frame = next(preview)
        picture = np.flipud(frame.as_array())
        for index, colour in enumerate(BARS):
            assert middle(picture, index).mean(axis=(0, 1)) == pytest.approx(rgb(*colour), abs=2)


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_D1_rotation_comes_after_the_connections(client, session, angle):
    name = session(start=True, connections=[connection("preview", rotated=90), connection("photo")], **SMALL)
    with client.preview(name, encoding=Encoding.NV12, rotation=angle, max_size=(360, 640)) as preview:
        frame = next(preview)
    total = (90 + angle) % 360
    assert (frame.width, frame.height) == ((360, 202) if total == 180 or total == 0 else (360, 640))
    board = firstlight.timecode.decode(np.rot90(frame.luma(), total // 90))
    assert board == (frame.sequence, frame.capture_time_ns)


def test_D1_gravity_resize_stretches(client, bars):
    with client.preview(bars(), encoding=Encoding.NV12, max_size=(240, 240), gravity=Gravity.RESIZE) as preview:
        frame = settled(preview)
    assert (frame.width, frame.height) == (240, 240)
    assert timecode(frame).sequence == frame.sequence, "the whole board is there"
    check_nv12(frame)


def test_D1_gravity_fill_cuts_off_both_sides_alike(client, bars):
    with client.preview(
        bars(), encoding=Encoding.NV12, max_size=(240, 240), gravity=Gravity.RESIZE_ASPECT_FILL
    ) as preview:
        frame = settled(preview)
    assert (frame.width, frame.height) == (240, 240)
    # Of 640 columns those from 140 to 500 are shown: from three quarters of the second bar to a quarter of the seventh.
    luma = frame.luma()
    for column, (y, _, _) in [(8, BARS[1]), (30, BARS[2]), (119 - 20, BARS[3]), (120 + 20, BARS[4]), (232, BARS[6])]:
        assert luma[120:230, column - 3 : column + 3].mean() == pytest.approx(y, abs=2)


def test_D1_gravity_keeps_the_aspect_unless_told(client, session):
    name = session(start=True, **SMALL)
    with client.preview(name, max_size=(240, 240)) as preview:
        frame = next(preview)
    assert (frame.width, frame.height) == (240, 136)
    # Nothing is enlarged: the shape of what was asked for, of the pixels there are.
    with client.preview(name, max_size=(2000, 1000), gravity=Gravity.RESIZE) as preview:
        frame = next(preview)
    assert (frame.width, frame.height) == (640, 320)


def test_D1_a_rate_is_met_evenly_and_what_it_leaves_out_is_told(client, session):
    name = session(start=True, **SMALL)
    with (
        client.preview(name, max_size=(320, 180), max_frame_rate=10) as slow,
        client.preview(name, max_size=(320, 180)) as all_frames,
    ):
        frames = take(slow, 8)
        assert all(frame.omitted == 0 for frame in take(all_frames, 5))
    # The first one came at once, wherever it lies on the grid.
    for before, after in itertools.pairwise(frames[1:]):
        assert after.sequence - before.sequence - 1 == after.omitted + sum(after.dropped)
        assert after.monotonic_time_ns - before.monotonic_time_ns > 90e6
    assert sum(frame.omitted for frame in frames[1:]) > 8


def test_D1_a_turn_that_is_none_is_refused(client, session):
    with refused("INVALID_ARGUMENT") as refusal:
        next(client.preview(session(), rotation=45))
    assert refusal.error.violations[0].field == "rotation"
