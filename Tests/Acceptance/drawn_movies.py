"""Movies of drawn pictures, which a writer makes."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable

import drawn
import firstlight
from movies import read_movie


def append(writer: firstlight.AssetWriter, numbers: Iterable[int]) -> None:
    """Appends the drawn pictures with these numbers, at their times."""
    for number in numbers:
        writer.append(drawn.nv12(number), number * drawn.PERIOD)


def check_movie(path: pathlib.Path, numbers: Iterable[int]) -> None:
    """Checks that a movie has exactly these pictures, at their times."""
    movie = read_movie(path)
    assert movie.sequences == list(numbers)
    movie.check_times()
