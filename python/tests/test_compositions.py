"""The inputs that show several cameras in one picture."""

from __future__ import annotations

from fractions import Fraction

import pytest

import firstlight
from firstlight import LayerSource, composition_input, layer
from firstlight.v1 import composition_pb2, preview_service_pb2 as preview_pb2


def test_a_composition_has_the_layers_that_it_is_given():
    layers = [layer("wide", (0, 0, 1280, 720)), layer("close", [840, 460, 400, 225], order=1, mirrored=True)]
    made = composition_input("both", (1280, 720), layers, frame_rate=Fraction(30000, 1001))
    assert (made.id, made.device) == ("both", "")
    assert (made.composition.width, made.composition.height) == (1280, 720)
    assert (made.composition.frame_rate.numerator, made.composition.frame_rate.denominator) == (30000, 1001)
    assert list(made.composition.layers) == layers
    rect = layers[1].rect
    assert (rect.left, rect.top, rect.width, rect.height) == (840, 460, 400, 225)
    assert (layers[1].order, layers[1].mirrored, layers[1].corner_radius) == (1, True, 0)
    assert not composition_input("", (640, 360), layers).composition.HasField("frame_rate")


@pytest.mark.parametrize("rectangle", [(0, 0, 640), (-1, 0, 640, 360), (0.5, 0, 640, 360)])
def test_a_rectangle_is_four_whole_numbers(rectangle):
    with pytest.raises((ValueError, TypeError), match="rectangle"):
        layer("wide", rectangle)


def test_a_frame_says_what_each_layer_shows():
    message = preview_pb2.PreviewFrame(encoding=firstlight.Encoding.JPEG)
    message.sources.add(input="wide", stream_id=5, sequence=7, monotonic_time_ns=11).capture_time.FromNanoseconds(13)
    message.sources.append(composition_pb2.LayerSource(input="close", stale=True))
    assert firstlight.Frame.from_message(message).sources == (
        LayerSource("wide", 5, 7, 13, 11, stale=False),
        LayerSource("close", 0, 0, 0, 0, stale=True),
    )
