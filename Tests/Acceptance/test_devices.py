import numpy as np
import pytest

import firstlight
from firstlight.v1 import (
    device_service_pb2 as device_pb2,
    session_configuration_pb2 as configuration_pb2,
)
from support import SYNTHETIC, capabilities, take, timecode

FULL = [(1920, 1080), (1280, 720), (640, 360), (320, 180), (3840, 2160)]
BINNED = [(960, 540), (480, 270)]


def test_A3_both_synthetic_cameras_are_listed_with_their_formats(client):
    devices = {device.name: device for device in client.devices(device_pb2.DEVICE_TYPE_SYNTHETIC)}
    assert tuple(sorted(devices)) == SYNTHETIC
    for device in devices.values():
        assert device.device_type == device_pb2.DEVICE_TYPE_SYNTHETIC
        assert device.media_type == device_pb2.MEDIA_TYPE_VIDEO
        assert device.driver == "synthetic"
        assert device.display_name
        for format in device.formats:
            assert len(format.pixel_format) == 4
            assert format.WhichOneof("frame_size")
            assert format.frame_rates or format.HasField("frame_rate_range")
        sizes = {(format.size.width, format.size.height) for format in device.formats}
        assert {(1920, 1080), (3840, 2160)} <= sizes
        assert {"NV12", "YUYV"} <= {format.pixel_format for format in device.formats}


def test_A4_types_filter_and_order(client):
    assert client.devices(device_pb2.DEVICE_TYPE_BUILT_IN_WIDE_ANGLE) == []
    mixed = client.devices(device_pb2.DEVICE_TYPE_EXTERNAL, device_pb2.DEVICE_TYPE_SYNTHETIC)
    assert [device.name for device in mixed][-2:] == list(SYNTHETIC)


def test_A4_watching_begins_with_the_cameras_present(client):
    present = {device.name for device in client.devices()}
    with client.watch_devices() as events:
        first = take(events, len(present))
    assert {event.device.name for event in first} == present
    assert {event.kind for event in first} == {device_pb2.DeviceEvent.KIND_CONNECTED}


def size_of(format_):
    return format_.size.width, format_.size.height


def rate_of(rate):
    return rate.numerator / rate.denominator


@pytest.mark.parametrize("size", FULL + BINNED, ids=lambda size: "{}x{}".format(*size))
@pytest.mark.parametrize("pixel_format", ["NV12", "YUYV"])
def test_B1_every_listed_format_streams_as_listed(client, session, pixel_format, size):
    (listed,) = [
        format_
        for format_ in client.device(SYNTHETIC[0]).formats
        if format_.pixel_format == pixel_format and size_of(format_) == size
    ]
    assert listed.binned == (size in BINNED)
    rates = [rate_of(rate) for rate in listed.frame_rates]
    assert rates == sorted(rates, reverse=True)
    assert {60, 50, 30} <= set(rates)
    name = session(configure=False)
    # The slowest rates take longest and prove nothing more. The largest size at full speed is more than the sensor can
    # read out.
    for rate in [rate for rate in rates if 15 <= rate <= (30 if size == (3840, 2160) else 60)]:
        keywords = {"pixel_format": pixel_format, "size": size, "frame_rate": round(rate), "photo": False}
        client.configure(name, firstlight.configuration(SYNTHETIC[0], **keywords))
        client.start(name)
        with client.preview(name, pixel_format=pixel_format, max_message_bytes=32 << 20) as preview:
            first, second = take(preview, 2)
        client.stop(name)
        for frame in (first, second):
            assert (frame.width, frame.height) == size
            assert frame.pixel_format == pixel_format
            assert timecode(frame) == (frame.sequence, frame.capture_time_ns, 0)
        period = (second.monotonic_time_ns - first.monotonic_time_ns) / (second.sequence - first.sequence)
        assert period == pytest.approx(1e9 / rate, rel=0.02)


def test_B2_binned_frames_are_means_of_two_by_two(client, session):
    name = session(configure=False)

    def stack(size):
        """Pictures of the still scene: the part below the board."""
        client.configure(name, firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=size, photo=False))
        client.start(name)
        client.set_controls(SYNTHETIC[0], {"test_pattern": 1}, session=name)
        with client.preview(name, pixel_format="NV12", max_message_bytes=32 << 20) as preview:
            pictures = [frame.luma()[size[1] // 4 :].astype(np.float32) for frame in take(preview, 20)[4:]]
        client.stop(name)
        return np.array(pictures)

    try:
        full, binned = stack((1920, 1080)), stack((960, 540))
    finally:
        client.set_controls(SYNTHETIC[0], {"test_pattern": None})
    lines, columns = binned.shape[1:]
    means = full.mean(axis=0).reshape(lines, 2, columns, 2).mean(axis=(1, 3))
    assert np.abs(means - binned.mean(axis=0)).max() < 3, "the same field of view, at half the size"
    assert np.abs(means - binned.mean(axis=0)).mean() < 0.5
    # Rounding to whole code values adds a variance of 1/12 to each picture.
    noise = [float(pictures.var(axis=0, ddof=1).mean()) - 1 / 12 for pictures in (full, binned)]
    assert noise[0] > 1, "there is noise to compare"
    # Binning averages four rounded pixels, so a quarter of their rounding variance is in the binned pixel.
    assert noise[1] == pytest.approx((noise[0] + 1 / 12) / 4, rel=0.1)


def test_B5_zero_shutter_lag_follows_the_highest_photo_quality_over_all_formats(client, session):
    name = session()
    supported = set()
    for format_ in client.device("devices/synthetic-0").formats:
        assert format_.highest_photo_quality_supported is not format_.binned
        configuration = client.session(name).configuration
        configuration.inputs[0].format.CopyFrom(
            configuration_pb2.StreamFormat(
                pixel_format=format_.pixel_format, width=format_.size.width, height=format_.size.height
            )
        )
        configuration.photo.ClearField("zero_shutter_lag_enabled")
        resolved, issues = client.check(name, configuration)
        assert not issues
        photo = capabilities(resolved)
        assert photo.zero_shutter_lag_supported is format_.highest_photo_quality_supported
        assert resolved.resolved_configuration.photo.zero_shutter_lag_enabled is photo.zero_shutter_lag_supported
        configuration.photo.zero_shutter_lag_enabled = True
        _, issues = client.check(name, configuration)
        assert [issue.reason for issue in issues] == (
            [] if photo.zero_shutter_lag_supported else ["NOT_SUPPORTED_IN_CONFIGURATION"]
        )
        supported.add(photo.zero_shutter_lag_supported)
    assert supported == {True, False}
