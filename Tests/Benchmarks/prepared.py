"""Measures what preparing saves: the first bracket at 1080p, prepared and not, in turn, each in a new daemon.

Fails unless the median is lower when prepared.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
import time

from photos import CAMERA, ROOT, daemon

import firstlight
from firstlight import Exposure
from firstlight.v1 import photo_pb2

EXPOSURES = [Exposure(bias=bias) for bias in (-1, 0, 1)]


def first_bracket(binary: pathlib.Path, prepared: bool) -> float:
    """Milliseconds from the request to the last photo."""
    settings = [photo_pb2.PhotoSettings(bracket=[exposure.bracketed() for exposure in EXPOSURES])]
    with daemon(binary) as running, firstlight.connect(running.address) as client:
        session = client.create_session().name
        client.configure(
            session, firstlight.configuration(CAMERA, pixel_format="NV12", size=(1920, 1080), frame_rate=30)
        )
        client.start(session)
        # Of nothing: so that both have a photo output that is ready.
        if not client.prepare_photos(session, settings if prepared else []):
            raise RuntimeError("not prepared")
        # A shot is counted in frames, so both begin with one.
        with client.preview(session, max_size=(320, 180)) as preview:
            next(preview)
            next(preview)
        begin = time.monotonic()
        client.bracket(session, EXPOSURES)
        return (time.monotonic() - begin) * 1000


def main() -> None:
    """Prints both medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", type=pathlib.Path, default=ROOT / ".build/release/firstlightd")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    took: dict[bool, list[float]] = {True: [], False: []}
    for number in range(arguments.rounds):
        for prepared in (True, False) if number % 2 else (False, True):
            took[prepared].append(first_bracket(arguments.daemon, prepared))
    medians = {prepared: statistics.median(values) for prepared, values in took.items()}
    for prepared, values in took.items():
        label = "prepared" if prepared else "not prepared"
        print(f"first bracket, {label:<14}{medians[prepared]:8.1f} ms ({min(values):.1f} to {max(values):.1f})")
    print(f"{'prepared / not':<29}{medians[True] / medians[False]:8.2f}x")
    if medians[True] >= medians[False]:
        sys.exit("missed: preparing saves nothing")


if __name__ == "__main__":
    main()
