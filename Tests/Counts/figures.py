"""The committed figures, how far above them is chance, and what is said of what was found."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import statistics
from collections.abc import Iterable

from watched import Counts

SYSTEM_CALL = "system call "
FIGURES = pathlib.Path(__file__).with_name("figures.json")

#: Of each scene and each figure of it how much more than committed is no more than chance: several times of what runs
#: differ by (docs/counts.md). Of what is not named here one more is found.
_MARGINS = {
    # A launch that can tell what it costs allocates five times more than one whose machine was not measured yet.
    ("launch", "allocations"): 8.0,
    ("launch", "bytes copied"): 4096.0,
    ("photo", "allocations"): 12.0,
    ("photo", "bytes copied"): 32768.0,
    # Where the heap happens to end decides whether glibc gives a block back to the system and has it anew.
    ("launch", "page faults"): 128.0,
    ("photo", "page faults"): 400.0,
}
_MARGINS_OF_FRAMES = {"bytes copied": 1024.0}
_ONE_BY_ONE = 0.5
#: Shares. What threads do to meet differs most, and that is most of what many readers and a photo take.
_INSTRUCTIONS = {"frame to 1 reader": 0.02, "frame to 20 readers": 0.04, "photo": 0.04}


@dataclasses.dataclass(frozen=True)
class Figure:
    """What was found of one thing, beside what is committed."""

    scene: str
    name: str
    committed: float
    found: float

    @property
    def margin(self) -> float:
        """How much more is no more than chance."""
        if self.name == "instructions":
            return _INSTRUCTIONS[self.scene] * self.committed
        return _MARGINS.get((self.scene, self.name), _MARGINS_OF_FRAMES.get(self.name, _ONE_BY_ONE))

    @property
    def is_exceeded(self) -> bool:
        """Whether it is more than committed, and not by chance."""
        return self.found > self.committed + self.margin

    @property
    def is_less(self) -> bool:
        """Whether it is so much less than committed that the committed figure would let it grow back."""
        return self.found < self.committed - self.margin

    @property
    def verdict(self) -> str:
        """In a word or two."""
        if self.is_exceeded:
            return "EXCEEDED"
        return "less: commit it" if self.is_less else "as committed"

    def sentence(self) -> str:
        """What was exceeded, and by how much."""
        more = number(self.found - self.committed)
        return f"{self.scene}: {self.name}: {number(self.found)}, {more} more than committed"


def number(value: float) -> str:
    """With as many digits as mean something."""
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:,.2f}"


def typical(scene: str, samples: list[Counts]) -> Counts:
    """Of each count the lower quartile: background noise mostly adds, so that is of what was done, each time.

    Of photos it is the median, because a third of them find memory that a former one has left.
    """
    place = 1 if scene == "photo" else 0
    names = {name for sample in samples for name in sample}
    return {
        name: statistics.quantiles((sample.get(name, 0) for sample in samples), n=4, method="inclusive")[place]
        for name in sorted(names)
    }


def lowest(former: Counts, later: Counts) -> Counts:
    """The smaller of each; what is missing is none."""
    return {name: min(former.get(name, 0), later.get(name, 0)) for name in former.keys() | later.keys()}


def read() -> dict[str, Counts]:
    """The committed figures, by scene and name."""
    return json.loads(FIGURES.read_text()) if FIGURES.exists() else {}


def write(compared: Iterable[Figure]) -> list[Figure]:
    """Commits what was found where that is not as committed, and gives those. The others stay: chance is no news."""
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
    """All figures of a scene. What is not committed counts as none."""
    for name in sorted(committed.keys() | found.keys()):
        figure = Figure(scene, name, committed.get(name, 0), found.get(name, 0))
        # A system call that is made now and then needs no line.
        if name in committed or figure.found > 0 or not name.startswith(SYSTEM_CALL):
            yield figure
