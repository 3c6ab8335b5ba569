"""Heat, told before it hurts."""

from client import guest
from firstlight.v1 import pressure_service_pb2 as pressure

NOMINAL = pressure.SYSTEM_PRESSURE_LEVEL_NOMINAL
FAIR = pressure.SYSTEM_PRESSURE_LEVEL_FAIR
SERIOUS = pressure.SYSTEM_PRESSURE_LEVEL_SERIOUS
CRITICAL = pressure.SYSTEM_PRESSURE_LEVEL_CRITICAL
SHUTDOWN = pressure.SYSTEM_PRESSURE_LEVEL_SHUTDOWN

# Trips of the zone: passive 85, hot 100, critical 120. On the way down 3 degrees less than on the way up.
JOURNEY = [
    (82, FAIR),
    (88, SERIOUS),
    (101, CRITICAL),
    (116, SHUTDOWN),
    (101, CRITICAL),
    (88, SERIOUS),
    (81, FAIR),
    (42, NOMINAL),
]


def test_heat_raises_and_lowers_the_level(client):
    with client.watch_pressure() as states:
        present = states.next().state
        assert present.level == NOMINAL
        assert list(present.factors) == []
        zone = present.readings[0]
        assert zone.temperature_millidegrees == 42000
        assert {(trip.type, trip.temperature_millidegrees) for trip in zone.trips} == {
            ("passive", 85000),
            ("hot", 100000),
            ("critical", 120000),
        }
        for degrees, level in JOURNEY:
            guest("heat", str(degrees))
            state = states.next().state
            assert state.level == level, f"at {degrees} °C"
            assert state.readings[0].temperature_millidegrees == degrees * 1000
            heated = pressure.SYSTEM_PRESSURE_FACTOR_SYSTEM_TEMPERATURE in state.factors
            assert heated == (level != NOMINAL)
