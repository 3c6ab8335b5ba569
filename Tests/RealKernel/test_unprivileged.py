"""A daemon whose user may not open the cameras. It names the command that helps, and uses the cameras once it may open
them.
"""

import subprocess
from pathlib import Path

import grpc
import pytest

from client import PATIENCE, error_info, next_frame, status_error_info
from daemons import as_user, own_daemon
from firstlight.v1 import device_service_pb2 as device, session_pb2, types_pb2 as types
from machine import BINARY

USER = "nobody"
MENDED = "sudo usermod -aG video nobody"
CHANGED = device.DeviceEvent.KIND_CHANGED
CONNECTED = device.DeviceEvent.KIND_CONNECTED


@pytest.fixture
def locked():
    """Gives every video node to the group video, as udev does, and denies other users access."""
    nodes = sorted(Path("/dev").glob("video[0-9]*"))
    modes = {node: node.stat().st_mode & 0o777 for node in nodes}
    for node in nodes:
        subprocess.run(["chgrp", "video", node], check=True, timeout=PATIENCE)
        node.chmod(0o660)
    yield nodes
    for node, mode in modes.items():
        if node.exists():
            node.chmod(mode)


@pytest.fixture
def data(tmp_path_factory):
    """A data folder that belongs to the daemon's user."""
    folder = Path("/dev/shm/firstlight-of-nobody")
    folder.mkdir(exist_ok=True)
    subprocess.run(["chown", USER, folder], check=True, timeout=PATIENCE)
    return folder


def refusal_of(call):
    with pytest.raises(grpc.RpcError) as failure:
        call()
    assert failure.value.code() == grpc.StatusCode.PERMISSION_DENIED
    info = error_info(failure.value)
    assert info.reason == "DEVICE_ACCESS_DENIED"
    assert MENDED in failure.value.details()
    return info


def test_A5_cameras_that_may_not_be_opened_are_listed_with_what_mends_it(locked, data):
    with own_daemon(data, user=USER) as daemon:
        cameras = daemon.cameras()
        assert {camera.driver for camera in cameras} == {"vivid"}, "no synthetic camera takes their place"
        # The files show one device with two nodes. Only the driver can say that these are two cameras.
        assert len(cameras) == 1
        for camera in cameras:
            assert camera.unavailable.code == grpc.StatusCode.PERMISSION_DENIED.value[0]
            assert MENDED in camera.unavailable.message
            assert not camera.formats
            info = status_error_info(camera.unavailable)
            assert info.reason == "DEVICE_ACCESS_DENIED"
            assert (info.metadata["group"], info.metadata["user"]) == ("video", USER)
            told = [line for line in daemon.log.splitlines() if info.metadata["node"] in line]
            assert len(told) == 1
            assert " warning" in told[0]
            assert MENDED in told[0]
            assert refusal_of(lambda name=camera.name: open_session(daemon, name)) == info
            got = daemon.devices.GetDevice(device.GetDeviceRequest(name=camera.name), timeout=PATIENCE).device
            assert status_error_info(got.unavailable) == info
            assert (got.name, got.unavailable.message) == (camera.name, camera.unavailable.message)
            assert not got.controls

        command = [*as_user(USER), BINARY, "devices"]
        told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
        assert told.count("cannot be used: ") == told.count(MENDED) == 1
        assert all(camera.name in told for camera in cameras)


def open_session(daemon, camera):
    with daemon.open_session(camera, start=False):
        pass


def test_A5_a_camera_is_taken_up_once_it_may_be_opened(locked, data):
    with own_daemon(data, user=USER) as daemon, daemon.watch_devices() as events:
        assert events.next().event.device.HasField("unavailable")
        Path("/dev/video0").chmod(0o666)
        usable = events.until(
            lambda message: message.event.kind in (CONNECTED, CHANGED) and message.event.device.formats
        )[-1].event.device
        assert not usable.HasField("unavailable")
        with daemon.open_session(usable.name) as name, daemon.stream_preview(name, types.ENCODING_JPEG) as stream:
            assert next_frame(stream).data


def test_A5_a_webcam_keeps_its_name_when_it_may_be_opened_and_when_it_may_not_any_more(webcams, data):
    with own_daemon(data, user=USER) as daemon, daemon.watch_devices() as events:
        camera = webcams(serial="LOCKED")
        its = lambda message: message.event.device.location == camera.location  # noqa: E731
        refused = events.until(its)[-1].event
        assert refused.kind == CONNECTED
        assert refused.device.name.endswith("-locked")
        assert refused.device.driver == "uvcvideo"
        # There is no udev here that gives the node to a group.
        assert "setfacl -m u:nobody:rw " + camera.node in refused.device.unavailable.message
        Path(camera.node).chmod(0o666)
        usable = events.until(its)[-1].event
        assert (usable.kind, usable.device.name) == (CHANGED, refused.device.name)
        assert usable.device.formats
        assert not usable.device.HasField("unavailable")
        Path(camera.node).chmod(0o600)
        locked_again = events.until(its)[-1].event
        assert (locked_again.kind, locked_again.device.name) == (CHANGED, refused.device.name)
        assert locked_again.device.unavailable.message == refused.device.unavailable.message
        assert status_error_info(locked_again.device.unavailable) == status_error_info(refused.device.unavailable)


DECLARED = """
sessions:
  front:
    inputs:
      - device: {camera}
        format: {{pixel_format: MJPG, width: 640, height: 360}}
    preview: {{}}
"""


def test_A5_a_declared_session_waits_until_its_camera_may_be_opened(client, webcams, data):
    camera = webcams(serial="DECLARED")
    Path(camera.node).chmod(0o600)
    file = data / "firstlight.yaml"
    file.write_text(DECLARED.format(camera=camera.device(client).name))
    with own_daemon(data, "--config", file, user=USER) as daemon:
        with daemon.watch_session("sessions/front") as events:
            interrupted = session_pb2.Session.STATE_INTERRUPTED
            events.until(
                lambda message: interrupted in (message.event.snapshot.state, message.event.state_changed.session_state)
            )
        with daemon.stream_preview("sessions/front", types.ENCODING_JPEG) as stream:
            Path(camera.node).chmod(0o666)
            assert next_frame(stream).data
