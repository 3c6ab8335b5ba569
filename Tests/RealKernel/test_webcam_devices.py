"""A USB webcam as the daemon finds it: its identity, its formats and rates, presets, and the cost of its bus."""

import itertools
import subprocess

import grpc
import pytest

import firstlight
from client import PATIENCE, configuration, error_info, next_frame
from firstlight.v1 import (
    device_service_pb2 as device,
    session_configuration_pb2 as configuration_pb2,
    session_pb2,
)
from test_devices import driver_format, named_daemon

Resource = session_pb2.CostComponent.Resource
Preset = configuration_pb2.SessionPreset
MJPG_SIZES = [(1280, 720), (1920, 1080), (640, 480), (640, 360)]
RATES = [30, 15, 5]


def listed(client, **filters):
    """The cameras that a request lists, in the order of the answer."""
    return list(client.devices.ListDevices(device.ListDevicesRequest(**filters), timeout=PATIENCE).devices)


def test_A3_A4_usb_cameras_are_external_with_their_serial_number_in_the_id(client, webcams):
    cameras = [webcams(serial="QX77-A", product="Desk cam"), webcams(serial="qx77-b")]
    found = [camera.device(client) for camera in cameras]
    assert [each.name for each in found] == ["devices/1d6b-0102-qx77-a", "devices/1d6b-0102-qx77-b"]
    assert [each.display_name for each in found] == ["Desk cam", "Example Webcam"]
    for camera, each in zip(cameras, found, strict=True):
        assert each.device_type == device.DEVICE_TYPE_EXTERNAL
        assert each.media_type == device.MEDIA_TYPE_VIDEO
        assert each.position == device.DEVICE_POSITION_UNSPECIFIED
        assert (each.driver, each.location) == ("uvcvideo", camera.location)
        # For each camera the driver makes a second node, with the headers of payloads. This node is no camera.
        node = subprocess.run(["v4l2-ctl", "-d", camera.metadata_node, "--info"], check=True, capture_output=True)
        assert b"Device Caps      : 0x04a00000" in node.stdout
    everything = listed(client)
    names = [each.name for each in found]
    assert len(everything) == 4
    assert [each.name for each in listed(client, device_types=[device.DEVICE_TYPE_EXTERNAL])] == names
    built_in = [each.name for each in everything if each.device_type == device.DEVICE_TYPE_BUILT_IN_WIDE_ANGLE]
    for order, wanted in (
        ([device.DEVICE_TYPE_EXTERNAL, device.DEVICE_TYPE_BUILT_IN_WIDE_ANGLE], names + built_in),
        ([device.DEVICE_TYPE_BUILT_IN_WIDE_ANGLE, device.DEVICE_TYPE_EXTERNAL], built_in + names),
    ):
        assert [each.name for each in listed(client, device_types=order)] == wanted


def test_A3_the_operator_says_where_a_usb_camera_looks(webcams, client):
    webcam, other = webcams(), webcams()
    name = other.device(client).name
    text = (
        f"devices:\n  {webcam.location}: {{position: front}}\n  {name.removeprefix('devices/')}: {{position: back}}\n"
    )
    with named_daemon(text) as named:
        for position, wanted in ((device.DEVICE_POSITION_FRONT, webcam), (device.DEVICE_POSITION_BACK, other)):
            (camera,) = listed(named, position=position)
            assert (camera.location, camera.position) == (wanted.location, position)
            # The camera keeps its position, whichever type the filter asks for.
            external = [device.DEVICE_TYPE_EXTERNAL]
            assert [each.name for each in listed(named, position=position, device_types=external)] == [camera.name]
        assert not listed(named, position=device.DEVICE_POSITION_FRONT, device_types=[device.DEVICE_TYPE_SYNTHETIC])


def test_B1_formats_are_listed_in_the_drivers_order(client, shared_webcam):
    formats = shared_webcam.device(client).formats
    sizes = [(format.pixel_format, (format.size.width, format.size.height)) for format in formats]
    assert sizes == [("MJPG", size) for size in MJPG_SIZES] + [("YUYV", (320, 180))]
    for format in formats:
        rates = [rate.numerator / rate.denominator for rate in format.frame_rates]
        assert rates == pytest.approx(RATES)


# Every size at one rate, and every rate of one size.
EVERY = [("MJPG", size, 30) for size in MJPG_SIZES] + [("YUYV", (320, 180), 30)]
EVERY += [("MJPG", (640, 360), 15), ("MJPG", (640, 360), 5)]


@pytest.mark.parametrize(("pixel_format", "size", "rate"), EVERY, ids=lambda value: str(value).replace(" ", ""))
def test_B1_listed_formats_and_rates_stream_as_listed(sdk, client, shared_webcam, pixel_format, size, rate):
    camera = shared_webcam.device(client).name
    wanted = firstlight.configuration(camera, pixel_format=pixel_format, size=size, frame_rate=rate, photo=False)
    with client.open_session(camera, pixel_format="MJPG", start=False) as name:
        sdk.configure(name, wanted)
        with sdk.preview(name, max_size=size) as preview:
            late = shared_webcam.status["late"]
            sdk.start(name)
            frames = list(itertools.islice(preview, 6))
            late = shared_webcam.status["late"] - late
            assert driver_format(shared_webcam.node) == (pixel_format, *size)
            told = subprocess.run(["v4l2-ctl", "-d", shared_webcam.node, "--get-parm"], check=True, capture_output=True)
        assert f"Frames per second: {rate}.000".encode() in told.stdout
    boards = [firstlight.timecode.decode(frame.luma()) for frame in frames]
    assert [board.sequence for board in boards] == [frame.sequence for frame in frames]
    assert {(frame.width, frame.height) for frame in frames} == {size}
    # The periods are counted by the camera's own clock. On an emulated machine the camera may fall behind, and reports
    # by how many periods.
    periods = (boards[-1].capture_time_ns - boards[0].capture_time_ns) / 1e9 * rate
    pictures = boards[-1].sequence - boards[0].sequence
    assert pictures - 0.5 < periods < pictures + late + 1


def test_B1_a_listed_size_that_the_driver_sets_otherwise_is_refused_with_the_one_it_offers(client, webcams):
    webcam = webcams(dishonoured=(1280, 720))
    camera = webcam.device(client).name
    wanted = configuration(camera, "MJPG")
    wanted.inputs[0].format.width, wanted.inputs[0].format.height = 1280, 720
    with client.open_session(camera, pixel_format="MJPG") as name, client.stream_preview(name, 1) as preview:
        before = next_frame(preview)
        with pytest.raises(grpc.RpcError) as failure:
            client.configure(name, wanted)
        info = error_info(failure.value)
        assert failure.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        assert (info.reason, info.metadata["offered_size"]) == ("FORMAT_NOT_SUPPORTED", "640x360")
        # The session goes on unchanged.
        stream = preview.until(lambda message: message.frame.sequence > before.sequence)[-1].frame.stream_id
        assert next_frame(preview).stream_id == stream
        assert driver_format(webcam.node) == ("MJPG", 640, 360)


PRESETS = {
    Preset.SESSION_PRESET_PHOTO: ("MJPG", 1920, 1080),
    Preset.SESSION_PRESET_HIGH: ("MJPG", 1920, 1080),
    Preset.SESSION_PRESET_MEDIUM: ("MJPG", 640, 480),
    Preset.SESSION_PRESET_LOW: ("YUYV", 320, 180),
    Preset.SESSION_PRESET_HD_720P: ("MJPG", 1280, 720),
    Preset.SESSION_PRESET_HD_1080P: ("MJPG", 1920, 1080),
}


def test_A8_presets_are_sizes_of_the_camera(sdk, client, shared_webcam):
    camera = shared_webcam.device(client).name
    with client.open_session(camera, pixel_format="MJPG") as name, sdk.preview(name) as preview:
        for preset, (pixel_format, width, height) in PRESETS.items():
            resolved = sdk.configure(name, firstlight.configuration(camera, preset=preset)).resolved_configuration
            format = resolved.inputs[0].format
            assert (format.pixel_format, format.width, format.height) == (pixel_format, width, height), preset
            assert driver_format(shared_webcam.node) == (pixel_format, width, height)
            # The session went on, and its next pictures have the new size.
            frame = next(frame for frame in preview if (frame.width, frame.height) == (width, height))
            assert firstlight.timecode.decode(frame.luma()).sequence == frame.sequence


def test_A8_a_preset_that_the_camera_lacks_changes_nothing(client, shared_webcam):
    camera = shared_webcam.device(client).name
    with client.open_session(camera, pixel_format="MJPG") as name, client.stream_preview(name, 1) as preview:
        before = next_frame(preview)
        with pytest.raises(grpc.RpcError) as failure:
            client.configure(
                name,
                configuration_pb2.SessionConfiguration(
                    inputs=[configuration_pb2.SessionInput(device=camera)],
                    preset=Preset.SESSION_PRESET_HD_4K,
                    preview=configuration_pb2.PreviewOutput(),
                ),
            )
        assert failure.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        assert error_info(failure.value).reason == "FORMAT_NOT_SUPPORTED"
        assert next_frame(preview).stream_id == before.stream_id


def test_A8_the_format_of_the_input_is_what_input_priority_takes(client, shared_webcam):
    camera = shared_webcam.device(client).name
    with client.open_session(camera, pixel_format="MJPG", start=False) as name:
        wanted = configuration(camera, "MJPG")
        wanted.preset = Preset.SESSION_PRESET_INPUT_PRIORITY
        wanted.inputs[0].format.height = 480
        client.configure(name, wanted)
        client.start(name)
        assert driver_format(shared_webcam.node) == ("MJPG", 640, 480)


def test_E1_a_usb_camera_costs_its_bus_as_well(sdk, client, shared_webcam):
    camera = shared_webcam.device(client).name
    bus = {}
    with client.open_session(camera, pixel_format="MJPG", start=False) as name:
        for pixel_format, size, rate in [
            ("MJPG", (1920, 1080), 30),
            ("MJPG", (1280, 720), 30),
            ("MJPG", (1280, 720), 15),
            ("YUYV", (320, 180), 30),
        ]:
            wanted = firstlight.configuration(camera, pixel_format=pixel_format, size=size, frame_rate=rate)
            session = sdk.configure(name, wanted)
            (part,) = [part for part in session.cost_components if part.resource == Resource.RESOURCE_USB_BANDWIDTH]
            assert part.certainty == session_pb2.CostComponent.CERTAINTY_ESTIMATED
            assert part.unit == session_pb2.CostComponent.UNIT_BYTES_PER_SECOND
            # Bulk transfers on a bus of 480 Mbit/s: 13 packets of 512 bytes in each of 8,000 microframes.
            assert part.capacity == 13 * 512 * 8000
            assert part.cost == pytest.approx(part.demand / part.capacity)
            # A compressed picture counts half a byte per pixel.
            assert part.demand == size[0] * size[1] * rate * (2 if pixel_format == "YUYV" else 0.5)
            assert f"bus {bus_number(shared_webcam)}" in part.description
            bus[pixel_format, size, rate] = part.cost
    assert bus["MJPG", (1920, 1080), 30] > bus["MJPG", (1280, 720), 30] > bus["MJPG", (1280, 720), 15]


def test_E1_what_a_camera_takes_of_the_bus_the_other_lacks(sdk, client, webcams):
    first, second = (webcams().device(client).name for _ in range(2))

    def bus(name, camera):
        wanted = firstlight.configuration(camera, pixel_format="MJPG", size=(1280, 720), frame_rate=30)
        session = sdk.configure(name, wanted)
        return next(part for part in session.cost_components if part.resource == Resource.RESOURCE_USB_BANDWIDTH)

    with (
        client.open_session(first, pixel_format="MJPG", start=False) as one,
        client.open_session(second, pixel_format="MJPG", start=False) as other,
    ):
        alone = bus(one, first)
        sdk.start(one)
        beside = bus(other, second)
        assert beside.capacity == alone.capacity - alone.demand
        sdk.stop(one)
        assert bus(other, second).capacity == alone.capacity


def bus_number(webcam):
    """The number of the USB bus of a camera."""
    return int(webcam.usb_path.joinpath("busnum").read_text())
