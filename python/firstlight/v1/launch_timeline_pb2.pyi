from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LaunchTimeline(_message.Message):
    __slots__ = ("process_start_ns", "server_ready_ns", "session_created_ns", "configuration_committed_ns", "start_requested_ns", "start_returned_ns", "first_frame_captured_ns", "first_frame_sent_ns", "deferred_start_begin_ns", "deferred_start_end_ns", "first_settled_frame_captured_ns", "first_settled_sequence", "stream_id", "outputs", "camera_timelines")
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
    FIRST_SETTLED_FRAME_CAPTURED_NS_FIELD_NUMBER: _ClassVar[int]
    FIRST_SETTLED_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    CAMERA_TIMELINES_FIELD_NUMBER: _ClassVar[int]
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
    first_settled_frame_captured_ns: int
    first_settled_sequence: int
    stream_id: int
    outputs: _containers.RepeatedCompositeFieldContainer[OutputTimeline]
    camera_timelines: _containers.RepeatedCompositeFieldContainer[CameraTimeline]
    def __init__(self, process_start_ns: _Optional[int] = ..., server_ready_ns: _Optional[int] = ..., session_created_ns: _Optional[int] = ..., configuration_committed_ns: _Optional[int] = ..., start_requested_ns: _Optional[int] = ..., start_returned_ns: _Optional[int] = ..., first_frame_captured_ns: _Optional[int] = ..., first_frame_sent_ns: _Optional[int] = ..., deferred_start_begin_ns: _Optional[int] = ..., deferred_start_end_ns: _Optional[int] = ..., first_settled_frame_captured_ns: _Optional[int] = ..., first_settled_sequence: _Optional[int] = ..., stream_id: _Optional[int] = ..., outputs: _Optional[_Iterable[_Union[OutputTimeline, _Mapping]]] = ..., camera_timelines: _Optional[_Iterable[_Union[CameraTimeline, _Mapping]]] = ...) -> None: ...

class CameraTimeline(_message.Message):
    __slots__ = ("input", "init_begin_ns", "init_end_ns", "first_frame_captured_ns", "stream_id", "start_requested_ns")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    INIT_BEGIN_NS_FIELD_NUMBER: _ClassVar[int]
    INIT_END_NS_FIELD_NUMBER: _ClassVar[int]
    FIRST_FRAME_CAPTURED_NS_FIELD_NUMBER: _ClassVar[int]
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    START_REQUESTED_NS_FIELD_NUMBER: _ClassVar[int]
    input: str
    init_begin_ns: int
    init_end_ns: int
    first_frame_captured_ns: int
    stream_id: int
    start_requested_ns: int
    def __init__(self, input: _Optional[str] = ..., init_begin_ns: _Optional[int] = ..., init_end_ns: _Optional[int] = ..., first_frame_captured_ns: _Optional[int] = ..., stream_id: _Optional[int] = ..., start_requested_ns: _Optional[int] = ...) -> None: ...

class OutputTimeline(_message.Message):
    __slots__ = ("output", "init_begin_ns", "init_end_ns")
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    INIT_BEGIN_NS_FIELD_NUMBER: _ClassVar[int]
    INIT_END_NS_FIELD_NUMBER: _ClassVar[int]
    output: str
    init_begin_ns: int
    init_end_ns: int
    def __init__(self, output: _Optional[str] = ..., init_begin_ns: _Optional[int] = ..., init_end_ns: _Optional[int] = ...) -> None: ...
