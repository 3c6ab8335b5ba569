"""The committed figures, the margin for chance, and the verdicts on the counts that were found."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import statistics
from collections.abc import Iterable

from watched import Counts

SYSTEM_CALL = "system call "
FIGURES = pathlib.Path(__file__).with_name("figures.json")

#: For each scene and figure the excess over the committed figure that is still chance: several times the difference
#: between runs (docs/counts.md). For a figure that is missing here, one more counts as a growth.
_MARGINS = {
    # A launch that knows its cost allocates five times more often than one whose machine was not measured yet.
    ("launch", "allocations"): 8.0,
    ("launch", "bytes copied"): 4096.0,
    ("photo", "allocations"): 12.0,
    ("photo", "bytes copied"): 32768.0,
    # The end of the heap, which is chance, decides whether glibc returns a block to the system and gets it anew.
    ("launch", "page faults"): 128.0,
    ("photo", "page faults"): 400.0,
}
_MARGINS_OF_FRAMES = {"bytes copied": 1024.0}
_ONE_BY_ONE = 0.5
#: The margins as shares. The way threads meet differs most, and it makes up most of the work for many readers and for a
#: photo.
_INSTRUCTIONS = {"frame to 1 reader": 0.02, "frame to 20 readers": 0.04, "photo": 0.04}


@dataclasses.dataclass(frozen=True)
class Figure:
    """The count that was found in a scene, beside the committed one."""

    scene: str
    name: str
    committed: float
    found: float

    @property
    def margin(self) -> float:
        """The excess over the committed count that is still chance."""
        if self.name == "instructions":
            return _INSTRUCTIONS[self.scene] * self.committed
        return _MARGINS.get((self.scene, self.name), _MARGINS_OF_FRAMES.get(self.name, _ONE_BY_ONE))

    @property
    def is_exceeded(self) -> bool:
        """Whether the count exceeds the committed one by more than chance."""
        return self.found > self.committed + self.margin

    @property
    def is_less(self) -> bool:
        """Whether the count is so much smaller that the committed figure would let it grow back unnoticed."""
        return self.found < self.committed - self.margin

    @property
    def verdict(self) -> str:
        """The verdict in a word or two."""
        if self.is_exceeded:
            return "EXCEEDED"
        return "less: commit it" if self.is_less else "as committed"

    def sentence(self) -> str:
        """The sentence that says which figure was exceeded, and by how much."""
        more = number(self.found - self.committed)
        return f"{self.scene}: {self.name}: {number(self.found)}, {more} more than committed"


def number(value: float) -> str:
    """A number with as many digits as are meaningful."""
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:,.2f}"


def typical(scene: str, samples: list[Counts]) -> Counts:
    """The lower quartile of each count. Background noise mostly adds, so the lower quartile is closest to the work
    itself.

    For photos it is the median, because a third of them find memory that an earlier photo has left.
    """
    place = 1 if scene == "photo" else 0
    names = {name for sample in samples for name in sample}
    return {
        name: statistics.quantiles((sample.get(name, 0) for sample in samples), n=4, method="inclusive")[place]
        for name in sorted(names)
    }


def lowest(former: Counts, later: Counts) -> Counts:
    """The smaller of each two counts. A missing count is 0."""
    return {name: min(former.get(name, 0), later.get(name, 0)) for name in former.keys() | later.keys()}


def read() -> dict[str, Counts]:
    """The committed figures, by scene and name. Empty when there is no file."""
    return json.loads(FIGURES.read_text()) if FIGURES.exists() else {}


def write(compared: Iterable[Figure]) -> list[Figure]:
    """Writes the counts that differ from the committed ones, and returns them. The other figures stay, because chance
    is no change.
    """
    compared = list(compared)
    scenes: dict[str, Counts] = {}
    changed = []
    for figure in compared:
        differs = figure.is_exceeded or figure.is_less
        value = round(figure.found, 2) if differs else figure.committed
        if differs:
            changed.append(figure)
        if value > 0 or not figure.name.startswith(SYSTEM_CALL):
            scenes.setdefault(figure.scene, {})[figure.name] = value
    FIGURES.write_text(json.dumps(scenes, indent=2) + "\n")
    return changed


def compared(scene: str, committed: Counts, found: Counts) -> Iterable[Figure]:
    """All figures of a scene. A count that is not committed counts as 0."""
    for name in sorted(committed.keys() | found.keys()):
        figure = Figure(scene, name, committed.get(name, 0), found.get(name, 0))
        # A system call that happens only now and then needs no line.
        if name in committed or figure.found > 0 or not name.startswith(SYSTEM_CALL):
            yield figure
