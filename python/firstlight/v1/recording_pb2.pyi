import datetime

from firstlight.v1 import session_configuration_pb2 as _session_configuration_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.rpc import status_pb2 as _status_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MovieContainer(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MOVIE_CONTAINER_UNSPECIFIED: _ClassVar[MovieContainer]
    MOVIE_CONTAINER_MP4: _ClassVar[MovieContainer]
    MOVIE_CONTAINER_MOV: _ClassVar[MovieContainer]
    MOVIE_CONTAINER_MATROSKA: _ClassVar[MovieContainer]
    MOVIE_CONTAINER_MPEG_TS: _ClassVar[MovieContainer]
MOVIE_CONTAINER_UNSPECIFIED: MovieContainer
MOVIE_CONTAINER_MP4: MovieContainer
MOVIE_CONTAINER_MOV: MovieContainer
MOVIE_CONTAINER_MATROSKA: MovieContainer
MOVIE_CONTAINER_MPEG_TS: MovieContainer

class Recording(_message.Message):
    __slots__ = ("name", "session", "output", "state", "file", "container", "codec", "size", "request_time", "start_time", "start_monotonic_time_ns", "recorded_duration", "recorded_file_size", "frame_count", "dropped", "end", "playable", "continuous", "pre_roll_duration", "is_optimized_for_network_use", "audio_tracks", "device", "pauses")
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STATE_UNSPECIFIED: _ClassVar[Recording.State]
        STATE_STARTING: _ClassVar[Recording.State]
        STATE_RECORDING: _ClassVar[Recording.State]
        STATE_PAUSED: _ClassVar[Recording.State]
        STATE_FINISHING: _ClassVar[Recording.State]
        STATE_FINISHED: _ClassVar[Recording.State]
    STATE_UNSPECIFIED: Recording.State
    STATE_STARTING: Recording.State
    STATE_RECORDING: Recording.State
    STATE_PAUSED: Recording.State
    STATE_FINISHING: Recording.State
    STATE_FINISHED: Recording.State
    NAME_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    CODEC_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_TIME_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    START_MONOTONIC_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    RECORDED_DURATION_FIELD_NUMBER: _ClassVar[int]
    RECORDED_FILE_SIZE_FIELD_NUMBER: _ClassVar[int]
    FRAME_COUNT_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    PLAYABLE_FIELD_NUMBER: _ClassVar[int]
    CONTINUOUS_FIELD_NUMBER: _ClassVar[int]
    PRE_ROLL_DURATION_FIELD_NUMBER: _ClassVar[int]
    IS_OPTIMIZED_FOR_NETWORK_USE_FIELD_NUMBER: _ClassVar[int]
    AUDIO_TRACKS_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    PAUSES_FIELD_NUMBER: _ClassVar[int]
    name: str
    session: str
    output: str
    state: Recording.State
    file: str
    container: MovieContainer
    codec: _session_configuration_pb2.MovieCodec
    size: _types_pb2.Size
    request_time: _timestamp_pb2.Timestamp
    start_time: _timestamp_pb2.Timestamp
    start_monotonic_time_ns: int
    recorded_duration: _duration_pb2.Duration
    recorded_file_size: int
    frame_count: int
    dropped: _types_pb2.DropCounts
    end: RecordingEnd
    playable: bool
    continuous: bool
    pre_roll_duration: _duration_pb2.Duration
    is_optimized_for_network_use: bool
    audio_tracks: _containers.RepeatedCompositeFieldContainer[AudioTrack]
    device: str
    pauses: _containers.RepeatedCompositeFieldContainer[RecordingPause]
    def __init__(self, name: _Optional[str] = ..., session: _Optional[str] = ..., output: _Optional[str] = ..., state: _Optional[_Union[Recording.State, str]] = ..., file: _Optional[str] = ..., container: _Optional[_Union[MovieContainer, str]] = ..., codec: _Optional[_Union[_session_configuration_pb2.MovieCodec, str]] = ..., size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., request_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., start_monotonic_time_ns: _Optional[int] = ..., recorded_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., recorded_file_size: _Optional[int] = ..., frame_count: _Optional[int] = ..., dropped: _Optional[_Union[_types_pb2.DropCounts, _Mapping]] = ..., end: _Optional[_Union[RecordingEnd, _Mapping]] = ..., playable: bool = ..., continuous: bool = ..., pre_roll_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., is_optimized_for_network_use: bool = ..., audio_tracks: _Optional[_Iterable[_Union[AudioTrack, _Mapping]]] = ..., device: _Optional[str] = ..., pauses: _Optional[_Iterable[_Union[RecordingPause, _Mapping]]] = ...) -> None: ...

class RecordingPause(_message.Message):
    __slots__ = ("movie_time", "duration")
    MOVIE_TIME_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    movie_time: _duration_pb2.Duration
    duration: _duration_pb2.Duration
    def __init__(self, movie_time: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class AudioTrack(_message.Message):
    __slots__ = ("input", "audio_codec", "audio_format", "silent_duration")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    AUDIO_CODEC_FIELD_NUMBER: _ClassVar[int]
    AUDIO_FORMAT_FIELD_NUMBER: _ClassVar[int]
    SILENT_DURATION_FIELD_NUMBER: _ClassVar[int]
    input: str
    audio_codec: _session_configuration_pb2.AudioCodec
    audio_format: _session_configuration_pb2.AudioFormat
    silent_duration: _duration_pb2.Duration
    def __init__(self, input: _Optional[str] = ..., audio_codec: _Optional[_Union[_session_configuration_pb2.AudioCodec, str]] = ..., audio_format: _Optional[_Union[_session_configuration_pb2.AudioFormat, _Mapping]] = ..., silent_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class RecordingEnd(_message.Message):
    __slots__ = ("cause", "error")
    class Cause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CAUSE_UNSPECIFIED: _ClassVar[RecordingEnd.Cause]
        CAUSE_STOPPED: _ClassVar[RecordingEnd.Cause]
        CAUSE_MAX_RECORDED_DURATION: _ClassVar[RecordingEnd.Cause]
        CAUSE_MAX_RECORDED_FILE_SIZE: _ClassVar[RecordingEnd.Cause]
        CAUSE_MIN_FREE_DISK_SPACE: _ClassVar[RecordingEnd.Cause]
        CAUSE_SESSION: _ClassVar[RecordingEnd.Cause]
        CAUSE_FAILED: _ClassVar[RecordingEnd.Cause]
        CAUSE_DAEMON_ENDED: _ClassVar[RecordingEnd.Cause]
        CAUSE_NEXT_SEGMENT: _ClassVar[RecordingEnd.Cause]
    CAUSE_UNSPECIFIED: RecordingEnd.Cause
    CAUSE_STOPPED: RecordingEnd.Cause
    CAUSE_MAX_RECORDED_DURATION: RecordingEnd.Cause
    CAUSE_MAX_RECORDED_FILE_SIZE: RecordingEnd.Cause
    CAUSE_MIN_FREE_DISK_SPACE: RecordingEnd.Cause
    CAUSE_SESSION: RecordingEnd.Cause
    CAUSE_FAILED: RecordingEnd.Cause
    CAUSE_DAEMON_ENDED: RecordingEnd.Cause
    CAUSE_NEXT_SEGMENT: RecordingEnd.Cause
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    cause: RecordingEnd.Cause
    error: _status_pb2.Status
    def __init__(self, cause: _Optional[_Union[RecordingEnd.Cause, str]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class RecordingLimits(_message.Message):
    __slots__ = ("max_recorded_duration", "max_recorded_file_size", "min_free_disk_space")
    MAX_RECORDED_DURATION_FIELD_NUMBER: _ClassVar[int]
    MAX_RECORDED_FILE_SIZE_FIELD_NUMBER: _ClassVar[int]
    MIN_FREE_DISK_SPACE_FIELD_NUMBER: _ClassVar[int]
    max_recorded_duration: _duration_pb2.Duration
    max_recorded_file_size: int
    min_free_disk_space: int
    def __init__(self, max_recorded_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_recorded_file_size: _Optional[int] = ..., min_free_disk_space: _Optional[int] = ...) -> None: ...
