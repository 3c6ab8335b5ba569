"""The pixels of a preview: shape, orientation, colour and rate."""

import itertools
import statistics

import numpy as np
import pytest

import firstlight
from bars import BARS, check_bars
from firstlight import Gravity, connection
from support import PREVIEWS, refused, take

SMALL = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30}


@pytest.mark.parametrize("pixel_format", PREVIEWS)
def test_D1_colour_bars_scaled(client, bars, pixel_format):
    with client.preview(bars(**SMALL), **PREVIEWS[pixel_format], max_size=(320, 180), jpeg_quality=95) as preview:
        frame = next(preview)
    assert (frame.width, frame.height) == (320, 180)
    check_bars(frame)


@pytest.mark.parametrize("pixel_format", PREVIEWS)
def test_D1_colour_bars_mirrored_then_rotated(client, bars, pixel_format):
    name = bars(connections=[connection("preview", mirrored=True)], **SMALL)
    with client.preview(name, **PREVIEWS[pixel_format], rotation=90, jpeg_quality=95) as preview:
        # In the other order the picture would be rotated by 90 degrees to the left instead.
        check_bars(next(preview), 270, True)


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_D1_rotation_comes_after_the_connections(client, session, angle):
    name = session(start=True, connections=[connection("preview", rotated=90), connection("photo")], **SMALL)
    with client.preview(name, pixel_format="NV12", rotation=angle, max_size=(360, 640)) as preview:
        frame = next(preview)
    total = (90 + angle) % 360
    assert (frame.width, frame.height) == ((360, 202) if total == 180 or total == 0 else (360, 640))
    board = firstlight.timecode.decode(np.rot90(frame.luma(), total // 90))
    assert board == (frame.sequence, frame.capture_time_ns, 0)


def test_D1_gravity_resize_stretches(client, bars):
    name = bars(**SMALL)
    with client.preview(name, pixel_format="NV12", max_size=(240, 240), gravity=Gravity.RESIZE) as preview:
        frame = next(preview)
    assert (frame.width, frame.height) == (240, 240)
    check_bars(frame)


def test_D1_gravity_fill_cuts_off_both_sides_alike(client, bars):
    name = bars(**SMALL)
    with client.preview(name, pixel_format="NV12", max_size=(240, 240), gravity=Gravity.RESIZE_ASPECT_FILL) as preview:
        frame = next(preview)
    assert (frame.width, frame.height) == (240, 240)
    # The preview shows the columns 140 to 500 of 640: from three quarters of the second bar to a quarter of the
    # seventh.
    luma = frame.luma()
    for column, (y, _, _) in [(8, BARS[1]), (30, BARS[2]), (119 - 20, BARS[3]), (120 + 20, BARS[4]), (232, BARS[6])]:
        assert luma[120:230, column - 3 : column + 3].mean() == pytest.approx(y, abs=2)


def test_D1_gravity_keeps_the_aspect_unless_told(client, session):
    name = session(start=True, **SMALL)
    with client.preview(name, max_size=(240, 240)) as preview:
        frame = next(preview)
    assert (frame.width, frame.height) == (240, 136)
    # The daemon does not enlarge pictures. The result has the shape asked for, made of the pixels that exist.
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
    # The first frame came at once, at any point of the grid of the rate.
    for before, after in itertools.pairwise(frames[1:]):
        assert after.sequence - before.sequence - 1 == after.omitted + sum(after.dropped)
        assert after.monotonic_time_ns - before.monotonic_time_ns > 90e6
    assert sum(frame.omitted for frame in frames[1:]) > 8
    intervals = [after.monotonic_time_ns - before.monotonic_time_ns for before, after in itertools.pairwise(frames[1:])]
    assert statistics.median(intervals) == pytest.approx(100e6, rel=0.02), "no fewer than were asked for"


def test_D1_a_turn_that_is_none_is_refused(client, session):
    with refused("INVALID_ARGUMENT") as refusal:
        next(client.preview(session(), rotation=45))
    assert refusal.error.violations[0].field == "rotation"
