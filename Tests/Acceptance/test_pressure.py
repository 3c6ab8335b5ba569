import pytest

import firstlight
from firstlight import PressureLevel
from firstlight.v1 import pressure_service_pb2 as pressure_pb2
from support import Collector

TRIPS = {"passive": 80, "hot": 95, "critical": 105}


@pytest.fixture
def watch(own_daemon):
    """Starts a daemon of one's own and follows its pressure."""
    stack = []

    def follow():
        client = firstlight.connect(own_daemon().address, timeout=8)
        collector = Collector(client.watch_system_pressure())
        stack.append((client, collector))
        return client, collector

    yield follow
    for client, collector in stack:
        collector.close()
        client.close()


def test_E3_a_machine_without_sensors_is_nominal(watch):
    client, states = watch()
    (state,) = states.wait_for(len)
    assert state.level == PressureLevel.NOMINAL
    assert not state.factors
    assert not state.readings
    assert client.system_pressure().level == PressureLevel.NOMINAL


def test_E3_the_present_state_comes_first_with_the_readings_behind_it(watch, sysfs):
    zone = sysfs.add_zone(82, **TRIPS)
    _, states = watch()
    state = states.wait_for(len)[0]
    assert state.level == PressureLevel.SERIOUS
    assert list(state.factors) == [pressure_pb2.SYSTEM_PRESSURE_FACTOR_SYSTEM_TEMPERATURE]
    (reading,) = state.readings
    assert (reading.zone, reading.type, reading.temperature_millidegrees) == (zone, "x86_pkg_temp", 82_000)
    assert {trip.type: trip.temperature_millidegrees // 1000 for trip in reading.trips} == TRIPS
    assert reading.level == PressureLevel.SERIOUS


def test_E3_every_level_is_told_on_the_way_up(watch, sysfs):
    zone = sysfs.add_zone(40, **TRIPS)
    client, states = watch()
    for celsius, level in ((76, "FAIR"), (81, "SERIOUS"), (96, "CRITICAL"), (101, "SHUTDOWN")):
        sysfs.heat(zone, celsius)
        states.wait_for(lambda items, level=level: items and items[-1].level == PressureLevel[level])
        assert client.system_pressure().level == PressureLevel[level]
    told = [PressureLevel(state.level).name for state in states.close()]
    assert told == ["NOMINAL", "FAIR", "SERIOUS", "CRITICAL", "SHUTDOWN"]


def test_E3_falling_is_told_too(watch, sysfs):
    zone = sysfs.add_zone(82, **TRIPS)
    _, states = watch()
    states.wait_for(len)
    sysfs.heat(zone, 40)
    states.wait_for(lambda items: items[-1].level == PressureLevel.NOMINAL)


def test_E3_the_worst_zone_decides_and_trips_of_zero_are_ignored(watch, sysfs):
    sysfs.add_zone(50, **TRIPS)
    sysfs.add_zone(97, kind="soc", **TRIPS)
    sysfs.add_zone(45, kind="acpitz", passive=0, critical=-274)
    _, states = watch()
    state = states.wait_for(len)[0]
    assert state.level == PressureLevel.CRITICAL
    assert [PressureLevel(reading.level).name for reading in state.readings] == ["NOMINAL", "CRITICAL", "NOMINAL"]
