"""A composition of some of a session's cameras, with random changes, for walks through many commits."""

from __future__ import annotations

import dataclasses
import random

import firstlight
from firstlight.v1 import session_configuration_pb2 as configuration_pb2

#: The id of the composition, and the output that takes its pictures.
ID, OUTPUT = "both", "composed"
#: The size of a layer, which is that of the cameras, and the places for layers. No layer covers the board of another.
LAYER = (320, 180)
PLACES = [(0, 0), (320, 0), (0, 180), (320, 180)]
SIZE = (640, 360)


@dataclasses.dataclass
class Layer:
    """The number in the id of an input, and the number of the place where it lies."""

    input: int
    place: int


@dataclasses.dataclass
class Composed:
    """Layers, of which the first is the clock, and whether the output takes the pictures."""

    layers: list[Layer]
    enabled: bool = True

    @staticmethod
    def of(inputs: list[int], dice: random.Random) -> Composed:
        """A composition of up to three of these inputs."""
        shown = dice.sample(inputs, dice.randint(1, min(3, len(inputs))))
        places = dice.sample(range(len(PLACES)), len(shown))
        return Composed([Layer(input, place) for input, place in zip(shown, places, strict=True)])

    def message(self) -> configuration_pb2.SessionInput:
        """The input for the daemon."""
        layers = [firstlight.layer(f"cam-{layer.input}", (*PLACES[layer.place], *LAYER)) for layer in self.layers]
        # No camera is faster, so that each frame of the clock makes a picture.
        return firstlight.composition_input(ID, SIZE, layers, frame_rate=60)

    def shows(self, input: int) -> bool:
        """Whether a layer shows an input, and an output takes the pictures."""
        return self.enabled and any(layer.input == input for layer in self.layers)

    def rewire(self, before: int, after: int) -> None:
        """Shows another input in place of one."""
        for layer in self.layers:
            if layer.input == before:
                layer.input = after

    def change(self, inputs: list[int], dice: random.Random) -> str:
        """Makes one random change, and tells which."""
        kind, layer = dice.choice(["layers", "place", "show", "exchange", "clock", "connect"]), dice.choice(self.layers)
        if kind == "connect":
            self.enabled = not self.enabled
        elif kind == "place":
            free = [place for place in range(len(PLACES)) if place not in [each.place for each in self.layers]]
            layer.place = dice.choice(free)
        elif kind == "show":
            layer.input = dice.choice(inputs)
        elif kind == "exchange":
            other = dice.choice(self.layers)
            layer.place, other.place = other.place, layer.place
        elif kind == "clock":
            self.layers.append(self.layers.pop(0))
        else:
            self.layers = Composed.of(inputs, dice).layers
        return f"{kind}: {self}"

    def __str__(self) -> str:
        """The layers, for the message of a failure."""
        layers = ", ".join(f"cam-{layer.input} at {layer.place}" for layer in self.layers)
        return f"composition of {layers}{'' if self.enabled else ', disconnected'}"
