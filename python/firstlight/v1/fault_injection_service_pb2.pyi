import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class InjectFaultRequest(_message.Message):
    __slots__ = ("device", "unplug", "replug", "stall", "late", "drop", "corrupt")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    UNPLUG_FIELD_NUMBER: _ClassVar[int]
    REPLUG_FIELD_NUMBER: _ClassVar[int]
    STALL_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    DROP_FIELD_NUMBER: _ClassVar[int]
    CORRUPT_FIELD_NUMBER: _ClassVar[int]
    device: str
    unplug: UnplugFault
    replug: ReplugFault
    stall: StallFault
    late: LateFault
    drop: DropFault
    corrupt: CorruptFault
    def __init__(self, device: _Optional[str] = ..., unplug: _Optional[_Union[UnplugFault, _Mapping]] = ..., replug: _Optional[_Union[ReplugFault, _Mapping]] = ..., stall: _Optional[_Union[StallFault, _Mapping]] = ..., late: _Optional[_Union[LateFault, _Mapping]] = ..., drop: _Optional[_Union[DropFault, _Mapping]] = ..., corrupt: _Optional[_Union[CorruptFault, _Mapping]] = ...) -> None: ...

class InjectFaultResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class UnplugFault(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ReplugFault(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class StallFault(_message.Message):
    __slots__ = ("duration",)
    DURATION_FIELD_NUMBER: _ClassVar[int]
    duration: _duration_pb2.Duration
    def __init__(self, duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class LateFault(_message.Message):
    __slots__ = ("delay",)
    DELAY_FIELD_NUMBER: _ClassVar[int]
    delay: _duration_pb2.Duration
    def __init__(self, delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class DropFault(_message.Message):
    __slots__ = ("frames",)
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    frames: int
    def __init__(self, frames: _Optional[int] = ...) -> None: ...

class CorruptFault(_message.Message):
    __slots__ = ("frames",)
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    frames: int
    def __init__(self, frames: _Optional[int] = ...) -> None: ...
