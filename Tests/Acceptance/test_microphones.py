"""Microphones are found, listed and watched like cameras."""

from collections.abc import Iterator

import pytest

import firstlight
import shell
from conftest import StartDaemon
from faults import REPLUG, UNPLUG, inject
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2
from firstlight.v1 import control_pb2, device_service_pb2 as device_pb2, types_pb2
from support import SYNTHETIC, Stubs, call, refused, take

MICROPHONES = ("devices/synthetic-microphone-0", "devices/synthetic-microphone-1")
CONNECTED = device_pb2.DeviceEvent.KIND_CONNECTED
DISCONNECTED = device_pb2.DeviceEvent.KIND_DISCONNECTED


@pytest.fixture
def client(own_daemon: StartDaemon) -> Iterator[firstlight.Client]:
    """A client of a daemon with two cameras and two microphones."""
    daemon = own_daemon("--synthetic-microphones", "2", "--enable-fault-injection")
    with firstlight.connect(daemon.address) as client:
        yield client


def listed(client: firstlight.Client, **filters: object) -> list[device_pb2.Device]:
    request = device_pb2.ListDevicesRequest(**filters)
    return [
        device
        for device in call(Stubs(client.channel).devices.ListDevices, request).devices
        if device.driver == "synthetic"
    ]


def names(devices: list[device_pb2.Device]) -> list[str]:
    return [device.name for device in devices]


def test_microphones_are_listed_with_what_they_deliver(client: firstlight.Client) -> None:
    microphones = listed(client, media_type=device_pb2.MEDIA_TYPE_AUDIO)
    assert tuple(names(microphones)) == MICROPHONES
    for microphone in microphones:
        assert microphone.device_type == device_pb2.DEVICE_TYPE_MICROPHONE
        assert microphone.media_type == device_pb2.MEDIA_TYPE_AUDIO
        assert list(microphone.audio_capabilities.sample_rates) == [16000, 44100, 48000]
        assert list(microphone.audio_capabilities.channel_counts) == [1, 2]
        assert microphone.audio_capabilities.driver_timestamps
        assert not microphone.formats
        assert not microphone.controls
        assert client.device(microphone.name) == microphone


def test_filters_tell_microphones_from_cameras(client: firstlight.Client) -> None:
    assert sorted(names(listed(client))) == sorted(SYNTHETIC + MICROPHONES)
    assert tuple(names(listed(client, media_type=device_pb2.MEDIA_TYPE_VIDEO))) == SYNTHETIC
    types = [device_pb2.DEVICE_TYPE_MICROPHONE, device_pb2.DEVICE_TYPE_SYNTHETIC]
    assert tuple(names(listed(client, device_types=types))) == MICROPHONES + SYNTHETIC
    query = device_pb2.FormatQuery(size=types_pb2.Size(width=1280, height=720))
    assert tuple(names(listed(client, format_query=query))) == SYNTHETIC
    assert listed(client, position=device_pb2.DEVICE_POSITION_FRONT) == []


def test_microphones_that_come_and_go_are_events(client: firstlight.Client) -> None:
    with client.watch_devices() as events:
        # The devices that are present come first: without them, the fault may come before the daemon watches.
        take(events, len(SYNTHETIC + MICROPHONES))
        for fault, kind in ((UNPLUG, DISCONNECTED), (REPLUG, CONNECTED)):
            inject(client, fault, MICROPHONES[1])
            event = next(event for event in events if event.device.name == MICROPHONES[1] and event.kind == kind)
            assert event.event_id or kind == CONNECTED
            assert event.device.media_type == device_pb2.MEDIA_TYPE_AUDIO
            present = names(listed(client, media_type=device_pb2.MEDIA_TYPE_AUDIO))
            assert (MICROPHONES[1] in present) == (kind == CONNECTED)


def test_microphones_have_no_controls_and_only_their_own_faults(client: firstlight.Client) -> None:
    setting = control_pb2.ControlSetting(control="brightness", value=control_pb2.ControlValue(integer=1))
    request = control_pb2.SetControlsRequest(device=MICROPHONES[0], control_settings=[setting])
    with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION"):
        call(Stubs(client.channel).devices.SetControls, request)
    for device, fault in (
        (MICROPHONES[0], {"drop": fault_pb2.DropFault(frames=1)}),
        (SYNTHETIC[0], {"card_clock": fault_pb2.CardClockFault(parts_per_million=10)}),
        (MICROPHONES[0], {"card_clock": fault_pb2.CardClockFault(parts_per_million=5000)}),
    ):
        with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
            inject(client, fault, device)
    inject(client, {"card_clock": fault_pb2.CardClockFault(parts_per_million=-80)}, MICROPHONES[0])


def test_clients_do_not_take_a_microphone_for_a_camera(own_daemon: StartDaemon) -> None:
    daemon = own_daemon("--synthetic-microphones", "1")
    with firstlight.connect(daemon.address) as client:
        assert MICROPHONES[0] not in names(client.devices())
        assert MICROPHONES[0] in names(client.microphones())
    shown = shell.run(daemon.address, "devices").stdout
    assert f"{MICROPHONES[0]}  Synthetic microphone 0" in shown
    assert "16000, 44100, 48000 Hz  1, 2 channels" in shown
