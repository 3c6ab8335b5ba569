"""Compares Firstlight with ustreamer, both as MJPEG over HTTP, in two minutes. Fails when a bound is missed.

Both have the same camera of fake_camera.py, the same quality and the same viewers (http_viewer.c) on this machine. They
take turns, each time as a new process and in the opposite order every other time, so that other load on the machine
hits both. Times depend on the machine, ratios depend on it much less. The program lists the bounds that were missed at
the end. The comparison with a real driver is in Tests/RealKernel/ustreamer.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import pathlib
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator

import mjpeg_servers
import watching
from bounds import Bounds
from fake_camera import FakeCamera, fake_camera
from mjpeg_servers import MJPEGServer
from servers import ROOT

RATE = 30
QUALITY = 80


@dataclasses.dataclass(frozen=True)
class Load:
    """A format of the camera, and the largest share of ustreamer's CPU for a frame by the number of viewers."""

    pixel_format: str
    size: tuple[int, int]
    shares: dict[int, float]
    #: Whether attaching and memory are measured, too.
    is_main: bool = False
    #: Whether the camera tells that its samples have the range of JPEG. Of a camera that tells limited range,
    #: ustreamer sends the samples as they are, and Firstlight widens them, so that black is black.
    full_range: bool = True

    def __str__(self) -> str:
        """The load as in `YUYV 720p30`."""
        return f"{self.pixel_format} {self.size[1]}p{RATE}{'' if self.full_range else ', limited range'}"


LOADS = (
    Load("YUYV", (1280, 720), {0: 0.05, 1: 0.45, 4: 0.45, 10: 0.45, 20: 0.45}, is_main=True),
    Load("YUYV", (640, 360), {0: 0.07, 1: 0.55, 4: 0.55, 10: 0.6, 20: 0.6}),
    # Both do the same above. Here Firstlight also widens the samples, and its pictures have more contrast to compress.
    Load("YUYV", (1280, 720), {1: 0.5, 20: 0.5}, full_range=False),
    # Both pass the camera's pictures through.
    Load("MJPG", (1280, 720), {1: 1.0, 10: 1.0}),
)

#: The least share of the due frames that each viewer of either server must get in every turn. With fewer frames the CPU
#: for a frame would not be comparable.
DELIVERED = 0.98
#: The number of windows that are measured at most, while other load on the machine takes frames from a viewer.
TRIES = 3
#: The largest relative difference between the mean picture of Firstlight and that of ustreamer, when the camera tells
#: full range and when it tells limited range.
SAME_BYTES = {True: 0.02, False: 0.2}
#: The most resident memory of Firstlight in megabytes, with the most viewers and without the camera's buffers.
MEMORY_MB = 45
#: The number of times that a viewer attaches in a turn.
ATTEMPTS = 40

FOOTNOTE = """\
CPU: the time that all threads of the server ran, for each frame delivered to a viewer, or of the camera without a
viewer. Age: a frame's arrival at a viewer minus its capture, as the headers tell. Attach: from the request, on a
connection that exists, to the whole first frame, while nobody else watches. Memory: the largest resident memory with
all numbers of viewers, without the camera's buffers. Figures are medians over the turns, and the age is that of the
worst turn. The viewers run on the same cores."""


@dataclasses.dataclass
class Watched:
    """The figures of a server with a number of viewers."""

    cpu_us: float
    payload: float = 0
    delivered: float = 1
    p50_ms: float = 0
    p99_ms: float = 0


@dataclasses.dataclass
class Turn:
    """What one process of a server showed."""

    watched: dict[int, Watched]
    attach_ms: list[float]
    memory_mb: float


def watch(server: MJPEGServer, viewers: int, seconds: float) -> Watched:
    """Measures a server while a number of viewers watch."""
    if viewers == 0:
        before = server.cpu_seconds()
        time.sleep(seconds)
        return Watched((server.cpu_seconds() - before) / (RATE * seconds) * 1e6)
    for _ in range(TRIES):
        cpu_seconds, seen = watching.watch(server, server.viewer, viewers, 0.4, seconds)
        # The windows are so short that the frame at an edge would count for more than DELIVERED allows.
        delivered = min((seen["fewest"] + 1) / (RATE * seconds), 1)
        if delivered >= DELIVERED:
            break
    return Watched(cpu_seconds / seen["frames"] * 1e6, seen["payload"], delivered, seen["p50_ms"], seen["p99_ms"])


def attach(server: MJPEGServer) -> Iterator[float]:
    """The milliseconds of several attachments, each at another moment between two frames."""
    for _ in range(ATTEMPTS):
        time.sleep(random.uniform(0, 1 / RATE))
        yield server.attach_ms()


def take_turn(server: MJPEGServer, load: Load, seconds: float) -> Turn:
    """Measures a server that has just started."""
    # The start must have settled.
    time.sleep(0.8)
    server.forget_peak()
    watched = {viewers: watch(server, viewers, seconds) for viewers in load.shares}
    memory_mb = server.memory_mb("VmHWM") - server.memory_of_camera_mb()
    return Turn(watched, list(attach(server)) if load.is_main else [], memory_mb)


class Servers:
    """Starts the two servers."""

    def __init__(self, binary: pathlib.Path, data: pathlib.Path) -> None:
        """`data` is a folder for the daemon's data."""
        self._binary = binary
        self._data = data

    @contextlib.contextmanager
    def run(self, name: str, camera: FakeCamera) -> Iterator[MJPEGServer]:
        """One of the two servers."""
        if name == "ustreamer":
            with mjpeg_servers.ustreamer_of(camera, QUALITY) as server:
                yield server
        else:
            quality = None if camera.pixel_format == "MJPG" else QUALITY
            with mjpeg_servers.firstlight_of(camera, quality, self._binary, self._data) as server:
                yield server

    def await_measured(self, camera: FakeCamera) -> None:
        """Returns when the daemon has measured the machine, so that it need not do so in a turn."""
        mjpeg_servers.await_measured(camera, QUALITY, self._binary, self._data)


def compare(load: Load, servers: Servers, rounds: int, seconds: float, bounds: Bounds) -> None:
    """Prints and checks the figures under one load."""
    turns: dict[str, list[Turn]] = {"ustreamer": [], "firstlight": []}
    with fake_camera(load.pixel_format, load.size, RATE, full_range=load.full_range) as camera:
        if load.is_main:
            servers.await_measured(camera)
        for number in range(rounds):
            for name in reversed(turns) if number % 2 else turns:
                with servers.run(name, camera) as server:
                    turns[name].append(take_turn(server, load, seconds))
    for viewers in load.shares:
        compare_watched(load, viewers, _watched(turns, viewers), bounds)
    if load.is_main:
        compare_attaching(f"{load}", {name: _quantiles(found) for name, found in turns.items()}, bounds)
        theirs, ours = (statistics.median(turn.memory_mb for turn in found) for found in turns.values())
        what = f"memory {ours:.1f} MB beside {theirs:.1f}, at most {MEMORY_MB}"
        _print(f"{load}, viewers: 0 to {max(load.shares)}", what, ours <= MEMORY_MB, bounds)


def _watched(turns: dict[str, list[Turn]], viewers: int) -> dict[str, list[Watched]]:
    return {name: [turn.watched[viewers] for turn in found] for name, found in turns.items()}


def _quantiles(turns: list[Turn]) -> tuple[float, float]:
    """The median of all attachments and their 99th percentile."""
    found = sorted(ms for turn in turns for ms in turn.attach_ms)
    return statistics.median(found), found[int(len(found) * 0.99)]


def _print(row: str, what: str, holds: bool, bounds: Bounds) -> None:
    """Prints a verdict, and notes it when it does not hold."""
    print(f"{row:<41}{'pass' if bounds.check(holds, f'{row}: {what}') else 'FAIL'}: {what}", flush=True)


def compare_watched(load: Load, viewers: int, results: dict[str, list[Watched]], bounds: Bounds) -> None:
    """Prints and checks the figures with one number of viewers."""
    row, share = f"{load}, viewers: {viewers}", load.shares[viewers]
    for name, found in results.items():
        least = min(each.delivered for each in found)
        what = f"a viewer of {name} had {least:.1%} of what was due, at least {DELIVERED:.0%}"
        if not bounds.check(least >= DELIVERED, f"{row}: {what}"):
            print(f"{row:<41}FAIL: {what}")
    cpu = {name: statistics.median(each.cpu_us for each in found) for name, found in results.items()}
    ratio = cpu["firstlight"] / cpu["ustreamer"]
    ages = (f"{max(e.p50_ms for e in each):.1f}/{max(e.p99_ms for e in each):.1f}" for each in results.values())
    what = f"CPU {cpu['firstlight']:.0f} us a frame, {ratio:.3f} of {cpu['ustreamer']:.0f}, at most {share}"
    if results["firstlight"][0].payload:
        theirs, ours = (statistics.median(each.payload for each in found) for found in results.values())
        sent = f"firstlight sent {ours:.0f} bytes a frame, ustreamer {theirs:.0f}"
        bounds.check(abs(ours / theirs - 1) <= SAME_BYTES[load.full_range], f"{row}: {sent}")
        what += f"; age p50/p99 {' and '.join(reversed(list(ages)))} ms; {ours / 1000:.0f} and {theirs / 1000:.0f} kB"
    _print(row, what, ratio <= share, bounds)


def compare_attaching(load: str, found: dict[str, tuple[float, float]], bounds: Bounds) -> None:
    """Prints and checks the times to the first frame."""
    for name, ours, theirs in zip(("p50", "p99"), found["firstlight"], found["ustreamer"], strict=True):
        what = f"attach {name} {ours:.1f} ms, at most ustreamer's {theirs:.1f}"
        _print(load, what, ours <= theirs, bounds)


def main() -> None:
    """Measures and prints everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--loads", type=int, nargs="+", default=range(len(LOADS)), help="their numbers, from 0")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.2, help="of each number of viewers in each round")
    options = parser.parse_args()
    bounds = Bounds()
    with tempfile.TemporaryDirectory() as data:
        servers = Servers(options.daemon, pathlib.Path(data))
        for number in options.loads:
            compare(LOADS[number], servers, options.rounds, options.seconds, bounds)
    print(f"\nJPEG quality {QUALITY}, {options.rounds} rounds of {options.seconds:g} s.\n{FOOTNOTE}", flush=True)
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main()
