import datetime

from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Composition(_message.Message):
    __slots__ = ("width", "height", "frame_rate", "layers")
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    FRAME_RATE_FIELD_NUMBER: _ClassVar[int]
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    width: int
    height: int
    frame_rate: _types_pb2.Rational
    layers: _containers.RepeatedCompositeFieldContainer[CompositionLayer]
    def __init__(self, width: _Optional[int] = ..., height: _Optional[int] = ..., frame_rate: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ..., layers: _Optional[_Iterable[_Union[CompositionLayer, _Mapping]]] = ...) -> None: ...

class CompositionLayer(_message.Message):
    __slots__ = ("input", "rect", "order", "mirrored", "corner_radius")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    RECT_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    MIRRORED_FIELD_NUMBER: _ClassVar[int]
    CORNER_RADIUS_FIELD_NUMBER: _ClassVar[int]
    input: str
    rect: Rectangle
    order: int
    mirrored: bool
    corner_radius: int
    def __init__(self, input: _Optional[str] = ..., rect: _Optional[_Union[Rectangle, _Mapping]] = ..., order: _Optional[int] = ..., mirrored: bool = ..., corner_radius: _Optional[int] = ...) -> None: ...

class Rectangle(_message.Message):
    __slots__ = ("left", "top", "width", "height")
    LEFT_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    left: int
    top: int
    width: int
    height: int
    def __init__(self, left: _Optional[int] = ..., top: _Optional[int] = ..., width: _Optional[int] = ..., height: _Optional[int] = ...) -> None: ...

class LayerSource(_message.Message):
    __slots__ = ("input", "stream_id", "sequence", "capture_time", "monotonic_time_ns", "stale")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    MONOTONIC_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    STALE_FIELD_NUMBER: _ClassVar[int]
    input: str
    stream_id: int
    sequence: int
    capture_time: _timestamp_pb2.Timestamp
    monotonic_time_ns: int
    stale: bool
    def __init__(self, input: _Optional[str] = ..., stream_id: _Optional[int] = ..., sequence: _Optional[int] = ..., capture_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., monotonic_time_ns: _Optional[int] = ..., stale: bool = ...) -> None: ...
