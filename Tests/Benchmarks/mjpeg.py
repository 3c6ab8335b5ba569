"""Measures what MJPEG over HTTP costs the daemon with many viewers, with a stopped viewer, and with nobody there. Fails
when a bound is missed.

The bounds of the fan-out compare the daemon with the native gRPC server of bench.py, in turns. The camera is that of
fake_camera.py, and its pictures pass through. The program lists the bounds that were missed at the end.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import pathlib
import statistics
import sys
import tempfile
import time

import bench
import mjpeg_servers
import servers
import watching
from bounds import Bounds
from fake_camera import FakeCamera, fake_camera
from mjpeg_servers import MJPEGServer
from results import DELIVERED
from servers import FRAME_RATE, ROOT, Load, ServerProcess

from firstlight.daemon import Daemon

#: The load of bench.py with the most viewers.
LOAD = Load(200, "YUYV", (320, 180), 115_200)
SIZE = (1280, 720)
#: The largest ratio of our CPU for a delivered frame to that of the native server.
CPU = 1.3
#: The seconds for which a viewer is stopped, and those within which it must have a frame that is newer than its stop.
STOPPED, FRESH = 30, 1
#: The largest share of a core that the daemon may take when nobody is there, and the most memory that HTTP may take.
IDLE, IDLE_MB = 0.005, 8


def check(bounds: Bounds, holds: bool, what: str) -> None:
    """Prints a verdict, and notes it when it does not hold."""
    print(f"{'pass' if bounds.check(holds, what) else 'FAIL'}: {what}", flush=True)


def watched(server: MJPEGServer, seconds: float) -> tuple[float, float]:
    """The CPU microseconds for each delivered frame, less the CPU without a viewer. Also the share of the due frames
    that the slowest viewer got.
    """
    idle = bench.idle(server, seconds)
    cpu_seconds, seen = watching.watch(server, server.viewer, LOAD.subscribers, 1, seconds)
    if seen["payload"] != LOAD.payload:
        raise RuntimeError(f"frames have {seen['payload']} bytes instead of {LOAD.payload}: they did not pass through")
    return (cpu_seconds - idle) / seen["frames"] * 1e6, seen["fewest"] / (FRAME_RATE * seconds)


def fan_out(
    camera: FakeCamera, binary: pathlib.Path, data: pathlib.Path, rounds: int, seconds: float, bounds: Bounds
) -> None:
    """Compares the cost of a frame for many viewers with that of the native gRPC server."""
    found: dict[str, list[tuple[float, float]]] = {"native": [], "firstlight": []}
    for number in range(rounds):
        for name in reversed(found) if number % 2 else found:
            if name == "native":
                result = bench.measure(servers.native, LOAD, seconds)
                found[name].append((result.path_us, result.delivered))
            else:
                with mjpeg_servers.firstlight_of(camera, None, binary, data) as server:
                    found[name].append(watched(server, seconds))
    for name, turns in found.items():
        least = min(delivered for _, delivered in turns)
        what = f"{LOAD}: a viewer of {name} had {least:.1%} of what was due, at least {DELIVERED:.0%}"
        check(bounds, least >= DELIVERED, what)
    theirs, ours = (statistics.median(cpu for cpu, _ in turns) for turns in found.values())
    what = f"{LOAD}: CPU {ours:.1f} us a frame, {ours / theirs:.2f} of {theirs:.1f} of native gRPC, at most {CPU}"
    check(bounds, ours <= CPU * theirs, what)


def stop_viewer(server: MJPEGServer) -> float:
    """Attaches a viewer, and stops it. Returns the seconds after the stop until it has a frame that is newer."""
    with server.connect() as connection:
        parts = server.parts(connection)
        for _ in range(FRAME_RATE):
            next(parts)
        time.sleep(STOPPED)
        resumed, begin = time.time(), time.monotonic()
        while float(next(parts)["x-timestamp"]) < resumed:
            pass
        return time.monotonic() - begin


def stopped(camera: FakeCamera, binary: pathlib.Path, data: pathlib.Path, bounds: Bounds) -> None:
    """Stops one viewer among many."""
    with (
        mjpeg_servers.firstlight_of(camera, None, binary, data) as server,
        concurrent.futures.ThreadPoolExecutor() as threads,
    ):
        seconds = STOPPED + 3
        stopping = threads.submit(stop_viewer, server)
        _, seen = watching.watch(server, server.viewer, LOAD.subscribers - 1, 0, seconds)
        fresh = stopping.result()
    delivered = seen["fewest"] / (FRAME_RATE * seconds)
    what = f"one viewer of {LOAD.subscribers} stopped for {STOPPED} s: the others had {delivered:.1%} of what was due"
    check(bounds, delivered >= DELIVERED, f"{what}, at least {DELIVERED:.0%}; longest gap {seen['gap_ms']:.0f} ms")
    check(bounds, fresh <= FRESH, f"the stopped viewer had a fresh frame after {fresh:.2f} s, at most {FRESH}")


def idle(binary: pathlib.Path, data: pathlib.Path, *flags: str, seconds: float) -> tuple[float, float]:
    """The share of a core and the resident megabytes of a daemon that nobody calls."""
    with Daemon(binary, "--synthetic", "1", "--data-dir", str(data), *flags, log=data / "log") as daemon:
        server = ServerProcess(daemon.process.pid)
        return bench.idle(server, seconds) / seconds, server.memory_mb("VmRSS")


def nobody(binary: pathlib.Path, data: pathlib.Path, rounds: int, seconds: float, bounds: Bounds) -> None:
    """Compares a daemon with HTTP with one without, while nobody is there."""
    flags = {"without": (), "with": ("--http-listen", "127.0.0.1:0")}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in flags}
    for number in range(rounds):
        for name in reversed(flags) if number % 2 else flags:
            found[name].append(idle(binary, data, *flags[name], seconds=seconds))
    (bare, bare_mb), (share, mb) = (map(statistics.median, zip(*turns, strict=True)) for turns in found.values())
    what = f"nobody there: {share:.2%} of a core with HTTP, {bare:.2%} without, at most {IDLE:.1%}"
    check(bounds, share <= IDLE, what)
    more = mb - bare_mb
    what = f"nobody there: {mb:.1f} MB with HTTP, {bare_mb:.1f} without, {more:.1f} more, at most {IDLE_MB}"
    check(bounds, more <= IDLE_MB, what)


def main() -> None:
    """Measures and prints everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    bounds = Bounds()
    with tempfile.TemporaryDirectory() as folder, fake_camera("MJPG", SIZE, FRAME_RATE, LOAD.payload) as camera:
        data = pathlib.Path(folder)
        mjpeg_servers.await_measured(camera, None, options.daemon, data)
        nobody(options.daemon, data, options.rounds, options.seconds, bounds)
        fan_out(camera, options.daemon, data, options.rounds, options.seconds, bounds)
        stopped(camera, options.daemon, data, bounds)
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main()
