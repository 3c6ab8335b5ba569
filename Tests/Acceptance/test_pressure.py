import pytest

import firstlight
from firstlight import PressureLevel
from support import Collector

TRIPS = {"passive": 80, "hot": 95, "critical": 105}


@pytest.fixture
def watch(own_daemon):
    """Starts a daemon for this test alone and collects its pressure states."""
    stack = []

    def follow(*flags):
        client = firstlight.connect(own_daemon(*flags).address, timeout=8)
        collector = Collector(client.watch_system_pressure())
        stack.append((client, collector))
        return client, collector

    yield follow
    for client, collector in stack:
        collector.close()
        client.close()


def test_E3_every_level_is_told_on_the_way_up(watch, sysfs):
    zone = sysfs.add_zone(40, **TRIPS)
    client, states = watch()
    for celsius, level in ((76, "FAIR"), (81, "SERIOUS"), (96, "CRITICAL"), (101, "SHUTDOWN")):
        sysfs.heat(zone, celsius)
        states.wait_for(lambda items, level=level: items and items[-1].level == PressureLevel[level])
        assert client.system_pressure().level == PressureLevel[level]
    told = [PressureLevel(state.level).name for state in states.close()]
    assert told == ["NOMINAL", "FAIR", "SERIOUS", "CRITICAL", "SHUTDOWN"]


def test_E3_operators_set_thresholds(watch, sysfs):
    sysfs.add_zone(55, **TRIPS)
    _, states = watch("--pressure-thresholds", "x86_pkg_temp=30/40/50/60")
    assert states.wait_for(len)[0].level == PressureLevel.CRITICAL
