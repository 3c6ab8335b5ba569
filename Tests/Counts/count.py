"""Counts the work of the release daemon for a launch, a frame and a photo. Fails when it is more than the committed
figures.

A test cannot assert times on a machine that others use, but it can count work. docs/counts.md says what is counted and
how.
"""

from __future__ import annotations

import argparse
import functools
import pathlib
import sys
import time
from collections.abc import Callable, Iterator

import figures
import frames
import instructions
import launch_and_photo
from watched import Counts

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: The number of samples of each scene.
LAUNCHES, PHOTOS, FRAMES, WINDOWS, COUNTED_PHOTOS = 20, 20, 60, 12, 8
#: The number of further measurements before an exceeded figure counts. A real growth shows in all of them.
AGAIN = 2

Measure = Callable[[], list[Counts]]


def measures(binary: pathlib.Path) -> Iterator[tuple[str, Measure]]:
    """The scenes and their measures. A scene may come again with other counts."""
    yield "launch", functools.partial(launch_and_photo.launches, binary, LAUNCHES)
    yield "frame to 1 reader", functools.partial(frames.delivered, binary, frames.JPEG, 1, FRAMES)
    yield "frame to 20 readers", functools.partial(frames.delivered, binary, frames.JPEG, 20, FRAMES)
    yield "raw frame to 2 readers", functools.partial(frames.delivered, binary, frames.RAW, 2, FRAMES)
    yield "photo", functools.partial(launch_and_photo.photos, binary, PHOTOS)
    if not instructions.are_comparable():
        print("SKIPPED: instructions: the committed figures are of a processor with AVX2", file=sys.stderr)
        return
    with instructions.counted(binary) as counted:
        yield "frame to 1 reader", functools.partial(instructions.delivered, counted, 1, WINDOWS)
        yield "frame to 20 readers", functools.partial(instructions.delivered, counted, 20, WINDOWS)
        yield "photo", functools.partial(instructions.photos, counted, COUNTED_PHOTOS)


def found(scene: str, measure: Measure, committed: Counts) -> Counts:
    """The counts of a scene. Where they exceed the committed ones, the least of several measurements."""
    counts = figures.typical(scene, measure())
    for _ in range(AGAIN):
        if not any(figure.is_exceeded for figure in figures.compared(scene, committed, counts)):
            break
        counts = figures.lowest(counts, figures.typical(scene, measure()))
    return counts


def main() -> None:
    """Counts everything, prints the table, and then fails or writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--write", action="store_true", help="commit what is found, where that is not as committed")
    options = parser.parse_args()
    begin = time.monotonic()
    committed = figures.read()
    scenes: dict[str, Counts] = {}
    for scene, measure in measures(options.daemon.resolve()):
        so_far = scenes.setdefault(scene, {})
        so_far |= found(scene, measure, committed.get(scene, {}))
    compared = [
        figure
        for scene, counts in scenes.items()
        for figure in figures.compared(scene, committed.get(scene, {}), counts)
        if figure.name in counts or figure.name != "instructions"
    ]
    print(f"{'counted':<50}{'committed':>12}{'found':>12}  verdict")
    for figure in compared:
        before, now = figures.number(figure.committed), figures.number(figure.found)
        print(f"{f'{figure.scene}: {figure.name}':<50}{before:>12}{now:>12}  {figure.verdict}")
    print(f"counted in {time.monotonic() - begin:.0f} s")
    if options.write:
        for figure in figures.write(compared):
            print(
                f"{figure.scene}: {figure.name}: {figures.number(figure.committed)} -> {figures.number(figure.found)}"
            )
    elif exceeded := [figure.sentence() for figure in compared if figure.is_exceeded]:
        advice = "Find what does it. If it is worth it, commit the new figures with scripts/count --write."
        sys.exit("\n".join(["", "more than committed:", *(f"  {line}" for line in exceeded), advice]))


if __name__ == "__main__":
    main()
