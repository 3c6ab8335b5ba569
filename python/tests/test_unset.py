"""What a caller leaves out stays unset in what the client sends, so that the defaults of the daemon apply."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import numpy as np
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

import firstlight
from firstlight import overlays
from firstlight.v1 import photo_library_service_pb2, photo_pb2

#: A value for each argument that a caller has to give.
GIVEN = {
    "capacity": 1,
    "changes": [photo_library_service_pb2.AssetChange()],
    "configuration": firstlight.configuration("devices/a"),
    "controls": {"gain": None},
    "data": b"a",
    "delay": 1,
    "device": "devices/a",
    "elements": [],
    "exposures": [firstlight.Exposure(bias=1.0)],
    "height": 0.5,
    "id": "a",
    "input": "a",
    "inputs": ["a", "b"],
    "layers": [firstlight.layer("a", (0, 0, 2, 2))],
    "name": "assets/a",
    "output": "a",
    "picture": np.zeros((2, 2, 4), np.uint8),
    "recording": "recordings/a",
    "rectangle": (0, 0, 2, 2),
    "seconds": 1,
    "session": "sessions/a",
    "settings": [photo_pb2.PhotoSettings()],
    "size": (2, 2),
    "start": 1,
    "text": "a",
    "unique_id": "a",
    "width": 0.5,
    "x": 0.5,
    "y": 0.5,
}
#: Fields that the client sets by itself: what its own connection takes, what makes a commit a dry run, and the kind of
#: devices that a method is for.
OWN = {"max_message_bytes", "media_type", "validate_only"}
HELPERS = [
    firstlight.audio_input,
    firstlight.camera_input,
    firstlight.composition_input,
    firstlight.configuration,
    firstlight.connection,
    firstlight.layer,
    firstlight.microphone,
    firstlight.movie_output,
    firstlight.video_data_output,
    firstlight.writer_configuration,
    overlays.box,
    overlays.image,
    overlays.text,
]
METHODS = [
    name
    for name, _ in inspect.getmembers(firstlight.Client, inspect.isfunction)
    if not name.startswith("_") and name != "close"
]


class SentError(Exception):
    """Raised in place of a call, with its first request."""


class Channel(grpc.Channel):
    """A connection that sends nothing."""

    def unary_unary(self, *_: Any, **__: Any) -> Callable:
        def call(request: Message, **_: Any) -> None:
            raise SentError(request)

        return call

    unary_stream = unary_unary

    def stream_stream(self, *_: Any, **__: Any) -> Callable:
        def call(requests: Iterator[Message], **_: Any) -> None:
            raise SentError(next(requests))

        return call

    stream_unary = stream_stream

    def subscribe(self, callback: Callable, try_to_connect: bool | None = False) -> None: ...

    def unsubscribe(self, callback: Callable) -> None: ...

    def close(self) -> None: ...


def called(function: Callable, **arguments: Any) -> Any:
    """Calls a function with the arguments that it needs."""
    needed = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    return function(**{name: GIVEN[name] for name in needed if name not in arguments} | arguments)


def chosen(message: Message) -> set[str]:
    """The choices that a message makes: the fields of it and of its parts that have a boolean, a name of an enum or a
    number that could be unset.
    """
    found = set()
    for field, value in message.ListFields():
        values = [value] if isinstance(value, Message) or not hasattr(value, "__iter__") else value
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            found |= {name for part in values if isinstance(part, Message) for name in chosen(part)}
        elif field.type in (FieldDescriptor.TYPE_BOOL, FieldDescriptor.TYPE_ENUM) or (
            field.has_presence and (field.containing_oneof is None or field.containing_oneof.name == f"_{field.name}")
        ):
            found.add(field.name)
    return found - OWN


@pytest.mark.parametrize("helper", HELPERS, ids=lambda helper: helper.__name__)
def test_fault_F9_a_helper_chooses_nothing_by_itself(helper):
    arguments = {"device": "devices/a"} if helper is firstlight.configuration else {}
    assert chosen(called(helper, **arguments)) == set()


def first_request(method: Callable, **arguments: Any) -> Message:
    """The first request that a method of the client sends."""
    try:
        # A list sends its request when the first item is asked for.
        next(called(method, **arguments))
    except SentError as sent:
        return sent.args[0]
    raise AssertionError("the method sent nothing")


@pytest.mark.parametrize("method", METHODS)
def test_fault_F9_a_method_chooses_nothing_by_itself(method, tmp_path):
    function = getattr(firstlight.Client(Channel()), method)
    needs_path = "path" in inspect.signature(function).parameters
    assert chosen(first_request(function, **({"path": tmp_path / "file"} if needs_path else {}))) == set()


def test_fault_F9_what_is_given_is_sent():
    made = firstlight.connection("movie", enabled=True, mirrored=False, rotated=0)
    assert chosen(made) == {"enabled", "video_mirrored", "video_rotation_angle"}
