import datetime

from firstlight.v1 import recording_pb2 as _recording_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RecordingEvent(_message.Message):
    __slots__ = ("recording", "event_time", "accepted", "started", "paused", "resumed", "will_finish", "finished")
    RECORDING_FIELD_NUMBER: _ClassVar[int]
    EVENT_TIME_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    WILL_FINISH_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    recording: _recording_pb2.Recording
    event_time: _timestamp_pb2.Timestamp
    accepted: RecordingAccepted
    started: RecordingStarted
    paused: RecordingPaused
    resumed: RecordingResumed
    will_finish: RecordingWillFinish
    finished: RecordingFinished
    def __init__(self, recording: _Optional[_Union[_recording_pb2.Recording, _Mapping]] = ..., event_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., accepted: _Optional[_Union[RecordingAccepted, _Mapping]] = ..., started: _Optional[_Union[RecordingStarted, _Mapping]] = ..., paused: _Optional[_Union[RecordingPaused, _Mapping]] = ..., resumed: _Optional[_Union[RecordingResumed, _Mapping]] = ..., will_finish: _Optional[_Union[RecordingWillFinish, _Mapping]] = ..., finished: _Optional[_Union[RecordingFinished, _Mapping]] = ...) -> None: ...

class RecordingAccepted(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RecordingStarted(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RecordingPaused(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RecordingResumed(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RecordingWillFinish(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RecordingFinished(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
