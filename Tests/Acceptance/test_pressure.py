import itertools
import time

import grpc
import pytest
from google.protobuf import duration_pb2

import firstlight
import machines
from firstlight import PressureFactor, PressureLevel
from firstlight.drill.v1 import pressure_drill_service_pb2 as drill_pb2, pressure_drill_service_pb2_grpc as drill_grpc
from machines import stall
from support import Collector, call, refused

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
    assert list(state.factors) == [PressureFactor.SYSTEM_TEMPERATURE]
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


LISTS = (
    "readings",
    "sensors",
    "cooling_devices",
    "frequency_limits",
    "throttle_counters",
    "power_supplies",
    "supply_alarms",
    "stalls",
)


@pytest.mark.parametrize(
    ("machine", "counts"),
    [
        (machines.PC, (2, 1, 1, 1, 1, 2, 0, 3)),
        (machines.RASPBERRY_PI, (1, 0, 0, 1, 0, 0, 2, 0)),
        (machines.JETSON, (4, 0, 1, 0, 0, 0, 0, 3)),
        (machines.CONTAINER, (0, 0, 0, 0, 0, 0, 0, 6)),
        ({}, (0, 0, 0, 0, 0, 0, 0, 0)),
    ],
    ids=["PC", "Raspberry Pi", "Jetson", "container", "nothing"],
)
def test_E3_a_machine_shows_what_it_has(watch, sysfs, machine, counts):
    sysfs.put(machine)
    _, states = watch()
    (state,) = states.wait_for(len)
    assert state.level == PressureLevel.NOMINAL
    assert not state.causes
    readings = {name: getattr(state, name) for name in LISTS}
    assert tuple(len(readings[name]) for name in LISTS) == counts
    assert [reading.fault for name in LISTS for reading in readings[name] if reading.fault] == []


@pytest.mark.parametrize(
    ("files", "factor", "level", "source"),
    [
        ({"class/hwmon/hwmon0/in0_lcrit_alarm": "1"}, "PEAK_POWER", "SERIOUS", "hwmon0/in0"),
        ({"devices/platform/soc/soc:firmware/get_throttled": "50005"}, "PEAK_POWER", "SERIOUS", "get_throttled"),
        ({"devices/platform/soc/soc:firmware/get_throttled": "8"}, "SYSTEM_TEMPERATURE", "FAIR", "get_throttled"),
        ({"class/thermal/thermal_zone0/temp": "106000"}, "SYSTEM_TEMPERATURE", "SHUTDOWN", "thermal_zone0"),
        ({"proc/pressure/cpu": stall(99)}, "CPU_PRESSURE", "SERIOUS", "host/cpu"),
        ({"proc/pressure/memory": stall(100, 100)}, "MEMORY_PRESSURE", "SERIOUS", "host/memory"),
        ({"proc/pressure/io": stall(70)}, "IO_PRESSURE", "FAIR", "host/io"),
        ({"fs/cgroup/memory.pressure": stall(60, 20)}, "MEMORY_PRESSURE", "SERIOUS", "cgroup/memory"),
    ],
    ids=["voltage", "firmware", "soft limit", "zone", "cpu", "memory", "io", "cgroup"],
)
def test_E3_the_factor_matches_the_source(watch, sysfs, files, factor, level, source):
    sysfs.put({**machines.RASPBERRY_PI, **machines.CONTAINER})
    _, states = watch()
    states.wait_for(len)
    sysfs.put(files)
    _, state = states.wait_for(lambda items: len(items) == 2)
    assert state.level == PressureLevel[level]
    assert list(state.factors) == [PressureFactor[factor]]
    (cause,) = state.causes
    assert (cause.factor, cause.level, cause.source) == (PressureFactor[factor], PressureLevel[level], source)


def test_E3_waiting_alone_is_at_most_serious_and_heat_adds_to_it(watch, sysfs):
    sysfs.put({f"proc/pressure/{resource}": stall(100, 100) for resource in ("cpu", "memory", "io")})
    zone = sysfs.add_zone(40, **TRIPS)
    _, states = watch()
    state = states.wait_for(len)[0]
    assert state.level == PressureLevel.SERIOUS
    assert list(state.factors) == [
        PressureFactor.CPU_PRESSURE,
        PressureFactor.MEMORY_PRESSURE,
        PressureFactor.IO_PRESSURE,
    ]
    sysfs.heat(zone, 101)
    state = states.wait_for(lambda items: len(items) == 2)[-1]
    assert state.level == PressureLevel.SHUTDOWN
    assert list(state.factors) == [PressureFactor.SYSTEM_TEMPERATURE]
    assert [cause.source for cause in state.causes] == [zone, "host/io", "host/cpu", "host/memory"]


def test_E3_a_fault_shows_in_its_reading_and_is_no_pressure(watch, sysfs):
    zone = sysfs.add_zone(40, **TRIPS)
    sysfs.put({"proc/pressure/memory": "gone fishing"})
    (sysfs.root / "class/thermal" / zone / "temp").write_text("hot\n")
    _, states = watch()
    state = states.wait_for(len)[0]
    assert state.level == PressureLevel.NOMINAL
    assert state.readings[0].fault == "temp is not a number"
    assert not state.readings[0].HasField("temperature_millidegrees")
    assert state.stalls[0].fault == "memory is not pressure stall information"
    assert not state.stalls[0].HasField("some_percent")


def test_E3_operators_set_thresholds(watch, sysfs):
    sysfs.add_zone(55, **TRIPS)
    _, states = watch("--pressure-thresholds", "x86_pkg_temp=30/40/50/60")
    assert states.wait_for(len)[0].level == PressureLevel.CRITICAL


@pytest.mark.parametrize(
    ("override", "celsius", "level"),
    [
        ((), 52, "SERIOUS"),
        (("--pressure-thresholds", "cpu-thermal=75/80/85/105"), 52, "NOMINAL"),
        (("--pressure-thresholds", "cpu-thermal=75/80/85/105"), 79, "FAIR"),
        (("--pressure-thresholds", "thermal_zone0=75/80/85/105"), 80, "SERIOUS"),
        (("--pressure-thresholds", "thermal_zone0=75/80/85/105"), 105, "SHUTDOWN"),
    ],
)
def test_E3_a_fan_that_starts_early_is_serious_unless_an_operator_says_otherwise(
    watch, sysfs, override, celsius, level
):
    sysfs.put(machines.RASPBERRY_PI_5)
    sysfs.heat("thermal_zone0", celsius)
    _, states = watch(*override)
    state = states.wait_for(len)[0]
    assert state.level == PressureLevel[level]
    # The zone's own trips are shown even when other thresholds count.
    assert [trip.temperature_millidegrees for trip in state.readings[0].trips] == [110000, 50000, 60000, 67500, 75000]


def test_E3_a_folder_that_cannot_be_opened_is_told(watch, sysfs):
    sysfs.put({"class/hwmon": "in the way"})
    sysfs.add_zone(40, **TRIPS)
    _, states = watch()
    state = states.wait_for(len)[0]
    assert list(state.faults) == [f"{sysfs.root}/class/hwmon is not a folder"]
    assert [reading.fault for reading in state.readings] == [""]


def test_E3_a_storm_of_changes_is_told_at_most_four_times_a_second_and_its_end_always(watch, sysfs):
    zone = sysfs.add_zone(70, **TRIPS)
    client, states = watch()
    states.wait_for(len)
    voltage, stalls = "class/hwmon/hwmon0/in0_lcrit_alarm", ("cpu", "memory", "io")
    sysfs.put({"class/hwmon/hwmon0/name": "rpi_volt", voltage: "0"})
    end = time.monotonic() + 4
    turn = 0
    while time.monotonic() < end:
        turn += 1
        sysfs.heat(zone, (70, 76, 81, 96)[turn % 4])
        sysfs.put({voltage: str(turn // 2 % 2)})
        sysfs.put({f"proc/pressure/{name}": stall((0, 99)[turn >> place & 1]) for place, name in enumerate(stalls)})
    sysfs.put({voltage: "0", **{f"proc/pressure/{name}": stall() for name in stalls}})
    sysfs.heat(zone, 101)
    told = states.wait_for(lambda items: items[-1].level == PressureLevel.SHUTDOWN)
    assert turn > 20
    times = [state.read_time.ToNanoseconds() for state in told]
    assert all(later - earlier > 249_000_000 for earlier, later in itertools.pairwise(times)), times
    assert len(times) > 2
    assert client.system_pressure().level == PressureLevel.SHUTDOWN


@pytest.fixture
def drilled(watch, sysfs):
    """A daemon on a cool machine that accepts drills: a client, the collected states, and the function that simulates a
    level.
    """
    sysfs.add_zone(40, **TRIPS)
    client, states = watch("--enable-fault-injection")
    states.wait_for(len)
    stub = drill_grpc.PressureDrillServiceStub(client.channel)

    def simulate(level, seconds=60.0, factor=0):
        duration = duration_pb2.Duration()
        duration.FromNanoseconds(round(seconds * 1e9))
        request = drill_pb2.SimulateLevelRequest(level=level, factor=factor, duration=duration)
        return call(stub.SimulateLevel, request).state

    return client, states, simulate


def test_E3_a_drill_is_told_and_ends_by_itself(drilled):
    client, states, simulate = drilled
    answered = simulate(PressureLevel.SHUTDOWN, 1.0, PressureFactor.CAMERA_TEMPERATURE)
    assert (answered.level, answered.simulated) == (PressureLevel.SHUTDOWN, True)
    told = states.wait_for(lambda items: len(items) == 3)
    assert [state.level for state in told] == [PressureLevel.NOMINAL, PressureLevel.SHUTDOWN, PressureLevel.NOMINAL]
    assert [state.simulated for state in told] == [False, True, False]
    assert list(told[1].factors) == [PressureFactor.CAMERA_TEMPERATURE]
    assert [cause.source for cause in told[1].causes] == ["drill"]
    assert [point.worst_level for point in client.pressure_history(max_points=1)] == [PressureLevel.NOMINAL]


def test_E3_a_drill_never_hides_heat_and_can_be_ended(drilled, sysfs):
    client, states, simulate = drilled
    simulate(PressureLevel.SERIOUS)
    states.wait_for(lambda items: items[-1].level == PressureLevel.SERIOUS)
    sysfs.heat("thermal_zone0", 97)
    state = states.wait_for(lambda items: items[-1].level == PressureLevel.CRITICAL)[-1]
    assert not state.simulated
    assert simulate(PressureLevel.NOMINAL).level == PressureLevel.CRITICAL
    assert not client.system_pressure().simulated


def test_E3_heat_that_joins_a_drill_is_told(drilled, sysfs):
    _, states, simulate = drilled
    simulate(PressureLevel.SERIOUS)
    states.wait_for(lambda items: items[-1].level == PressureLevel.SERIOUS)
    sysfs.heat("thermal_zone0", 82)
    told = states.wait_for(lambda items: not items[-1].simulated)
    assert [(PressureLevel(state.level).name, state.simulated) for state in told] == [
        ("NOMINAL", False),
        ("SERIOUS", True),
        ("SERIOUS", False),
    ]


@pytest.mark.parametrize(
    ("level", "seconds", "factor"),
    [(0, 1, 0), (9, 1, 0), (PressureLevel.FAIR, 0, 0), (PressureLevel.FAIR, 3601, 0), (PressureLevel.FAIR, 1, 99)],
    ids=["no level", "unknown level", "no duration", "too long", "unknown factor"],
)
def test_E3_a_drill_out_of_range_is_refused(drilled, level, seconds, factor):
    _, _, simulate = drilled
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
        simulate(level, seconds, factor)


def test_E3_drills_are_not_served_unless_asked_for(client):
    stub = drill_grpc.PressureDrillServiceStub(client.channel)
    with pytest.raises(firstlight.FirstlightError) as raised:
        call(stub.SimulateLevel, drill_pb2.SimulateLevelRequest(level=PressureLevel.FAIR))
    assert raised.value.code is grpc.StatusCode.UNIMPLEMENTED


def test_E7_the_history_holds_what_was_read(watch, sysfs):
    zone = sysfs.add_zone(40, **TRIPS)
    client, states = watch()
    first = states.wait_for(len)[0].read_time.ToNanoseconds()
    sysfs.heat(zone, 82)
    hot = states.wait_for(lambda items: items[-1].level == PressureLevel.SERIOUS)[-1].read_time.ToNanoseconds()
    (point,) = client.pressure_history(max_points=1)
    assert point.start_time.ToNanoseconds() <= first
    assert point.start_time.ToNanoseconds() + point.duration.ToNanoseconds() > hot
    assert (point.best_level, point.worst_level) == (PressureLevel.NOMINAL, PressureLevel.SERIOUS)
    assert point.samples >= 2
    (summary,) = point.temperatures
    assert (summary.source, summary.minimum_millidegrees, summary.maximum_millidegrees) == (zone, 40_000, 82_000)
    assert 40_000 < summary.mean_millidegrees < 82_000
    assert client.pressure_history(end_ns=point.start_time.ToNanoseconds()) == []


@pytest.mark.parametrize(
    "request_",
    [{"max_points": 0}, {"max_points": 1441}, {"start_ns": 2, "end_ns": 2}, {"start_ns": -1}],
    ids=["no points", "too many points", "no time", "before 1970"],
)
def test_E7_a_history_out_of_range_is_refused(client, request_):
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
        client.pressure_history(**request_)
