"""Heat and load, which the daemon reports before they do harm."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from client import configuration, guest, next_frame
from firstlight.v1 import (
    pressure_readings_pb2 as readings,
    pressure_service_pb2 as pressure,
    session_configuration_pb2 as configuration_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
)

NOMINAL = readings.SYSTEM_PRESSURE_LEVEL_NOMINAL
FAIR = readings.SYSTEM_PRESSURE_LEVEL_FAIR
SERIOUS = readings.SYSTEM_PRESSURE_LEVEL_SERIOUS
CRITICAL = readings.SYSTEM_PRESSURE_LEVEL_CRITICAL
SHUTDOWN = readings.SYSTEM_PRESSURE_LEVEL_SHUTDOWN

# Events of first frames and of the measurement, which may come at any time.
UNORDERED = {"launch_timeline", "stream_changed", "cost_changed"}

# The stages of the test in degrees Celsius, with the level of each. The trips of the zone are passive 85, hot 100,
# critical 120. On the way down each level ends 3 degrees below the point where it began.
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


ZONE = Path("/sys/class/thermal/thermal_zone0/temp")
# The daemon's polling periods and the time for which it holds a level, in seconds. The hold begins with a reading that
# allows a lower level and ends with a later reading.
COOL, WARM, HOLD = 2.0, 0.9, 3.0
# The seconds that a machine without virtualisation may take longer. Everything takes ten times as long there.
EMULATION = 1.0


def test_E3_each_level_is_told_within_a_polling_period_of_the_kernels_own_value(client):
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
        previous = NOMINAL
        for degrees, level in JOURNEY:
            guest("heat", str(degrees))
            assert int(ZONE.read_text()) == degrees * 1000
            shown = time.clock_gettime(time.CLOCK_MONOTONIC)
            state = states.next().state
            late = time.clock_gettime(time.CLOCK_MONOTONIC) - shown
            bound = (COOL if previous == NOMINAL else WARM) if level > previous else HOLD + 2 * WARM
            print(f"{degrees:4} °C: told after {late:.2f} s of at most {bound + EMULATION:.1f}")
            assert late <= bound + EMULATION, f"at {degrees} °C"
            previous = level
            assert state.level == level, f"at {degrees} °C"
            assert state.readings[0].temperature_millidegrees == degrees * 1000
            heated = readings.SYSTEM_PRESSURE_FACTOR_SYSTEM_TEMPERATURE in state.factors
            assert heated == (level != NOMINAL)


INTERRUPTED = ["was_interrupted", "STATE_INTERRUPTED"]
RESUMED = ["interruption_ended", "STATE_RUNNING"]


def told(event) -> str:
    """An event as text: a step of the ladder, a state, or the kind of the event."""
    kind = event.WhichOneof("event")
    if kind in ("adaptation_applied", "adaptation_undone"):
        sign = "+" if kind == "adaptation_applied" else "-"
        return f"{sign} {getattr(event, kind).adaptation_step.WhichOneof('limit')}"
    return session_pb2.Session.State.Name(event.state_changed.session_state) if kind == "state_changed" else kind


@pytest.mark.timeout(180)
def test_A12_E4_a_session_adapts_rests_and_recovers_as_the_machine_heats_and_cools(client):
    ladder = client.pressure.GetAdaptationLadder(pressure.GetAdaptationLadderRequest()).ladder.steps
    serious, critical = (
        [step.WhichOneof("limit") for step in ladder if step.level == level] for level in (SERIOUS, CRITICAL)
    )
    # The events that follow each stage of the journey.
    expected = [
        [],
        [f"+ {limit}" for limit in serious],
        [f"+ {limit}" for limit in critical],
        INTERRUPTED,
        RESUMED,
        [f"- {limit}" for limit in reversed(critical)],
        [f"- {limit}" for limit in reversed(serious)],
        [],
    ]
    camera = client.cameras()[0].name
    with client.open_session(camera, start=False) as name:
        wanted = configuration(camera)
        wanted.adaptation_policy = configuration_pb2.ADAPTATION_POLICY_SERVER
        # A photo output would add the events of its deferred start.
        wanted.ClearField("photo")
        client.configure(name, wanted)
        before = client.start(name)
        with (
            client.watch_pressure() as states,
            client.stream_preview(name) as preview,
            client.watch_session(name) as events,
        ):
            assert events.next().event.HasField("snapshot")
            assert states.next().state.level == NOMINAL
            stream = next_frame(preview).stream_id
            for (degrees, level), following in zip(JOURNEY, expected, strict=True):
                guest("heat", str(degrees))
                assert states.next().state.level == level, f"at {degrees} °C"
                seen = []
                while len(seen) < len(following):
                    event = events.next().event
                    if event.WhichOneof("event") not in UNORDERED:
                        seen.append(told(event))
                    if event.HasField("interruption_ended"):
                        assert event.interruption_ended.stream_id > stream
                        stream = event.interruption_ended.stream_id
                assert seen == following, f"at {degrees} °C"
            assert {message.event.WhichOneof("event") for message in events.waiting()} <= UNORDERED
            preview.until(lambda message: message.HasField("frame") and message.frame.stream_id == stream)
        after = client.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name)).session
        assert after == before


CGROUPS = Path("/sys/fs/cgroup")
# This program writes to 512 MiB again and again.
HOG = "block = bytearray(512 << 20)\nwhile True:\n  for i in range(0, len(block), 4096): block[i] = 1"


@pytest.fixture
def hog():
    """Starts a process that wants far more memory than its cgroup's `memory.high`. Returns a function that ends the
    process.
    """
    group = CGROUPS / "hog"
    (CGROUPS / "cgroup.subtree_control").write_text("+memory")
    group.mkdir()
    (group / "memory.high").write_text(str(32 << 20))
    # The shell enters the cgroup before Python allocates memory: memory that a process already has when it moves stays
    # charged to its old cgroup.
    process = subprocess.Popen(["sh", "-c", f'echo $$ >{group}/cgroup.procs; exec "$0" -c "$1"', sys.executable, HOG])

    def end():
        process.kill()
        process.wait()

    yield end
    end()
    group.rmdir()


@pytest.mark.timeout(180)
def test_E3_memory_pressure_moves_the_level_at_most_to_serious_and_back(client, request):
    memory = readings.SYSTEM_PRESSURE_FACTOR_MEMORY_PRESSURE
    with client.watch_pressure() as states:
        present = states.next().state
        assert memory not in present.factors
        assert "host/memory" in {stall.name for stall in present.stalls}
        end = request.getfixturevalue("hog")
        told = [message.state for message in states.until(lambda m: memory in m.state.factors)]
        # The kernel averages every 2 s, and the daemon reads as often. One reading may rise by two levels and be
        # SERIOUS already.
        while told[-1].level != SERIOUS:
            told.append(states.next().state)
        assert {"host/memory"} <= {cause.source for cause in told[-1].causes if cause.factor == memory}
        stall = next(stall for stall in told[-1].stalls if stall.name == "host/memory")
        assert stall.some_percent >= 50 or stall.full_percent >= 20
        end()
        # The kernel's average over 10 s has to fall from up to 100 % to 4 %.
        told += [states.next(timeout=60).state]
        while memory in told[-1].factors:
            told.append(states.next(timeout=60).state)
        assert max(state.level for state in told) == SERIOUS
