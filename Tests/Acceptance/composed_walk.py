"""What the reader of a composition may see in a walk through many commits."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import firstlight
from camera_wiring import Wiring
from composed_wiring import ID, LAYER, PLACES
from firstlight import LayerSource


@dataclasses.dataclass(frozen=True)
class SeenComposed:
    """What a composed frame says, and the board at each place."""

    revision: int
    input: str
    stream: int
    sequence: int
    dropped: firstlight.Dropped
    time_ns: int
    sources: tuple[LayerSource, ...]
    boards: tuple[firstlight.timecode.Timecode | None, ...]


class Pictures:
    """The frames of a composition without their pictures."""

    def __init__(self, frames: firstlight.Stream[firstlight.VideoFrame]) -> None:
        self._frames = frames

    def __iter__(self) -> Iterator[SeenComposed]:
        for frame in self._frames:
            luma = frame.luma()
            yield SeenComposed(
                frame.config_revision,
                frame.input,
                frame.stream_id,
                frame.sequence,
                frame.dropped,
                frame.capture_time_ns,
                frame.sources,
                tuple(
                    firstlight.timecode.decode(luma[top : top + LAYER[1], left : left + LAYER[0]])
                    for left, top in PLACES
                ),
            )

    def close(self) -> None:
        """Ends the stream."""
        self._frames.close()


def check_layers(seen: SeenComposed, wiring: Wiring) -> None:
    """Checks that a frame shows the layers of the wiring under its revision, each with a frame of the device that its
    camera has there, and nothing else.
    """
    composed = wiring.composed
    assert composed is not None, f"there is no composition: {seen}"
    assert composed.enabled, f"the composition is disconnected: {seen}"
    assert seen.input == ID, seen
    assert [source.input for source in seen.sources] == [f"cam-{layer.input}" for layer in composed.layers], seen
    expected: list[tuple[int, int, int] | None] = [None] * len(PLACES)
    for layer, source in zip(composed.layers, seen.sources, strict=True):
        if source.stream_id:
            device = wiring.on_input(layer.input).device
            expected[layer.place] = (source.sequence, source.capture_time_ns, device)
    assert list(seen.boards) == expected, f"not {expected} as in {composed}: {seen}"
    clock = seen.sources[0]
    assert (seen.sequence, seen.time_ns) == (clock.sequence, clock.capture_time_ns), seen


def check_stream(before: SeenComposed, after: SeenComposed) -> None:
    """Checks two frames that follow each other while the clock is the same camera."""
    assert before.stream == after.stream, (before, after)
    assert after.sequence == before.sequence + 1 + sum(after.dropped), (before, after)
