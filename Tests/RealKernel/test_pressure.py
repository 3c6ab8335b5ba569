"""Heat and load, told before they hurt."""

import subprocess
import sys
from pathlib import Path

import pytest

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


CGROUPS = Path("/sys/fs/cgroup")
# Writes to 512 MiB, again and again.
HOG = "block = bytearray(512 << 20)\nwhile True:\n  for i in range(0, len(block), 4096): block[i] = 1"


@pytest.fixture
def hog():
    """Starts a process that wants far more memory than its cgroup's `memory.high`; returns how to end it."""
    group = CGROUPS / "hog"
    (CGROUPS / "cgroup.subtree_control").write_text("+memory")
    group.mkdir()
    (group / "memory.high").write_text(str(32 << 20))
    # Inside before it begins: what a process has when it moves stays charged to its old cgroup.
    process = subprocess.Popen(["sh", "-c", f'echo $$ >{group}/cgroup.procs; exec "$0" -c "$1"', sys.executable, HOG])

    def end():
        process.kill()
        process.wait()

    yield end
    end()
    group.rmdir()


@pytest.mark.timeout(180)
def test_E3_memory_pressure_moves_the_level_at_most_to_serious_and_back(client, request):
    memory = pressure.SYSTEM_PRESSURE_FACTOR_MEMORY_PRESSURE
    with client.watch_pressure() as states:
        present = states.next().state
        assert memory not in present.factors
        assert "host/memory" in {stall.name for stall in present.stalls}
        end = request.getfixturevalue("hog")
        told = [message.state for message in states.until(lambda m: memory in m.state.factors)]
        told += [message.state for message in states.until(lambda m: m.state.level == SERIOUS)]
        assert {"host/memory"} <= {cause.source for cause in told[-1].causes if cause.factor == memory}
        stall = next(stall for stall in told[-1].stalls if stall.name == "host/memory")
        assert stall.some_percent >= 50 or stall.full_percent >= 20
        end()
        # The kernel's average over 10 s has to fall from up to 100 % to 4 %.
        told += [states.next(timeout=60).state]
        while memory in told[-1].factors:
            told.append(states.next(timeout=60).state)
        assert max(state.level for state in told) == SERIOUS
