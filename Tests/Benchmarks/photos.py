"""Measures photos on a synthetic camera at 1080p, 30 frames per second.

`shots`: photos per second for each set of features and each quality, asked for as fast as they are taken.
`shutter`: whether the photo shows the frame that the person saw, by the pixels, with a link that delays; and how long a
request takes to hold its frame while 20 readers watch.

Nothing is asserted: times depend on the machine.
"""

from __future__ import annotations

import argparse
import contextlib
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
def session(client: firstlight.Client, **features: object) -> Iterator[str]:
    """A running session whose photo output is ready."""
    name = client.create_session().name
    client.configure(
        name, firstlight.configuration(CAMERA, pixel_format="NV12", size=(1920, 1080), frame_rate=30, **features)
    )
    client.start(name)
    client.photo(name)
    try:
        yield name
    finally:
        client.delete_session(name)


def percentile(values: list[float], share: float) -> float:
    """The value that so many of them do not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def shots(client: firstlight.Client, count: int) -> None:
    """Photos per second."""
    with session(client) as name:
        most = Quality(client.session(name).resolved_configuration.photo.supported_max_quality_prioritization)
    qualities = [quality for quality in Quality if quality <= most]
    print(f"{'photos per second, 1080p':28}" + "".join(f"{quality.name:>10}" for quality in qualities))
    for label, features in FEATURES.items():
        row = ""
        for quality in qualities:
            with session(client, max_quality=most, **features) as name:
                row += f"{rate(client, name, quality, count):10.1f}"
        print(f"{label:28}{row}", flush=True)


def rate(client: firstlight.Client, name: str, quality: Quality, count: int) -> float:
    """Photos per second with eight requests outstanding."""
    left = iter(range(count))
    lock = threading.Lock()

    def shoot() -> None:
        while True:
            with lock:
                if next(left, None) is None:
                    return
            client.photo(name, quality=quality)

    threads = [threading.Thread(target=shoot) for _ in range(8)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count / (time.monotonic() - start)


def shutter(daemon: Daemon, count: int) -> None:
    """The frame in the photo against the frame seen."""
    for delay in (0.0, 0.05, 0.2):
        with SlowLink(daemon.address, bytes_per_second=1e9, delay=delay) as link:
            for zero_shutter_lag in (True, False):
                with (
                    firstlight.connect(link.address) as client,
                    session(client, zero_shutter_lag=zero_shutter_lag) as name,
                ):
                    late = frames_late(client, name, count if zero_shutter_lag else max(1, count // 10))
                exact = sum(frames == 0 for frames in late)
                print(
                    f"{delay * 1000:4.0f} ms each way, zero shutter lag {'on ' if zero_shutter_lag else 'off'}: "
                    f"{exact} of {len(late)} photos show the frame seen; frames late: "
                    f"median {statistics.median(late):.0f}, worst {max(late)}",
                    flush=True,
                )
    with firstlight.connect(daemon.address) as client, session(client) as name, contextlib.ExitStack() as stack:
        for _ in range(20):
            watch(stack.enter_context(client.preview(name, max_size=(640, 360))))
        pins = [client.photo(name).pin_ns / 1e6 for _ in range(count)]
    median, worst = statistics.median(pins), percentile(pins, 0.99)
    print(f"request to held frame with 20 readers: median {median:.2f} ms, p99 {worst:.2f} ms")


def frames_late(client: firstlight.Client, name: str, count: int) -> list[int]:
    """How many frames after the one seen each photo was taken, by both pictures' boards."""
    late = []
    with client.preview(name, max_size=(640, 360)) as preview:
        for frame in preview:
            seen = firstlight.timecode.decode(frame.luma())
            photo = firstlight.timecode.decode(client.photo(name, of=frame).luma())
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
    parser.add_argument("--count", type=int, default=200, help="photos of each kind")
    arguments = parser.parse_args()
    with daemon(arguments.daemon) as running:
        if arguments.what == "shutter":
            shutter(running, arguments.count)
        else:
            with firstlight.connect(running.address) as client:
                shots(client, max(8, arguments.count // 5))


if __name__ == "__main__":
    main()
