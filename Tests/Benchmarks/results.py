"""The figures that bench.py measures of the servers, and their comparison."""

from __future__ import annotations

import dataclasses
import math
import statistics
import typing

from bounds import Bounds
from servers import Load

#: The largest ratios to native: CPU, 99th percentile of latency, memory.
CPU, P99, MEMORY = 1.25, 1.3, 1.5

#: The least share of the frames due that each reader must get in each round. The peers that Firstlight must beat may
#: deliver less: their CPU is then that of fewer frames, and their latency is infinite.
DELIVERED = 0.98

#: The frames in the pool of a session without a photo output: the newest frame, which is the only one in its ring
#: (RingPlan), the next one, which the camera draws meanwhile, and the one before, which may still be on its way to
#: readers. The frame that waits for a reader is the newest one, and the readers of one frame share it.
POOL_FRAMES = 3


@dataclasses.dataclass
class Result:
    """The figures of one server under one load."""

    #: The CPU microseconds for each delivered frame.
    cpu_us: float
    #: The same, less the CPU without a subscriber: the cost of the subscribers.
    path_us: float
    #: The CPU milliseconds without a subscriber, for each frame of the camera.
    idle_ms: float
    p50_ms: float
    p99_ms: float
    peak_mb: float
    own_mb: float
    #: The frames that arrived at the reader that got fewest, as a share of those due.
    delivered: float

    HEADER: typing.ClassVar[str] = (
        f"{'CPU us':>9}{'less':>9}{'nobody ms':>11}{'p50 ms':>9}{'p99 ms':>9}{'peak MB':>9}{'own MB':>8}"
        f"{'delivered':>11}"
    )

    def __str__(self) -> str:
        """One line of the table."""
        return (
            f"{self.cpu_us:>9.1f}{self.path_us:>9.1f}{self.idle_ms:>11.2f}{self.p50_ms:>9.2f}{self.p99_ms:>9.2f}"
            f"{self.peak_mb:>9.1f}{self.own_mb:>8.1f}{self.delivered:>11.1%}"
        )


def median(results: list[Result]) -> Result:
    """The median of each figure, and for `delivered` the least."""
    figures = {field.name: [getattr(result, field.name) for result in results] for field in dataclasses.fields(Result)}
    least = {"delivered": min(figures["delivered"])}
    return Result(**{name: statistics.median(values) for name, values in figures.items()} | least)


@dataclasses.dataclass
class Ratios:
    """Our figures divided by those of another server."""

    cpu: float
    p50: float
    p99: float

    @staticmethod
    def as_measured(ours: Result, other: Result) -> Ratios:
        """The ratios of the figures as measured, which include drawing."""
        return Ratios(
            _times(ours.cpu_us, other.cpu_us), _times(ours.p50_ms, other.p50_ms), _times(ours.p99_ms, other.p99_ms)
        )

    @staticmethod
    def of_fan_out(ours: Result, other: Result) -> Ratios:
        """The ratios without the cost of a server without subscribers. CPU counts less each server's own such cost, and
        our latency counts less the time that our drawing takes longer.
        """
        drawing_ms = ours.idle_ms - other.idle_ms
        return Ratios(
            _times(ours.path_us, other.path_us),
            _times(ours.p50_ms - drawing_ms, other.p50_ms),
            _times(ours.p99_ms - drawing_ms, other.p99_ms),
        )

    def __str__(self) -> str:
        """All ratios in one line."""
        return f"CPU {self.cpu:.2f}x, p50 {self.p50:.2f}x, p99 {self.p99:.2f}x"


def _times(ours: float, other: float) -> float:
    """The ratio of two figures.

    The ratio is infinite, so that no bound holds, when nothing is left of a figure: then more was subtracted than there
    was, which is no measurement. The same holds when our frame never came, whatever the other figure is.
    """
    return ours / other if 0 < ours < math.inf and other > 0 else math.inf


def _print(bounds: Bounds, load: Load, verdicts: dict[str, bool]) -> None:
    """Prints each verdict, and notes those that do not hold."""
    for what, holds in verdicts.items():
        print(f"{'':>14}{'pass' if bounds.check(holds, f'{load}: {what}') else 'FAIL'}: {what}")


def compare(load: Load, ours: Result, native: Result, bounds: Bounds) -> None:
    """Prints the ratios of the daemon to native, and checks them."""
    line = Ratios.of_fan_out(ours, native)
    pool_mb = POOL_FRAMES * load.payload / 1e6
    allowed_mb = MEMORY * native.peak_mb + pool_mb
    print(f"{'':>14}/ native, as measured: {Ratios.as_measured(ours, native)}")
    print(f"{'':>14}/ native, less nobody: {line}; this is the line")
    verdicts = {
        f"CPU {line.cpu:.2f} x native, at most {CPU}": line.cpu <= CPU,
        # When native's p99 is infinite, there is nothing to compare with.
        f"p99 {line.p99:.2f} x native's {native.p99_ms:.2f} ms, at most {P99}": line.p99 <= P99
        and math.isfinite(native.p99_ms),
        f"memory {ours.peak_mb:.1f} MB ({ours.peak_mb / native.peak_mb:.2f} x native), at most {allowed_mb:.1f} MB: "
        f"{MEMORY} x native and {pool_mb:.1f} MB of frames": ours.peak_mb <= allowed_mb,
    }
    _print(bounds, load, verdicts)


def check_delivery(load: Load, name: str, rounds: list[Result], bounds: Bounds) -> bool:
    """Checks that each reader of a server got its frames in every round."""
    verdicts = {}
    for number, result in enumerate(rounds, 1):
        what = (
            f"round {number}: a reader of {name} had {result.delivered:.1%} of what was due, at least {DELIVERED:.0%}"
        )
        verdicts[what] = result.delivered >= DELIVERED
    _print(bounds, load, verdicts)
    return all(verdicts.values())


def check_ahead(load: Load, ours: Result, name: str, other: Result, bounds: Bounds) -> None:
    """Prints whether the daemon is ahead of a peer, and checks it."""
    line = Ratios.of_fan_out(ours, other)
    print(f"{'':>14}/ {name}, as measured: {Ratios.as_measured(ours, other)}")
    print(f"{'':>14}/ {name}, less nobody: {line}; this is the line")
    verdicts = {
        f"ahead of {name} in CPU, {line.cpu:.2f}x": line.cpu < 1,
        f"ahead of {name} in p50, {line.p50:.2f}x": line.p50 < 1,
        f"ahead of {name} in p99, {line.p99:.2f}x": line.p99 < 1,
        f"ahead of {name} in peak memory, {ours.peak_mb / other.peak_mb:.2f}x": ours.peak_mb < other.peak_mb,
    }
    _print(bounds, load, verdicts)
