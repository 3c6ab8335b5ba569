"""Pairs the frames of several cameras by the times at which they were captured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

from firstlight.frames import Frame


class FramePairs(Iterator[tuple[Frame, ...]]):
    """Iterates over frames of several streams that belong together: one of each stream, in the order of the streams.

        with client.preview(session, "left") as left, client.preview(session, "right") as right:
            for one, other in firstlight.FramePairs(left, right, within_ns=16_000_000):
                ...

    Frames belong together when their `monotonic_time_ns` lie within `within_ns`. With a bound of at most half the time
    from one frame to the next, the partner of a frame is the nearest one. A frame is in one pair or in none.

    The times are those that the drivers give. Some drivers stamp a frame at the start of its exposure, and others at
    its arrival, which is later by the time of exposure and transfer. No pairing can know that time: for cameras of
    different drivers, measure it with something that both cameras see.

    The iteration waits for the next frame of every stream, and ends when one of the streams ends. It does not close the
    streams.
    """

    def __init__(self, *streams: Iterable[Frame], within_ns: int) -> None:
        """Pairs `streams`, two or more of the same daemon, whose frames lie at most `within_ns` nanoseconds apart."""
        if len(streams) < 2:
            raise ValueError(f"there are {len(streams)} streams, and a pair has frames of two or more")
        if within_ns < 0:
            raise ValueError(f"within_ns is {within_ns}, and must not be negative")
        self._streams = [iter(stream) for stream in streams]
        self._within_ns = within_ns
        self._heads: list[Frame | None] = [None] * len(streams)
        self._unpaired = [0] * len(streams)

    @property
    def unpaired(self) -> tuple[int, ...]:
        """How many frames of each stream found no partner, in the order of the streams.

        Frames that did not reach the program are not among them: `Frame.dropped` counts those. Frames that still waited
        for a partner when another stream ended are not among them either.
        """
        return tuple(self._unpaired)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[Frame, ...]:
        """Waits for the next frames that belong together."""
        while True:
            frames = [self._head(index) for index in range(len(self._streams))]
            newest = max(frame.monotonic_time_ns for frame in frames)
            # Later frames of the other streams are still further away from these.
            alone = [i for i, frame in enumerate(frames) if newest - frame.monotonic_time_ns > self._within_ns]
            for index in alone or range(len(frames)):
                self._heads[index] = None
            if not alone:
                return tuple(frames)
            for index in alone:
                self._unpaired[index] += 1

    def _head(self, index: int) -> Frame:
        """The oldest frame of a stream that is in no pair yet."""
        head = self._heads[index]
        if head is None:
            head = self._heads[index] = next(self._streams[index])
        return head
