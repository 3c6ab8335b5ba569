"""Firstlight beside ustreamer on the same vivid camera, in the guest of scripts/vm/run. Started by scripts/bench.

Both send JPEG of quality 80, 4:2:0, of the same 640x360 YUYV at 30 frames a second. They take turns, each as a new
process, so that a machine that is busy for a while is busy for both. Printed are medians, and whether they are within
the lines.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator

import firstlight
from firstlight.daemon import Daemon

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILT = ROOT / ".build/benchmarks"
NODE = "/dev/video0"
SIZE = (640, 360)
RATE = 30
QUALITY = 80
PORT = 8080


@dataclasses.dataclass
class Running:
    """A server: its process, its viewer's command without counts and times, and one picture of it."""

    process_id: int
    viewer: tuple[str, ...]
    picture: Callable[[], bytes]

    def cpu_seconds(self) -> float:
        """User and system time of the process (clock_getcpuclockid(3))."""
        return time.clock_gettime(~self.process_id << 3 | 2)


@contextlib.contextmanager
def firstlight_daemon(*, start: bool = True) -> Iterator[tuple[Running, firstlight.Client, str]]:
    """The daemon with a session, which streams unless told otherwise."""
    binary = ROOT / ".build/release/firstlightd"
    with tempfile.TemporaryDirectory() as folder:
        flags = ("--synthetic", "0", "--data-dir", folder)
        with (
            Daemon(binary, *flags, log=pathlib.Path(folder) / "log", timeout=60) as daemon,
            firstlight.connect(daemon.address) as client,
        ):
            camera = min(client.devices(), key=lambda device: device.location).name
            session = client.create_session("bench").name
            client.configure(
                session, firstlight.configuration(camera, pixel_format="YUYV", size=SIZE, frame_rate=RATE, photo=False)
            )
            if start:
                client.start(session)
            viewer = (str(BUILT / "load_client"), daemon.address, session, "JPEG")

            def picture() -> bytes:
                with client.preview(session, encoding=firstlight.Encoding.JPEG, jpeg_quality=QUALITY) as preview:
                    return next(preview).data

            yield Running(daemon.process.pid, viewer, picture), client, session


@contextlib.contextmanager
def firstlight_running() -> Iterator[Running]:
    """The daemon, streaming."""
    with firstlight_daemon() as (running, _, _):
        yield running


@contextlib.contextmanager
def ustreamer(*flags: str) -> Iterator[Running]:
    """ustreamer as it comes, but for what makes both the same."""
    command = ["ustreamer", "-d", NODE, "-m", "YUYV", "-r", "x".join(map(str, SIZE)), "-f", str(RATE)]
    command += ["-q", str(QUALITY), "-s", "127.0.0.1", "-p", str(PORT), "--log-level=0", *flags]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:

            def picture() -> bytes:
                with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/snapshot") as response:
                    return response.read()

            yield Running(process.pid, (str(BUILT / "http_viewer"), str(PORT)), picture)
        finally:
            process.terminate()


@dataclasses.dataclass
class Result:
    """CPU in percent of one core; bytes of a picture; of what was due, the share that the slowest viewer got."""

    cpu: float
    payload: float = 0
    delivered: float = 1


def watched(running: Running, viewers: int, seconds: float) -> Result:
    """What a server takes while so many watch."""
    if viewers == 0:
        time.sleep(3)
        before = running.cpu_seconds()
        time.sleep(seconds)
        return Result((running.cpu_seconds() - before) / seconds * 100)
    command = [*running.viewer, str(viewers), "2", str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        if not client.stdout.readline().startswith("first ") or client.stdout.readline() != "measuring\n":
            raise RuntimeError("a viewer got no frame")
        before = running.cpu_seconds()
        seen = json.loads(client.stdout.readline())
        cpu = (running.cpu_seconds() - before) / seconds * 100
    return Result(cpu, seen["payload"], seen["fewest"] / (RATE * seconds))


def median(results: list[Result]) -> Result:
    """The median of each figure."""
    fields = [field.name for field in dataclasses.fields(Result)]
    return Result(**{name: statistics.median(getattr(result, name) for result in results) for name in fields})


def compare(viewers: int, rounds: int, seconds: float) -> bool:
    """Prints one number of viewers, and returns whether it is within the line."""
    servers = {"ustreamer": ustreamer, "firstlight": firstlight_running}
    if viewers == 0:
        servers["ustreamer --slowdown"] = functools.partial(ustreamer, "--slowdown")
    results: dict[str, list[Result]] = {name: [] for name in servers}
    for _ in range(rounds):
        for name, run in servers.items():
            with run() as running:
                results[name].append(watched(running, viewers, seconds))
    medians = {name: median(found) for name, found in results.items()}
    for name, result in medians.items():
        rest = f"{result.payload:>10.0f}{result.delivered:>10.1%}" if viewers else ""
        print(f"{viewers:>4} viewers  {name:<22}{result.cpu:>8.1f} %{rest}")
    ours, theirs = medians["firstlight"], medians["ustreamer"]
    line = 0.25 if viewers == 0 else 0.9
    passes = ours.cpu <= line * theirs.cpu
    if viewers:
        passes &= 0.9 <= ours.payload / theirs.payload <= 1.1 and min(ours.delivered, theirs.delivered) >= 0.98
    print(f"{'':>14}ratio {ours.cpu / theirs.cpu:.2f}, at most {line}: {'pass' if passes else 'FAIL'}", flush=True)
    return passes


def first_at(command: list[str]) -> subprocess.Popen[str]:
    """Starts a viewer that ends soon after its first frame; `first_ns` reads when that was."""
    return subprocess.Popen([*command, "1", "0", "0.1"], stdout=subprocess.PIPE, text=True)


def first_ns(viewer: subprocess.Popen[str]) -> int:
    """CLOCK_MONOTONIC of its first frame."""
    assert viewer.stdout is not None
    word, number = viewer.stdout.readline().split()
    assert word == "first"
    viewer.communicate()
    return int(number)


def attach(running: Running) -> float:
    """Milliseconds from a viewer's start to its first frame, of a server that runs."""
    begin = time.monotonic_ns()
    return (first_ns(first_at(list(running.viewer))) - begin) / 1e6


def launch_ours() -> float:
    """Milliseconds from StartSession to the first frame of a viewer that waits for it."""
    with firstlight_daemon(start=False) as (running, client, session):
        viewer = first_at(list(running.viewer))
        # Attached: it has had its status.
        time.sleep(2)
        begin = time.monotonic_ns()
        client.start(session)
        return (first_ns(viewer) - begin) / 1e6


def launch_theirs() -> float:
    """Milliseconds from the start of ustreamer's process to the first camera frame of a viewer that waits for it."""
    viewer = first_at([str(BUILT / "http_viewer"), str(PORT)])
    time.sleep(1)
    begin = time.monotonic_ns()
    with ustreamer():
        return (first_ns(viewer) - begin) / 1e6


def first_frames(rounds: int) -> bool:
    """Prints how long the first frame takes."""
    theirs_attach, ours_attach = [], []
    with ustreamer() as running:
        time.sleep(3)
        theirs_attach = [attach(running) for _ in range(2 * rounds)]
    with firstlight_running() as running:
        time.sleep(3)
        ours_attach = [attach(running) for _ in range(2 * rounds)]
    launches = [(launch_theirs(), launch_ours()) for _ in range(rounds)]
    rows = {
        "attach to running, with the viewer's exec": (theirs_attach, ours_attach),
        "process start / StartSession": tuple(zip(*launches, strict=True)),
    }
    print(f"{'first frame, ms':<46}{'ustreamer':>10}{'firstlight':>11}")
    for name, (theirs, ours) in rows.items():
        print(f"  {name:<44}{statistics.median(theirs):>10.1f}{statistics.median(ours):>11.1f}", flush=True)
    theirs, ours = rows["process start / StartSession"]
    return statistics.median(ours) < statistics.median(theirs)


def subsampling(picture: bytes) -> str:
    """The sampling factors in a JPEG's frame header: 221111 is 4:2:0."""
    position = 2
    while picture[position + 1] not in (0xC0, 0xC1, 0xC2):
        position += 2 + int.from_bytes(picture[position + 2 : position + 4], "big")
    return "".join(f"{picture[position + 11 + 3 * index]:02x}" for index in range(picture[position + 9]))


def print_subsampling() -> bool:
    """Whether both compress the same way."""
    found = []
    for run in (ustreamer, firstlight_running):
        with run() as running:
            time.sleep(3)
            found.append(subsampling(running.picture()))
    print(f"sampling factors: ustreamer {found[0]}, firstlight {found[1]}")
    return found[0] == found[1]


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--viewers", type=int, nargs="+", default=[0, 1, 4, 10])
    options = parser.parse_args()
    print(f"vivid {SIZE[0]}x{SIZE[1]}@{RATE} YUYV, JPEG quality {QUALITY}; {options.rounds} alternations, medians")
    passes = print_subsampling()
    print(f"{'':>14}{'':<22}{'CPU':>10}{'bytes':>10}{'delivered':>10}")
    for viewers in options.viewers:
        passes &= compare(viewers, options.rounds, options.seconds)
    passes &= first_frames(options.rounds)
    return 0 if passes else 1


if __name__ == "__main__":
    sys.exit(main())
