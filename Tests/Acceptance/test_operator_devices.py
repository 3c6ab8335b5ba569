"""Cameras that the operator names in the configuration file."""

import subprocess

import pytest

import firstlight
from bars import as_captured
from firstlight import connection
from firstlight.drill.v1 import (
    fault_injection_service_pb2 as fault_pb2,
    fault_injection_service_pb2_grpc as fault_grpc,
)
from firstlight.v1 import device_service_pb2 as device_pb2
from support import TIMEOUT, Stubs, call, refused, take

DOOR = """
devices:
  synthetic-0:
    id: door
    position: front
    rotation: 180
    label: Front door
"""


@pytest.fixture
def with_file(own_daemon, tmp_path):
    """Starts a daemon with a configuration file and gives a client of this daemon."""
    clients = []

    def start(text, *arguments):
        path = tmp_path / "firstlight.yaml"
        path.write_text(text)
        daemon = own_daemon("--config", str(path), *arguments)
        clients.append(firstlight.connect(daemon.address, timeout=8))
        return clients[-1]

    yield start
    for client in clients:
        client.close()


def synthetic(client):
    """The names of the synthetic cameras."""
    return [device.name for device in client.devices() if device.driver == "synthetic"]


def first_frame(client, session):
    """A raw frame of the session's preview."""
    with client.preview(session, pixel_format="NV12") as preview:
        return next(preview)


def board(picture, angle, mirrored=False):
    """The timecode of a picture that was rotated and mirrored in this way, or None if it was not."""
    return firstlight.timecode.decode(as_captured(picture.luma(), angle, mirrored))


def small(device, **keywords):
    """A configuration of small raw frames."""
    return firstlight.configuration(device, pixel_format="NV12", size=(320, 180), **keywords)


def angles(configured):
    """The rotation of each connected output of a session, in degrees."""
    return {c.output: c.video_rotation_angle for c in configured.resolved_configuration.connections}


def test_a_camera_goes_by_the_id_its_operator_chose(with_file):
    client = with_file(DOOR)
    assert synthetic(client) == ["devices/door", "devices/synthetic-1"]
    assert client.device("devices/door").position == device_pb2.DEVICE_POSITION_FRONT
    assert client.device("devices/door").location == "software:0"
    for device in (client.device("devices/door"), client.devices()[0]):
        assert (device.label, device.mounting_rotation) == ("Front door", 180)
    with client.watch_devices() as events:
        assert "devices/door" in {event.device.name for event in take(events, len(client.devices()))}
    client.set_controls("devices/door", {"brightness": 5})
    with refused("NOT_FOUND", "DEVICE_NOT_FOUND"):
        client.device("devices/synthetic-0")


def test_a_camera_is_found_by_the_position_its_operator_gave_it(with_file):
    stubs = Stubs(with_file(DOOR).channel)
    named = {device_pb2.DEVICE_POSITION_FRONT: ["devices/door"], device_pb2.DEVICE_POSITION_BACK: []}
    for position, names in named.items():
        listed = call(stubs.devices.ListDevices, device_pb2.ListDevicesRequest(position=position)).devices
        assert [device.name for device in listed if device.driver == "synthetic"] == names


def test_a_camera_is_named_by_its_place_too(with_file):
    client = with_file(DOOR.replace("synthetic-0", "software:0"))
    assert synthetic(client) == ["devices/door", "devices/synthetic-1"]


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_pictures_are_upright_as_the_camera_is_mounted(with_file, angle):
    client = with_file(DOOR.replace("180", str(angle)))
    session = client.create_session().name
    configured = client.configure(session, small("devices/door"))
    assert angles(configured) == {"preview": angle, "photo": angle}
    client.start(session)
    frame = first_frame(client, session)
    assert (frame.width, frame.height) == ((320, 180) if angle % 180 == 0 else (180, 320))
    assert board(frame, angle) == (frame.sequence, frame.capture_time_ns, 0)
    photo = client.photo(session, of=frame)
    assert board(photo, angle).sequence == frame.sequence
    client.delete_session(session)


def test_an_angle_that_is_asked_for_wins_and_mirroring_alone_turns_nothing_back(with_file):
    client = with_file(DOOR)
    session = client.create_session().name
    asked = [connection("preview", rotated=0), connection("photo", mirrored=True)]
    configured = client.configure(session, small("devices/door", connections=asked))
    assert angles(configured) == {"preview": 0, "photo": 180}
    client.start(session)
    frame = first_frame(client, session)
    assert board(frame, 0) == (frame.sequence, frame.capture_time_ns, 0)
    assert board(client.photo(session, of=frame), 180, mirrored=True).sequence == frame.sequence
    # The session gets another camera, which has no mounting rotation.
    configured = client.configure(session, small("devices/synthetic-1"))
    assert angles(configured) == {"preview": 0, "photo": 0}


def test_a_declared_session_takes_the_chosen_id(with_file):
    sessions = """
sessions:
  door:
    inputs:
      - device: devices/door
        format: {pixel_format: NV12, width: 320, height: 180}
    preview: {}
"""
    client = with_file(DOOR + sessions)
    frame = first_frame(client, "sessions/door")
    assert board(frame, 180) == (frame.sequence, frame.capture_time_ns, 0)
    assert client.device("devices/door").session == "sessions/door"


def test_a_declared_session_that_names_a_replaced_id_is_an_error(binary, tmp_path):
    file = tmp_path / "firstlight.yaml"
    file.write_text(DOOR + "sessions:\n  door:\n    inputs: [{device: devices/synthetic-0}]\n    preview: {}\n")
    run = subprocess.run(
        [binary, "serve", "--listen", "127.0.0.1:0", "--synthetic", "1", "--config", file, "--data-dir", tmp_path],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert run.returncode != 0
    assert "sessions.door.inputs[0].device" in run.stderr
    assert "line 3 calls devices/door" in run.stderr


def test_a_camera_keeps_its_id_over_replugging(with_file):
    client = with_file(DOOR, "--enable-fault-injection")
    inject = fault_grpc.FaultInjectionServiceStub(client.channel).InjectFault
    call(inject, fault_pb2.InjectFaultRequest(device="devices/door", unplug=fault_pb2.UnplugFault()))
    assert synthetic(client) == ["devices/synthetic-1"]
    call(inject, fault_pb2.InjectFaultRequest(device="devices/door", replug=fault_pb2.ReplugFault()))
    assert synthetic(client) == ["devices/door", "devices/synthetic-1"]


def test_a_camera_that_may_be_absent_keeps_its_id_from_others(with_file):
    absent = "  046d-0825-a1b2c3: {id: yard, label: Yard, required: false}\n"
    link = "  /dev/v4l/by-id/usb-nowhere-index0: {id: desk, required: false}\n"
    assert synthetic(with_file(DOOR + absent + link)) == ["devices/door", "devices/synthetic-1"]


@pytest.mark.parametrize(
    ("entries", "line", "told"),
    [
        # This entry makes no sense with any cameras.
        ("  synthetic-0:\n\n    id: Door\n", 4, 'devices.synthetic-0.id is "Door"'),
        # This entry does not fit the cameras of the daemon.
        ("  synthetic-0: {id: door}\n  046d-0825-a1: {id: yard}\n", 3, "devices.046d-0825-a1 matches no camera"),
    ],
)
def test_an_entry_that_cannot_be_is_an_error_with_its_line(binary, tmp_path, entries, line, told):
    path = tmp_path / "firstlight.yaml"
    path.write_text(f"devices:\n{entries}")
    flags = ("--config", str(path), "--synthetic", "2", "--listen", "127.0.0.1:0", "--data-dir", str(tmp_path / "data"))
    command = [str(binary), "serve", *flags]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert ended.returncode not in (0, -6, -11), ended
    assert f"{path}, line {line}: " in ended.stderr
    assert told in ended.stderr


def test_devices_reads_the_file(binary, tmp_path):
    """Checks the errors only. `Tests/RealKernel` checks the output where there are cameras."""
    path = tmp_path / "firstlight.yaml"
    path.write_text("devices:\n  a: {label: A, required: false}\n")

    def devices(*arguments):
        command = [str(binary), "devices", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)

    assert devices("--config", str(path)).returncode == 0
    path.write_text("devices:\n  a: {rotation: 1}\n")
    wrong = devices("--config", str(path))
    assert wrong.returncode not in (0, -6, -11)
    assert f"{path}, line 2: devices.a.rotation" in wrong.stderr
