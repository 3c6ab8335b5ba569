"""The frames of several recordings, against which tests compare the movies of spans of time."""

from __future__ import annotations

import pathlib
import random
from collections.abc import Iterable, Iterator
from typing import Any

from firstlight.v1 import recording_pb2
from movies import Movie, read_movie

SECOND = 1_000_000_000
#: The tick of an exported movie, in seconds.
TICK = 1 / 1_000_000


class Footage:
    """All frames of some recordings of one session and one boot, in the order of their times."""

    def __init__(self, recordings: list[recording_pb2.Recording], folder: pathlib.Path, **reading: Any) -> None:
        self.recordings = recordings
        self.movies = [read_movie(folder / each.file, **reading) for each in recordings]
        #: The time and the board of each frame, by the name of its recording, and of all together. Recordings of one
        #: boot are as far apart as their monotonic times.
        self.frames_of = {}
        first = recordings[0]
        for each, movie in zip(recordings, self.movies, strict=True):
            start = each.start_monotonic_time_ns - first.start_monotonic_time_ns + first.start_time.ToNanoseconds()
            self.frames_of[each.name] = [
                (start + round(time * SECOND), found) for time, found in zip(movie.times, movie.boards, strict=True)
            ]
        self.frames = [frame for frames in self.frames_of.values() for frame in frames]

    def random_spans(self, seed: int, count: int, *, longest: int | None = None) -> Iterator[tuple[int, int]]:
        """The starts and the durations of some spans, in nanoseconds, each of at most `longest` frames. Each begins and
        ends between two frames.
        """
        chance = random.Random(seed)
        longest = min(longest or len(self.frames), len(self.frames))
        for _ in range(count):
            first = chance.randrange(len(self.frames) - longest + 1)
            begin, end = sorted(chance.sample(range(first, first + longest), 2))
            start, stop = self.frames[begin][0] - SECOND // 60, self.frames[end][0] + SECOND // 60
            yield start, stop - start

    def check(self, movie: Movie, start: int, duration: int, names: Iterable[str] | None = None) -> None:
        """Checks that a movie shows exactly the frames of a span, each at its time: those of the named recordings,
        where others lie in the span, too.
        """
        frames = self.frames if names is None else [frame for name in names for frame in self.frames_of[name]]
        expected = [frame for frame in frames if start <= frame[0] < start + duration]
        assert movie.boards == [found for _, found in expected]
        times = movie.times[-len(expected) :]
        for time, (captured, _) in zip(times, expected, strict=True):
            assert abs((time - times[0]) - (captured - expected[0][0]) / SECOND) < 2 * TICK
