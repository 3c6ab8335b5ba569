"""Measures photos on a synthetic camera at 1080p, 30 frames per second.

`shots`: photos per second for each set of features and each quality while a preview runs, each of another frame, and
what the preview has of it.
`shutter`: whether the photo shows the frame that the person saw, by the pixels, with a link that delays; and how long a
request takes to hold its frame while 20 readers watch.

Nothing is asserted: times depend on the machine.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import datetime
import itertools
import pathlib
import statistics
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


def shots(client: firstlight.Client, seconds: float) -> None:
    """Photos per second, what they are made of, and what the preview had of it."""
    with session(client) as name:
        most = Quality(client.session(name).resolved_configuration.photo.supported_max_quality_prioritization)
    print(
        f"{'1080p at 30 fps':24}{'quality':>10}{'photos/s':>10}{'lost':>6}{'frames':>8}{'preview fps':>13}{'p99':>14}"
    )
    for label, features in FEATURES.items():
        for quality in (quality for quality in Quality if quality <= most):
            with session(client, max_quality=most, **features) as name:
                burst = Burst(client, name, quality)
                burst.run(seconds)
            print(f"{label:24}{quality.name:>10}{burst}", flush=True)


class Burst:
    """Asks for every frame of a preview as a photo, as far as eight requests at a time do."""

    OUTSTANDING = 8

    def __init__(self, client: firstlight.Client, session: str, quality: Quality) -> None:
        """Of a running session."""
        self.client, self.session, self.quality = client, session, quality
        self.photos: list[firstlight.Photo] = []
        self.asked = 0
        self.arrivals: list[float] = []
        self.sequences: list[int] = []
        self.took = 0.0

    def run(self, seconds: float) -> None:
        """Until all that was asked for in that time is there."""
        free = threading.Semaphore(self.OUTSTANDING)
        with (
            concurrent.futures.ThreadPoolExecutor(self.OUTSTANDING) as pool,
            self.client.preview(self.session, max_size=(320, 180)) as preview,
        ):
            begin = time.monotonic()
            for frame in preview:
                self.arrivals.append(time.monotonic())
                self.sequences.append(frame.sequence)
                if self.arrivals[-1] - begin > seconds:
                    break
                if free.acquire(blocking=False):
                    self.asked += 1
                    pool.submit(self._shoot, frame).add_done_callback(lambda _: free.release())
            pool.shutdown()
            self.took = time.monotonic() - begin

    def _shoot(self, frame: firstlight.Frame) -> None:
        photo = self.client.photo(self.session, of=frame, quality=self.quality)
        assert photo.sequence == frame.sequence
        self.photos.append(photo)

    def __str__(self) -> str:
        """One line of the table; the preview's rate is of frames that came, its interval in periods."""
        distinct = len({photo.sequence for photo in self.photos})
        frames = statistics.mean(photo.fused_frame_count for photo in self.photos)
        watched = self.arrivals[-1] - self.arrivals[0]
        intervals = [(b - a) * 30 for a, b in itertools.pairwise(self.arrivals)]
        return (
            f"{distinct / self.took:10.1f}{self.asked - distinct:6}{frames:8.1f}{len(intervals) / watched:13.1f}"
            f"{percentile(intervals, 0.99):8.2f} periods"
        )


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
    parser.add_argument("what", choices=["shots", "shutter"])
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--count", type=int, default=200, help="photos of each kind (`shutter`)")
    parser.add_argument("--seconds", type=float, default=30, help="for each line (`shots`)")
    arguments = parser.parse_args()
    with daemon(arguments.daemon) as running:
        if arguments.what == "shutter":
            shutter(running, arguments.count)
        else:
            with firstlight.connect(running.address) as client:
                shots(client, arguments.seconds)


if __name__ == "__main__":
    main()
