"""All effects of pressure at once, then calm. The configuration must afterwards be in force as before."""

from __future__ import annotations

import contextlib
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator

import grpc
import pytest
from google.protobuf import duration_pb2

import firstlight
import machines
from firstlight import AdaptationPolicy, FirstlightError, PressureLevel
from firstlight.drill.v1 import pressure_drill_service_pb2 as drill_pb2, pressure_drill_service_pb2_grpc as drill_grpc
from firstlight.v1 import (
    pressure_service_pb2 as pressure_pb2,
    session_configuration_pb2 as configuration_pb2,
)
from support import SYNTHETIC, TIMEOUT, Collector, Stubs, call, watching

pytestmark = pytest.mark.alone

SECONDS = 3.0


@contextlib.contextmanager
def storm(*winds: Callable[[random.Random], None]) -> Iterator[None]:
    """Repeats each function in a thread of its own until the block ends. The block fails when a function failed."""
    calm = threading.Event()
    failures: list[BaseException] = []

    def blow(wind: Callable[[random.Random], None], seed: int) -> None:
        dice = random.Random(seed)
        try:
            while not calm.is_set():
                wind(dice)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=blow, args=(wind, seed)) for seed, wind in enumerate(winds)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        calm.set()
        for thread in threads:
            thread.join(TIMEOUT)
    assert not any(thread.is_alive() for thread in threads), "a call hangs"
    assert failures == []


def configuration(policy: AdaptationPolicy) -> configuration_pb2.SessionConfiguration:
    return firstlight.configuration(
        SYNTHETIC[0], pixel_format="NV12", size=(1280, 720), frame_rate=15, photo=False, adaptation=policy
    )


#: A storm makes more calls per second than one client may make for long.
UNLIMITED = ("--max-calls-per-second", "0")


def simulate(stubs: drill_grpc.PressureDrillServiceStub, level: PressureLevel) -> None:
    duration = duration_pb2.Duration(seconds=3600)
    call(stubs.SimulateLevel, drill_pb2.SimulateLevelRequest(level=level, duration=duration))


@pytest.mark.timeout(30)
def test_E4_A12_after_drills_commits_starts_and_stops_at_once_all_is_as_configured(own_daemon):
    daemon = own_daemon("--enable-fault-injection", *UNLIMITED)
    with firstlight.connect(daemon.address, timeout=TIMEOUT) as client:
        drills = drill_grpc.PressureDrillServiceStub(client.channel)
        name = client.create_session().name
        client.configure(name, configuration(AdaptationPolicy.SERVER))
        before = client.session(name)
        reasons: set[str] = set()

        def drill(dice: random.Random) -> None:
            simulate(drills, dice.choice(list(PressureLevel)))

        def commit(dice: random.Random) -> None:
            client.configure(name, configuration(dice.choice(list(AdaptationPolicy))))

        def switch(dice: random.Random) -> None:
            try:
                dice.choice((client.start, client.stop))(name)
            except FirstlightError as error:
                reasons.add(error.reason)

        with storm(drill, drill, drill, commit, switch, switch):
            time.sleep(SECONDS)
        assert reasons <= {"SYSTEM_PRESSURE"}
        simulate(drills, PressureLevel.NOMINAL)
        client.configure(name, configuration(AdaptationPolicy.SERVER))
        client.stop(name)
        with contextlib.closing(watching(client, name)):
            assert client.session(name).resolved_configuration == before.resolved_configuration
            client.start(name)
            with client.preview(name) as preview:
                assert next(frame for frame in preview if frame.width == 1280).height == 720
            assert not client.session(name).applied_adaptation_steps


@pytest.mark.timeout(30)
def test_E3_a_tree_that_comes_and_goes_is_survived_and_then_told_right(own_daemon, sysfs):
    sysfs.put(machines.PC)
    daemon = own_daemon(*UNLIMITED)
    zones = sysfs.root / "class" / "thermal"
    with firstlight.connect(daemon.address, timeout=TIMEOUT) as client:

        def flap(dice: random.Random) -> None:
            with contextlib.suppress(FileNotFoundError):
                sysfs.heat("thermal_zone0", dice.choice((40, 85, 97, -300, 10**9)))

        def vanish(dice: random.Random) -> None:
            shutil.rmtree(zones / f"thermal_zone{dice.randrange(2)}", ignore_errors=True)
            time.sleep(0.01)  # The pause is that of a driver that is loaded anew.
            sysfs.put(machines.PC)

        def damage(dice: random.Random) -> None:
            file = zones / "thermal_zone1" / dice.choice(("temp", "type", "trip_point_0_temp", "trip_point_0_type"))
            with contextlib.suppress(FileNotFoundError):
                file.write_bytes(dice.choice((b"", b"\xff" * 100, b"9" * 5000, b"\0", b"1\n2\n")))

        def ask(_: random.Random) -> None:
            client.system_pressure()

        with storm(flap, vanish, damage, ask):
            time.sleep(SECONDS)
        for number in range(1000):
            sysfs.put(machines.zone(number, f"zone-{number}", 40, passive=80, critical=100))
        with contextlib.closing(Collector(client.watch_system_pressure())) as states:
            # The heat from the storm has to go first.
            states.wait_for(lambda items: items and items[-1].level == PressureLevel.NOMINAL)
            sysfs.heat("thermal_zone0", 85)
            states.wait_for(lambda items: items[-1].level == PressureLevel.SERIOUS)
            zones = client.system_pressure().readings
        assert len(zones) == 256
        assert (zones[0].temperature_millidegrees, zones[0].fault) == (85_000, "")


@pytest.mark.timeout(30)
def test_E3_watchers_who_do_not_read_cost_others_nothing(own_daemon):
    daemon = own_daemon("--enable-fault-injection", *UNLIMITED)
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(firstlight.connect(daemon.address, timeout=TIMEOUT))
        drills = drill_grpc.PressureDrillServiceStub(client.channel)
        stuck = []
        for _ in range(20):
            channel = stack.enter_context(grpc.insecure_channel(daemon.address))
            stuck.append(Stubs(channel).pressure.WatchSystemPressure(pressure_pb2.WatchSystemPressureRequest()))
        with contextlib.closing(Collector(client.watch_system_pressure())) as states:
            for turn in range(20):
                level = (PressureLevel.FAIR, PressureLevel.CRITICAL)[turn % 2]
                simulate(drills, level)
                states.wait_for(lambda items, level=level: items and items[-1].level == level)
        simulate(drills, PressureLevel.SHUTDOWN)
        for watcher in stuck:
            assert next(answer.state for answer in watcher if answer.state.level == PressureLevel.SHUTDOWN).simulated
            watcher.cancel()
