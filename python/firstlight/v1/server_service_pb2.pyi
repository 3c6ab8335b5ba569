import datetime

from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("server_info",)
    SERVER_INFO_FIELD_NUMBER: _ClassVar[int]
    server_info: ServerInfo
    def __init__(self, server_info: _Optional[_Union[ServerInfo, _Mapping]] = ...) -> None: ...

class ServerInfo(_message.Message):
    __slots__ = ("version", "boot_id", "monotonic_time_ns", "wall_time", "instance_id", "services", "preview_encodings", "photo_encodings", "video_encoders", "limits", "deferred_start_limit")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    BOOT_ID_FIELD_NUMBER: _ClassVar[int]
    MONOTONIC_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    WALL_TIME_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    SERVICES_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_ENCODINGS_FIELD_NUMBER: _ClassVar[int]
    PHOTO_ENCODINGS_FIELD_NUMBER: _ClassVar[int]
    VIDEO_ENCODERS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_START_LIMIT_FIELD_NUMBER: _ClassVar[int]
    version: str
    boot_id: str
    monotonic_time_ns: int
    wall_time: _timestamp_pb2.Timestamp
    instance_id: str
    services: _containers.RepeatedScalarFieldContainer[str]
    preview_encodings: _containers.RepeatedScalarFieldContainer[_types_pb2.Encoding]
    photo_encodings: _containers.RepeatedScalarFieldContainer[_types_pb2.Encoding]
    video_encoders: _containers.RepeatedCompositeFieldContainer[VideoEncoder]
    limits: ServerLimits
    deferred_start_limit: _duration_pb2.Duration
    def __init__(self, version: _Optional[str] = ..., boot_id: _Optional[str] = ..., monotonic_time_ns: _Optional[int] = ..., wall_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., instance_id: _Optional[str] = ..., services: _Optional[_Iterable[str]] = ..., preview_encodings: _Optional[_Iterable[_Union[_types_pb2.Encoding, str]]] = ..., photo_encodings: _Optional[_Iterable[_Union[_types_pb2.Encoding, str]]] = ..., video_encoders: _Optional[_Iterable[_Union[VideoEncoder, _Mapping]]] = ..., limits: _Optional[_Union[ServerLimits, _Mapping]] = ..., deferred_start_limit: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class VideoEncoder(_message.Message):
    __slots__ = ("encoding", "name", "hardware")
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    HARDWARE_FIELD_NUMBER: _ClassVar[int]
    encoding: _types_pb2.Encoding
    name: str
    hardware: bool
    def __init__(self, encoding: _Optional[_Union[_types_pb2.Encoding, str]] = ..., name: _Optional[str] = ..., hardware: bool = ...) -> None: ...

class ServerLimits(_message.Message):
    __slots__ = ("max_request_bytes", "max_connections", "max_calls", "max_sessions", "max_preview_outputs", "max_video_data_outputs", "max_preview_readers", "max_preview_encodings", "max_video_data_readers", "max_waiting_captures", "max_capture_watchers", "max_kept_captures", "max_kept_events", "max_calls_per_connection", "max_connections_per_address", "max_calls_per_second", "max_small_request_bytes", "max_movie_outputs")
    MAX_REQUEST_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    MAX_CALLS_FIELD_NUMBER: _ClassVar[int]
    MAX_SESSIONS_FIELD_NUMBER: _ClassVar[int]
    MAX_PREVIEW_OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    MAX_VIDEO_DATA_OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    MAX_PREVIEW_READERS_FIELD_NUMBER: _ClassVar[int]
    MAX_PREVIEW_ENCODINGS_FIELD_NUMBER: _ClassVar[int]
    MAX_VIDEO_DATA_READERS_FIELD_NUMBER: _ClassVar[int]
    MAX_WAITING_CAPTURES_FIELD_NUMBER: _ClassVar[int]
    MAX_CAPTURE_WATCHERS_FIELD_NUMBER: _ClassVar[int]
    MAX_KEPT_CAPTURES_FIELD_NUMBER: _ClassVar[int]
    MAX_KEPT_EVENTS_FIELD_NUMBER: _ClassVar[int]
    MAX_CALLS_PER_CONNECTION_FIELD_NUMBER: _ClassVar[int]
    MAX_CONNECTIONS_PER_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    MAX_CALLS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    MAX_SMALL_REQUEST_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_MOVIE_OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    max_request_bytes: int
    max_connections: int
    max_calls: int
    max_sessions: int
    max_preview_outputs: int
    max_video_data_outputs: int
    max_preview_readers: int
    max_preview_encodings: int
    max_video_data_readers: int
    max_waiting_captures: int
    max_capture_watchers: int
    max_kept_captures: int
    max_kept_events: int
    max_calls_per_connection: int
    max_connections_per_address: int
    max_calls_per_second: int
    max_small_request_bytes: int
    max_movie_outputs: int
    def __init__(self, max_request_bytes: _Optional[int] = ..., max_connections: _Optional[int] = ..., max_calls: _Optional[int] = ..., max_sessions: _Optional[int] = ..., max_preview_outputs: _Optional[int] = ..., max_video_data_outputs: _Optional[int] = ..., max_preview_readers: _Optional[int] = ..., max_preview_encodings: _Optional[int] = ..., max_video_data_readers: _Optional[int] = ..., max_waiting_captures: _Optional[int] = ..., max_capture_watchers: _Optional[int] = ..., max_kept_captures: _Optional[int] = ..., max_kept_events: _Optional[int] = ..., max_calls_per_connection: _Optional[int] = ..., max_connections_per_address: _Optional[int] = ..., max_calls_per_second: _Optional[int] = ..., max_small_request_bytes: _Optional[int] = ..., max_movie_outputs: _Optional[int] = ...) -> None: ...
