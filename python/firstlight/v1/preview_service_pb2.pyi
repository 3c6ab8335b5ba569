import datetime

from firstlight.v1 import composition_pb2 as _composition_pb2
from firstlight.v1 import session_pb2 as _session_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PreviewGravity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PREVIEW_GRAVITY_UNSPECIFIED: _ClassVar[PreviewGravity]
    PREVIEW_GRAVITY_RESIZE: _ClassVar[PreviewGravity]
    PREVIEW_GRAVITY_RESIZE_ASPECT: _ClassVar[PreviewGravity]
    PREVIEW_GRAVITY_RESIZE_ASPECT_FILL: _ClassVar[PreviewGravity]
PREVIEW_GRAVITY_UNSPECIFIED: PreviewGravity
PREVIEW_GRAVITY_RESIZE: PreviewGravity
PREVIEW_GRAVITY_RESIZE_ASPECT: PreviewGravity
PREVIEW_GRAVITY_RESIZE_ASPECT_FILL: PreviewGravity

class StreamPreviewRequest(_message.Message):
    __slots__ = ("session", "output", "encoding", "max_size", "jpeg_quality", "max_message_bytes", "max_unacknowledged_frames", "gravity", "rotation", "max_frame_rate", "adaptive", "pixel_format")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    MAX_SIZE_FIELD_NUMBER: _ClassVar[int]
    JPEG_QUALITY_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_UNACKNOWLEDGED_FRAMES_FIELD_NUMBER: _ClassVar[int]
    GRAVITY_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    MAX_FRAME_RATE_FIELD_NUMBER: _ClassVar[int]
    ADAPTIVE_FIELD_NUMBER: _ClassVar[int]
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    session: str
    output: str
    encoding: _types_pb2.Encoding
    max_size: _types_pb2.Size
    jpeg_quality: int
    max_message_bytes: int
    max_unacknowledged_frames: int
    gravity: PreviewGravity
    rotation: int
    max_frame_rate: _types_pb2.Rational
    adaptive: bool
    pixel_format: str
    def __init__(self, session: _Optional[str] = ..., output: _Optional[str] = ..., encoding: _Optional[_Union[_types_pb2.Encoding, str]] = ..., max_size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., jpeg_quality: _Optional[int] = ..., max_message_bytes: _Optional[int] = ..., max_unacknowledged_frames: _Optional[int] = ..., gravity: _Optional[_Union[PreviewGravity, str]] = ..., rotation: _Optional[int] = ..., max_frame_rate: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ..., adaptive: bool = ..., pixel_format: _Optional[str] = ...) -> None: ...

class StreamPreviewResponse(_message.Message):
    __slots__ = ("status", "frame")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    FRAME_FIELD_NUMBER: _ClassVar[int]
    status: PreviewStatus
    frame: PreviewFrame
    def __init__(self, status: _Optional[_Union[PreviewStatus, _Mapping]] = ..., frame: _Optional[_Union[PreviewFrame, _Mapping]] = ...) -> None: ...

class PreviewStatus(_message.Message):
    __slots__ = ("stream_token", "session_state", "interruption_reason", "size", "encoding", "jpeg_quality", "every_nth_frame", "taking_still", "previewing", "pixel_format")
    STREAM_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SESSION_STATE_FIELD_NUMBER: _ClassVar[int]
    INTERRUPTION_REASON_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    JPEG_QUALITY_FIELD_NUMBER: _ClassVar[int]
    EVERY_NTH_FRAME_FIELD_NUMBER: _ClassVar[int]
    TAKING_STILL_FIELD_NUMBER: _ClassVar[int]
    PREVIEWING_FIELD_NUMBER: _ClassVar[int]
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    stream_token: str
    session_state: _session_pb2.Session.State
    interruption_reason: _types_pb2.InterruptionReason
    size: _types_pb2.Size
    encoding: _types_pb2.Encoding
    jpeg_quality: int
    every_nth_frame: int
    taking_still: bool
    previewing: bool
    pixel_format: str
    def __init__(self, stream_token: _Optional[str] = ..., session_state: _Optional[_Union[_session_pb2.Session.State, str]] = ..., interruption_reason: _Optional[_Union[_types_pb2.InterruptionReason, str]] = ..., size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., encoding: _Optional[_Union[_types_pb2.Encoding, str]] = ..., jpeg_quality: _Optional[int] = ..., every_nth_frame: _Optional[int] = ..., taking_still: bool = ..., previewing: bool = ..., pixel_format: _Optional[str] = ...) -> None: ...

class PreviewFrame(_message.Message):
    __slots__ = ("input", "stream_id", "sequence", "capture_time", "monotonic_time_ns", "timestamp_source", "width", "height", "encoding", "key_frame", "dropped", "config_revision", "planes", "omitted", "pixel_format", "sources", "data")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    MONOTONIC_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_SOURCE_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    KEY_FRAME_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    CONFIG_REVISION_FIELD_NUMBER: _ClassVar[int]
    PLANES_FIELD_NUMBER: _ClassVar[int]
    OMITTED_FIELD_NUMBER: _ClassVar[int]
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    input: str
    stream_id: int
    sequence: int
    capture_time: _timestamp_pb2.Timestamp
    monotonic_time_ns: int
    timestamp_source: _types_pb2.TimestampSource
    width: int
    height: int
    encoding: _types_pb2.Encoding
    key_frame: bool
    dropped: _types_pb2.DropCounts
    config_revision: int
    planes: _containers.RepeatedCompositeFieldContainer[_types_pb2.Plane]
    omitted: int
    pixel_format: str
    sources: _containers.RepeatedCompositeFieldContainer[_composition_pb2.LayerSource]
    data: bytes
    def __init__(self, input: _Optional[str] = ..., stream_id: _Optional[int] = ..., sequence: _Optional[int] = ..., capture_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., monotonic_time_ns: _Optional[int] = ..., timestamp_source: _Optional[_Union[_types_pb2.TimestampSource, str]] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., encoding: _Optional[_Union[_types_pb2.Encoding, str]] = ..., key_frame: bool = ..., dropped: _Optional[_Union[_types_pb2.DropCounts, _Mapping]] = ..., config_revision: _Optional[int] = ..., planes: _Optional[_Iterable[_Union[_types_pb2.Plane, _Mapping]]] = ..., omitted: _Optional[int] = ..., pixel_format: _Optional[str] = ..., sources: _Optional[_Iterable[_Union[_composition_pb2.LayerSource, _Mapping]]] = ..., data: _Optional[bytes] = ...) -> None: ...

class AcknowledgeFramesRequest(_message.Message):
    __slots__ = ("stream_token", "sequence")
    STREAM_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    stream_token: str
    sequence: int
    def __init__(self, stream_token: _Optional[str] = ..., sequence: _Optional[int] = ...) -> None: ...

class AcknowledgeFramesResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
