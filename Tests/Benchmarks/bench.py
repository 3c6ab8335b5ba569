"""Measures the fan-out of Firstlight beside that of three peers, in one run, and prints their ratios.

All stream the same number of bytes per frame at 30 frames a second to subscribers of one machine, each over a
connection of its own. They take turns, each time as a new process, so that a machine that is busy for a while is busy
for all. Times depend on the machine, ratios much less; how often memory is allocated depends on neither, and fails the
run when it is more than ALLOCATIONS_PER_FRAME.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import pathlib
import statistics
import subprocess
import sys
import time

import servers
from servers import BUILT, FRAME_RATE, ROOT, Load, Runner, Server

LOADS = (
    Load(1, "NV12", (480, 270), 194_400),
    Load(50, "YUYV", (320, 180), 115_200),
    Load(200, "YUYV", (320, 180), 115_200),
    Load(4, "NV12", (1920, 1080), 3_110_400),
)

#: How often the whole daemon may allocate for each frame delivered to one of 50 readers. It was 16.7 to 17.7 when
#: this was set, of which gRPC takes 9.3, as the native server shows.
ALLOCATIONS_PER_FRAME = 18

#: Frames the session's ring keeps: 600 ms.
RING_FRAMES = 19

FOOTNOTE = """\
CPU is what all threads of the server ran over the window, latency is arrival at the client minus the instant the frame
was due (CLOCK_MONOTONIC), peak memory the most that was resident from then on (VmHWM), own memory what of it, at the
end, is not mapped from files. All but Firstlight fill a buffer by memset and encode it once for all subscribers.
Firstlight is the whole daemon, whose synthetic camera draws its picture; "nobody" is what a server takes without a
subscriber. Comparisons are without that: CPU less each one's "nobody", Firstlight's latency less the time it draws in,
which is the difference of both "nobody" for each frame. Memory may be 1.5 times native's and the frames of the ring
besides; in it are some 25 MB of program text, its own and its libraries'. The load client runs on the same cores.
Medians over the rounds."""


@dataclasses.dataclass
class Result:
    """What one server did under one load."""

    cpu_seconds: float
    p50_ms: float
    p99_ms: float
    peak_mb: float
    own_mb: float
    #: Frames that arrived, of those that were due.
    delivered: float
    #: CPU without a subscriber, over a window as long.
    idle_seconds: float

    @property
    def path_seconds(self) -> float:
        """CPU that the subscribers cost."""
        return self.cpu_seconds - self.idle_seconds

    def idle_ms(self, seconds: float) -> float:
        """CPU for each frame without a subscriber, measured over so many seconds."""
        return self.idle_seconds / (FRAME_RATE * seconds) * 1000


def watch(server: Server, load: Load, seconds: float) -> tuple[float, dict[str, float]]:
    """Attaches the subscribers. Returns the server's CPU time and what they saw."""
    command = [
        BUILT / "load_client",
        server.address,
        server.session,
        load.pixel_format,
        str(load.subscribers),
        "1",
        str(seconds),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        if not client.stdout.readline().startswith("first ") or client.stdout.readline() != "measuring\n":
            raise RuntimeError("the load client did not get its frames")
        before = server.cpu_seconds()
        seen: dict[str, float] = json.loads(client.stdout.readline())
        cpu_seconds = server.cpu_seconds() - before
    if client.returncode != 0:
        raise RuntimeError("a stream ended early")
    if seen["payload"] != load.payload:
        raise RuntimeError(f"frames have {seen['payload']} bytes instead of {load.payload}")
    return cpu_seconds, seen


def measure(run: Runner, load: Load, seconds: float) -> Result:
    """One server under one load."""
    with run(load) as server:
        idle_seconds = idle(server, seconds)
        server.forget_peak()
        cpu_seconds, seen = watch(server, load, seconds)
        due = load.subscribers * FRAME_RATE * seconds
        return Result(
            cpu_seconds=cpu_seconds,
            p50_ms=seen["p50_ms"],
            p99_ms=seen["p99_ms"],
            peak_mb=server.memory_mb("VmHWM"),
            own_mb=server.memory_mb("RssAnon"),
            delivered=seen["frames"] / due,
            idle_seconds=idle_seconds,
        )


def idle(server: Server, seconds: float) -> float:
    """CPU over `seconds` without a subscriber, once the start has settled."""
    time.sleep(1)
    before = server.cpu_seconds()
    time.sleep(seconds)
    return server.cpu_seconds() - before


def median(results: list[Result]) -> Result:
    """The median of each figure."""
    fields = [field.name for field in dataclasses.fields(Result)]
    return Result(**{name: statistics.median(getattr(result, name) for result in results) for name in fields})


def row(name: str, load: Load, result: Result) -> str:
    """One line of the table."""
    return (
        f"{load!s:<14}{name:<11}{result.cpu_seconds:>8.3f}{result.idle_seconds:>9.3f}{result.p50_ms:>9.2f}"
        f"{result.p99_ms:>9.2f}{result.peak_mb:>9.1f}{result.own_mb:>8.1f}{result.delivered:>10.1%}"
    )


def ratios(load: Load, ours: Result, floor: Result, seconds: float) -> str:
    """The line below the rows: how many times the floor, and whether that is within the line."""
    cpu = ours.path_seconds / floor.path_seconds
    drawing_ms = ours.idle_ms(seconds) - floor.idle_ms(seconds)
    p50, p99 = (ours.p50_ms - drawing_ms) / floor.p50_ms, (ours.p99_ms - drawing_ms) / floor.p99_ms
    allowed_mb = 1.5 * floor.peak_mb + RING_FRAMES * load.payload / 1e6
    verdicts = {"CPU 1.25x": cpu <= 1.25, "p99 1.3x": p99 <= 1.3, f"{allowed_mb:.0f} MB": ours.peak_mb <= allowed_mb}
    failed = [name for name, passes in verdicts.items() if not passes]
    return (
        f"{'':>14}{'/ native':<11}{cpu:>7.2f}x{'':>9}{p50:>8.2f}x{p99:>8.2f}x{ours.peak_mb / floor.peak_mb:>8.2f}x"
        f"{ours.own_mb / floor.own_mb:>7.2f}x"
        f"  {'FAIL: over ' + ', '.join(failed) if failed else 'pass'}"
    )


def ahead(ours: Result, other: Result, seconds: float) -> bool:
    """Whether the daemon is ahead of a peer, both without what they take for nobody."""
    drawing_ms = ours.idle_ms(seconds) - other.idle_ms(seconds)
    return ours.path_seconds < other.path_seconds and ours.p99_ms - drawing_ms < other.p99_ms


def allocations(run: Runner, load: Load, seconds: float) -> float:
    """How often a server allocates for each frame it delivers."""
    with servers.counted_allocations() as count, run(load) as server:
        # The counter is read a little outside of the window, by which the figure is too high rather than too low.
        found: list[int] = []
        server.cpu_seconds = lambda: found.append(count()) or 0.0  # type: ignore[method-assign, func-returns-value]
        _, seen = watch(server, load, seconds)
        return (found[1] - found[0]) / seen["frames"]


def print_allocations(runners: dict[str, Runner], seconds: float) -> bool:
    """Prints them, and returns whether the daemon's are within the line."""
    load = LOADS[1]
    found = {name: allocations(runners[name], load, seconds) for name in ("native", "firstlight") if name in runners}
    passes = found.get("firstlight", 0) <= ALLOCATIONS_PER_FRAME
    for name, number in found.items():
        print(f"{load!s:<14}{name:<11}{number:>8.1f} allocations per delivered frame")
    print(f"{'':>14}at most {ALLOCATIONS_PER_FRAME}: {'pass' if passes else 'FAIL'}\n", flush=True)
    return passes


def main() -> int:
    """Runs everything and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--loads", type=int, nargs="+", default=range(len(LOADS)), help="their numbers, from 0")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=7)
    parser.add_argument("--servers", nargs="+", default=["native", "firstlight", "swift", "python"])
    options = parser.parse_args()

    known: dict[str, Runner] = {
        "native": servers.native,
        "firstlight": functools.partial(servers.firstlight, options.daemon),
        "swift": servers.swift,
        "python": servers.python,
    }
    runners = {name: known[name] for name in options.servers}
    passes = print_allocations(runners, options.seconds)
    print(
        f"{'load':<14}{'server':<11}{'CPU s':>8}{'nobody':>9}{'p50 ms':>9}{'p99 ms':>9}{'peak MB':>9}{'own MB':>8}"
        f"{'delivered':>10}"
    )
    for load in (LOADS[number] for number in options.loads):
        results: dict[str, list[Result]] = {name: [] for name in runners}
        for _ in range(options.rounds):
            for name, run in runners.items():
                results[name].append(measure(run, load, options.seconds))
        medians = {name: median(found) for name, found in results.items()}
        for name, result in medians.items():
            print(row(name, load, result))
        if "firstlight" in medians and "native" in medians:
            print(ratios(load, medians["firstlight"], medians["native"], options.seconds))
        for name in ("swift", "python"):
            if "firstlight" in medians and name in medians:
                is_ahead = ahead(medians["firstlight"], medians[name], options.seconds)
                print(f"{'':>14}ahead of {name}: {'yes' if is_ahead else 'NO'}")
        sys.stdout.flush()
    print(f"\n{options.rounds} rounds of {options.seconds:g} s each.\n{FOOTNOTE}")
    return 0 if passes else 1


if __name__ == "__main__":
    sys.exit(main())
