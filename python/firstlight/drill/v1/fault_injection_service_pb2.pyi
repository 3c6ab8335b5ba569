import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class InjectFaultRequest(_message.Message):
    __slots__ = ("device", "unplug", "replug", "stall", "late", "drop", "corrupt", "start_latency", "output_init_delay", "settling", "lose_sound", "card_clock")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    UNPLUG_FIELD_NUMBER: _ClassVar[int]
    REPLUG_FIELD_NUMBER: _ClassVar[int]
    STALL_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    DROP_FIELD_NUMBER: _ClassVar[int]
    CORRUPT_FIELD_NUMBER: _ClassVar[int]
    START_LATENCY_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_INIT_DELAY_FIELD_NUMBER: _ClassVar[int]
    SETTLING_FIELD_NUMBER: _ClassVar[int]
    LOSE_SOUND_FIELD_NUMBER: _ClassVar[int]
    CARD_CLOCK_FIELD_NUMBER: _ClassVar[int]
    device: str
    unplug: UnplugFault
    replug: ReplugFault
    stall: StallFault
    late: LateFault
    drop: DropFault
    corrupt: CorruptFault
    start_latency: StartLatencyFault
    output_init_delay: OutputInitDelayFault
    settling: SettlingFault
    lose_sound: LoseSoundFault
    card_clock: CardClockFault
    def __init__(self, device: _Optional[str] = ..., unplug: _Optional[_Union[UnplugFault, _Mapping]] = ..., replug: _Optional[_Union[ReplugFault, _Mapping]] = ..., stall: _Optional[_Union[StallFault, _Mapping]] = ..., late: _Optional[_Union[LateFault, _Mapping]] = ..., drop: _Optional[_Union[DropFault, _Mapping]] = ..., corrupt: _Optional[_Union[CorruptFault, _Mapping]] = ..., start_latency: _Optional[_Union[StartLatencyFault, _Mapping]] = ..., output_init_delay: _Optional[_Union[OutputInitDelayFault, _Mapping]] = ..., settling: _Optional[_Union[SettlingFault, _Mapping]] = ..., lose_sound: _Optional[_Union[LoseSoundFault, _Mapping]] = ..., card_clock: _Optional[_Union[CardClockFault, _Mapping]] = ...) -> None: ...

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

class StartLatencyFault(_message.Message):
    __slots__ = ("latency",)
    LATENCY_FIELD_NUMBER: _ClassVar[int]
    latency: _duration_pb2.Duration
    def __init__(self, latency: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class OutputInitDelayFault(_message.Message):
    __slots__ = ("delay", "output")
    DELAY_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    delay: _duration_pb2.Duration
    output: str
    def __init__(self, delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., output: _Optional[str] = ...) -> None: ...

class SettlingFault(_message.Message):
    __slots__ = ("frames",)
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    frames: int
    def __init__(self, frames: _Optional[int] = ...) -> None: ...

class LoseSoundFault(_message.Message):
    __slots__ = ("duration", "suspended")
    DURATION_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    duration: _duration_pb2.Duration
    suspended: bool
    def __init__(self, duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., suspended: bool = ...) -> None: ...

class CardClockFault(_message.Message):
    __slots__ = ("parts_per_million",)
    PARTS_PER_MILLION_FIELD_NUMBER: _ClassVar[int]
    parts_per_million: int
    def __init__(self, parts_per_million: _Optional[int] = ...) -> None: ...
