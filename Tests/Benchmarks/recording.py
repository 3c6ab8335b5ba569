"""Compares the recording of movies with ffmpeg, which gets the same pictures from a pipe. Fails when a bound is missed.

Both take turns, each time as a new process and in the opposite order every other time. Both encode with x264, the same
preset and the same quality, or write the camera's own JPEG. The camera is that of fake_camera.py. Then a viewer of a
preview measures its intervals while a movie is recorded and stress-ng keeps the disk busy.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import itertools
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import IO

import mjpeg_servers
from bounds import Bounds
from fake_camera import FakeCamera, fake_camera
from servers import ROOT, ServerProcess

import firstlight
from firstlight.enums import MovieCodec, MovieContainer

RATE = 30


@dataclasses.dataclass(frozen=True)
class Load:
    """What is recorded, and the largest ratio of our CPU for a frame to that of ffmpeg."""

    pixel_format: str
    size: tuple[int, int]
    codec: MovieCodec
    share: float
    #: How ffmpeg reads the pictures from the pipe, and what it does with them.
    reads: tuple[str, ...]
    writes: tuple[str, ...]

    def __str__(self) -> str:
        """The load as in `H264 1080p30`."""
        return f"{self.codec.name} {self.size[1]}p{RATE}"


LOADS = (
    Load(
        "YUYV",
        (1920, 1080),
        MovieCodec.H264,
        1.05,
        ("-f", "rawvideo", "-pixel_format", "yuyv422", "-video_size", "1920x1080"),
        # The daemon's movies have no B-frames, a key frame every two seconds, and this factor for quality 80.
        ("-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-bf", "0", "-g", "60", "-pix_fmt", "yuv420p"),
    ),
    Load("MJPG", (1920, 1080), MovieCodec.MOTION_JPEG, 1.0, ("-f", "mjpeg"), ("-c:v", "copy")),
)
#: The largest share of the period that the preview's p99 interval may take while a movie is recorded.
INTERVAL = 1.5
#: How long each program runs before it is measured.
SETTLE = 3
#: The time for which the preview is watched.
WATCHED = 20


@dataclasses.dataclass
class Turn:
    """What one process showed."""

    cpu_us: float
    memory_mb: float


def measure(process: ServerProcess, seconds: float) -> float:
    """The CPU microseconds of a process for each frame of the camera."""
    time.sleep(SETTLE)
    process.forget_peak()
    before = process.cpu_seconds()
    time.sleep(seconds)
    return (process.cpu_seconds() - before) / (RATE * seconds) * 1e6


@contextlib.contextmanager
def feeding(pipe: IO[bytes], pictures: list[bytes]) -> Iterator[None]:
    """Writes pictures into an unbuffered pipe at the rate of the camera, and closes it at the end."""
    stop = threading.Event()

    def feed() -> None:
        begin, number = time.monotonic(), 0
        with pipe:
            while not stop.wait(max(0, begin + number / RATE - time.monotonic())):
                left = memoryview(pictures[number % len(pictures)])
                while left:
                    left = left[pipe.write(left) :]
                number += 1

    thread = threading.Thread(target=feed)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def turn_of_ffmpeg(load: Load, camera: FakeCamera, folder: pathlib.Path, seconds: float) -> Turn:
    """Measures ffmpeg, which writes the same container."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *load.reads, "-framerate", str(RATE), "-i", "-", *load.writes]
    command.append(str(folder / "ffmpeg.mkv"))
    with subprocess.Popen(command, stdin=subprocess.PIPE, bufsize=0) as process:
        server = ServerProcess(process.pid)
        with feeding(process.stdin, camera.pictures):
            cpu_us = measure(server, seconds)
            memory_mb = server.memory_mb("VmHWM")
    return Turn(cpu_us, memory_mb)


def configured(
    load: Load, camera: FakeCamera, binary: pathlib.Path, data: pathlib.Path
) -> contextlib.AbstractContextManager[tuple[mjpeg_servers.MJPEGServer, firstlight.Client, str]]:
    """The daemon with a session that may record, as `mjpeg_servers.configured` gives it."""
    movie = firstlight.movie_output(codec=load.codec)
    return mjpeg_servers.configured(camera, None, binary, data, movie=movie)


def begin(client: firstlight.Client, session: str) -> str:
    """Starts a recording and returns its name."""
    return next(client.start_recording(session, container=MovieContainer.MATROSKA)).recording.name


def end(client: firstlight.Client, name: str) -> int:
    """Stops and deletes a recording. Returns the number of frames for which the encoder or the disk was too slow."""
    finished = client.stop_recording(name)
    client.delete_recording(name)
    if not finished.frame_count:
        raise RuntimeError("the movie has no frame")
    return finished.dropped.late + finished.dropped.out_of_buffers


def turn_of_firstlight(
    load: Load, camera: FakeCamera, folder: pathlib.Path, binary: pathlib.Path, seconds: float
) -> Turn:
    """Measures the daemon while it records and nobody watches."""
    with configured(load, camera, binary, folder) as (server, client, session):
        name = begin(client, session)
        cpu_us = measure(server, seconds)
        memory_mb = server.memory_mb("VmHWM") - server.memory_of_camera_mb()
        # A movie that lacks frames would cost too little.
        if lost := end(client, name):
            raise RuntimeError(f"the movie lacks {lost} frames")
    return Turn(cpu_us, memory_mb)


def compare(load: Load, camera: FakeCamera, folder: pathlib.Path, options: argparse.Namespace, bounds: Bounds) -> None:
    """Prints and checks the cost of a frame."""
    turns: dict[str, list[Turn]] = {"ffmpeg": [], "firstlight": []}
    for number in range(options.rounds):
        for name in reversed(turns) if number % 2 else turns:
            if name == "ffmpeg":
                turns[name].append(turn_of_ffmpeg(load, camera, folder, options.seconds))
            else:
                turns[name].append(turn_of_firstlight(load, camera, folder, options.daemon, options.seconds))
    theirs, ours = (statistics.median(turn.cpu_us for turn in found) for found in turns.values())
    their_mb, our_mb = (max(turn.memory_mb for turn in found) for found in turns.values())
    what = f"CPU {ours:.0f} us a frame, {ours / theirs:.3f} of {theirs:.0f} of ffmpeg, at most {load.share}"
    show(load, f"{what}; memory {our_mb:.0f} and {their_mb:.0f} MB", ours / theirs <= load.share, bounds)


def watch(load: Load, camera: FakeCamera, folder: pathlib.Path, binary: pathlib.Path, bounds: Bounds) -> None:
    """Prints and checks the intervals of a preview while a movie is recorded and other programs keep the disk busy."""
    with configured(load, camera, binary, folder) as (_, client, session), busy_disk(folder):
        name = begin(client, session)
        arrivals = []
        with client.preview(session, max_size=(640, 360), encoding=firstlight.Encoding.JPEG) as frames:
            for _ in frames:
                arrivals.append(time.monotonic())
                if arrivals[-1] > arrivals[0] + WATCHED:
                    break
        lost = end(client, name)
    # The first second belongs to the start.
    steady = [at for at in arrivals if at > arrivals[0] + 1]
    intervals = sorted(later - earlier for earlier, later in itertools.pairwise(steady))
    p99 = intervals[int(len(intervals) * 0.99)] * RATE
    what = f"p99 interval of a preview {p99:.2f} periods, less than {INTERVAL}; the movie lacks {lost} frames"
    show(load, what, p99 < INTERVAL, bounds)


@contextlib.contextmanager
def busy_disk(folder: pathlib.Path) -> Iterator[None]:
    """Keeps the disk of a folder busy with writing and synchronising."""
    work = ("--hdd", "1", "--hdd-bytes", "128M", "--hdd-opts", "fsync", "--io", "1")
    command = ["stress-ng", "--quiet", *work, "--temp-path", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            yield
            assert process.poll() is None, "stress-ng has ended, so the disk was not busy"
        finally:
            process.terminate()


def show(load: Load, what: str, holds: bool, bounds: Bounds) -> None:
    """Prints a verdict, and notes it when it does not hold."""
    verdict = "pass" if bounds.check(holds, f"{load}: {what}") else "FAIL"
    print(f"{load!s:<22}{verdict}: {what}", flush=True)


def main() -> None:
    """Measures and prints everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=8, help="of each turn")
    options = parser.parse_args()
    bounds = Bounds()
    # /tmp may be in memory.
    with tempfile.TemporaryDirectory(dir=ROOT / ".build") as name:
        folder = pathlib.Path(name)
        for load in LOADS:
            with fake_camera(load.pixel_format, load.size, RATE) as camera:
                # The daemon measures the machine only once, and not in a turn.
                mjpeg_servers.await_measured(camera, None, options.daemon, folder)
                compare(load, camera, folder, options, bounds)
                watch(load, camera, folder, options.daemon, bounds)
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main()
