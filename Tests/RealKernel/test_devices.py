"""Cameras as the daemon finds them."""

import pytest

from client import guest
from firstlight.v1 import device_service_pb2 as device

CONNECTED = device.DeviceEvent.KIND_CONNECTED
DISCONNECTED = device.DeviceEvent.KIND_DISCONNECTED


def test_both_cameras_are_listed_with_stable_ids(client):
    cameras = client.cameras()
    names = {camera.name for camera in cameras}
    assert len(cameras) == 2
    assert len(names) == 2
    assert all(name.startswith("devices/") and "video" not in name for name in names)
    assert {camera.driver for camera in cameras} == {"vivid"}

    with client.watch_devices() as events:
        for kind, command in ((CONNECTED, None), (DISCONNECTED, "unbind"), (CONNECTED, "bind")):
            if command:
                guest("camera", command)
            seen = [events.next().event, events.next().event]
            assert [event.kind for event in seen] == [kind, kind]
            assert {event.device.name for event in seen} == names
    assert {camera.name for camera in client.cameras()} == names


@pytest.mark.parametrize("planes", ["single-planar", "multi-planar"])
def test_formats_are_the_drivers(client, planes):
    camera = client.cameras()[("single-planar", "multi-planar").index(planes)]
    yuyv = [
        format
        for format in camera.formats
        if format.pixel_format == "YUYV" and (format.size.width, format.size.height) == (640, 360)
    ]
    assert len(yuyv) == 1
    rates = {(duration.numerator / duration.denominator) ** -1 for duration in yuyv[0].frame_durations}
    assert {round(rate, 1) for rate in rates} == {1, 2, 4, 5, 10, 12.5, 15, 25, 30, 40}
