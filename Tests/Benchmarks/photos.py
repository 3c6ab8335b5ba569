"""Measures photos on a synthetic camera at 1080p, 30 frames per second. `shots` fails when a bound is missed.

`shots`: photos per second for each set of features and each quality while a preview runs, each of another frame, and
what the preview has of it, as another process sees it.
`shutter`: whether the photo shows the frame that the person saw, by the pixels, with a link that delays; and how long a
request takes to hold its frame while 20 readers watch.

The bounds are those of a machine with two cores.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Acceptance"))

import firstlight  # noqa: E402
from firstlight import Quality  # noqa: E402
from firstlight.daemon import Daemon  # noqa: E402
from slow_link import SlowLink  # noqa: E402

# Photos per second of the 30 frames, and how much of them the preview may lose, in periods.
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
    """A running session whose photo output is ready, with a ring of `window` seconds."""
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
    """The value that so many of them do not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


class Bounds:
    """What was missed."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.missed: list[str] = []

    def check(self, holds: bool, what: str) -> None:
        """Notes `what` as missed unless it holds."""
        if not holds:
            self.missed.append(what)


def shots(daemon: Daemon, client: firstlight.Client, seconds: float, only: str | None, bounds: Bounds) -> None:
    """Photos per second, what they are made of, and what the preview had of it."""
    print(
        f"{'1080p at 30 fps':24}{'quality':>10}{'photos/s':>10}{'lost':>6}{'frames':>8}{'preview fps':>13}{'p99':>14}"
    )
    rates: dict[tuple[str, Quality], float] = {}
    for label, features in FEATURES.items():
        if only not in (None, label):
            continue
        for quality in Quality:
            with session(client, max_quality=Quality.QUALITY, **features) as name:
                burst = Burst(client, name, quality)
                burst.run(daemon, seconds)
            print(f"{label:24}{quality.name:>10}{burst}", flush=True)
            rates[label, quality] = burst.rate
            row = f"{label}, {quality.name}"
            bounds.check(not burst.errors, f"{row}: lost {burst.errors[:3]}")
            bounds.check(burst.distinct == burst.asked, f"{row}: {burst.asked} asked for, {burst.distinct} distinct")
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
    """Of each thread, by its name."""
    found = {}
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        name, _, fields = (task / "stat").read_text().partition(" (")[2].rpartition(") ")
        found[name] = int(fields.split()[16])
    return found


class Burst:
    """Asks for every frame of a preview as a photo, as far as eight requests at a time do."""

    OUTSTANDING = 8

    def __init__(self, client: firstlight.Client, session: str, quality: Quality) -> None:
        """Of a running session."""
        self.client, self.session, self.quality = client, session, quality
        self.sequences: list[int] = []
        self.frames: list[int] = []
        self.errors: list[str] = []
        self.asked = 0
        self.took = 0.0
        self.preview: list[float] = []
        self.niceness: dict[str, int] = {}

    def run(self, daemon: Daemon, seconds: float) -> None:
        """Until all that was asked for in that time is there."""
        free = threading.Semaphore(self.OUTSTANDING)
        # Another process, because this one is busy with photos.
        watcher = subprocess.Popen(
            [sys.executable, __file__, "watch", "--address", daemon.address, "--session", self.session],
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
        self.sequences.append(photo.sequence)
        self.frames.append(photo.fused_frame_count)

    @property
    def distinct(self) -> int:
        """Frames of which there is a photo."""
        return len(set(self.sequences))

    @property
    def rate(self) -> float:
        """Of those, per second."""
        return self.distinct / self.took

    @property
    def preview_p99(self) -> float:
        """An interval of the preview, in periods."""
        return percentile([b - a for a, b in itertools.pairwise(self.preview)], 0.99) * 30

    def __str__(self) -> str:
        """One line of the table; the preview's rate is of frames that came, its interval in periods."""
        watched = (len(self.preview) - 1) / (self.preview[-1] - self.preview[0])
        return (
            f"{self.rate:10.1f}{self.asked - self.distinct:6}{statistics.mean(self.frames):8.1f}{watched:13.1f}"
            f"{self.preview_p99:8.2f} periods"
        )


def watch_alone(address: str, session: str) -> None:
    """Prints when each frame of a preview came, once told to stop."""
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


def shutter(daemon: Daemon, count: int) -> None:
    """The frame in the photo against the frame seen."""
    cases = [(True, quality) for quality in Quality] + [(False, Quality.SPEED)]
    for delay in (0.0, 0.05, 0.2):
        for zero_shutter_lag, quality in cases:
            with (
                SlowLink(daemon.address, bytes_per_second=1e9, delay=delay) as link,
                firstlight.connect(link.address) as client,
                # A picture larger than the reader's window takes one more round trip, and the ring reaches back beyond.
                session(client, window=2, max_quality=Quality.QUALITY, zero_shutter_lag=zero_shutter_lag) as name,
            ):
                late = frames_late(client, name, count if zero_shutter_lag else max(1, count // 10), quality)
            exact = sum(frames == 0 for frames in late)
            print(
                f"{delay * 1000:4.0f} ms each way, zero shutter lag {'on ' if zero_shutter_lag else 'off'}, "
                f"{quality.name:8}: {exact} of {len(late)} photos show the frame seen; frames late: "
                f"median {statistics.median(late):.0f}, worst {max(late)}",
                flush=True,
            )
    with firstlight.connect(daemon.address) as client, session(client) as name, contextlib.ExitStack() as stack:
        for _ in range(20):
            watch(stack.enter_context(client.preview(name, max_size=(640, 360))))
        pins = [client.photo(name).pin_ns / 1e6 for _ in range(count)]
    median, worst = statistics.median(pins), percentile(pins, 0.99)
    print(f"request to held frame with 20 readers: median {median:.2f} ms, p99 {worst:.2f} ms")


def frames_late(client: firstlight.Client, name: str, count: int, quality: Quality) -> list[int]:
    """How many frames after the one seen each photo was taken, by both pictures' boards."""
    late = []
    with client.preview(name, max_size=(640, 360)) as preview:
        for frame in preview:
            seen = firstlight.timecode.decode(frame.luma())
            photo = firstlight.timecode.decode(client.photo(name, of=frame, quality=quality).luma())
            assert seen is not None
            assert photo is not None
            late.append(photo.sequence - seen.sequence)
            if len(late) == count:
                return late
    return late


def watch(preview: firstlight.PreviewStream) -> None:
    """Reads a preview in a thread of its own, until it is closed."""

    def read() -> None:
        with contextlib.suppress(firstlight.FirstlightError):
            for _ in preview:
                pass

    threading.Thread(target=read, daemon=True).start()


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["shots", "shutter", "watch"])
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--count", type=int, default=200, help="photos of each kind (`shutter`)")
    parser.add_argument("--seconds", type=float, default=30, help="for each line (`shots`)")
    parser.add_argument("--only", choices=FEATURES, help="one set of features (`shots`)")
    parser.add_argument("--address", help=argparse.SUPPRESS)
    parser.add_argument("--session", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.what == "watch":
        watch_alone(arguments.address, arguments.session)
        return
    bounds = Bounds()
    with daemon(arguments.daemon) as running:
        if arguments.what == "shutter":
            shutter(running, arguments.count)
        else:
            with firstlight.connect(running.address) as client:
                shots(running, client, arguments.seconds, arguments.only, bounds)
    if bounds.missed:
        sys.exit("missed:\n  " + "\n  ".join(bounds.missed))


if __name__ == "__main__":
    main()
