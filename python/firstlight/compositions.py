"""Compositions: inputs of a session whose pictures the daemon puts together from those of its cameras."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from fractions import Fraction

from firstlight import values
from firstlight.v1 import composition_pb2, session_configuration_pb2 as configuration_pb2


def composition_input(
    id: str,
    size: tuple[int, int],
    layers: Iterable[composition_pb2.CompositionLayer],
    *,
    frame_rate: float | Fraction | None = None,
) -> configuration_pb2.SessionInput:
    """Makes an input whose pictures show several cameras, for `inputs` of `configuration`, after the cameras.

    - `id`: the id of the input, which connections and frames name. Empty for `composition`.
    - `size`: width and height of the pictures in pixels, both even.
    - `layers`: what the pictures show, made by `layer`. The frames of the first layer are the clock: the pictures have
      its capture times and sequence numbers.
    - `frame_rate`: the most pictures per second; None for 30. A float becomes the nearest fraction.
    """
    wide = values.size("size", size)
    made = composition_pb2.Composition(width=wide.width, height=wide.height, layers=layers)
    if frame_rate is not None:
        made.frame_rate.CopyFrom(values.rate("frame_rate", frame_rate))
    return configuration_pb2.SessionInput(id=values.text("id", id), composition=made)


def layer(
    input: str,
    rectangle: tuple[int, int, int, int],
    *,
    order: int = 0,
    mirrored: bool = False,
    corner_radius: int = 0,
) -> composition_pb2.CompositionLayer:
    """Makes one layer of a composition.

    - `input`: the id of the camera's input.
    - `rectangle`: where the layer lies: left, top, width and height in pixels. The camera's picture fills it.
    - `order`: layers of a higher order lie over those of a lower one; of two of the same order, the later lies over
      the earlier.
    - `mirrored`: whether left and right of the camera's picture are exchanged.
    - `corner_radius`: the radius of the corners in pixels; 0 for sharp corners.
    """
    edges = tuple(rectangle)
    if len(edges) != 4:
        raise ValueError(f"rectangle must be left, top, width and height, got {rectangle!r}")
    left, top, width, height = (values.whole("rectangle", edge) for edge in edges)
    return composition_pb2.CompositionLayer(
        input=values.text("input", input),
        rect=composition_pb2.Rectangle(left=left, top=top, width=width, height=height),
        order=values.whole("order", order, values.SIGNED_32),
        mirrored=mirrored,
        corner_radius=values.whole("corner_radius", corner_radius),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class LayerSource:
    """What one layer of a composed picture shows."""

    #: The id of the input.
    input: str
    #: The stream of the frame that the layer shows; 0 when it shows nothing, because its camera has brought no frame.
    stream_id: int
    #: The driver's number of that frame.
    sequence: int
    #: When that frame was captured, in nanoseconds since the Unix epoch, on the daemon's wall clock.
    capture_time_ns: int
    #: When that frame was captured, in nanoseconds of the daemon's CLOCK_MONOTONIC. This time is authoritative.
    monotonic_time_ns: int
    #: Whether the camera brought no frame near enough to the time of the picture, so that the layer shows an earlier
    #: frame or nothing.
    stale: bool

    @classmethod
    def from_messages(cls, messages: Iterable[composition_pb2.LayerSource]) -> tuple[LayerSource, ...]:
        """Makes the sources of a picture from the messages that carried them."""
        return tuple(
            cls(
                input=message.input,
                stream_id=message.stream_id,
                sequence=message.sequence,
                capture_time_ns=message.capture_time.ToNanoseconds(),
                monotonic_time_ns=message.monotonic_time_ns,
                stale=message.stale,
            )
            for message in messages
        )
