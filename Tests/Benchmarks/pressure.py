"""Measures what the ladder saves and what watching costs, on this machine.

First comes the processor time per second of a daemon that does the same job at NOMINAL, at SERIOUS and at NOMINAL
again. Then comes that of a daemon that only serves a hundred watchers while nothing changes, on machines of 2, 16 and
64 processors. The program fails when SERIOUS saves less than 40 %, when the session is not as before, or when idling
takes more than 0.2 % of a core. It lists the bounds that were missed at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator

from bounds import Bounds
from google.protobuf import duration_pb2

import firstlight
from firstlight.configuration import configuration
from firstlight.daemon import Daemon
from firstlight.drill.v1 import pressure_drill_service_pb2 as drill_pb2, pressure_drill_service_pb2_grpc as drill_grpc

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests/Acceptance"))

import machines  # noqa: E402
from sysfs import SysfsTree  # noqa: E402

SIZE = (1920, 1080)
#: The least share that SERIOUS must save, and the largest share of a core that idling may take.
LEAST_SAVED, MOST_IDLE = 0.40, 0.002


def cpu_seconds(process_id: int) -> float:
    """The seconds that all threads, ended ones too, have run on a processor so far, as in schedstat."""
    # The number is the clock that clock_getcpuclockid(3) gives for a process.
    return time.clock_gettime(~process_id << 3 | 2)


@contextlib.contextmanager
def daemon(binary: pathlib.Path, processors: int = 1) -> Iterator[tuple[int, firstlight.Client]]:
    """A daemon on a machine made of files. Gives the process id and a client."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        sysfs = SysfsTree(path / "sys")
        sysfs.put(machines.PC | machines.processors(processors))
        roots = ("--sysfs-root", str(sysfs.root), "--procfs-root", str(sysfs.procfs))
        flags = ("--synthetic", "1", "--data-dir", folder, "--enable-fault-injection")
        with (
            Daemon(binary, *flags, *roots, log=path / "log") as process,
            firstlight.connect(process.address) as client,
        ):
            yield process.process.pid, client


def adapted(client: firstlight.Client, session: str, level: firstlight.PressureLevel) -> None:
    """Simulates a level. Returns when the session has taken the steps for this level."""
    wanted = [step for step in client.adaptation_ladder() if step.level <= level]
    request = drill_pb2.SimulateLevelRequest(level=level, duration=duration_pb2.Duration(seconds=3600))
    drill_grpc.PressureDrillServiceStub(client.channel).SimulateLevel(request, timeout=10)
    with client.watch_session(session) as events:
        while list(client.session(session).applied_adaptation_steps) != wanted:
            next(events)


def rate(process_id: int, seconds: float) -> float:
    """The processor time per second from now on, as a share of a core."""
    before, start = cpu_seconds(process_id), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds(process_id) - before) / (time.monotonic() - start)


def ladder(binary: pathlib.Path, rounds: int, seconds: float, bounds: Bounds) -> None:
    """Measures a preview of 1080p30 at NOMINAL and at SERIOUS in turns."""
    with daemon(binary) as (process_id, client):
        session = client.create_session().name
        wanted = configuration(
            "devices/synthetic-0",
            pixel_format="NV12",
            size=SIZE,
            frame_rate=30,
            adaptation=firstlight.AdaptationPolicy.SERVER,
        )
        client.configure(session, wanted)
        client.start(session)
        before = client.session(session)
        with client.preview(session) as preview:
            next(preview)
            reader = threading.Thread(target=lambda: list(map(lambda _: None, preview)), daemon=True)
            reader.start()
            shares: dict[str, list[float]] = {"NOMINAL": [], "SERIOUS": []}
            for _ in range(rounds):
                for name, found in shares.items():
                    adapted(client, session, firstlight.PressureLevel[name])
                    found.append(rate(process_id, seconds))
            adapted(client, session, firstlight.PressureLevel.NOMINAL)
            recovered = rate(process_id, seconds)
            same = client.session(session) == before
        reader.join(10)
    nominal, serious = (statistics.median(found) for found in shares.values())
    print(f"one JPEG preview and a photo output, {SIZE[0]}x{SIZE[1]} at 30; median of {rounds} times {seconds:g} s")
    print(f"  NOMINAL {nominal:7.1%} of a core\n  SERIOUS {serious:7.1%}   falls by {1 - serious / nominal:.0%}")
    print(f"  again   {recovered:7.1%}   {recovered / nominal:.2f}x; the session is {'' if same else 'NOT '}as before")
    bounds.check(same, "the session is not as before")
    saved = 1 - serious / nominal
    bounds.check(saved >= LEAST_SAVED, f"SERIOUS saves {saved:.1%} of the processor time, at least {LEAST_SAVED:.0%}")


def watchers(binary: pathlib.Path, processors: int, count: int, seconds: float, bounds: Bounds) -> None:
    """Measures a daemon with `count` watchers while nothing changes."""
    with daemon(binary, processors) as (process_id, client), contextlib.ExitStack() as stack:
        for _ in range(count):
            next(stack.enter_context(client.watch_system_pressure()))
        watched = rate(process_id, seconds)
    what = f"idle, {processors:2} processors, {count} watchers, {seconds:g} s   {watched:7.3%} of a core"
    print(what, flush=True)
    bounds.check(watched <= MOST_IDLE, f"{what}, at most {MOST_IDLE:.1%}")


def main() -> None:
    """Runs everything and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--watchers", type=int, default=100)
    parser.add_argument("--idle-seconds", type=float, default=60)
    parser.add_argument("--processors", type=int, nargs="*", default=[2, 16, 64])
    options = parser.parse_args()
    bounds = Bounds()
    bounds.check(bool(options.rounds or options.processors), "nothing was measured")
    if options.rounds:
        ladder(options.daemon, options.rounds, options.seconds, bounds)
    for processors in options.processors:
        watchers(options.daemon, processors, options.watchers, options.idle_seconds, bounds)
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main()
