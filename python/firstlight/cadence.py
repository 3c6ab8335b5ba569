"""How evenly frames come, and what was lost."""

from __future__ import annotations

import collections
import itertools
from typing import NamedTuple

from firstlight.frames import Dropped, Frame


class Summary(NamedTuple):
    """The cadence of a stream, as far as it is remembered. Times are milliseconds."""

    #: Frames given.
    frames: int
    #: Between one frame and the next, half, 95 and 99 of a hundred at most so much.
    interval_p50: float
    interval_p95: float
    interval_p99: float
    #: Mean difference of an interval from the one before it.
    jitter: float
    #: Since the first frame.
    dropped: Dropped

    def __str__(self) -> str:
        """In one line, for people."""
        causes = self.dropped._asdict().items()
        lost = ", ".join(f"{count} {cause.replace('_', ' ')}" for cause, count in causes if count)
        return (
            f"{self.frames} frames, interval p50 {self.interval_p50:.1f} p95 {self.interval_p95:.1f}"
            f" p99 {self.interval_p99:.1f} ms, jitter {self.jitter:.1f} ms, lost {lost or 'none'}"
        )


class Cadence:
    """Remembers the intervals of a stream's newest frames.

    Give it each frame with one clock's reading: `frame.monotonic_time_ns` shows the camera's own cadence,
    `time.monotonic_ns()` on arrival what a person would see.
    """

    def __init__(self, remembered: int = 10_000) -> None:
        """Remembers so many intervals; drops are counted for ever."""
        self._intervals: collections.deque[int] = collections.deque(maxlen=remembered)
        self._last_ns: int | None = None
        self._stream_id: int | None = None
        self._frames = 0
        self._dropped = Dropped(0, 0, 0)

    def add(self, frame: Frame, at_ns: int) -> None:
        """Takes the next frame. The pause before a restarted camera's first one is no interval."""
        if self._last_ns is not None:
            self._dropped = Dropped(*map(sum, zip(self._dropped, frame.dropped, strict=True)))
            if frame.stream_id == self._stream_id:
                self._intervals.append(at_ns - self._last_ns)
        self._last_ns, self._stream_id = at_ns, frame.stream_id
        self._frames += 1

    def summary(self) -> Summary | None:
        """None before the second frame."""
        if not self._intervals:
            return None
        ordered = sorted(self._intervals)

        def percentile(part: float) -> float:
            # The nearest rank: an interval that there was.
            return ordered[max(0, -int(-part * len(ordered) // 1) - 1)] / 1e6

        steps = [abs(after - before) for before, after in itertools.pairwise(self._intervals)]
        jitter = sum(steps) / len(steps) / 1e6 if steps else 0.0
        return Summary(self._frames, percentile(0.50), percentile(0.95), percentile(0.99), jitter, self._dropped)
