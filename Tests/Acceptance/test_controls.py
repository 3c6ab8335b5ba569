"""The controls of a camera, and their effect on its pictures."""

import itertools

import numpy as np
import pytest

import firstlight
from firstlight.controls import value_of
from firstlight.v1 import control_pb2, device_service_pb2 as device_pb2, types_pb2
from support import SYNTHETIC, call, refused, take, timecode

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


def reason(result):
    assert not result.HasField("value")
    return firstlight.FirstlightError.from_status(result.error).reason


def below_the_board(frame):
    return frame.luma()[frame.height // 6 :].astype(float)


def until(preview, condition):
    """The first of the next 60 pictures that fits. A control acts from the next picture on, while older pictures are
    still under way.
    """
    return next(frame for frame in itertools.islice(preview, 60) if condition(frame))


def test_A3_a_camera_tells_its_controls(client):
    listed = controls(client)
    brightness = listed["brightness"]
    assert brightness.display_name == "Brightness"
    assert brightness.v4l2_id == 0x00980900
    assert brightness.control_type == control_pb2.CONTROL_TYPE_INTEGER
    assert brightness.minimum < brightness.default_value < brightness.maximum
    assert value_of(brightness.value) == brightness.default_value
    exposure = listed["auto_exposure"]
    assert [item.label for item in exposure.menu_items] == ["Auto Mode", "Manual Mode"]
    assert listed["exposure_time_absolute"].inactive
    assert not listed["reset_controls"].HasField("value"), "a button has no value"


def test_A3_only_get_reads_controls(client):
    assert all(not device.controls for device in client.devices())
    with client.watch_devices() as events:
        assert not take(events, 1)[0].device.controls


def test_a_control_is_set_and_read_back(client):
    results = client.set_controls(CAMERA, {"brightness": 25, "contrast": 150})
    assert [(result.control, value_of(result.value)) for result in results] == [("brightness", 25), ("contrast", 150)]
    assert (value(client, "brightness"), value(client, "contrast")) == (25, 150)
    assert value(client, "brightness", SYNTHETIC[0]) == 0, "the other camera is another camera"
    assert value_of(client.set_controls(CAMERA, {"brightness": None})[0].value) == 0, "no value is the default"


def test_each_setting_is_its_own(client):
    wanted = {
        "brightness": 1000,
        "focus": 1,
        "contrast": "much",
        "gain": 200,
        "auto_exposure": 1,
        "exposure_time_absolute": 50,
        "test_pattern": 7,
        "reset_controls": 1,
    }
    results = client.set_controls(CAMERA, wanted)
    assert [result.control for result in results] == list(wanted)
    assert [result.outcome for result in results] == [
        control_pb2.ControlResult.OUTCOME_REFUSED,
        control_pb2.ControlResult.OUTCOME_REFUSED,
        control_pb2.ControlResult.OUTCOME_WRONG_TYPE,
        control_pb2.ControlResult.OUTCOME_REFUSED,
        control_pb2.ControlResult.OUTCOME_SET,
        control_pb2.ControlResult.OUTCOME_SET,
        control_pb2.ControlResult.OUTCOME_REFUSED,
        control_pb2.ControlResult.OUTCOME_SET,
    ]
    refusals = ["UNSUPPORTED_VALUE", "CONTROL_NOT_FOUND", "CONTROL_WRONG_TYPE", "CONTROL_INACTIVE"]
    assert [reason(result) for result in results[:4]] == refusals
    assert [value_of(result.value) for result in results[4:6]] == [1, 50], "the menu before it made it active"
    assert reason(results[6]) == "UNSUPPORTED_VALUE"
    assert not results[7].HasField("error")
    assert value(client, "auto_exposure") == 0, "the button has done it"
    error = firstlight.FirstlightError.from_status(results[0].error)
    assert error.code.name == "INVALID_ARGUMENT"
    assert error.metadata["control"] == "brightness"


def test_sixty_four_settings_are_taken_and_no_more(stubs):
    def request(count):
        setting = control_pb2.ControlSetting(control="brightness", value=control_pb2.ControlValue(integer=1))
        return control_pb2.SetControlsRequest(device=CAMERA, control_settings=[setting] * count)

    assert len(call(stubs.devices.SetControls, request(64)).results) == 64
    with refused("INVALID_ARGUMENT") as refusal:
        call(stubs.devices.SetControls, request(65))
    assert [violation.field for violation in refusal.error.violations] == ["control_settings"]


@pytest.mark.parametrize("name", ["", "synthetic-1", "devices/", "sessions/a"])
def test_a_malformed_device_is_refused(client, name):
    with refused("INVALID_ARGUMENT") as refusal:
        client.set_controls(name, {"brightness": 1})
    assert [violation.field for violation in refusal.error.violations] == ["device"]


def test_what_is_not_there_is_not_found(client):
    with refused("NOT_FOUND", "DEVICE_NOT_FOUND"):
        client.set_controls("devices/nowhere", {"brightness": 1})
    with refused("NOT_FOUND", "SESSION_NOT_FOUND"):
        client.set_controls(CAMERA, {"brightness": 1}, session="sessions/nobody")


def test_a_camera_that_runs_belongs_to_its_session(client, session):
    idle = session(CAMERA)
    with refused("FAILED_PRECONDITION", "SESSION_NOT_RUNNING"):
        client.set_controls(CAMERA, {"brightness": 1}, session=idle)
    owner = session(CAMERA, start=True)
    assert client.device(CAMERA).session == owner
    assert {device.name: device.session for device in client.devices()} == {SYNTHETIC[0]: "", CAMERA: owner}
    for other in ("", idle):
        with refused("FAILED_PRECONDITION", "DEVICE_CLAIMED") as refusal:
            client.set_controls(CAMERA, {"brightness": 1}, session=other)
        assert owner.endswith(refusal.error.metadata["session"])
    assert value(client, "brightness") == 0
    assert value_of(client.set_controls(CAMERA, {"brightness": 1}, session=owner)[0].value) == 1
    client.stop(owner)
    assert client.device(CAMERA).session == ""
    assert not client.set_controls(CAMERA, {"brightness": 2})[0].HasField("error")


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


def test_B3_an_active_frame_rate_needs_a_stream(client, stubs, session):
    with refused("FAILED_PRECONDITION", "SESSION_NOT_RUNNING"):
        client.set_controls(CAMERA, {"brightness": 5}, active_frame_rate=10)
    assert value(client, "brightness") == 0, "nothing was set"
    name = session(CAMERA, start=True)
    nothing_below = types_pb2.Rational(numerator=1)
    request = control_pb2.SetControlsRequest(device=CAMERA, session=name, active_frame_rate=nothing_below)
    with refused("INVALID_ARGUMENT") as refusal:
        call(stubs.devices.SetControls, request)
    assert [violation.field for violation in refusal.error.violations] == ["active_frame_rate"]


def test_get_reads_anew(client, stubs):
    request = device_pb2.GetDeviceRequest(name=CAMERA)
    before = call(stubs.devices.GetDevice, request).device
    client.set_controls(CAMERA, {"contrast": 110})
    after = call(stubs.devices.GetDevice, request).device
    (contrast,) = (control for control in before.controls if control.id == "contrast")
    assert contrast.value.integer == 100
    contrast.value.integer = 110
    assert before == after, "the control is the only thing that changed"
