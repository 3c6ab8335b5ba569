"""Firmware and sensors that say what cannot be true. The daemon shows it, says so once, and keeps its cameras on."""

import pytest

import firstlight
from firstlight import PressureLevel
from support import Collector, wait_until

FINDING = "The daemon does not act on a reading or a limit, because it is not plausible."


@pytest.fixture
def log(tmp_path):
    """Returns a function that gives the lines in which the daemon says on what it does not act."""
    return lambda: [line for line in (tmp_path / "firstlightd.log").read_text().splitlines() if FINDING in line]


def test_field_B2_a_critical_trip_below_a_cold_machine_turns_no_camera_off(own_daemon, sysfs, log):
    # The zone of many desktop boards, and a chip whose critical limit is as wrong.
    cold = sysfs.add_zone(16.8, "acpitz", critical=20.8, hot=19.8)
    sysfs.put(
        {
            "class/hwmon/hwmon0/name": "chip",
            "class/hwmon/hwmon0/temp1_input": "30000",
            "class/hwmon/hwmon0/temp1_crit": "20800",
        }
    )
    sound = sysfs.add_zone(45, "acpitz", critical=119)
    with firstlight.connect(own_daemon().address, timeout=8) as client:
        states = Collector(client.watch_system_pressure())
        states.wait_for(len)
        with client.preview("sessions/default") as preview:
            assert next(preview).data
        shown = client.system_pressure()
        zone = next(reading for reading in shown.readings if reading.zone == cold)
        assert (zone.temperature_millidegrees, zone.level) == (16_800, PressureLevel.NOMINAL)
        assert {trip.temperature_millidegrees for trip in zone.trips} == {20_800, 19_800}
        assert "the critical trip of 20.8 °C does not count" in zone.fault
        assert shown.sensors[0].level == PressureLevel.NOMINAL
        # The other zone counts as ever, and what was said is not said again.
        sysfs.heat(sound, 115)
        states.wait_for(lambda items: items[-1].level == PressureLevel.SHUTDOWN)
        assert [state.level for state in states.close()] == [PressureLevel.NOMINAL, PressureLevel.SHUTDOWN]
        assert len([line for line in log() if f"reading.source={cold}" in line]) == 2, "one line for each trip"
        assert len([line for line in log() if "reading.source=hwmon0/temp1" in line]) == 1


def test_field_B24_a_temperature_that_no_machine_has_turns_no_camera_off(own_daemon, sysfs, log):
    # From 75 °C on the daemon reads this zone often.
    zone = sysfs.add_zone(78, "cpu-thermal", critical=110)
    with firstlight.connect(own_daemon().address, timeout=8) as client:
        states = Collector(client.watch_system_pressure())
        states.wait_for(len)
        for _ in range(2):
            sysfs.heat(zone, 511)
            wait_until(lambda: client.system_pressure().readings[0].temperature_millidegrees == 511_000)
            shown = client.system_pressure()
            assert shown.level == PressureLevel.NOMINAL
            assert "511.0 °C does not count" in shown.readings[0].fault
            sysfs.heat(zone, 78)
            wait_until(lambda: not client.system_pressure().readings[0].fault)
        assert len(log()) == 1
        # A jump is heat when the next reading says the same.
        sysfs.heat(zone, 106)
        states.wait_for(lambda items: items[-1].level == PressureLevel.SHUTDOWN)
        assert [state.level for state in states.close()] == [PressureLevel.NOMINAL, PressureLevel.SHUTDOWN]
        assert len(log()) == 1, "heat is no finding"
