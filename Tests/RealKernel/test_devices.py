"""Cameras as the daemon finds them."""

import re
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from client import PATIENCE, Client, guest, next_frame
from firstlight.v1 import (
    device_service_pb2 as device,
    session_configuration_pb2 as configuration_pb2,
    session_service_pb2 as sessions_pb2,
    types_pb2 as types,
)
from machine import BINARY
from picture import decode_jpeg_luma, drawn_sequence

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
    rates = [rate.numerator / rate.denominator for rate in yuyv[0].frame_rates]
    assert rates == sorted(rates, reverse=True)
    assert {round(rate, 1) for rate in rates} == {1, 2, 4, 5, 10, 12.5, 15, 25, 30, 40}


def driver_format(node):
    """The format of the driver: pixel format, width, height."""
    command = ["v4l2-ctl", "-d", node, "--get-fmt-video"]
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    width, height = re.search(r"Width/Height\s*: (\d+)/(\d+)", told).groups()
    return re.search(r"Pixel Format\s*: '(.{4})'", told).group(1).strip(), int(width), int(height)


def configure(client, name, camera, pixel_format, width, height):
    client.sessions.ConfigureSession(
        sessions_pb2.ConfigureSessionRequest(
            name=name,
            configuration=configuration_pb2.SessionConfiguration(
                inputs=[
                    configuration_pb2.SessionInput(
                        device=camera,
                        format=configuration_pb2.StreamFormat(pixel_format=pixel_format, width=width, height=height),
                    )
                ],
                preview=configuration_pb2.PreviewOutput(),
            ),
        ),
        timeout=PATIENCE,
    )


def assert_streams(client, camera, node, pixel_format, width, height):
    """Checks that frames come in the size asked for, and that the driver has set this size."""
    with client.open_session(camera, start=False) as name:
        configure(client, name, camera, pixel_format, width, height)
        with client.stream_preview(name, types.ENCODING_JPEG) as stream:
            client.start(name)
            frames = [next_frame(stream), next_frame(stream)]
            assert driver_format(node) == (pixel_format, width, height)
    for frame in frames:
        luma, *size = decode_jpeg_luma(frame.data)
        assert (frame.width, frame.height) == tuple(size) == (width, height)
        assert drawn_sequence(luma, width) == frame.sequence


@pytest.mark.parametrize("pixel_format", ["YUYV", "UYVY", "NV12", "YU12", "GREY", "RGB3", "XR24", "RGBP", "NM12"])
def test_B1_listed_formats_stream_as_listed(client, pixel_format):
    index = 1 if pixel_format == "NM12" else 0
    camera = client.cameras()[index]
    sizes = {(f.size.width, f.size.height) for f in camera.formats if f.pixel_format == pixel_format}
    assert {(320, 180), (640, 360)} <= sizes
    assert_streams(client, camera.name, f"/dev/video{index}", pixel_format, 320, 180)


@pytest.fixture
def hdmi():
    """Switches the first camera to its HDMI input, which has a scaler."""
    guest("v4l2-ctl", "-d", "/dev/video0", "-i", "3")
    yield
    guest("v4l2-ctl", "-d", "/dev/video0", "-i", "0")


@pytest.mark.usefixtures("hdmi")
def test_B1_sizes_of_a_range_stream_as_listed(client):
    camera = client.cameras()[0]
    listed = next(format for format in camera.formats if format.pixel_format == "YUYV")
    assert listed.WhichOneof("frame_size") == "size_range"
    smallest, step = listed.size_range.minimum_size, listed.size_range.step_size
    largest = listed.size_range.maximum_size
    assert (largest.width, largest.height) >= (1920, 1080)
    # This size is on the grid of the range. It is neither a size from a list nor a whole fraction of one.
    width = smallest.width + (500 - smallest.width) // step.width * step.width
    height = smallest.height + (300 - smallest.height) // step.height * step.height
    assert_streams(client, camera.name, "/dev/video0", "YUYV", width, height)


def test_A3_what_real_cameras_say_of_themselves(client):
    for camera in client.cameras():
        got = client.devices.GetDevice(device.GetDeviceRequest(name=camera.name), timeout=PATIENCE).device
        assert got.controls
        del got.controls[:]
        assert got == camera
        assert camera.session == ""
        # vivid has no V4L2_CID_CAMERA_ORIENTATION.
        assert camera.position == device.DEVICE_POSITION_UNSPECIFIED
        # V4L2 drivers do not report binning.
        assert not any(format.HasField("binned") for format in camera.formats)
        assert all(format.highest_photo_quality_supported for format in camera.formats)


def test_A4_types_are_answered_in_their_order():
    kinds = [device.DEVICE_TYPE_EXTERNAL, device.DEVICE_TYPE_BUILT_IN_WIDE_ANGLE, device.DEVICE_TYPE_SYNTHETIC]
    with named_daemon(NAMES, synthetic=1) as named:
        for order in (kinds, kinds[::-1]):
            listed = named.devices.ListDevices(device.ListDevicesRequest(device_types=order), timeout=PATIENCE).devices
            seen = [camera.device_type for camera in listed]
            assert len(seen) == 3
            assert len(set(seen)) == 2
            assert seen == sorted(seen, key=order.index)


def test_B4_a_query_names_a_format_that_streams(client):
    query = device.FormatQuery(
        size=types.Size(width=640, height=360), frame_rate=types.Rational(numerator=20, denominator=1)
    )
    response = client.devices.ListDevices(device.ListDevicesRequest(format_query=query), timeout=PATIENCE)
    assert [match.device for match in response.format_matches] == [camera.name for camera in response.devices]
    match = next(match for match in response.format_matches if match.device == client.cameras()[0].name)
    # vivid lists the rates 12.5, 15, 25 and 30. The query gets the lowest rate that is enough.
    assert match.frame_rate.numerator / match.frame_rate.denominator == 25
    assert_streams(client, match.device, "/dev/video0", match.pixel_format, match.size.width, match.size.height)


# No other daemon and no other program uses this address.
NAMED_ADDRESS = "127.0.0.1:50062"


@contextmanager
def named_daemon(text, synthetic=0):
    """A client of another daemon, with the configuration file `text` and `synthetic` synthetic cameras."""
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "log", "w+") as log:
        file = Path(folder) / "firstlight.yaml"
        file.write_text(text)
        flags = ["--listen", NAMED_ADDRESS, "--data-dir", folder, "--synthetic", str(synthetic), "--config", file]
        process = subprocess.Popen([BINARY, "serve", *flags], stdout=log, stderr=subprocess.STDOUT)
        try:
            with grpc.insecure_channel(NAMED_ADDRESS) as channel:
                grpc.channel_ready_future(channel).result(PATIENCE)
                yield Client(channel)
        finally:
            process.terminate()
            process.wait(PATIENCE)
            log.seek(0)
            print("--- the log of the daemon with names\n" + log.read())


NAMES = """
devices:
  vivid-000: {id: door, position: front, rotation: 180}
  platform:vivid-001: {id: yard}
"""


def test_an_operator_names_cameras_by_id_and_by_place(client):
    with named_daemon(NAMES) as named:
        assert [camera.name for camera in named.cameras()] == ["devices/door", "devices/yard"]
        front = device.ListDevicesRequest(position=device.DEVICE_POSITION_FRONT)
        listed = named.devices.ListDevices(front, timeout=PATIENCE).devices
        assert [camera.name for camera in listed] == ["devices/door"]
        with named.open_session("devices/door", start=False) as name:
            configure(named, name, "devices/door", "YUYV", 320, 180)
            with named.stream_preview(name, types.ENCODING_JPEG) as stream:
                named.start(name)
                frame = next_frame(stream)
        luma, *size = decode_jpeg_luma(frame.data)
        assert size == [320, 180]
        assert drawn_sequence(luma[::-1], 320) == frame.sequence, "it is turned upside down"

        with named.watch_devices() as events:
            for kind, command in ((CONNECTED, None), (DISCONNECTED, "unbind"), (CONNECTED, "bind")):
                if command:
                    guest("camera", command)
                seen = [events.next().event, events.next().event]
                assert [event.kind for event in seen] == [kind, kind]
                assert {event.device.name for event in seen} == {"devices/door", "devices/yard"}
    assert {camera.name for camera in client.cameras()} == {"devices/vivid-000", "devices/vivid-001"}


def test_an_operator_names_a_camera_by_a_link():
    folder = Path("/dev/v4l/by-id")
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "usb-camera-index0"
    link.symlink_to("../../video1")
    try:
        with named_daemon(f"devices:\n  {link}: {{id: desk}}\n") as named:
            assert [camera.name for camera in named.cameras()] == ["devices/vivid-000", "devices/desk"]
    finally:
        link.unlink()


def test_an_operator_sees_what_a_file_makes_of_cameras_without_a_daemon(tmp_path):
    file = tmp_path / "firstlight.yaml"
    file.write_text("devices:\n  vivid-000: {id: door, label: Front door}\n")

    def names(*arguments):
        command = [BINARY, "devices", *arguments]
        told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
        return re.findall(r"^devices/(\S+)  (Front door)?", told, re.MULTILINE)

    assert names() == [("vivid-000", ""), ("vivid-001", "")]
    assert names("--config", file) == [("door", "Front door"), ("vivid-001", "")]
