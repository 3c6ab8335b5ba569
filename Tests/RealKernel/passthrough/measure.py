"""The cost of passing a camera's own JPEG through, beside a native fan-out of as many bytes, in the guest of
scripts/vm/run.

Usage: measure.py [ROUNDS [SECONDS]]. scripts/bench starts this program. The camera is that of webcam.py. The program
fails when the daemon costs more than LINE times the native server, when a viewer of either server lacks frames, and
when the two servers did not send as many bytes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Benchmarks"))
from bounds import Bounds

import firstlight
from firstlight.daemon import Daemon
from webcam import Webcam

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILT = ROOT / ".build/benchmarks"
SIZE = (640, 360)
RATE = 15
VIEWERS = (1, 4, 10)
LINE = 1.25
#: The least share of the frames due that each viewer must get.
DELIVERED = 0.98
#: The longest time that a launch may take, in seconds.
SETTLING_SECONDS = 60
#: The largest relative difference between the mean pictures of the two servers. Two pictures never have exactly as many
#: bytes.
SAME_BYTES = 0.01


def cpu_seconds(process_id: int) -> float:
    """The user and system time of a process in seconds (clock_getcpuclockid(3))."""
    return time.clock_gettime(~process_id << 3 | 2)


@contextlib.contextmanager
def daemon() -> Iterator[tuple[int, str, str]]:
    """A daemon that shows the camera: process id, address, session."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ("--synthetic", "0", "--data-dir", folder)
        with (
            Daemon(
                ROOT / ".build/release/firstlightd", *flags, log=pathlib.Path(folder) / "log", timeout=60
            ) as process,
            firstlight.connect(process.address) as client,
        ):
            (camera,) = [device.name for device in client.devices() if device.driver == "uvcvideo"]
            session = client.create_session("bench").name
            client.configure(
                session,
                firstlight.configuration(camera, pixel_format="MJPG", size=SIZE, frame_rate=RATE, photo=False),
            )
            client.start(session)
            # A launch ends when the exposure has settled. Until then the daemon decodes some frames at an eighth of
            # their size, which costs time.
            deadline = time.monotonic() + SETTLING_SECONDS
            while not client.launch_timeline(session).HasField("first_settled_sequence"):
                if time.monotonic() > deadline:
                    raise RuntimeError("the launch does not end: its frames are still being looked at")
                time.sleep(0.1)
            yield process.process.pid, process.address, session


@contextlib.contextmanager
def native(payload: int) -> Iterator[tuple[int, str, str]]:
    """The native server with as many bytes in each frame: process id, address, session."""
    command = [BUILT / "native_server", str(payload), str(RATE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.pid, process.stdout.readline().strip().removeprefix("listening on "), "sessions/bench"
        finally:
            process.kill()


@dataclasses.dataclass
class Result:
    """The result of one server with a number of viewers."""

    #: The CPU milliseconds for each delivered frame.
    cpu: float
    #: The CPU milliseconds without a viewer, for each frame of the camera.
    nobody: float
    #: The CPU milliseconds for each delivered frame, less those that the server took without a viewer.
    path: float
    #: The mean number of bytes of a delivered frame.
    payload: float
    #: The share of the frames due that the slowest viewer got.
    delivered: float


def measure(server: tuple[int, str, str], viewers: int, seconds: float) -> Result:
    """Measures one server without a viewer, then with viewers for as long."""
    process_id, address, session = server
    time.sleep(2)
    before = cpu_seconds(process_id)
    time.sleep(seconds)
    idle = cpu_seconds(process_id) - before
    command = [str(BUILT / "load_client"), address, session, "JPEG", str(RATE)]
    command += [str(viewers), "2", str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        if not client.stdout.readline().startswith("first ") or client.stdout.readline() != "measuring\n":
            raise RuntimeError("a viewer got no frame")
        before = cpu_seconds(process_id)
        seen = json.loads(client.stdout.readline())
        cpu = cpu_seconds(process_id) - before
    if client.returncode != 0:
        raise RuntimeError("a stream ended early")
    # Taking a frame from the driver is not part of the fan-out. The viewers share this cost, and each got that many
    # frames.
    frames = seen["frames"]
    return Result(
        cpu=cpu / frames * 1000,
        nobody=idle / (frames / viewers) * 1000,
        path=(cpu - idle) / frames * 1000,
        payload=seen["payload"],
        delivered=seen["fewest"] / (RATE * seconds),
    )


def print_rows(viewers: int, sides: dict[str, list[Result]]) -> None:
    """Prints the medians of each server, and the least share that was delivered."""
    for name, found in sides.items():
        cpu, nobody, path, payload = (
            statistics.median(getattr(result, figure) for result in found)
            for figure in ("cpu", "nobody", "path", "payload")
        )
        least = min(result.delivered for result in found)
        print(f"{viewers:>3} viewers  {name:<11}{cpu:>9.3f}{nobody:>9.3f}{path:>9.3f}{payload:>9.0f}{least:>11.1%}")


def check(viewers: int, sides: dict[str, list[Result]], bounds: Bounds) -> None:
    """Checks the frames and bytes that each round sent. Prints and checks the ratio of the medians."""
    for name, found in sides.items():
        for result in found:
            what = (
                f"{viewers} viewers: one of {name} got {result.delivered:.1%} of what was due, at least {DELIVERED:.0%}"
            )
            bounds.check(result.delivered >= DELIVERED, what)
    for ours, native in zip(*sides.values(), strict=True):
        what = f"{viewers} viewers: firstlight sent {ours.payload:.0f} bytes a frame, native {native.payload:.0f}"
        bounds.check(abs(ours.payload / native.payload - 1) <= SAME_BYTES, what)
    path, floor = (statistics.median(result.path for result in found) for found in sides.values())
    # When nothing is left of one figure, the server took as much without viewers, so the ratio is no measurement.
    ratio = path / floor if path > 0 and floor > 0 else math.inf
    holds = bounds.check(ratio <= LINE, f"{viewers} viewers: {ratio:.2f} times native, at most {LINE}")
    all_in_all = statistics.median(result.cpu for result in sides["firstlight"]) / statistics.median(
        result.cpu for result in sides["native"]
    )
    verdict = "pass" if holds else "FAIL"
    print(
        f"{'':>13}/ native {ratio:.2f}x less nobody, at most {LINE}: {verdict}; {all_in_all:.2f}x all in all",
        flush=True,
    )


def picture_bytes(camera: Webcam, count: int = 30) -> int:
    """The mean number of bytes of a picture."""
    size = f"--set-fmt-video=width={SIZE[0]},height={SIZE[1]},pixelformat=MJPG"
    with camera.recording() as recording:
        command = ["v4l2-ctl", "-d", camera.node, size, "--stream-mmap", f"--stream-count={count}"]
        subprocess.run(command, check=True, capture_output=True, timeout=SETTLING_SECONDS)
        return round(statistics.mean(len(recording.picture(number)) for number in range(count)))


def main(rounds: int = 3, seconds: float = 10) -> None:
    """Measures both servers in turns, in the opposite order every other time, and prints the results."""
    bounds = Bounds()
    with Webcam() as camera:
        payload = picture_bytes(camera)
        print(f"MJPEG {SIZE[0]}x{SIZE[1]}@{RATE}, {payload} bytes a picture; ", end="")
        print(f"CPU ms for each delivered frame, medians of {rounds} in turns; nobody: for each frame of the camera")
        print(f"{'':<24}{'CPU ms':>9}{'nobody':>9}{'less':>9}{'bytes':>9}{'delivered':>11}")
        for viewers in VIEWERS:
            sides: dict[str, list[Result]] = {"firstlight": [], "native": []}
            for number in range(rounds):
                for name in reversed(sides) if number % 2 else sides:
                    with daemon() if name == "firstlight" else native(payload) as server:
                        sides[name].append(measure(server, viewers, seconds))
            print_rows(viewers, sides)
            check(viewers, sides, bounds)
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
