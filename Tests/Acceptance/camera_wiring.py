"""Cameras of a session and the outputs that take them, with random changes, for walks through many commits."""

from __future__ import annotations

import copy
import dataclasses
import random

import firstlight
from camera_sets import CAMERAS, SMALL
from composed_wiring import ID, OUTPUT as COMPOSED, Composed
from firstlight import camera_input, connection, video_data_output
from firstlight.v1 import session_configuration_pb2 as configuration_pb2

OUTPUTS = [f"data-{number}" for number in range(4)]
#: The most cameras of the session at once.
MOST = 4


@dataclasses.dataclass
class Camera:
    """An input: the number in its id, the number of its device, and its frames per second."""

    input: int
    device: int
    rate: int = 60


@dataclasses.dataclass
class Wiring:
    """Some of the cameras, the number of the input of each output and whether it is connected, and a composition, which
    has an output of its own.
    """

    cameras: list[Camera] = dataclasses.field(default_factory=lambda: [Camera(0, 0), Camera(1, 1)])
    wires: list[int] = dataclasses.field(default_factory=lambda: [0, 1, 0, 1])
    enabled: list[bool] = dataclasses.field(default_factory=lambda: [True] * len(OUTPUTS))
    composed: Composed | None = None

    def configuration(self) -> configuration_pb2.SessionConfiguration:
        """The configuration for the daemon."""
        inputs = [
            camera_input(CAMERAS[camera.device], id=f"cam-{camera.input}", **{**SMALL, "frame_rate": camera.rate})
            for camera in self.cameras
        ]
        connections = [
            connection(output, input=f"cam-{wire}", enabled=enabled)
            for output, wire, enabled in zip(OUTPUTS, self.wires, self.enabled, strict=True)
        ]
        if self.composed is not None:
            inputs.append(self.composed.message())
            connections.append(connection(COMPOSED, input=ID, enabled=self.composed.enabled))
        return firstlight.configuration(
            inputs=inputs,
            preview=False,
            photo=False,
            video_data=[video_data_output(output, queue_depth=32) for output in [*OUTPUTS, COMPOSED]],
            connections=connections,
        )

    def camera(self, output: int) -> Camera | None:
        """The camera whose frames an output gets."""
        return self.on_input(self.wires[output]) if self.enabled[output] else None

    def on_input(self, input: int) -> Camera:
        """The camera of an input."""
        (camera,) = (camera for camera in self.cameras if camera.input == input)
        return camera

    def clock(self) -> Camera | None:
        """The camera whose frames are the clock of the composition; None while there is none or no output takes it."""
        shown = self.composed is not None and self.composed.enabled
        return self.on_input(self.composed.layers[0].input) if shown else None

    def on(self, device: int) -> Camera | None:
        """The camera that has a device."""
        return next((camera for camera in self.cameras if camera.device == device), None)

    def is_used(self, device: int) -> bool:
        """Whether a device streams unless it is away: an output takes its frames, alone or in a composition, or it is
        the only camera.
        """
        camera = self.on(device)
        if camera is None:
            return False
        is_shown = self.composed is not None and self.composed.shows(camera.input)
        is_taken = any(self.camera(output) == camera for output in range(len(OUTPUTS)))
        return len(self.cameras) == 1 or is_taken or is_shown

    def accepts(self, following: Wiring, away: set[int]) -> bool:
        """Whether a commit must succeed while these devices are away: it asks for nothing of them."""
        return all(
            (after := following.on(device)) is None
            or (
                len(self.cameras) > 1
                and after == self.on(device)
                and (self.is_used(device) or not following.is_used(device))
            )
            for device in away
        )

    def changed(self, dice: random.Random) -> tuple[Wiring, str]:
        """Another wiring after one random change, and what the change is."""
        after = copy.deepcopy(self)
        return after, after._change(dice)

    def _change(self, dice: random.Random) -> str:
        return self._change_composition(dice) if dice.random() < 0.4 else self._change_cameras(dice)

    def _change_composition(self, dice: random.Random) -> str:
        inputs = [camera.input for camera in self.cameras]
        if self.composed is None:
            self.composed = Composed.of(inputs, dice)
            return f"add {self.composed}"
        if dice.random() < 1 / 8:
            self.composed = None
            return "remove the composition"
        return self.composed.change(inputs, dice)

    def _change_cameras(self, dice: random.Random) -> str:
        camera, output = dice.choice(self.cameras), dice.randrange(len(OUTPUTS))
        free = dice.choice([device for device in range(len(CAMERAS)) if self.on(device) is None])
        number = next(n for n in range(MOST + 1) if n not in [camera.input for camera in self.cameras])
        kind = dice.choice(["add", "add", "remove", "swap", "rename", "wire", "connect", "rate", "order", "exchange"])
        if kind == "add" and len(self.cameras) < MOST:
            self.cameras.insert(dice.randrange(len(self.cameras)), Camera(number, free))
            self.wires[output] = number
            return f"add {free} as cam-{number} for {OUTPUTS[output]}"
        if kind == "remove" and len(self.cameras) > 1:
            self.cameras.remove(camera)
            self._rewire(camera.input, dice.choice(self.cameras).input)
            return f"remove cam-{camera.input}"
        if kind == "swap":
            camera.device = free
            return f"swap cam-{camera.input} for {free}"
        if kind == "rename":
            self._rewire(camera.input, number)
            before, camera.input = camera.input, number
            return f"call cam-{before} cam-{number}"
        if kind == "wire":
            self.wires[output] = camera.input
            return f"wire {OUTPUTS[output]} to cam-{camera.input}"
        if kind == "connect":
            self.enabled[output] = not self.enabled[output]
            return f"{OUTPUTS[output]} is {'connected' if self.enabled[output] else 'disconnected'}"
        if kind == "rate":
            camera.rate = 90 - camera.rate
            return f"cam-{camera.input} at {camera.rate}"
        if kind == "exchange":
            other = (output + 1) % len(OUTPUTS)
            self.wires[output], self.wires[other] = self.wires[other], self.wires[output]
            return f"exchange {OUTPUTS[output]} and {OUTPUTS[other]}"
        dice.shuffle(self.cameras)
        return "another order"

    def _rewire(self, before: int, after: int) -> None:
        self.wires = [after if wire == before else wire for wire in self.wires]
        if self.composed is not None:
            self.composed.rewire(before, after)
