"""How loud microphones are: the stream of levels, and the meters of the viewfinder page."""

from __future__ import annotations

import numpy as np
import pytest

import firstlight
import time_signal
from captures import SMALL
from faults import REPLUG, UNPLUG, inject, seconds
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2
from support import SYNTHETIC, refused

pytestmark = pytest.mark.timeout(60)

MICROPHONE = "devices/synthetic-microphone-0"
FLAGS = ("--synthetic-microphones", "1", "--enable-fault-injection")
SILENCE = -120
#: The meters of the page.
METERS = "[...document.querySelectorAll('#sound [role=meter]')]"
VALUES = f"{METERS}.map((meter) => Number(meter.getAttribute('aria-valuenow')))"


def power() -> float:
    """The power of a tick of a synthetic microphone, in decibels of full scale."""
    tick = time_signal.render(1_000_000_000, 4800, 48000)
    return 10 * np.log10(np.mean(tick**2))


@pytest.fixture
def heard(own_daemon):
    """A client of a daemon, and a session with a microphone."""
    with firstlight.connect(own_daemon(*FLAGS).address, timeout=20) as client:
        inputs = [firstlight.microphone(MICROPHONE)]
        wanted = firstlight.configuration(SYNTHETIC[0], microphones=inputs, **SMALL)
        yield client, client.create_session(configuration=wanted, start=True).name


def channels(levels) -> list[tuple[float, float]]:
    return [(level.average_level, level.peak_level) for level in levels.channel_levels]


def test_sound_of_a_known_amplitude_has_its_level(heard):
    client, session = heard
    with client.audio_levels(session) as readings:
        found = [next(readings) for _ in range(10)]
    assert {levels.input for levels in found} == {"microphone"}
    for levels in found:
        for average, peak in channels(levels):
            assert peak == pytest.approx(-6.02, abs=0.1)
            assert average == pytest.approx(power(), abs=0.2)
        assert len(levels.channel_levels) == 2
    times = [levels.monotonic_time_ns for levels in found]
    assert set(np.diff(times)) == {100_000_000}
    walls = [levels.capture_time.ToNanoseconds() for levels in found]
    assert np.ptp(np.subtract(walls, times)) < 1_000_000
    launch = client.launch_timeline(session)
    assert launch.first_frame_captured_ns < times[0]


def test_lost_sound_is_silent(heard):
    client, session = heard
    with client.audio_levels(session) as readings:
        next(readings)
        inject(client, {"lose_sound": fault_pb2.LoseSoundFault(duration=seconds(0.5))}, MICROPHONE)
        silent = next(levels for levels in readings if channels(levels) == [(SILENCE, SILENCE)] * 2)
        again = next(levels for levels in readings if levels.channel_levels[0].peak_level > -7)
    assert silent.monotonic_time_ns < again.monotonic_time_ns


def test_the_levels_end_with_their_session(heard):
    client, session = heard
    with client.audio_levels(session) as readings:
        next(readings)
        client.delete_session(session)
        with refused("NOT_FOUND", "SESSION_NOT_FOUND"):
            list(readings)


def test_the_page_shows_how_loud_each_channel_is(serving, open_page):
    served = serving(*FLAGS)
    served.session(microphones=[firstlight.microphone(MICROPHONE)])
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    expected = round(power())
    viewfinder.wait(f"{VALUES}.length === 2 && {VALUES}.every((value) => Math.abs(value - {expected}) <= 1)")
    assert viewfinder.get(f"{METERS}.map((meter) => meter.ariaLabel)") == [
        "microphone, channel 1",
        "microphone, channel 2",
    ]
    assert viewfinder.violations() == []
    inject(served.client, UNPLUG, MICROPHONE)
    viewfinder.wait(f"{METERS}.every((meter) => meter.getAttribute('aria-valuetext') === 'silent')")
    inject(served.client, REPLUG, MICROPHONE)
    viewfinder.wait(f"{VALUES}.every((value) => Math.abs(value - {expected}) <= 1)")
    viewfinder.page.keyboard.press("w")
    viewfinder.wait(f"{METERS}.length === 0 && document.querySelector('#sound').hidden")


def test_the_page_shows_no_meter_without_a_microphone(serving, open_page):
    served = serving(*FLAGS)
    served.session()
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    assert viewfinder.get("document.querySelector('#sound').hidden")
