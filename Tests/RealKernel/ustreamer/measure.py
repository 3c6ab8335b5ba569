"""Compares Firstlight with ustreamer on the same vivid camera, in the guest of scripts/vm/run. scripts/bench starts it.

Both send JPEG of quality 80, 4:2:0, of the same 640x360 YUYV at 10 frames a second. They take turns, each as a new
process and in the opposite order every other time, so that other load on the machine hits both. The program prints
medians. It lists the bounds that were missed at the end, and then fails.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Benchmarks"))
import servers
import watching
from bounds import Bounds
from first_frame import first_frames
from running import QUALITY, RATE, SIZE, Running, firstlight_running, ustreamer

#: The largest share of ustreamer's CPU that the daemon may take without a viewer, and with viewers.
CPU_UNWATCHED, CPU = 0.25, 0.9
#: The least share of the frames due that each viewer must get in every round.
DELIVERED = 0.98
#: The largest relative difference between the mean picture of the daemon and that of ustreamer.
SAME_BYTES = 0.1
#: 4:2:0 in the form that `subsampling` returns.
YUV_420 = "221111"


@dataclasses.dataclass
class Result:
    """The CPU in percent of one core, the bytes of a picture, and the share of the frames due that the slowest viewer
    got.
    """

    cpu: float
    payload: float = 0
    delivered: float = 1


def watched(running: Running, viewers: int, seconds: float) -> Result:
    """Measures a server while a number of viewers watch."""
    if viewers == 0:
        time.sleep(3)
        before = running.cpu_seconds()
        time.sleep(seconds)
        return Result((running.cpu_seconds() - before) / seconds * 100)
    cpu_seconds, seen = watching.watch(running, running.viewer, viewers, 2, seconds)
    return Result(cpu_seconds / seconds * 100, seen["payload"], seen["fewest"] / (RATE * seconds))


def median(results: list[Result]) -> Result:
    """The median of each figure."""
    fields = [field.name for field in dataclasses.fields(Result)]
    return Result(**{name: statistics.median(getattr(result, name) for result in results) for name in fields})


def compare(viewers: int, rounds: int, seconds: float, bounds: Bounds) -> None:
    """Prints and checks the figures for one number of viewers."""
    runs = {"ustreamer": ustreamer, "firstlight": firstlight_running}
    if viewers == 0:
        runs["ustreamer --slowdown"] = functools.partial(ustreamer, "--slowdown")
    results: dict[str, list[Result]] = {name: [] for name in runs}
    for number in range(rounds):
        for name in reversed(runs) if number % 2 else runs:
            with runs[name]() as running:
                results[name].append(watched(running, viewers, seconds))
    medians = {name: median(found) for name, found in results.items()}
    for name, result in medians.items():
        least = min(result.delivered for result in results[name])
        rest = f"{result.payload:>10.0f}{least:>10.1%}" if viewers else ""
        print(f"{viewers:>4} viewers  {name:<22}{result.cpu:>8.1f} %{rest}")
        bounds.check(
            least >= DELIVERED,
            f"{viewers} viewers: one of {name} got {least:.1%} of what was due, at least {DELIVERED:.0%}",
        )
    ours, theirs = medians["firstlight"], medians["ustreamer"]
    line = CPU if viewers else CPU_UNWATCHED
    what = f"CPU {ours.cpu / theirs.cpu:.2f} of ustreamer's, at most {line}"
    holds = bounds.check(ours.cpu <= line * theirs.cpu, f"{viewers} viewers: {what}")
    if viewers:
        sent = f"{viewers} viewers: firstlight sent {ours.payload:.0f} bytes a frame, ustreamer {theirs.payload:.0f}"
        bounds.check(abs(ours.payload / theirs.payload - 1) <= SAME_BYTES, sent)
    print(f"{'':>14}{what}: {'pass' if holds else 'FAIL'}", flush=True)


def check_idle(seconds: float, bounds: Bounds) -> None:
    """Counts the codec calls without a viewer. There must be none once the launch is over.

    See count_codec_calls.c for the calls that the counter cannot see.
    """
    with servers.counting_codec_calls(firstlight_running()) as (running, count):
        time.sleep(3)
        before = count()
        time.sleep(seconds)
        calls = count() - before
        # The picture shows that the counter counts at all.
        running.picture()
        counts = count() - before > calls
    what = f"without a viewer {calls} calls of libjpeg, libyuv and libv4lconvert in {seconds:g} s, none allowed"
    print(f"{what}: {'pass' if bounds.check(calls == 0, what) else 'FAIL'}")
    bounds.check(counts, "a picture was encoded and no call of libjpeg or libyuv counted")


def subsampling(picture: bytes) -> str:
    """The sampling factors in a JPEG's frame header, as hexadecimal text: 221111 is 4:2:0."""
    position = 2
    while picture[position + 1] not in (0xC0, 0xC1, 0xC2):
        position += 2 + int.from_bytes(picture[position + 2 : position + 4], "big")
    return "".join(f"{picture[position + 11 + 3 * index]:02x}" for index in range(picture[position + 9]))


def check_subsampling(bounds: Bounds) -> None:
    """Checks that both servers compress with the same subsampling, 4:2:0."""
    for name, run in (("ustreamer", ustreamer), ("firstlight", firstlight_running)):
        with run() as running:
            time.sleep(3)
            found = subsampling(running.picture())
        what = f"sampling factors of {name}: {found}, {YUV_420} is 4:2:0"
        print(f"{what}: {'pass' if bounds.check(found == YUV_420, what) else 'FAIL'}")


def main() -> None:
    """Measures and prints everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--viewers", type=int, nargs="+", default=[0, 1, 4, 10])
    options = parser.parse_args()
    bounds = Bounds()
    print(f"vivid {SIZE[0]}x{SIZE[1]}@{RATE} YUYV, JPEG quality {QUALITY}; {options.rounds} alternations, medians")
    check_subsampling(bounds)
    check_idle(options.seconds, bounds)
    print(f"{'':>14}{'':<22}{'CPU':>10}{'bytes':>10}{'least':>10}")
    for viewers in options.viewers:
        compare(viewers, options.rounds, options.seconds, bounds)
    first_frames(options.rounds, bounds)
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main()
