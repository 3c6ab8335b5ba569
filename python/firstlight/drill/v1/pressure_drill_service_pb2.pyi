import datetime

from firstlight.v1 import pressure_readings_pb2 as _pressure_readings_pb2
from firstlight.v1 import pressure_service_pb2 as _pressure_service_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SimulateLevelRequest(_message.Message):
    __slots__ = ("level", "factor", "duration")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    level: _pressure_readings_pb2.SystemPressureLevel
    factor: _pressure_readings_pb2.SystemPressureFactor
    duration: _duration_pb2.Duration
    def __init__(self, level: _Optional[_Union[_pressure_readings_pb2.SystemPressureLevel, str]] = ..., factor: _Optional[_Union[_pressure_readings_pb2.SystemPressureFactor, str]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class SimulateLevelResponse(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: _pressure_service_pb2.SystemPressureState
    def __init__(self, state: _Optional[_Union[_pressure_service_pb2.SystemPressureState, _Mapping]] = ...) -> None: ...
