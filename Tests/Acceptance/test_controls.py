"""The controls of a camera, and their effect on its pictures."""

import itertools

import numpy as np
import pytest

from firstlight.controls import value_of
from support import SYNTHETIC, take, timecode

CAMERA = SYNTHETIC[1]
SMALL = {"pixel_format": "NV12", "size": (320, 180)}


@pytest.fixture(autouse=True)
def untouched(client):
    """Resets all controls after each test, so that every test finds the values of the daemon's start and no session
    holds a camera.
    """
    yield
    for camera in SYNTHETIC:
        (result,) = client.set_controls(camera, {"reset_controls": True}, session=client.device(camera).session)
        assert not result.HasField("error")


def controls(client, camera=CAMERA):
    return {control.id: control for control in client.device(camera).controls}


def value(client, control, camera=CAMERA):
    return value_of(controls(client, camera)[control].value)


def below_the_board(frame):
    return frame.luma()[frame.height // 6 :].astype(float)


def until(preview, condition):
    """The first of the next 60 pictures that fits. A control acts from the next picture on, while older pictures are
    still under way.
    """
    return next(frame for frame in itertools.islice(preview, 60) if condition(frame))


def test_a_control_is_set_and_read_back(client):
    results = client.set_controls(CAMERA, {"brightness": 25, "contrast": 150})
    assert [(result.control, value_of(result.value)) for result in results] == [("brightness", 25), ("contrast", 150)]
    assert (value(client, "brightness"), value(client, "contrast")) == (25, 150)
    assert value(client, "brightness", SYNTHETIC[0]) == 0, "the other camera is another camera"
    assert value_of(client.set_controls(CAMERA, {"brightness": None})[0].value) == 0, "no value is the default"


def test_brightness_and_contrast_change_the_picture_and_not_the_stream(client, session):
    name = session(CAMERA, start=True, **SMALL)
    with client.preview(name, pixel_format="NV12") as preview:
        before = next(preview)
        plain = below_the_board(before).mean()
        client.set_controls(CAMERA, {"brightness": 40}, session=name)
        brighter = until(preview, lambda frame: below_the_board(frame).mean() > plain + 35)
        client.set_controls(CAMERA, {"brightness": 0, "contrast": 0}, session=name)
        flat = until(preview, lambda frame: below_the_board(frame).std() < 3)
    for frame in (before, brighter, flat):
        assert timecode(frame).sequence == frame.sequence, "the board stays what it is"
        assert frame.stream_id == before.stream_id
        assert (frame.dropped.out_of_buffers, frame.dropped.damaged) == (0, 0)


def test_gain_is_noisier_than_light(client, session):
    name = session(CAMERA, start=True, **SMALL)
    client.set_controls(CAMERA, {"test_pattern": 2, "auto_exposure": 1}, session=name)

    def noise_and_light(preview):
        # The fourth bar, green, is even, so any difference inside it is noise.
        bars = [below_the_board(frame)[:, 122:158] for frame in take(preview, 8)]
        return np.mean([bar.std() for bar in bars]), np.mean([bar.mean() for bar in bars])

    with client.preview(name, pixel_format="NV12") as preview:
        until(preview, lambda frame: 100 < below_the_board(frame)[:, 122:158].mean() < 124)
        noise, light = noise_and_light(preview)
        client.set_controls(CAMERA, {"exposure_time_absolute": 25, "gain": 400}, session=name)
        until(preview, lambda frame: below_the_board(frame)[:, 122:158].std() > 1.5 * noise)
        noisy, same_light = noise_and_light(preview)
    assert same_light == pytest.approx(light, abs=2)
    assert noisy > 1.5 * noise


def test_the_test_pattern_is_a_menu_that_acts(client, session):
    name = session(CAMERA, start=True, **SMALL)
    client.set_controls(CAMERA, {"test_pattern": 2}, session=name)
    with client.preview(name, pixel_format="NV12") as preview:
        # The picture must have eight bars from white to black.
        bars = [180, 162, 131, 112, 84, 65, 35, 16]
        until(preview, lambda f: np.allclose([f.luma()[100:, i * 40 + 20].mean() for i in range(8)], bars, atol=2))


@pytest.mark.alone
def test_B3_an_active_frame_rate_acts_at_once_and_ends_with_the_stream(client, session):
    name = session(CAMERA, start=True, frame_rate=60, **SMALL)

    def steps(preview, count=12):
        frames = take(preview, count)
        assert len({frame.stream_id for frame in frames}) == 1
        return [after.sequence - before.sequence for before, after in itertools.pairwise(frames)], frames

    with client.preview(name, pixel_format="NV12", max_unacknowledged_frames=0) as preview:
        first = next(preview)
        client.set_controls(CAMERA, session=name, active_frame_rate=10)
        until(preview, lambda frame: frame.sequence > first.sequence + 12)
        ten, frames = steps(preview, 6)
        assert set(ten) == {6}, "every sixth, and none that was lost"
        assert all(not any(frame.dropped) for frame in frames), "nobody asked for the others"
        assert frames[0].stream_id == first.stream_id, "the device is not touched"
        photo = client.photo(name)
        assert photo.zero_shutter_lag_used
        client.set_controls(CAMERA, session=name, active_frame_rate=0)
        next(preview)
        # The frame's counts have every frame that a slow machine lost.
        after = take(preview, 8)
        produced = after[-1].sequence - after[0].sequence
        assert produced == len(after) - 1 + sum(sum(frame.dropped) for frame in after[1:])
        client.set_controls(CAMERA, session=name, active_frame_rate=5)
        client.stop(name)
        client.start(name)
        restarted = until(preview, lambda frame: frame.stream_id != first.stream_id)
        following = next(preview)
        assert following.sequence - restarted.sequence == 1 + sum(following.dropped)
