"""Microphones as the daemon finds them: the inputs of the kernel's test driver snd-aloop."""

import subprocess

import pytest

from client import PATIENCE
from firstlight.v1 import device_service_pb2 as device

CONNECTED = device.DeviceEvent.KIND_CONNECTED
DISCONNECTED = device.DeviceEvent.KIND_DISCONNECTED
NAMES = {"devices/loopback-microphone", "devices/loopback-microphone-1"}


def load():
    subprocess.run(["modprobe", "snd-aloop"], check=True)


def unload():
    subprocess.run(["modprobe", "-r", "snd-aloop"], check=True)


@pytest.fixture
def loopback():
    """A sound card that comes and goes with its module."""
    unload()
    yield
    unload()


def microphones(client):
    request = device.ListDevicesRequest(media_type=device.MEDIA_TYPE_AUDIO)
    return list(client.devices.ListDevices(request, timeout=PATIENCE).devices)


def wait_for(events, kind):
    """Reads events until each microphone has had one of `kind`; returns the microphones."""
    seen = {}
    while seen.keys() != NAMES:
        event = events.next().event
        if event.device.name in NAMES and event.kind == kind:
            seen[event.device.name] = event.device
    return seen


def test_inputs_come_and_go_with_their_card(client, loopback):
    assert microphones(client) == []
    with client.watch_devices() as events:
        for _ in range(2):
            load()
            for microphone in wait_for(events, CONNECTED).values():
                assert microphone.device_type == device.DEVICE_TYPE_MICROPHONE
                assert microphone.driver == "Loopback"
                assert microphone.display_name.startswith("Loopback")
            assert {microphone.name for microphone in microphones(client)} == NAMES
            for microphone in microphones(client):
                assert {44100, 48000} <= set(microphone.audio_capabilities.sample_rates)
                assert {1, 2} <= set(microphone.audio_capabilities.channel_counts)
                assert microphone.audio_capabilities.driver_timestamps
            unload()
            wait_for(events, DISCONNECTED)
            assert microphones(client) == []
    assert len(client.cameras()) == 2


def test_cameras_are_not_disturbed_by_microphones(client, loopback):
    load()
    with client.watch_devices() as events:
        wait_for(events, CONNECTED)
    assert {camera.driver for camera in client.cameras()} == {"vivid"}
    query = device.FormatQuery(pixel_format="YUYV")
    response = client.devices.ListDevices(device.ListDevicesRequest(format_query=query), timeout=PATIENCE)
    assert not NAMES & {match.device for match in response.format_matches}
