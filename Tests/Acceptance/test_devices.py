import numpy as np
import pytest

import firstlight
from firstlight.v1 import (
    device_service_pb2 as device_pb2,
    session_configuration_pb2 as configuration_pb2,
    types_pb2,
)
from support import SYNTHETIC, call, capabilities, refused, take, timecode

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


def test_A4_pages_hold_everything_once(client, stubs):
    names, token = [], ""
    while True:
        page = call(stubs.devices.ListDevices, device_pb2.ListDevicesRequest(page_size=1, page_token=token))
        assert len(page.devices) == 1
        names.append(page.devices[0].name)
        token = page.next_page_token
        if not token:
            break
    assert names == [device.name for device in client.devices()]


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (device_pb2.ListDevicesRequest(page_size=-1), "page_size"),
        (device_pb2.ListDevicesRequest(page_token="from elsewhere"), "page_token"),
        (device_pb2.ListDevicesRequest(device_types=[99]), "device_types"),
        (device_pb2.ListDevicesRequest(device_types=[device_pb2.DEVICE_TYPE_UNSPECIFIED]), "device_types"),
        (device_pb2.ListDevicesRequest(media_type=99), "media_type"),
        (device_pb2.ListDevicesRequest(position=99), "position"),
    ],
)
def test_A4_a_bad_filter_is_refused_by_name(stubs, request_, field):
    with refused("INVALID_ARGUMENT") as refusal:
        call(stubs.devices.ListDevices, request_)
    assert [violation.field.split("[")[0] for violation in refusal.error.violations] == [field]


def test_A3_get_gives_what_the_list_gave(client, stubs):
    for device in client.devices():
        got = call(stubs.devices.GetDevice, device_pb2.GetDeviceRequest(name=device.name)).device
        del got.controls[:]  # Only GetDevice reads the controls.
        assert got == device


def test_A3_an_impossible_device_is_not_found(stubs):
    with refused("NOT_FOUND", "DEVICE_NOT_FOUND") as refusal:
        call(stubs.devices.GetDevice, device_pb2.GetDeviceRequest(name="devices/nowhere"))
    assert "nowhere" in " ".join(refusal.error.metadata.values())


@pytest.mark.parametrize("name", ["", "nowhere", "devices/", "devices/a/b", "sessions/a", "/dev/video0"])
def test_A3_a_malformed_name_is_refused(stubs, name):
    with refused("INVALID_ARGUMENT") as refusal:
        call(stubs.devices.GetDevice, device_pb2.GetDeviceRequest(name=name))
    assert [violation.field for violation in refusal.error.violations] == ["name"]


def test_A4_watching_begins_with_the_cameras_present(client):
    present = {device.name for device in client.devices()}
    with client.watch_devices() as events:
        first = take(events, len(present))
    assert {event.device.name for event in first} == present
    assert {event.kind for event in first} == {device_pb2.DeviceEvent.KIND_CONNECTED}


@pytest.mark.parametrize("unknown", ["0", "1", "nobody's", "x" * 1000])
def test_A4_events_that_never_were_cannot_be_resumed(client, unknown):
    with refused("OUT_OF_RANGE", "EVENTS_LOST"):
        next(client.watch_devices(after_event_id=unknown))


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


def test_B1_a_format_that_is_not_listed_is_refused(client, session):
    name = session(configure=False)
    with refused("FAILED_PRECONDITION", "FORMAT_NOT_SUPPORTED"):
        client.configure(name, firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(322, 180)))


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


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ("NV12", (3840, 2160), 30)),
        ({"size": (1280, 720)}, ("NV12", (1280, 720), 30)),
        ({"size": (1280, 720), "frame_rate": 60}, ("NV12", (1280, 720), 60)),
        ({"size": (1280, 720), "frame_rate": 20}, ("NV12", (1280, 720), 24)),
        ({"size": (1280, 720), "frame_rate": 30, "pixel_format": "YUYV"}, ("YUYV", (1280, 720), 30)),
        ({"size": (960, 540), "frame_rate": 5}, ("NV12", (960, 540), 5)),
        ({"frame_rate": 40, "pixel_format": "YUYV"}, ("YUYV", (3840, 2160), 50)),
    ],
)
def test_B4_a_query_names_the_best_format(client, query, expected):
    matches = {match.device: match for match in client.find_formats(**query)}
    assert set(matches) >= set(SYNTHETIC)
    for name in SYNTHETIC:
        match = matches[name]
        assert (match.pixel_format, size_of(match)) == expected[:2]
        assert (match.frame_rate.numerator, match.frame_rate.denominator) == (expected[2], 1)


@pytest.mark.parametrize("query", [{"size": (641, 360)}, {"frame_rate": 61}, {"pixel_format": "H264"}])
def test_B4_cameras_without_a_match_are_left_out(client, stubs, query):
    assert not {match.device for match in client.find_formats(**query)} & set(SYNTHETIC)
    size = types_pb2.Size(width=641, height=360)
    request = device_pb2.ListDevicesRequest(format_query=device_pb2.FormatQuery(size=size))
    assert not {device.name for device in call(stubs.devices.ListDevices, request).devices} & set(SYNTHETIC)


def test_B4_matches_go_with_their_page(stubs):
    request = device_pb2.ListDevicesRequest(page_size=1, format_query=device_pb2.FormatQuery(pixel_format="NV12"))
    matched = []
    while True:
        page = call(stubs.devices.ListDevices, request)
        assert [match.device for match in page.format_matches] == [device.name for device in page.devices]
        matched += [match.device for match in page.format_matches]
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    assert matched[-2:] == list(SYNTHETIC)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        (device_pb2.FormatQuery(size=types_pb2.Size(width=640)), "format_query.size"),
        (device_pb2.FormatQuery(frame_rate=types_pb2.Rational(numerator=30)), "format_query.frame_rate"),
        (device_pb2.FormatQuery(pixel_format="YUYV2"), "format_query.pixel_format"),
    ],
)
def test_B4_a_malformed_query_is_refused(stubs, query, field):
    with refused("INVALID_ARGUMENT") as refusal:
        call(stubs.devices.ListDevices, device_pb2.ListDevicesRequest(format_query=query))
    assert [violation.field for violation in refusal.error.violations] == [field]


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
