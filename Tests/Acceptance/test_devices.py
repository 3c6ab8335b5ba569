import pytest

from firstlight.v1 import device_service_pb2 as device_pb2
from support import SYNTHETIC, call, refused, take


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
            assert format.frame_durations or format.HasField("frame_duration_range")
        sizes = {(format.size.width, format.size.height) for format in device.formats}
        assert {(1920, 1080), (3840, 2160)} <= sizes
        assert {"NV12", "YUYV"} <= {format.pixel_format for format in device.formats}


def test_A4_types_filter_and_order(client):
    assert client.devices(device_pb2.DEVICE_TYPE_BUILT_IN_WIDE_ANGLE) == []
    mixed = client.devices(device_pb2.DEVICE_TYPE_EXTERNAL, device_pb2.DEVICE_TYPE_SYNTHETIC)
    assert [device.name for device in mixed][-2:] == list(SYNTHETIC)


def test_A4_position_filters(client, stubs):
    everywhere = {device.name: device.position for device in client.devices()}
    for position in (device_pb2.DEVICE_POSITION_BACK, device_pb2.DEVICE_POSITION_FRONT):
        listed = call(stubs.devices.ListDevices, device_pb2.ListDevicesRequest(position=position)).devices
        assert {device.name for device in listed} == {name for name, p in everywhere.items() if p == position}


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
        assert call(stubs.devices.GetDevice, device_pb2.GetDeviceRequest(name=device.name)).device == device


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


def test_A4_events_that_never_were_cannot_be_resumed(stubs):
    with refused("OUT_OF_RANGE", "EVENTS_LOST"):
        call(stubs.devices.WatchDevices, device_pb2.WatchDevicesRequest(after_event_id=1 << 40))
