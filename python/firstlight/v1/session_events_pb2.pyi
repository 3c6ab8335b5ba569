import datetime

from firstlight.v1 import launch_timeline_pb2 as _launch_timeline_pb2
from firstlight.v1 import pressure_readings_pb2 as _pressure_readings_pb2
from firstlight.v1 import pressure_service_pb2 as _pressure_service_pb2
from firstlight.v1 import session_pb2 as _session_pb2
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

class SessionEvent(_message.Message):
    __slots__ = ("event_id", "event_time", "snapshot", "state_changed", "configuration_committed", "was_interrupted", "interruption_ended", "runtime_error", "will_run_deferred_start", "did_run_deferred_start", "launch_timeline", "adaptation_applied", "adaptation_undone", "reconfiguration_started", "reconfiguration_finished", "still_capture_started", "still_capture_finished", "cost_changed", "stream_changed", "input_changed", "audio_lost")
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
    LAUNCH_TIMELINE_FIELD_NUMBER: _ClassVar[int]
    ADAPTATION_APPLIED_FIELD_NUMBER: _ClassVar[int]
    ADAPTATION_UNDONE_FIELD_NUMBER: _ClassVar[int]
    RECONFIGURATION_STARTED_FIELD_NUMBER: _ClassVar[int]
    RECONFIGURATION_FINISHED_FIELD_NUMBER: _ClassVar[int]
    STILL_CAPTURE_STARTED_FIELD_NUMBER: _ClassVar[int]
    STILL_CAPTURE_FINISHED_FIELD_NUMBER: _ClassVar[int]
    COST_CHANGED_FIELD_NUMBER: _ClassVar[int]
    STREAM_CHANGED_FIELD_NUMBER: _ClassVar[int]
    INPUT_CHANGED_FIELD_NUMBER: _ClassVar[int]
    AUDIO_LOST_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    event_time: _timestamp_pb2.Timestamp
    snapshot: _session_pb2.Session
    state_changed: StateChanged
    configuration_committed: ConfigurationCommitted
    was_interrupted: WasInterrupted
    interruption_ended: InterruptionEnded
    runtime_error: RuntimeError
    will_run_deferred_start: WillRunDeferredStart
    did_run_deferred_start: DidRunDeferredStart
    launch_timeline: _launch_timeline_pb2.LaunchTimeline
    adaptation_applied: AdaptationApplied
    adaptation_undone: AdaptationUndone
    reconfiguration_started: ReconfigurationStarted
    reconfiguration_finished: ReconfigurationFinished
    still_capture_started: StillCaptureStarted
    still_capture_finished: StillCaptureFinished
    cost_changed: CostChanged
    stream_changed: StreamChanged
    input_changed: InputChanged
    audio_lost: AudioLost
    def __init__(self, event_id: _Optional[str] = ..., event_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., snapshot: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., state_changed: _Optional[_Union[StateChanged, _Mapping]] = ..., configuration_committed: _Optional[_Union[ConfigurationCommitted, _Mapping]] = ..., was_interrupted: _Optional[_Union[WasInterrupted, _Mapping]] = ..., interruption_ended: _Optional[_Union[InterruptionEnded, _Mapping]] = ..., runtime_error: _Optional[_Union[RuntimeError, _Mapping]] = ..., will_run_deferred_start: _Optional[_Union[WillRunDeferredStart, _Mapping]] = ..., did_run_deferred_start: _Optional[_Union[DidRunDeferredStart, _Mapping]] = ..., launch_timeline: _Optional[_Union[_launch_timeline_pb2.LaunchTimeline, _Mapping]] = ..., adaptation_applied: _Optional[_Union[AdaptationApplied, _Mapping]] = ..., adaptation_undone: _Optional[_Union[AdaptationUndone, _Mapping]] = ..., reconfiguration_started: _Optional[_Union[ReconfigurationStarted, _Mapping]] = ..., reconfiguration_finished: _Optional[_Union[ReconfigurationFinished, _Mapping]] = ..., still_capture_started: _Optional[_Union[StillCaptureStarted, _Mapping]] = ..., still_capture_finished: _Optional[_Union[StillCaptureFinished, _Mapping]] = ..., cost_changed: _Optional[_Union[CostChanged, _Mapping]] = ..., stream_changed: _Optional[_Union[StreamChanged, _Mapping]] = ..., input_changed: _Optional[_Union[InputChanged, _Mapping]] = ..., audio_lost: _Optional[_Union[AudioLost, _Mapping]] = ...) -> None: ...

class StateChanged(_message.Message):
    __slots__ = ("session_state",)
    SESSION_STATE_FIELD_NUMBER: _ClassVar[int]
    session_state: _session_pb2.Session.State
    def __init__(self, session_state: _Optional[_Union[_session_pb2.Session.State, str]] = ...) -> None: ...

class ConfigurationCommitted(_message.Message):
    __slots__ = ("etag", "config_revision", "reconfigured")
    ETAG_FIELD_NUMBER: _ClassVar[int]
    CONFIG_REVISION_FIELD_NUMBER: _ClassVar[int]
    RECONFIGURED_FIELD_NUMBER: _ClassVar[int]
    etag: str
    config_revision: int
    reconfigured: bool
    def __init__(self, etag: _Optional[str] = ..., config_revision: _Optional[int] = ..., reconfigured: bool = ...) -> None: ...

class StreamChanged(_message.Message):
    __slots__ = ("stream_id", "gap", "input")
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    GAP_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    stream_id: int
    gap: _duration_pb2.Duration
    input: str
    def __init__(self, stream_id: _Optional[int] = ..., gap: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., input: _Optional[str] = ...) -> None: ...

class InputChanged(_message.Message):
    __slots__ = ("input_status",)
    INPUT_STATUS_FIELD_NUMBER: _ClassVar[int]
    input_status: _session_pb2.InputStatus
    def __init__(self, input_status: _Optional[_Union[_session_pb2.InputStatus, _Mapping]] = ...) -> None: ...

class AudioLost(_message.Message):
    __slots__ = ("input", "loss_cause", "monotonic_time_ns", "lost_duration")
    class Cause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CAUSE_UNSPECIFIED: _ClassVar[AudioLost.Cause]
        CAUSE_OVERRUN: _ClassVar[AudioLost.Cause]
        CAUSE_SUSPENDED: _ClassVar[AudioLost.Cause]
    CAUSE_UNSPECIFIED: AudioLost.Cause
    CAUSE_OVERRUN: AudioLost.Cause
    CAUSE_SUSPENDED: AudioLost.Cause
    INPUT_FIELD_NUMBER: _ClassVar[int]
    LOSS_CAUSE_FIELD_NUMBER: _ClassVar[int]
    MONOTONIC_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    LOST_DURATION_FIELD_NUMBER: _ClassVar[int]
    input: str
    loss_cause: AudioLost.Cause
    monotonic_time_ns: int
    lost_duration: _duration_pb2.Duration
    def __init__(self, input: _Optional[str] = ..., loss_cause: _Optional[_Union[AudioLost.Cause, str]] = ..., monotonic_time_ns: _Optional[int] = ..., lost_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class StillCaptureStarted(_message.Message):
    __slots__ = ("input",)
    INPUT_FIELD_NUMBER: _ClassVar[int]
    input: str
    def __init__(self, input: _Optional[str] = ...) -> None: ...

class StillCaptureFinished(_message.Message):
    __slots__ = ("input",)
    INPUT_FIELD_NUMBER: _ClassVar[int]
    input: str
    def __init__(self, input: _Optional[str] = ...) -> None: ...

class CostChanged(_message.Message):
    __slots__ = ("hardware_cost", "system_pressure_cost", "cost_components")
    HARDWARE_COST_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_PRESSURE_COST_FIELD_NUMBER: _ClassVar[int]
    COST_COMPONENTS_FIELD_NUMBER: _ClassVar[int]
    hardware_cost: float
    system_pressure_cost: float
    cost_components: _containers.RepeatedCompositeFieldContainer[_session_pb2.CostComponent]
    def __init__(self, hardware_cost: _Optional[float] = ..., system_pressure_cost: _Optional[float] = ..., cost_components: _Optional[_Iterable[_Union[_session_pb2.CostComponent, _Mapping]]] = ...) -> None: ...

class ReconfigurationStarted(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ReconfigurationFinished(_message.Message):
    __slots__ = ("config_revision",)
    CONFIG_REVISION_FIELD_NUMBER: _ClassVar[int]
    config_revision: int
    def __init__(self, config_revision: _Optional[int] = ...) -> None: ...

class WasInterrupted(_message.Message):
    __slots__ = ("interruption_reason", "error", "input")
    INTERRUPTION_REASON_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    interruption_reason: _types_pb2.InterruptionReason
    error: _status_pb2.Status
    input: str
    def __init__(self, interruption_reason: _Optional[_Union[_types_pb2.InterruptionReason, str]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ..., input: _Optional[str] = ...) -> None: ...

class InterruptionEnded(_message.Message):
    __slots__ = ("stream_id", "input")
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    stream_id: int
    input: str
    def __init__(self, stream_id: _Optional[int] = ..., input: _Optional[str] = ...) -> None: ...

class RuntimeError(_message.Message):
    __slots__ = ("error", "input")
    ERROR_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    error: _status_pb2.Status
    input: str
    def __init__(self, error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ..., input: _Optional[str] = ...) -> None: ...

class WillRunDeferredStart(_message.Message):
    __slots__ = ("output_ids",)
    OUTPUT_IDS_FIELD_NUMBER: _ClassVar[int]
    output_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, output_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class DidRunDeferredStart(_message.Message):
    __slots__ = ("output_ids",)
    OUTPUT_IDS_FIELD_NUMBER: _ClassVar[int]
    output_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, output_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class AdaptationApplied(_message.Message):
    __slots__ = ("adaptation_step", "level", "causes", "input")
    ADAPTATION_STEP_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    CAUSES_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    adaptation_step: _pressure_service_pb2.AdaptationStep
    level: _pressure_readings_pb2.SystemPressureLevel
    causes: _containers.RepeatedCompositeFieldContainer[_pressure_service_pb2.PressureCause]
    input: str
    def __init__(self, adaptation_step: _Optional[_Union[_pressure_service_pb2.AdaptationStep, _Mapping]] = ..., level: _Optional[_Union[_pressure_readings_pb2.SystemPressureLevel, str]] = ..., causes: _Optional[_Iterable[_Union[_pressure_service_pb2.PressureCause, _Mapping]]] = ..., input: _Optional[str] = ...) -> None: ...

class AdaptationUndone(_message.Message):
    __slots__ = ("adaptation_step", "level", "causes", "input")
    ADAPTATION_STEP_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    CAUSES_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    adaptation_step: _pressure_service_pb2.AdaptationStep
    level: _pressure_readings_pb2.SystemPressureLevel
    causes: _containers.RepeatedCompositeFieldContainer[_pressure_service_pb2.PressureCause]
    input: str
    def __init__(self, adaptation_step: _Optional[_Union[_pressure_service_pb2.AdaptationStep, _Mapping]] = ..., level: _Optional[_Union[_pressure_readings_pb2.SystemPressureLevel, str]] = ..., causes: _Optional[_Iterable[_Union[_pressure_service_pb2.PressureCause, _Mapping]]] = ..., input: _Optional[str] = ...) -> None: ...
