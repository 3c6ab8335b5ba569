"""Compares launches with a real driver to the least that a C program can do, in the guest of scripts/vm/run.

Usage: measure.py PROBE FIRSTLIGHTD. scripts/bench starts this program. It prints medians, and whether the time from
StartSession to the first frame at a client is at most the probe plus one encoding plus one period. It fails when the
time is longer.
"""

from __future__ import annotations

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Benchmarks"))
from bounds import Bounds

import firstlight
from firstlight.daemon import Daemon

NODE = "/dev/video0"
SIZE = (640, 360)
RATE = 30
RUNS = 20


def milliseconds(command: list[str]) -> float:
    """The milliseconds that a command takes."""
    begin = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    return (time.monotonic() - begin) * 1000


#: For each step that the daemon stamps, the milliseconds from the arrival of StartSession, of every run.
STEPS: dict[str, list[float]] = {}


def daemon_launch(client: firstlight.Client, camera: str, number: int, encoding: firstlight.Encoding) -> float:
    """The milliseconds from StartSession to the first frame in this process."""
    name = client.create_session(f"launch-{number}").name
    client.configure(
        name, firstlight.configuration(camera, pixel_format="YUYV", size=SIZE, frame_rate=RATE, photo=True)
    )
    with client.preview(name, encoding=encoding) as preview:
        begin = time.monotonic()
        client.start(name)
        next(preview)
        took = (time.monotonic() - begin) * 1000
    launch = client.launch_timeline(name)
    for step in ("first_frame_captured_ns", "start_returned_ns", "first_frame_sent_ns"):
        STEPS.setdefault(step, []).append((getattr(launch, step) - launch.start_requested_ns) / 1e6)
    client.delete_session(name)
    return took


def main(probe: str, binary: str) -> None:
    """Measures daemon and probe in turns and prints the results."""
    ours, least, encodings, stock, exec_only = [], [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        flags = ("--synthetic", "0", "--data-dir", folder)
        with (
            Daemon(binary, *flags, log=pathlib.Path(folder) / "log", timeout=60) as daemon,
            firstlight.connect(daemon.address) as client,
        ):
            camera = min(client.devices(), key=lambda device: device.location).name
            for number in range(RUNS):
                ours.append(daemon_launch(client, camera, number, firstlight.Encoding.JPEG))
                arguments = [probe, NODE, *map(str, SIZE), str(RATE)]
                printed = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
                first_ms, encoding_ms = map(float, printed.split())
                least.append(first_ms)
                encodings.append(encoding_ms)
                stream = ["v4l2-ctl", "-d", NODE, "--stream-mmap", "--stream-count=1", "--stream-to=/dev/null"]
                stock.append(milliseconds(stream))
                exec_only.append(milliseconds(["v4l2-ctl", "--version"]))
    first, floor, encoding = map(statistics.median, (ours, least, encodings))
    line = floor + encoding + 1000 / RATE
    print(f"(f) vivid {SIZE[0]}x{SIZE[1]}@{RATE} YUYV, medians of {RUNS} in turns, milliseconds")
    print(f"    StartSession to the first frame, as JPEG, at a client  {first:8.1f}")
    for step, taken in STEPS.items():
        print(f"      {step.removesuffix('_ns'):<53}{statistics.median(taken):8.1f}")
    print(f"    C probe, open to DQBUF                                 {floor:8.1f}   ratio {first / floor:.2f}")
    print(f"    probe + one encoding ({encoding:.1f}) + one period ({1000 / RATE:.1f})     {line:8.1f}   ", end="")
    bounds = Bounds()
    holds = bounds.check(first <= line, f"(f) StartSession to the first frame {first:.1f} ms, at most {line:.1f}")
    print("pass" if holds else "FAIL")
    stock_less_exec = statistics.median(stock) - statistics.median(exec_only)
    print(f"    v4l2-ctl --stream-count=1, less its exec               {stock_less_exec:8.1f}", flush=True)
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main(*sys.argv[1:])
