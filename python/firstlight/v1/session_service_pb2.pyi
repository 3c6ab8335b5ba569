import datetime

from firstlight.v1 import launch_timeline_pb2 as _launch_timeline_pb2
from firstlight.v1 import session_pb2 as _session_pb2
from firstlight.v1 import session_configuration_pb2 as _session_configuration_pb2
from firstlight.v1 import session_events_pb2 as _session_events_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateSessionRequest(_message.Message):
    __slots__ = ("session_id", "idle_timeout", "configuration", "start")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    IDLE_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    idle_timeout: _duration_pb2.Duration
    configuration: _session_configuration_pb2.SessionConfiguration
    start: bool
    def __init__(self, session_id: _Optional[str] = ..., idle_timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., configuration: _Optional[_Union[_session_configuration_pb2.SessionConfiguration, _Mapping]] = ..., start: bool = ...) -> None: ...

class CreateSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ...) -> None: ...

class GetSessionRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ...) -> None: ...

class ListSessionsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ("sessions", "next_page_token")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[_session_pb2.Session]
    next_page_token: str
    def __init__(self, sessions: _Optional[_Iterable[_Union[_session_pb2.Session, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeleteSessionRequest(_message.Message):
    __slots__ = ("name", "etag")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    name: str
    etag: str
    def __init__(self, name: _Optional[str] = ..., etag: _Optional[str] = ...) -> None: ...

class DeleteSessionResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ConfigureSessionRequest(_message.Message):
    __slots__ = ("name", "configuration", "validate_only", "etag")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    name: str
    configuration: _session_configuration_pb2.SessionConfiguration
    validate_only: bool
    etag: str
    def __init__(self, name: _Optional[str] = ..., configuration: _Optional[_Union[_session_configuration_pb2.SessionConfiguration, _Mapping]] = ..., validate_only: bool = ..., etag: _Optional[str] = ...) -> None: ...

class ConfigureSessionResponse(_message.Message):
    __slots__ = ("session", "issues", "reconfigured")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    ISSUES_FIELD_NUMBER: _ClassVar[int]
    RECONFIGURED_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    issues: _containers.RepeatedCompositeFieldContainer[ConfigurationIssue]
    reconfigured: bool
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., issues: _Optional[_Iterable[_Union[ConfigurationIssue, _Mapping]]] = ..., reconfigured: bool = ...) -> None: ...

class ConfigurationIssue(_message.Message):
    __slots__ = ("field", "reason", "description")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    field: str
    reason: str
    description: str
    def __init__(self, field: _Optional[str] = ..., reason: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class StartSessionRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class StartSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ...) -> None: ...

class StopSessionRequest(_message.Message):
    __slots__ = ("name", "etag")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    name: str
    etag: str
    def __init__(self, name: _Optional[str] = ..., etag: _Optional[str] = ...) -> None: ...

class StopSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ...) -> None: ...

class RunDeferredStartRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class RunDeferredStartResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WatchSessionRequest(_message.Message):
    __slots__ = ("name", "after_event_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    AFTER_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    after_event_id: str
    def __init__(self, name: _Optional[str] = ..., after_event_id: _Optional[str] = ...) -> None: ...

class WatchSessionResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: _session_events_pb2.SessionEvent
    def __init__(self, event: _Optional[_Union[_session_events_pb2.SessionEvent, _Mapping]] = ...) -> None: ...

class WatchAudioLevelsRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class WatchAudioLevelsResponse(_message.Message):
    __slots__ = ("audio_levels",)
    AUDIO_LEVELS_FIELD_NUMBER: _ClassVar[int]
    audio_levels: AudioLevels
    def __init__(self, audio_levels: _Optional[_Union[AudioLevels, _Mapping]] = ...) -> None: ...

class AudioLevels(_message.Message):
    __slots__ = ("input", "capture_time", "monotonic_time_ns", "channel_levels")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    MONOTONIC_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_LEVELS_FIELD_NUMBER: _ClassVar[int]
    input: str
    capture_time: _timestamp_pb2.Timestamp
    monotonic_time_ns: int
    channel_levels: _containers.RepeatedCompositeFieldContainer[ChannelLevel]
    def __init__(self, input: _Optional[str] = ..., capture_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., monotonic_time_ns: _Optional[int] = ..., channel_levels: _Optional[_Iterable[_Union[ChannelLevel, _Mapping]]] = ...) -> None: ...

class ChannelLevel(_message.Message):
    __slots__ = ("average_level", "peak_level")
    AVERAGE_LEVEL_FIELD_NUMBER: _ClassVar[int]
    PEAK_LEVEL_FIELD_NUMBER: _ClassVar[int]
    average_level: float
    peak_level: float
    def __init__(self, average_level: _Optional[float] = ..., peak_level: _Optional[float] = ...) -> None: ...

class GetLaunchTimelineRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetLaunchTimelineResponse(_message.Message):
    __slots__ = ("timeline",)
    TIMELINE_FIELD_NUMBER: _ClassVar[int]
    timeline: _launch_timeline_pb2.LaunchTimeline
    def __init__(self, timeline: _Optional[_Union[_launch_timeline_pb2.LaunchTimeline, _Mapping]] = ...) -> None: ...

class SuggestLowerCostRequest(_message.Message):
    __slots__ = ("name", "configuration")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    name: str
    configuration: _session_configuration_pb2.SessionConfiguration
    def __init__(self, name: _Optional[str] = ..., configuration: _Optional[_Union[_session_configuration_pb2.SessionConfiguration, _Mapping]] = ...) -> None: ...

class SuggestLowerCostResponse(_message.Message):
    __slots__ = ("reductions",)
    REDUCTIONS_FIELD_NUMBER: _ClassVar[int]
    reductions: _containers.RepeatedCompositeFieldContainer[CostReduction]
    def __init__(self, reductions: _Optional[_Iterable[_Union[CostReduction, _Mapping]]] = ...) -> None: ...

class CostReduction(_message.Message):
    __slots__ = ("field", "description", "configuration", "hardware_cost", "system_pressure_cost")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    HARDWARE_COST_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_PRESSURE_COST_FIELD_NUMBER: _ClassVar[int]
    field: str
    description: str
    configuration: _session_configuration_pb2.SessionConfiguration
    hardware_cost: float
    system_pressure_cost: float
    def __init__(self, field: _Optional[str] = ..., description: _Optional[str] = ..., configuration: _Optional[_Union[_session_configuration_pb2.SessionConfiguration, _Mapping]] = ..., hardware_cost: _Optional[float] = ..., system_pressure_cost: _Optional[float] = ...) -> None: ...
