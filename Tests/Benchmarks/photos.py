"""Measures photos per second on a synthetic camera at 1080p, 30 frames per second. Fails when a bound is missed.

There is one measurement for each set of features and each quality. A preview runs meanwhile, and each photo is of
another frame. Another process measures what the preview gets of its frames. The bounds are those of a machine with two
cores.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import contextlib
import dataclasses
import datetime
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator

from bounds import Bounds

import firstlight
from firstlight import Quality
from firstlight.daemon import Daemon

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The least photos per second of the 30 frames: in SPEED, and in QUALITY without and with overlap. Then the least factor
# by which overlap raises the rate, and the longest interval of the preview in periods.
SPEED, QUALITY_ALONE, QUALITY, MORE_BY_OVERLAP, PREVIEW = 25, 1.8, 5, 2, 1.5

CAMERA = "devices/synthetic-0"
FEATURES = {
    "none": {"zero_shutter_lag": False},
    "zero shutter lag": {},
    "+ responsive": {"responsive_capture": True},
    "+ fast prioritization": {"responsive_capture": True, "fast_capture_prioritization": True},
}


@contextlib.contextmanager
def daemon(binary: pathlib.Path) -> Iterator[Daemon]:
    """A daemon with a synthetic camera."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Daemon(binary, "--synthetic", "1", "--data-dir", folder, log=pathlib.Path(folder) / "log") as running,
    ):
        yield running


@contextlib.contextmanager
def session(client: firstlight.Client, *, window: float | None = None, **features: object) -> Iterator[str]:
    """A running session with a prepared photo output and a ring of `window` seconds."""
    name = client.create_session().name
    wanted = firstlight.configuration(CAMERA, pixel_format="NV12", size=(1920, 1080), frame_rate=30, **features)
    if window is not None:
        wanted.photo.zero_shutter_lag_window.FromTimedelta(datetime.timedelta(seconds=window))
    client.configure(name, wanted)
    client.start(name)
    client.photo(name)
    try:
        yield name
    finally:
        client.delete_session(name)


def percentile(values: list[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def shots(daemon: Daemon, client: firstlight.Client, seconds: float, only: list[str], bounds: Bounds) -> None:
    """Measures and checks the photos per second, the frames that they are made of, and the rate of the preview
    meanwhile.
    """
    print(
        f"{'1080p at 30 fps':24}{'quality':>10}{'photos/s':>10}{'lost':>6}{'frames':>8}{'preview fps':>13}{'p99':>14}"
    )
    rates: dict[tuple[str, Quality], float] = {}
    for label, features in FEATURES.items():
        if label not in only:
            continue
        for quality in Quality:
            with session(client, max_quality=Quality.QUALITY, **features) as name:
                burst = Burst(client, name, quality)
                burst.run(daemon, seconds)
            print(f"{label:24}{quality.name:>10}{burst}", flush=True)
            rates[label, quality] = burst.rate
            row = f"{label}, {quality.name}"
            bounds.check(not burst.errors, f"{row}: lost {burst.errors[:3]}")
            bounds.check(
                burst.distinct == burst.asked,
                f"{row}: {burst.asked} asked for, {burst.distinct} distinct; {burst.twice}",
            )
            if label != "none":
                bounds.check(not burst.others, f"{row}: {len(burst.others)} of another frame, {burst.others[:3]}")
            bounds.check(burst.preview_p99 < PREVIEW, f"{row}: preview p99 {burst.preview_p99:.2f}, below {PREVIEW}")
            photos = [value for thread, value in burst.niceness.items() if thread.startswith("photo-")]
            previews = [value for thread, value in burst.niceness.items() if thread.startswith("preview-")]
            bounds.check(
                min(photos) > max(previews), f"{row}: photo threads are as urgent as previews: {burst.niceness}"
            )
    for (label, quality), rate in rates.items():
        alone = rates.get(("none", quality), 0)
        if "responsive" in label or "fast" in label:
            if quality is Quality.SPEED:
                bounds.check(rate >= SPEED, f"{label}, SPEED: {rate:.1f} photos/s, at least {SPEED}")
            if quality is Quality.QUALITY:
                wanted = max(QUALITY, MORE_BY_OVERLAP * alone)
                bounds.check(rate >= wanted, f"{label}, QUALITY: {rate:.1f} photos/s, at least {wanted:.1f}")
        elif label == "none" and quality is Quality.QUALITY:
            bounds.check(rate >= QUALITY_ALONE, f"{label}, QUALITY: {rate:.1f} photos/s, at least {QUALITY_ALONE}")


def niceness(process: int) -> dict[str, int]:
    """The niceness of each thread, by the name of the thread."""
    found = {}
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        name, _, fields = (task / "stat").read_text().partition(" (")[2].rpartition(") ")
        found[name] = int(fields.split()[16])
    return found


class Burst:
    """Requests every frame of a preview as a photo, with at most eight requests at a time."""

    OUTSTANDING = 8

    def __init__(self, client: firstlight.Client, session: str, quality: Quality) -> None:
        """Prepares a burst on a running session."""
        self.client, self.session, self.quality = client, session, quality
        #: The sequence number of the requested frame, and the photo without its picture.
        self.photos: list[tuple[int, firstlight.Photo]] = []
        self.errors: list[str] = []
        self.asked = 0
        self.took = 0.0
        self.preview: list[float] = []
        self.niceness: dict[str, int] = {}

    def run(self, daemon: Daemon, seconds: float) -> None:
        """Requests photos for `seconds` and waits until all of them have come."""
        free = threading.Semaphore(self.OUTSTANDING)
        # The preview is read in another process, because this one is busy with photos.
        watcher = subprocess.Popen(
            [sys.executable, __file__, "--watch", daemon.address, self.session],
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
        )
        assert watcher.stdout is not None
        assert watcher.stdout.readline() == "ready\n"
        with (
            concurrent.futures.ThreadPoolExecutor(self.OUTSTANDING) as pool,
            self.client.preview(self.session, max_size=(320, 180)) as preview,
        ):
            begin = time.monotonic()
            for frame in preview:
                if time.monotonic() - begin > seconds:
                    break
                if free.acquire(blocking=False):
                    self.asked += 1
                    pool.submit(self._shoot, frame).add_done_callback(lambda _: free.release())
            self.niceness = niceness(daemon.process.pid)
            pool.shutdown()
            self.took = time.monotonic() - begin
        self.preview = json.loads(watcher.communicate("stop\n")[0])

    def _shoot(self, frame: firstlight.Frame) -> None:
        try:
            photo = self.client.photo(self.session, of=frame, quality=self.quality)
        except firstlight.FirstlightError as error:
            self.errors.append(f"{frame.sequence}: {error}")
            return
        self.photos.append((frame.sequence, dataclasses.replace(photo, data=b"")))

    @property
    def distinct(self) -> int:
        """The number of frames of which there is a photo."""
        return len({photo.sequence for _, photo in self.photos})

    @property
    def others(self) -> list[str]:
        """The photos of another frame than the requested one."""
        return [f"asked for {asked}: {photo}" for asked, photo in self.photos if photo.sequence != asked]

    @property
    def twice(self) -> list[str]:
        """The photos of frames that have several photos, with the requested frame."""
        of_frame = collections.Counter(photo.sequence for _, photo in self.photos)
        return [f"asked for {asked}: {photo}" for asked, photo in self.photos if of_frame[photo.sequence] > 1]

    @property
    def rate(self) -> float:
        """The frames with a photo per second."""
        return self.distinct / self.took

    @property
    def preview_p99(self) -> float:
        """The 99th percentile of the preview's intervals, in periods."""
        return percentile([b - a for a, b in itertools.pairwise(self.preview)], 0.99) * 30

    def __str__(self) -> str:
        """One line of the table. The preview's rate counts the frames that came, its interval is in periods."""
        merged = statistics.mean(photo.fused_frame_count for _, photo in self.photos)
        watched = (len(self.preview) - 1) / (self.preview[-1] - self.preview[0])
        return (
            f"{self.rate:10.1f}{self.asked - self.distinct:6}{merged:8.1f}{watched:13.1f}"
            f"{self.preview_p99:8.2f} periods"
        )


def watch_alone(address: str, session: str) -> None:
    """Reads a preview until a line on standard input. Prints the arrival times of its frames."""
    stop = threading.Event()
    arrivals: list[float] = []
    with firstlight.connect(address) as client, client.preview(session, max_size=(640, 360)) as preview:
        next(preview)
        print("ready", flush=True)
        threading.Thread(target=lambda: (sys.stdin.readline(), stop.set()), daemon=True).start()
        for _ in preview:
            arrivals.append(time.monotonic())
            if stop.is_set():
                break
    print(json.dumps(arrivals))


def main() -> None:
    """Runs what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--seconds", type=float, default=30, help="for each line")
    parser.add_argument("--only", choices=FEATURES, action="append", help="these sets of features")
    parser.add_argument("--watch", nargs=2, metavar=("ADDRESS", "SESSION"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.watch:
        watch_alone(*arguments.watch)
        return
    bounds = Bounds()
    with daemon(arguments.daemon) as running, firstlight.connect(running.address) as client:
        shots(running, client, arguments.seconds, arguments.only or list(FEATURES), bounds)
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main()
