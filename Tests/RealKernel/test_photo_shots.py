"""Shots with vivid's cameras, which have no flash and no exposure, but larger sizes and a gain."""

import grpc
import pytest

from client import PATIENCE, configuration, next_frame
from firstlight.controls import setting
from firstlight.v1 import (
    control_pb2,
    device_service_pb2 as device_pb2,
    photo_pb2,
    photo_shot_pb2 as shot_pb2,
    session_service_pb2 as sessions_pb2,
    types_pb2,
)
from picture import decode_jpeg_luma

SPEED = photo_pb2.PHOTO_QUALITY_PRIORITIZATION_SPEED


def photo_capabilities(client, name):
    """The capabilities of the photo output."""
    session = client.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name)).session
    return next(each for each in session.output_capabilities if each.output == "photo").photo_capabilities


def controls(client, camera):
    """The values of the gain controls."""
    listed = client.devices.GetDevice(device_pb2.GetDeviceRequest(name=camera)).device.controls
    return {control.id: control.value for control in listed if control.id in ("gain", "gain_automatic")}


def set_controls(client, camera, session, **values):
    """Sets controls one after the other. Fails when one is refused."""
    settings = [setting(control, value) for control, value in values.items()]
    request = control_pb2.SetControlsRequest(device=camera, session=session, control_settings=settings)
    results = client.devices.SetControls(request, timeout=PATIENCE).results
    assert not [result for result in results if result.HasField("error")]


@pytest.mark.parametrize("automatic", [True, False])
def test_H9_a_gain_by_hand_is_set_for_the_photo_and_back(client, automatic):
    camera = client.cameras()[0].name
    with client.open_session(camera) as name, client.stream_preview(name) as stream:
        next_frame(stream)
        set_controls(client, camera, name, gain_automatic=False, gain=70)
        set_controls(client, camera, name, gain_automatic=automatic)
        before = controls(client, camera)
        exposure = shot_pb2.ManualExposure(gain=photo_capabilities(client, name).exposure_limits.max_gain)
        settings = photo_pb2.PhotoSettings(quality_prioritization=SPEED, manual_exposure=exposure)
        events = client.capture(name, settings=settings)
        assert not events[-1].did_finish_capture.HasField("error"), events[-1]
        photo = events[-2].did_finish_processing_photo.photo
        assert photo.gain == exposure.gain
        assert not photo.zero_shutter_lag_used
        after = controls(client, camera)
        assert before["gain_automatic"].boolean == after["gain_automatic"].boolean == automatic
        # With automatic gain, vivid's gain is the seconds of a clock.
        assert automatic or before["gain"].integer == after["gain"].integer == 70
        set_controls(client, camera, name, gain_automatic=True)


@pytest.mark.bare
def test_H7_H8_H9_what_vivid_lacks_is_told_and_refused(client):
    with client.open_session(client.cameras()[0].name) as name, client.stream_preview(name) as stream:
        next_frame(stream)
        can = photo_capabilities(client, name)
        assert list(can.supported_flash_modes) == [shot_pb2.FLASH_MODE_OFF]
        assert not can.exposure_limits.HasField("max_exposure_duration")
        assert not can.exposure_limits.HasField("max_exposure_bias")
        exposure = shot_pb2.ManualExposure()
        exposure.exposure_duration.FromMilliseconds(5)
        for settings, code in [
            (photo_pb2.PhotoSettings(flash_mode=shot_pb2.FLASH_MODE_ON), grpc.StatusCode.INVALID_ARGUMENT),
            (photo_pb2.PhotoSettings(flash_mode=shot_pb2.FLASH_MODE_AUTO), grpc.StatusCode.INVALID_ARGUMENT),
            (photo_pb2.PhotoSettings(manual_exposure=exposure), grpc.StatusCode.FAILED_PRECONDITION),
        ]:
            with pytest.raises(grpc.RpcError) as raised:
                client.capture(name, settings=settings)
            assert raised.value.code() is code


def test_B6_a_large_photo_between_small_frames(client):
    camera = client.cameras()[0].name
    with client.open_session(camera, start=False) as name, client.stream_preview(name) as stream:
        wanted = configuration(camera)
        wanted.photo.max_photo_dimensions.CopyFrom(types_pb2.Size(width=1280, height=720))
        client.configure(name, wanted)
        client.start(name)
        before = next_frame(stream)
        settings = photo_pb2.PhotoSettings(
            quality_prioritization=SPEED, max_photo_dimensions=types_pb2.Size(width=1280, height=720)
        )
        events = client.capture(name, settings=settings)
        assert not events[-1].did_finish_capture.HasField("error"), events[-1]
        photo = events[-2].did_finish_processing_photo.photo
        assert (photo.width, photo.height) == (1280, 720)
        assert photo.stream_id > before.stream_id
        assert not photo.zero_shutter_lag_used
        _, width, height = decode_jpeg_luma(photo.data)
        assert (width, height) == (1280, 720)
        while (after := next_frame(stream)).stream_id <= photo.stream_id:
            pass
        assert (after.width, after.height) == (before.width, before.height)
