"""Measures the processor time of composing a picture of two cameras of 1080p, beside the filters `scale` and `overlay`
of ffmpeg. Fails when a bound is missed.

One camera fills the picture, and the other has a quarter of its width and height. Ours also rounds the corners of the
upper one, which ffmpeg's overlay does not do. Both make NV12, with one thread, of the same pictures, which they keep in
memory. The time of ffmpeg is user and system time of the process: the difference between many pictures and few, so that
its start does not count. They take turns, in the opposite order every other time.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/Benchmarks"))

from bounds import Bounds  # noqa: E402

RUNNER = ROOT / ".build/release/composition-bench"
WIDTH, HEIGHT, RADIUS = 1920, 1080, 24
#: The pictures of a measurement, and those of ffmpeg's start.
MANY, FEW = 600, 50
#: The largest share of ffmpeg's time.
SHARE = 1.0
#: ffmpeg's name for each pixel format.
FORMATS = {"nv12": "nv12", "yuyv": "yuyv422"}
#: The largest mean difference of a sample between our picture and ffmpeg's, whose scaler has another filter.
DIFFERENCE = 3.0


def source(folder: pathlib.Path, kind: str, number: int) -> pathlib.Path:
    """A picture of ffmpeg's test chart."""
    path = folder / f"{kind}-{number}.raw"
    chart = f"testsrc2=size={WIDTH}x{HEIGHT}:rate=1,hue=h={90 * number}"
    command = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", chart, "-frames:v", "1", "-f", "rawvideo"]
    subprocess.run([*command, "-pix_fmt", FORMATS[kind], path], check=True)
    return path


def ours(kind: str, pictures: list[pathlib.Path], output: pathlib.Path) -> float:
    """The milliseconds of a picture of ours."""
    command = [RUNNER, str(WIDTH), str(HEIGHT), kind, str(RADIUS), str(MANY), *pictures, output]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout) / MANY


def ffmpeg(kind: str, pictures: list[pathlib.Path], count: int, output: list[str | pathlib.Path]) -> float:
    """The milliseconds of processor time of ffmpeg for `count` pictures."""
    form = ["-f", "rawvideo", "-pix_fmt", FORMATS[kind], "-s", f"{WIDTH}x{HEIGHT}", "-r", "30"]
    keep = "loop=loop=-1:size=1:start=0"
    place = f"{WIDTH - WIDTH // 4 - 32}:{HEIGHT - HEIGHT // 4 - 32}"
    graph = (
        f"[0:v]{keep},format=nv12[below];[1:v]{keep},scale={WIDTH // 4}:{HEIGHT // 4}:flags=area[above];"
        f"[below][above]overlay={place}:format=yuv420,format=nv12[all]"
    )
    single = ["-threads", "1", "-filter_threads", "1", "-filter_complex_threads", "1"]
    command = ["ffmpeg", "-v", "error", "-y", *single, *form, "-i", pictures[0], *form, "-i", pictures[1]]
    command += ["-filter_complex", graph, "-map", "[all]", "-frames:v", str(count), *output]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("ffmpeg failed")
    return 1000 * (used.ru_utime + used.ru_stime)


def theirs(kind: str, pictures: list[pathlib.Path]) -> float:
    """The milliseconds of a picture of ffmpeg's."""
    few, many = (ffmpeg(kind, pictures, count, ["-f", "null", "-"]) for count in (FEW, FEW + MANY))
    return (many - few) / MANY


def difference(a: pathlib.Path, b: pathlib.Path) -> float:
    """The mean difference of all bytes."""
    first, second = a.read_bytes(), b.read_bytes()
    if len(first) != len(second):
        sys.exit(f"ours has {len(first)} bytes, and ffmpeg's {len(second)}")
    return sum(abs(x - y) for x, y in zip(first, second, strict=True)) / len(first)


def main() -> None:
    """Measures, prints and judges."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    bounds = Bounds()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind in FORMATS:
            pictures = [source(folder, kind, number) for number in range(2)]
            times: dict[str, list[float]] = {"ours": [], "theirs": []}
            for turn in range(options.rounds):
                for who in sorted(times, reverse=turn % 2 == 1):
                    spent = ours(kind, pictures, folder / "ours.raw") if who == "ours" else theirs(kind, pictures)
                    times[who].append(spent)
            ffmpeg(kind, pictures, 1, ["-f", "rawvideo", folder / "theirs.raw"])
            mean = difference(folder / "ours.raw", folder / "theirs.raw")
            bounds.check(mean <= DIFFERENCE, f"{kind}: the pictures differ by {mean:.2f} in the mean")
            our, their = (statistics.median(times[who]) for who in ("ours", "theirs"))
            share = our / their
            print(f"{kind}: {our:.3f} ms a picture, ffmpeg {their:.3f} ms: {share:.2f}; they differ by {mean:.2f}")
            bounds.check(our <= SHARE * their, f"{kind}: {our:.3f} ms is above {SHARE} of {their:.3f} ms")
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main()
