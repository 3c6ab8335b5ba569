"""Measures how evenly frames come, and counts how many were lost."""

from __future__ import annotations

import collections
import itertools
from typing import NamedTuple

from firstlight.frames import Dropped, Frame


class Summary(NamedTuple):
    """The cadence of the newest frames of a stream. Times are in milliseconds.

    A percentile p of the intervals means that p of a hundred intervals from one frame to the next are at most so long.
    """

    #: The number of frames that `Cadence.add` took.
    frames: int
    #: The median of the intervals, milliseconds.
    interval_p50: float
    #: The 95th percentile of the intervals, milliseconds.
    interval_p95: float
    #: The 99th percentile of the intervals, milliseconds.
    interval_p99: float
    #: The mean difference between an interval and the one before it, milliseconds.
    jitter: float
    #: The frames that the reader missed since the first frame.
    dropped: Dropped

    def __str__(self) -> str:
        """The summary as one line of text, for people."""
        causes = self.dropped._asdict().items()
        lost = ", ".join(f"{count} {cause.replace('_', ' ')}" for cause, count in causes if count)
        return (
            f"{self.frames} frames, interval p50 {self.interval_p50:.1f} p95 {self.interval_p95:.1f}"
            f" p99 {self.interval_p99:.1f} ms, jitter {self.jitter:.1f} ms, lost {lost or 'none'}"
        )


class Cadence:
    """Remembers the intervals between the newest frames of a stream.

    Give each frame to `add`, always with the time of the same clock. `frame.monotonic_time_ns` measures the cadence of
    the camera; `time.monotonic_ns()`, read when the frame arrives, measures the cadence that a person sees.
    """

    def __init__(self, remembered: int = 10_000) -> None:
        """Remembers the newest `remembered` intervals. Frames and dropped frames are counted without limit."""
        self._intervals: collections.deque[int] = collections.deque(maxlen=remembered)
        self._last_ns: int | None = None
        self._stream_id: int | None = None
        self._frames = 0
        self._dropped = Dropped(0, 0, 0)

    def add(self, frame: Frame, at_ns: int) -> None:
        """Takes the next frame, and its time in nanoseconds.

        The pause before the first frame of a restarted camera does not count as an interval.
        """
        if self._last_ns is not None:
            self._dropped = Dropped(*map(sum, zip(self._dropped, frame.dropped, strict=True)))
            if frame.stream_id == self._stream_id:
                self._intervals.append(at_ns - self._last_ns)
        self._last_ns, self._stream_id = at_ns, frame.stream_id
        self._frames += 1

    def summary(self) -> Summary | None:
        """The cadence so far. None while there is no interval, which needs two frames of one stream."""
        if not self._intervals:
            return None
        ordered = sorted(self._intervals)

        def percentile(part: float) -> float:
            # The nearest rank, so that the result is an interval that was measured.
            return ordered[max(0, -int(-part * len(ordered) // 1) - 1)] / 1e6

        steps = [abs(after - before) for before, after in itertools.pairwise(self._intervals)]
        jitter = sum(steps) / len(steps) / 1e6 if steps else 0.0
        return Summary(self._frames, percentile(0.50), percentile(0.95), percentile(0.99), jitter, self._dropped)
