"""What a camera's own JPEG costs beside native fan-out of as many bytes, in the guest of scripts/vm/run.

Usage: measure.py [ROUNDS [SECONDS]]. Started by scripts/bench. The camera is v4l2loopback fed by ffmpeg.
"""

from __future__ import annotations

import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import firstlight
import footage
from firstlight.daemon import Daemon

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILT = ROOT / ".build/benchmarks"
VIEWERS = (1, 4, 10)
LINE = 1.25


def cpu_seconds(process_id: int) -> float:
    """User and system time of a process (clock_getcpuclockid(3))."""
    return time.clock_gettime(~process_id << 3 | 2)


@contextlib.contextmanager
def daemon() -> Iterator[tuple[int, str, str]]:
    """Firstlight, showing the footage: process, address, session."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ("--synthetic", "0", "--data-dir", folder)
        with (
            Daemon(
                ROOT / ".build/release/firstlightd", *flags, log=pathlib.Path(folder) / "log", timeout=60
            ) as process,
            firstlight.connect(process.address) as client,
        ):
            (camera,) = [device.name for device in client.devices() if device.driver == "v4l2 loopback"]
            session = client.create_session("bench").name
            client.configure(
                session,
                firstlight.configuration(
                    camera, pixel_format="MJPG", size=footage.SIZE, frame_rate=footage.RATE, photo=False
                ),
            )
            client.start(session)
            yield process.process.pid, process.address, session


@contextlib.contextmanager
def native(payload: int) -> Iterator[tuple[int, str, str]]:
    """The native server, as many bytes a frame."""
    command = [BUILT / "native_server", str(payload), str(footage.RATE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.pid, process.stdout.readline().strip().removeprefix("listening on "), "sessions/bench"
        finally:
            process.kill()


def measure(server: tuple[int, str, str], viewers: int, seconds: float) -> tuple[float, float, float]:
    """CPU ms for each delivered frame, without a viewer for each produced one, and their bytes."""
    process_id, address, session = server
    time.sleep(2)
    before = cpu_seconds(process_id)
    time.sleep(seconds)
    idle = (cpu_seconds(process_id) - before) / (footage.RATE * seconds) * 1000
    command = [str(BUILT / "load_client"), address, session, "JPEG", str(viewers), "2", str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        if not client.stdout.readline().startswith("first ") or client.stdout.readline() != "measuring\n":
            raise RuntimeError("a viewer got no frame")
        before = cpu_seconds(process_id)
        seen = json.loads(client.stdout.readline())
        cpu = (cpu_seconds(process_id) - before) / seen["frames"] * 1000
    return cpu, idle, seen["payload"]


def main(rounds: int = 3, seconds: float = 10) -> int:
    """Measures in turns and prints."""
    passes = True
    with footage.camera() as pictures:
        payload = round(statistics.mean(map(len, pictures)))
        print(f"MJPEG {footage.SIZE[0]}x{footage.SIZE[1]}@{footage.RATE}, {payload} bytes a picture; ", end="")
        print(f"CPU ms for each delivered frame, medians of {rounds} in turns; nobody: for each frame of the camera")
        print(f"{'':<12}{'firstlight':>11}{'nobody':>9}{'native':>9}{'nobody':>9}{'ratio':>8}{'all in all':>12}")
        for viewers in VIEWERS:
            ours, theirs = [], []
            for _ in range(rounds):
                with daemon() as server:
                    ours.append(measure(server, viewers, seconds))
                with native(payload) as server:
                    theirs.append(measure(server, viewers, seconds))
            cpu, idle, _ = map(statistics.median, zip(*ours, strict=True))
            floor, floor_idle, _ = map(statistics.median, zip(*theirs, strict=True))
            # Taking a frame from the driver is no part of fan-out; it is shared by the viewers.
            ratio = (cpu - idle / viewers) / (floor - floor_idle / viewers)
            passes &= ratio <= LINE
            print(
                f"{viewers:>3} viewers  {cpu:>10.3f}{idle:>9.3f}{floor:>9.3f}{floor_idle:>9.3f}{ratio:>7.2f}x", end=""
            )
            print(f"{cpu / floor:>11.2f}x  {'pass' if ratio <= LINE else f'FAIL: over {LINE}x'}", flush=True)
    return 0 if passes else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
