import datetime

from firstlight.v1 import recording_pb2 as _recording_pb2
from firstlight.v1 import recording_events_pb2 as _recording_events_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StartRecordingRequest(_message.Message):
    __slots__ = ("session", "file", "container", "recording_limits", "fragment_interval", "pre_roll_duration", "should_optimize_for_network_use", "output")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    RECORDING_LIMITS_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    PRE_ROLL_DURATION_FIELD_NUMBER: _ClassVar[int]
    SHOULD_OPTIMIZE_FOR_NETWORK_USE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    session: str
    file: str
    container: _recording_pb2.MovieContainer
    recording_limits: _recording_pb2.RecordingLimits
    fragment_interval: _duration_pb2.Duration
    pre_roll_duration: _duration_pb2.Duration
    should_optimize_for_network_use: bool
    output: str
    def __init__(self, session: _Optional[str] = ..., file: _Optional[str] = ..., container: _Optional[_Union[_recording_pb2.MovieContainer, str]] = ..., recording_limits: _Optional[_Union[_recording_pb2.RecordingLimits, _Mapping]] = ..., fragment_interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., pre_roll_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., should_optimize_for_network_use: bool = ..., output: _Optional[str] = ...) -> None: ...

class StartRecordingResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: _recording_events_pb2.RecordingEvent
    def __init__(self, event: _Optional[_Union[_recording_events_pb2.RecordingEvent, _Mapping]] = ...) -> None: ...

class StopRecordingRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class StopRecordingResponse(_message.Message):
    __slots__ = ("recording",)
    RECORDING_FIELD_NUMBER: _ClassVar[int]
    recording: _recording_pb2.Recording
    def __init__(self, recording: _Optional[_Union[_recording_pb2.Recording, _Mapping]] = ...) -> None: ...

class PauseRecordingRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class PauseRecordingResponse(_message.Message):
    __slots__ = ("recording",)
    RECORDING_FIELD_NUMBER: _ClassVar[int]
    recording: _recording_pb2.Recording
    def __init__(self, recording: _Optional[_Union[_recording_pb2.Recording, _Mapping]] = ...) -> None: ...

class ResumeRecordingRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class ResumeRecordingResponse(_message.Message):
    __slots__ = ("recording",)
    RECORDING_FIELD_NUMBER: _ClassVar[int]
    recording: _recording_pb2.Recording
    def __init__(self, recording: _Optional[_Union[_recording_pb2.Recording, _Mapping]] = ...) -> None: ...

class GetRecordingRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetRecordingResponse(_message.Message):
    __slots__ = ("recording",)
    RECORDING_FIELD_NUMBER: _ClassVar[int]
    recording: _recording_pb2.Recording
    def __init__(self, recording: _Optional[_Union[_recording_pb2.Recording, _Mapping]] = ...) -> None: ...

class ListRecordingsRequest(_message.Message):
    __slots__ = ("session", "state", "start_time", "end_time", "page_size", "page_token", "output")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    session: str
    state: _recording_pb2.Recording.State
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    page_size: int
    page_token: str
    output: str
    def __init__(self, session: _Optional[str] = ..., state: _Optional[_Union[_recording_pb2.Recording.State, str]] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., output: _Optional[str] = ...) -> None: ...

class ListRecordingsResponse(_message.Message):
    __slots__ = ("recordings", "next_page_token")
    RECORDINGS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    recordings: _containers.RepeatedCompositeFieldContainer[_recording_pb2.Recording]
    next_page_token: str
    def __init__(self, recordings: _Optional[_Iterable[_Union[_recording_pb2.Recording, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeleteRecordingRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class DeleteRecordingResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DownloadRecordingRequest(_message.Message):
    __slots__ = ("name", "offset")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    name: str
    offset: int
    def __init__(self, name: _Optional[str] = ..., offset: _Optional[int] = ...) -> None: ...

class DownloadRecordingResponse(_message.Message):
    __slots__ = ("offset", "data")
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    offset: int
    data: bytes
    def __init__(self, offset: _Optional[int] = ..., data: _Optional[bytes] = ...) -> None: ...

class ListRecordingSpansRequest(_message.Message):
    __slots__ = ("session", "start_time", "end_time", "page_size", "page_token", "output")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    session: str
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    page_size: int
    page_token: str
    output: str
    def __init__(self, session: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., output: _Optional[str] = ...) -> None: ...

class ListRecordingSpansResponse(_message.Message):
    __slots__ = ("recording_spans", "next_page_token")
    RECORDING_SPANS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    recording_spans: _containers.RepeatedCompositeFieldContainer[RecordingSpan]
    next_page_token: str
    def __init__(self, recording_spans: _Optional[_Iterable[_Union[RecordingSpan, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RecordingSpan(_message.Message):
    __slots__ = ("session", "output", "start_time", "end_time", "recording_names", "dropped", "device")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    RECORDING_NAMES_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    session: str
    output: str
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    recording_names: _containers.RepeatedScalarFieldContainer[str]
    dropped: _types_pb2.DropCounts
    device: str
    def __init__(self, session: _Optional[str] = ..., output: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., recording_names: _Optional[_Iterable[str]] = ..., dropped: _Optional[_Union[_types_pb2.DropCounts, _Mapping]] = ..., device: _Optional[str] = ...) -> None: ...

class ExportRecordingRequest(_message.Message):
    __slots__ = ("session", "output", "start_time", "duration", "offset", "exact")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    session: str
    output: str
    start_time: _timestamp_pb2.Timestamp
    duration: _duration_pb2.Duration
    offset: int
    exact: bool
    def __init__(self, session: _Optional[str] = ..., output: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., offset: _Optional[int] = ..., exact: bool = ...) -> None: ...

class ExportRecordingResponse(_message.Message):
    __slots__ = ("offset", "data", "movie_size", "start_time", "container", "hidden_duration")
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    MOVIE_SIZE_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_DURATION_FIELD_NUMBER: _ClassVar[int]
    offset: int
    data: bytes
    movie_size: int
    start_time: _timestamp_pb2.Timestamp
    container: _recording_pb2.MovieContainer
    hidden_duration: _duration_pb2.Duration
    def __init__(self, offset: _Optional[int] = ..., data: _Optional[bytes] = ..., movie_size: _Optional[int] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., container: _Optional[_Union[_recording_pb2.MovieContainer, str]] = ..., hidden_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...
