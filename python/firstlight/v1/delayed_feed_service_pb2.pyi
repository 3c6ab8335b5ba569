import datetime

from firstlight.v1 import preview_service_pb2 as _preview_service_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StreamDelayedFramesRequest(_message.Message):
    __slots__ = ("session", "output", "delay", "max_size", "jpeg_quality", "gravity", "rotation", "max_frame_rate")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    MAX_SIZE_FIELD_NUMBER: _ClassVar[int]
    JPEG_QUALITY_FIELD_NUMBER: _ClassVar[int]
    GRAVITY_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    MAX_FRAME_RATE_FIELD_NUMBER: _ClassVar[int]
    session: str
    output: str
    delay: _duration_pb2.Duration
    max_size: _types_pb2.Size
    jpeg_quality: int
    gravity: _preview_service_pb2.PreviewGravity
    rotation: int
    max_frame_rate: _types_pb2.Rational
    def __init__(self, session: _Optional[str] = ..., output: _Optional[str] = ..., delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., jpeg_quality: _Optional[int] = ..., gravity: _Optional[_Union[_preview_service_pb2.PreviewGravity, str]] = ..., rotation: _Optional[int] = ..., max_frame_rate: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ...) -> None: ...

class StreamDelayedFramesResponse(_message.Message):
    __slots__ = ("status", "frame", "delayed_history")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    FRAME_FIELD_NUMBER: _ClassVar[int]
    DELAYED_HISTORY_FIELD_NUMBER: _ClassVar[int]
    status: _preview_service_pb2.PreviewStatus
    frame: _preview_service_pb2.PreviewFrame
    delayed_history: DelayedHistory
    def __init__(self, status: _Optional[_Union[_preview_service_pb2.PreviewStatus, _Mapping]] = ..., frame: _Optional[_Union[_preview_service_pb2.PreviewFrame, _Mapping]] = ..., delayed_history: _Optional[_Union[DelayedHistory, _Mapping]] = ...) -> None: ...

class DelayedHistory(_message.Message):
    __slots__ = ("available_duration", "effective_delay", "frame_count", "byte_count", "byte_limit", "reader_count")
    AVAILABLE_DURATION_FIELD_NUMBER: _ClassVar[int]
    EFFECTIVE_DELAY_FIELD_NUMBER: _ClassVar[int]
    FRAME_COUNT_FIELD_NUMBER: _ClassVar[int]
    BYTE_COUNT_FIELD_NUMBER: _ClassVar[int]
    BYTE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    READER_COUNT_FIELD_NUMBER: _ClassVar[int]
    available_duration: _duration_pb2.Duration
    effective_delay: _duration_pb2.Duration
    frame_count: int
    byte_count: int
    byte_limit: int
    reader_count: int
    def __init__(self, available_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., effective_delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., frame_count: _Optional[int] = ..., byte_count: _Optional[int] = ..., byte_limit: _Optional[int] = ..., reader_count: _Optional[int] = ...) -> None: ...

class StreamDelayedChunksRequest(_message.Message):
    __slots__ = ("session", "output", "latency", "max_size", "jpeg_quality", "gravity", "rotation", "max_frame_rate")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    LATENCY_FIELD_NUMBER: _ClassVar[int]
    MAX_SIZE_FIELD_NUMBER: _ClassVar[int]
    JPEG_QUALITY_FIELD_NUMBER: _ClassVar[int]
    GRAVITY_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    MAX_FRAME_RATE_FIELD_NUMBER: _ClassVar[int]
    session: str
    output: str
    latency: _duration_pb2.Duration
    max_size: _types_pb2.Size
    jpeg_quality: int
    gravity: _preview_service_pb2.PreviewGravity
    rotation: int
    max_frame_rate: _types_pb2.Rational
    def __init__(self, session: _Optional[str] = ..., output: _Optional[str] = ..., latency: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., jpeg_quality: _Optional[int] = ..., gravity: _Optional[_Union[_preview_service_pb2.PreviewGravity, str]] = ..., rotation: _Optional[int] = ..., max_frame_rate: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ...) -> None: ...

class StreamDelayedChunksResponse(_message.Message):
    __slots__ = ("status", "part")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    status: _preview_service_pb2.PreviewStatus
    part: DelayedChunkPart
    def __init__(self, status: _Optional[_Union[_preview_service_pb2.PreviewStatus, _Mapping]] = ..., part: _Optional[_Union[DelayedChunkPart, _Mapping]] = ...) -> None: ...

class DelayedChunkPart(_message.Message):
    __slots__ = ("chunk", "offset", "last", "data")
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    chunk: DelayedChunk
    offset: int
    last: bool
    data: bytes
    def __init__(self, chunk: _Optional[_Union[DelayedChunk, _Mapping]] = ..., offset: _Optional[int] = ..., last: bool = ..., data: _Optional[bytes] = ...) -> None: ...

class DelayedChunk(_message.Message):
    __slots__ = ("chunk_number", "chunk_start_time", "monotonic_time_ns", "duration", "frame_count", "stream_id", "first_sequence", "last_sequence", "dropped", "omitted", "byte_count", "width", "height")
    CHUNK_NUMBER_FIELD_NUMBER: _ClassVar[int]
    CHUNK_START_TIME_FIELD_NUMBER: _ClassVar[int]
    MONOTONIC_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    FRAME_COUNT_FIELD_NUMBER: _ClassVar[int]
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    OMITTED_FIELD_NUMBER: _ClassVar[int]
    BYTE_COUNT_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    chunk_number: int
    chunk_start_time: _timestamp_pb2.Timestamp
    monotonic_time_ns: int
    duration: _duration_pb2.Duration
    frame_count: int
    stream_id: int
    first_sequence: int
    last_sequence: int
    dropped: _types_pb2.DropCounts
    omitted: int
    byte_count: int
    width: int
    height: int
    def __init__(self, chunk_number: _Optional[int] = ..., chunk_start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., monotonic_time_ns: _Optional[int] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., frame_count: _Optional[int] = ..., stream_id: _Optional[int] = ..., first_sequence: _Optional[int] = ..., last_sequence: _Optional[int] = ..., dropped: _Optional[_Union[_types_pb2.DropCounts, _Mapping]] = ..., omitted: _Optional[int] = ..., byte_count: _Optional[int] = ..., width: _Optional[int] = ..., height: _Optional[int] = ...) -> None: ...
