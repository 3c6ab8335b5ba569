"""Measures a launch: from StartSession to the first frame and the first photo at a client on the same machine.

The compared variants take turns in one run, so that other load on the machine hits both. The program prints their
medians, the ratio, and whether it is within its bound. It lists the bounds that were missed at the end, and then fails.
It asserts nothing else, because times depend on the machine.

A synthetic camera exposes a frame when the camera has started, so StartSession starts its clock.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import pathlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

from bounds import Bounds
from google.protobuf import duration_pb2
from measured import await_measured

import firstlight
from firstlight.daemon import Daemon
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2, fault_injection_service_pb2_grpc as fault_grpc
from firstlight.v1 import session_configuration_pb2 as configuration_pb2

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAMERA = "devices/synthetic-0"
SIZES = {"1080p": (1920, 1080), "4K": (3840, 2160)}
INIT_DELAY_MS = 250


@contextlib.contextmanager
def connected(binary: pathlib.Path) -> Iterator[firstlight.Client]:
    """A daemon with a synthetic camera. Gives a client of this daemon."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ("--synthetic", "1", "--enable-fault-injection", "--data-dir", folder)
        with (
            Daemon(binary, *flags, log=pathlib.Path(folder) / "log") as daemon,
            firstlight.connect(daemon.address) as client,
        ):
            yield client


def delay_outputs(client: firstlight.Client, milliseconds: int) -> None:
    """Makes the preparation of outputs slow."""
    fault = fault_pb2.OutputInitDelayFault(delay=duration_pb2.Duration(nanos=milliseconds * 1_000_000))
    request = fault_pb2.InjectFaultRequest(device=CAMERA, output_init_delay=fault)
    fault_grpc.FaultInjectionServiceStub(client.channel).InjectFault(request)


def wanted(size: tuple[int, int], *, deferred: bool | None, data: int = 1) -> configuration_pb2.SessionConfiguration:
    """A configuration with a preview and, unless `deferred` is None, a photo output and `data` video data outputs."""
    configuration = firstlight.configuration(
        CAMERA, pixel_format="NV12", size=size, frame_rate=30, photo=deferred is not None
    )
    if deferred is None:
        return configuration
    configuration.photo.deferred_start_enabled = deferred
    for index in range(data):
        configuration.video_data.add(id=f"data-{index}", deferred_start_enabled=deferred)
    return configuration


_names = itertools.count(1)


def session(client: firstlight.Client, configuration: configuration_pb2.SessionConfiguration) -> str:
    """A new session with this configuration. It is new, because the outputs of a session that ran before are prepared
    already.
    """
    name = client.create_session(f"launch-{next(_names)}").name
    client.configure(name, configuration)
    return name


def first_frame(client: firstlight.Client, configuration: configuration_pb2.SessionConfiguration) -> float:
    """The milliseconds from StartSession to the first frame in this process."""
    name = session(client, configuration)
    with client.preview(name, encoding=firstlight.Encoding.JPEG) as preview:
        begin = time.monotonic()
        client.start(name)
        next(preview)
        took = time.monotonic() - begin
    client.delete_session(name)
    return took * 1000


def first_photo(client: firstlight.Client, configuration: configuration_pb2.SessionConfiguration) -> float:
    """The milliseconds from StartSession to the first photo, which is requested as soon as a frame has come."""
    name = session(client, configuration)
    with client.preview(name, encoding=firstlight.Encoding.JPEG) as preview:
        begin = time.monotonic()
        client.start(name)
        client.photo(name, of=next(preview))
        took = time.monotonic() - begin
    client.delete_session(name)
    return took * 1000


def alternate(runs: int, *measures: Callable[[], float]) -> list[float]:
    """The median of each measure. The measures take turns."""
    results: list[list[float]] = [[] for _ in measures]
    for _ in range(runs):
        for result, measure in zip(results, measures, strict=True):
            result.append(measure())
    return [statistics.median(result) for result in results]


def report(bounds: Bounds, what: str, measured: float, against: float, passes: bool | None) -> None:
    """Prints one line of the table, and notes a missed bound. With `passes` None the line has no bound."""
    verdict = ""
    if passes is not None:
        verdict = "pass" if bounds.check(passes, f"{what}: {measured:.1f} against {against:.1f} ms") else "FAIL"
    print(f"{what:<62}{measured:>9.1f}{against:>9.1f}{measured / against:>8.2f}  {verdict}", flush=True)


def within(measured: float, against: float, share: float, milliseconds: float) -> bool:
    """Whether a median is at most `share`, or `milliseconds` if that is more, above another."""
    return measured <= against + max(share * against, milliseconds)


def against_preview_alone(client: firstlight.Client, runs: int, data: int, name: str, bounds: Bounds) -> None:
    """Checks that a launch with all other outputs deferred takes as long as a launch with the preview alone."""
    size = SIZES[name]
    deferred, alone = alternate(
        runs,
        lambda: first_frame(client, wanted(size, deferred=True, data=data)),
        lambda: first_frame(client, wanted(size, deferred=None)),
    )
    report(bounds, f"(a) {name}: all deferred / preview alone", deferred, alone, within(deferred, alone, 0.05, 5))


def launches(client: firstlight.Client, runs: int, data: int, bounds: Bounds) -> None:
    """Compares deferral with a session that has nothing to defer, and with no deferral."""
    for name in SIZES:
        against_preview_alone(client, runs, data, name, bounds)
    size = SIZES["1080p"]
    deferred, eager = alternate(
        runs,
        lambda: first_frame(client, wanted(size, deferred=True, data=data)),
        lambda: first_frame(client, wanted(size, deferred=False, data=data)),
    )
    report(bounds, "(b) 1080p: all deferred / none deferred, as it is", deferred, eager, None)
    photo_deferred, photo_eager = alternate(
        runs,
        lambda: first_photo(client, wanted(size, deferred=True, data=data)),
        lambda: first_photo(client, wanted(size, deferred=False, data=data)),
    )
    line = "(d) 1080p: first photo, deferred / none deferred"
    report(bounds, line, photo_deferred, photo_eager, within(photo_deferred, photo_eager, 0.05, 10))


def slow_outputs(client: firstlight.Client, runs: int, data: int, bounds: Bounds) -> None:
    """Compares launches with outputs that take long to prepare."""
    delay_outputs(client, INIT_DELAY_MS)
    size = SIZES["1080p"]
    deferred, eager, photo_alone = alternate(
        max(5, runs // 4),
        lambda: first_frame(client, wanted(size, deferred=True, data=data)),
        lambda: first_frame(client, wanted(size, deferred=False, data=data)),
        lambda: first_frame(client, wanted(size, deferred=False, data=0)),
    )
    delay_outputs(client, 0)
    line = f"(b) outputs of {INIT_DELAY_MS} ms: all deferred / none deferred, at most 0.20"
    report(bounds, line, deferred, eager, deferred <= 0.2 * eager)
    line = f"(c) none deferred: {1 + data} slow outputs / 1 slow output"
    report(bounds, line, eager, photo_alone, within(eager, photo_alone, 0.05, 10))


def attaches(client: firstlight.Client, count: int, bounds: Bounds) -> None:
    """Measures a second viewer of a running session."""
    name = session(client, wanted(SIZES["1080p"], deferred=True, data=0))
    client.start(name)
    took = []
    with client.preview(name) as first:
        next(first)
        for _ in range(count):
            # The viewers come at different instants of a frame's period.
            next(first)
            begin = time.monotonic()
            with client.preview(name) as second:
                next(second)
                took.append((time.monotonic() - begin) * 1000)
    client.delete_session(name)
    p99 = statistics.quantiles(took, n=100)[98]
    report(bounds, f"(e) second viewer: first frame, p99 of {count} / 10 ms", p99, 10, p99 <= 10)


def boot(binary: pathlib.Path, folder: str) -> float:
    """The milliseconds from a daemon's start to the first frame in this process. Returns when the daemon has measured
    the machine.
    """
    begin = time.monotonic()
    flags = ("--synthetic", "1", "--data-dir", folder)
    with (
        Daemon(binary, *flags, log=pathlib.Path(folder) / "log") as daemon,
        firstlight.connect(daemon.address) as client,
    ):
        configuration = wanted(SIZES["1080p"], deferred=True)
        name = client.create_session("boot", configuration=configuration, start=True).name
        with client.preview(name, encoding=firstlight.Encoding.JPEG) as preview:
            next(preview)
            took = time.monotonic() - begin
        client.stop(name)
        await_measured(client, name)
    return took * 1000


def boots(binary: pathlib.Path, runs: int, bounds: Bounds) -> None:
    """Compares the first launch, with an empty data folder, to the second, which knows the machine."""
    boot_again: list[tempfile.TemporaryDirectory[str]] = []

    def first() -> float:
        boot_again.append(tempfile.TemporaryDirectory())
        return boot(binary, boot_again[-1].name)

    def second() -> float:
        with boot_again.pop() as folder:
            return boot(binary, folder)

    first_ms, second_ms = alternate(runs, first, second)
    line = "(f) process to first frame: empty data folder / machine known"
    report(bounds, line, first_ms, second_ms, within(first_ms, second_ms, 0.03, 3))


def data_outputs(client: firstlight.Client) -> int:
    """Returns 2 where the daemon has video data outputs, else 0."""
    name = client.create_session("probe").name
    try:
        resolved, issues = client.check(name, wanted(SIZES["1080p"], deferred=True, data=2))
        return 2 if len(resolved.resolved_configuration.video_data) == 2 and not issues else 0
    finally:
        client.delete_session(name)


def main() -> None:
    """Runs everything and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--attaches", type=int, default=100)
    parser.add_argument("--boots", type=int, default=15)
    options = parser.parse_args()
    bounds = Bounds()
    print(f"{'launch: milliseconds':<62}{'measured':>9}{'against':>9}{'ratio':>8}")
    with connected(options.daemon) as client:
        data = data_outputs(client)
        launches(client, options.runs, data, bounds)
        slow_outputs(client, options.runs, data, bounds)
        attaches(client, options.attaches, bounds)
    boots(options.daemon, options.boots, bounds)
    print(
        f"Medians of {options.runs} runs in turns (15 with slow outputs, {options.boots} of (f)); photo and "
        f"{data} video data outputs.",
        flush=True,
    )
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main()
