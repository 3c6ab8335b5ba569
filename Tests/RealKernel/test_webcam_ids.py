"""The id of a USB camera: beside a twin, after re-plugging, after restarts, and with a data folder in any state."""

import re
import subprocess

import pytest

from client import PATIENCE
from daemons import own_daemon
from firstlight.v1 import device_service_pb2 as device
from machine import BINARY

CONNECTED = device.DeviceEvent.KIND_CONNECTED
DISCONNECTED = device.DeviceEvent.KIND_DISCONNECTED


def names(daemon):
    """The names of the USB cameras, by their locations."""
    return {camera.location: camera.name for camera in daemon.cameras() if camera.location.startswith("usb-")}


def unplug(daemon, camera):
    """Unplugs a camera and waits until the daemon knows. Returns the name of the camera that went."""
    with daemon.watch_devices() as events:
        # The watcher must exist first, because it is not told of cameras that went before.
        next_name(events, camera, CONNECTED)
        camera.unplug()
        return next_name(events, camera, DISCONNECTED)


def replug(daemon, camera):
    """Unplugs a camera and plugs it into the same port again. Returns its name before and after."""
    with daemon.watch_devices() as events:
        next_name(events, camera, CONNECTED)
        camera.unplug()
        before = next_name(events, camera, DISCONNECTED)
        camera.plug()
        return before, next_name(events, camera, CONNECTED)


def next_name(events, camera, kind):
    """The name of a camera in its next event of this kind."""
    its = (kind, camera.location)
    told = events.until(lambda message: (message.event.kind, message.event.device.location) == its)
    return told[-1].event.device.name


def by_port(camera):
    """A pattern for the name that a camera gets by its port."""
    return re.compile(rf"devices/[0-9a-f]{{4}}-[0-9a-f]{{4}}-{re.escape(camera.location)}")


def test_A4_twins_are_called_by_port_whoever_else_is_there(webcams, tmp_path):
    twins = [webcams(serial="TWINS"), webcams(serial="TWINS")]
    with own_daemon(tmp_path, "--synthetic", "0") as daemon:
        called = names(daemon)
        assert set(called) == {camera.location for camera in twins}
        assert all(by_port(camera).fullmatch(called[camera.location]) for camera in twins)
        for camera in twins:
            # Each twin is replugged beside the other first, later each alone.
            assert replug(daemon, camera) == (called[camera.location], called[camera.location])
        assert unplug(daemon, twins[0]) == called[twins[0].location]
        assert replug(daemon, twins[1]) == (called[twins[1].location], called[twins[1].location])
        twins[0].plug()
        unplug(daemon, twins[1])
        assert replug(daemon, twins[0]) == (called[twins[0].location], called[twins[0].location])
    # At this start only the first twin is present, at the next start both are.
    with own_daemon(tmp_path, "--synthetic", "0") as daemon:
        assert names(daemon) == {twins[0].location: called[twins[0].location]}
        assert cameras_without_a_daemon(tmp_path) == set(names(daemon).values())
    twins[1].plug()
    with own_daemon(tmp_path, "--synthetic", "0") as daemon:
        assert names(daemon) == called


def test_A4_the_first_keeps_its_id_when_a_twin_comes_and_nobody_gets_it_after(webcams, tmp_path):
    first = webcams(serial="FIRST")
    with own_daemon(tmp_path, "--synthetic", "0") as daemon:
        (name,) = names(daemon).values()
        assert name.endswith("-first")
        with daemon.open_session(name, pixel_format="MJPG"):
            twin = webcams(serial="FIRST")
            its_name = twin.device(daemon).name
            assert by_port(twin).fullmatch(its_name)
            assert names(daemon) == {first.location: name, twin.location: its_name}
        assert unplug(daemon, first) == name
        assert replug(daemon, twin) == (its_name, its_name)
    # The twin is alone at a start, then alone at another port.
    with own_daemon(tmp_path, "--synthetic", "0") as daemon:
        assert names(daemon) == {twin.location: its_name}
        unplug(daemon, twin)
        moved = webcams(serial="FIRST")
        assert by_port(moved).fullmatch(moved.device(daemon).name)
        first.plug()
        assert first.device(daemon).name == name, "the id stays that of the camera at its port"


def test_A4_without_a_serial_number_the_port_decides(webcams, tmp_path):
    cameras = [webcams(serial=""), webcams(serial="")]
    with own_daemon(tmp_path, "--synthetic", "0") as daemon:
        called = names(daemon)
        assert all(by_port(camera).fullmatch(called[camera.location]) for camera in cameras)
        for camera in cameras:
            assert replug(daemon, camera) == (called[camera.location], called[camera.location])
        unplug(daemon, cameras[0])
    with own_daemon(tmp_path, "--synthetic", "0") as daemon:
        assert names(daemon) == {cameras[1].location: called[cameras[1].location]}


def test_A4_a_number_of_its_own_is_an_id_at_every_port(webcams, tmp_path):
    camera = webcams(serial="ALONE")
    with own_daemon(tmp_path, "--synthetic", "0") as daemon:
        (name,) = names(daemon).values()
        assert name.endswith("-alone")
        unplug(daemon, camera)
        assert webcams(serial="ALONE").device(daemon).name == name


@pytest.mark.parametrize("damage", ["damaged", "read-only"])
def test_A4_whatever_the_data_folder_is_the_daemon_serves(webcams, tmp_path, damage):
    camera = webcams(serial="DAMAGE")
    folder = tmp_path / "data"
    if damage == "damaged":
        folder.mkdir()
        (folder / "cameras").write_text("firstlight serial numbers 1\n046d-")
    else:
        # Root may write anywhere, except below a path that is no folder.
        folder.write_text("")
    with own_daemon(folder, "--synthetic", "0") as daemon:
        (name,) = names(daemon).values()
        assert name.endswith("-damage")
        assert replug(daemon, camera) == (name, name)
        told = [line for line in daemon.log.splitlines() if str(folder) in line]
        assert len(told) == 1
        assert " warning" in told[0]


def cameras_without_a_daemon(data):
    """The USB cameras that `firstlightd devices` lists."""
    command = [BINARY, "devices", "--data-dir", data]
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    return set(re.findall(r"^(devices/\S+) .*uvcvideo", told, re.MULTILINE))
