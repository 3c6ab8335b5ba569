import datetime

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

class SessionPreset(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SESSION_PRESET_UNSPECIFIED: _ClassVar[SessionPreset]
    SESSION_PRESET_PHOTO: _ClassVar[SessionPreset]
    SESSION_PRESET_HIGH: _ClassVar[SessionPreset]
    SESSION_PRESET_MEDIUM: _ClassVar[SessionPreset]
    SESSION_PRESET_LOW: _ClassVar[SessionPreset]
    SESSION_PRESET_HD_720P: _ClassVar[SessionPreset]
    SESSION_PRESET_HD_1080P: _ClassVar[SessionPreset]
    SESSION_PRESET_HD_4K: _ClassVar[SessionPreset]
    SESSION_PRESET_INPUT_PRIORITY: _ClassVar[SessionPreset]
SESSION_PRESET_UNSPECIFIED: SessionPreset
SESSION_PRESET_PHOTO: SessionPreset
SESSION_PRESET_HIGH: SessionPreset
SESSION_PRESET_MEDIUM: SessionPreset
SESSION_PRESET_LOW: SessionPreset
SESSION_PRESET_HD_720P: SessionPreset
SESSION_PRESET_HD_1080P: SessionPreset
SESSION_PRESET_HD_4K: SessionPreset
SESSION_PRESET_INPUT_PRIORITY: SessionPreset

class CreateSessionRequest(_message.Message):
    __slots__ = ("session_id", "idle_timeout")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    IDLE_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    idle_timeout: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., idle_timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class CreateSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

class GetSessionRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

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
    sessions: _containers.RepeatedCompositeFieldContainer[Session]
    next_page_token: str
    def __init__(self, sessions: _Optional[_Iterable[_Union[Session, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

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
    configuration: SessionConfiguration
    validate_only: bool
    etag: str
    def __init__(self, name: _Optional[str] = ..., configuration: _Optional[_Union[SessionConfiguration, _Mapping]] = ..., validate_only: bool = ..., etag: _Optional[str] = ...) -> None: ...

class ConfigureSessionResponse(_message.Message):
    __slots__ = ("session", "issues", "reconfigured")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    ISSUES_FIELD_NUMBER: _ClassVar[int]
    RECONFIGURED_FIELD_NUMBER: _ClassVar[int]
    session: Session
    issues: _containers.RepeatedCompositeFieldContainer[ConfigurationIssue]
    reconfigured: bool
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ..., issues: _Optional[_Iterable[_Union[ConfigurationIssue, _Mapping]]] = ..., reconfigured: bool = ...) -> None: ...

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
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

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
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

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
    after_event_id: int
    def __init__(self, name: _Optional[str] = ..., after_event_id: _Optional[int] = ...) -> None: ...

class WatchSessionResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: SessionEvent
    def __init__(self, event: _Optional[_Union[SessionEvent, _Mapping]] = ...) -> None: ...

class GetLaunchTimelineRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetLaunchTimelineResponse(_message.Message):
    __slots__ = ("timeline",)
    TIMELINE_FIELD_NUMBER: _ClassVar[int]
    timeline: LaunchTimeline
    def __init__(self, timeline: _Optional[_Union[LaunchTimeline, _Mapping]] = ...) -> None: ...

class Session(_message.Message):
    __slots__ = ("name", "state", "interruption_reason", "etag", "configuration", "resolved_configuration", "config_revision")
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STATE_UNSPECIFIED: _ClassVar[Session.State]
        STATE_STOPPED: _ClassVar[Session.State]
        STATE_STARTING: _ClassVar[Session.State]
        STATE_RUNNING: _ClassVar[Session.State]
        STATE_STOPPING: _ClassVar[Session.State]
        STATE_INTERRUPTED: _ClassVar[Session.State]
    STATE_UNSPECIFIED: Session.State
    STATE_STOPPED: Session.State
    STATE_STARTING: Session.State
    STATE_RUNNING: Session.State
    STATE_STOPPING: Session.State
    STATE_INTERRUPTED: Session.State
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    INTERRUPTION_REASON_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    CONFIG_REVISION_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: Session.State
    interruption_reason: _types_pb2.InterruptionReason
    etag: str
    configuration: SessionConfiguration
    resolved_configuration: SessionConfiguration
    config_revision: int
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[Session.State, str]] = ..., interruption_reason: _Optional[_Union[_types_pb2.InterruptionReason, str]] = ..., etag: _Optional[str] = ..., configuration: _Optional[_Union[SessionConfiguration, _Mapping]] = ..., resolved_configuration: _Optional[_Union[SessionConfiguration, _Mapping]] = ..., config_revision: _Optional[int] = ...) -> None: ...

class SessionConfiguration(_message.Message):
    __slots__ = ("inputs", "preset", "automatically_runs_deferred_start", "preview", "photo")
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    PRESET_FIELD_NUMBER: _ClassVar[int]
    AUTOMATICALLY_RUNS_DEFERRED_START_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    PHOTO_FIELD_NUMBER: _ClassVar[int]
    inputs: _containers.RepeatedCompositeFieldContainer[SessionInput]
    preset: SessionPreset
    automatically_runs_deferred_start: bool
    preview: PreviewOutput
    photo: PhotoOutput
    def __init__(self, inputs: _Optional[_Iterable[_Union[SessionInput, _Mapping]]] = ..., preset: _Optional[_Union[SessionPreset, str]] = ..., automatically_runs_deferred_start: bool = ..., preview: _Optional[_Union[PreviewOutput, _Mapping]] = ..., photo: _Optional[_Union[PhotoOutput, _Mapping]] = ...) -> None: ...

class SessionInput(_message.Message):
    __slots__ = ("id", "device", "format", "frame_rate_override")
    ID_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    FRAME_RATE_OVERRIDE_FIELD_NUMBER: _ClassVar[int]
    id: str
    device: str
    format: StreamFormat
    frame_rate_override: _types_pb2.Rational
    def __init__(self, id: _Optional[str] = ..., device: _Optional[str] = ..., format: _Optional[_Union[StreamFormat, _Mapping]] = ..., frame_rate_override: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ...) -> None: ...

class StreamFormat(_message.Message):
    __slots__ = ("pixel_format", "width", "height")
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    pixel_format: str
    width: int
    height: int
    def __init__(self, pixel_format: _Optional[str] = ..., width: _Optional[int] = ..., height: _Optional[int] = ...) -> None: ...

class PreviewOutput(_message.Message):
    __slots__ = ("id", "deferred_start_enabled")
    ID_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_START_ENABLED_FIELD_NUMBER: _ClassVar[int]
    id: str
    deferred_start_enabled: bool
    def __init__(self, id: _Optional[str] = ..., deferred_start_enabled: bool = ...) -> None: ...

class PhotoOutput(_message.Message):
    __slots__ = ("id", "deferred_start_enabled", "zero_shutter_lag_enabled", "zero_shutter_lag_window")
    ID_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_START_ENABLED_FIELD_NUMBER: _ClassVar[int]
    ZERO_SHUTTER_LAG_ENABLED_FIELD_NUMBER: _ClassVar[int]
    ZERO_SHUTTER_LAG_WINDOW_FIELD_NUMBER: _ClassVar[int]
    id: str
    deferred_start_enabled: bool
    zero_shutter_lag_enabled: bool
    zero_shutter_lag_window: _duration_pb2.Duration
    def __init__(self, id: _Optional[str] = ..., deferred_start_enabled: bool = ..., zero_shutter_lag_enabled: bool = ..., zero_shutter_lag_window: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class SessionEvent(_message.Message):
    __slots__ = ("event_id", "event_time", "snapshot", "state_changed", "configuration_committed", "was_interrupted", "interruption_ended", "runtime_error", "will_run_deferred_start", "did_run_deferred_start")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_TIME_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    STATE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_COMMITTED_FIELD_NUMBER: _ClassVar[int]
    WAS_INTERRUPTED_FIELD_NUMBER: _ClassVar[int]
    INTERRUPTION_ENDED_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_ERROR_FIELD_NUMBER: _ClassVar[int]
    WILL_RUN_DEFERRED_START_FIELD_NUMBER: _ClassVar[int]
    DID_RUN_DEFERRED_START_FIELD_NUMBER: _ClassVar[int]
    event_id: int
    event_time: _timestamp_pb2.Timestamp
    snapshot: Session
    state_changed: StateChanged
    configuration_committed: ConfigurationCommitted
    was_interrupted: WasInterrupted
    interruption_ended: InterruptionEnded
    runtime_error: RuntimeError
    will_run_deferred_start: WillRunDeferredStart
    did_run_deferred_start: DidRunDeferredStart
    def __init__(self, event_id: _Optional[int] = ..., event_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., snapshot: _Optional[_Union[Session, _Mapping]] = ..., state_changed: _Optional[_Union[StateChanged, _Mapping]] = ..., configuration_committed: _Optional[_Union[ConfigurationCommitted, _Mapping]] = ..., was_interrupted: _Optional[_Union[WasInterrupted, _Mapping]] = ..., interruption_ended: _Optional[_Union[InterruptionEnded, _Mapping]] = ..., runtime_error: _Optional[_Union[RuntimeError, _Mapping]] = ..., will_run_deferred_start: _Optional[_Union[WillRunDeferredStart, _Mapping]] = ..., did_run_deferred_start: _Optional[_Union[DidRunDeferredStart, _Mapping]] = ...) -> None: ...

class StateChanged(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: Session.State
    def __init__(self, state: _Optional[_Union[Session.State, str]] = ...) -> None: ...

class ConfigurationCommitted(_message.Message):
    __slots__ = ("etag", "config_revision", "reconfigured")
    ETAG_FIELD_NUMBER: _ClassVar[int]
    CONFIG_REVISION_FIELD_NUMBER: _ClassVar[int]
    RECONFIGURED_FIELD_NUMBER: _ClassVar[int]
    etag: str
    config_revision: int
    reconfigured: bool
    def __init__(self, etag: _Optional[str] = ..., config_revision: _Optional[int] = ..., reconfigured: bool = ...) -> None: ...

class WasInterrupted(_message.Message):
    __slots__ = ("reason", "error")
    REASON_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    reason: _types_pb2.InterruptionReason
    error: _status_pb2.Status
    def __init__(self, reason: _Optional[_Union[_types_pb2.InterruptionReason, str]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class InterruptionEnded(_message.Message):
    __slots__ = ("stream_id",)
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    stream_id: int
    def __init__(self, stream_id: _Optional[int] = ...) -> None: ...

class RuntimeError(_message.Message):
    __slots__ = ("error",)
    ERROR_FIELD_NUMBER: _ClassVar[int]
    error: _status_pb2.Status
    def __init__(self, error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class WillRunDeferredStart(_message.Message):
    __slots__ = ("outputs",)
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    outputs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, outputs: _Optional[_Iterable[str]] = ...) -> None: ...

class DidRunDeferredStart(_message.Message):
    __slots__ = ("outputs",)
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    outputs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, outputs: _Optional[_Iterable[str]] = ...) -> None: ...

class LaunchTimeline(_message.Message):
    __slots__ = ("process_start_ns", "server_ready_ns", "session_created_ns", "configuration_committed_ns", "start_requested_ns", "start_returned_ns", "first_frame_captured_ns", "first_frame_sent_ns", "deferred_start_begin_ns", "deferred_start_end_ns", "outputs")
    PROCESS_START_NS_FIELD_NUMBER: _ClassVar[int]
    SERVER_READY_NS_FIELD_NUMBER: _ClassVar[int]
    SESSION_CREATED_NS_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_COMMITTED_NS_FIELD_NUMBER: _ClassVar[int]
    START_REQUESTED_NS_FIELD_NUMBER: _ClassVar[int]
    START_RETURNED_NS_FIELD_NUMBER: _ClassVar[int]
    FIRST_FRAME_CAPTURED_NS_FIELD_NUMBER: _ClassVar[int]
    FIRST_FRAME_SENT_NS_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_START_BEGIN_NS_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_START_END_NS_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    process_start_ns: int
    server_ready_ns: int
    session_created_ns: int
    configuration_committed_ns: int
    start_requested_ns: int
    start_returned_ns: int
    first_frame_captured_ns: int
    first_frame_sent_ns: int
    deferred_start_begin_ns: int
    deferred_start_end_ns: int
    outputs: _containers.RepeatedCompositeFieldContainer[OutputTimeline]
    def __init__(self, process_start_ns: _Optional[int] = ..., server_ready_ns: _Optional[int] = ..., session_created_ns: _Optional[int] = ..., configuration_committed_ns: _Optional[int] = ..., start_requested_ns: _Optional[int] = ..., start_returned_ns: _Optional[int] = ..., first_frame_captured_ns: _Optional[int] = ..., first_frame_sent_ns: _Optional[int] = ..., deferred_start_begin_ns: _Optional[int] = ..., deferred_start_end_ns: _Optional[int] = ..., outputs: _Optional[_Iterable[_Union[OutputTimeline, _Mapping]]] = ...) -> None: ...

class OutputTimeline(_message.Message):
    __slots__ = ("output", "init_begin_ns", "init_end_ns")
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    INIT_BEGIN_NS_FIELD_NUMBER: _ClassVar[int]
    INIT_END_NS_FIELD_NUMBER: _ClassVar[int]
    output: str
    init_begin_ns: int
    init_end_ns: int
    def __init__(self, output: _Optional[str] = ..., init_begin_ns: _Optional[int] = ..., init_end_ns: _Optional[int] = ...) -> None: ...
