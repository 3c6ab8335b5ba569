import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SystemPressureLevel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SYSTEM_PRESSURE_LEVEL_UNSPECIFIED: _ClassVar[SystemPressureLevel]
    SYSTEM_PRESSURE_LEVEL_NOMINAL: _ClassVar[SystemPressureLevel]
    SYSTEM_PRESSURE_LEVEL_FAIR: _ClassVar[SystemPressureLevel]
    SYSTEM_PRESSURE_LEVEL_SERIOUS: _ClassVar[SystemPressureLevel]
    SYSTEM_PRESSURE_LEVEL_CRITICAL: _ClassVar[SystemPressureLevel]
    SYSTEM_PRESSURE_LEVEL_SHUTDOWN: _ClassVar[SystemPressureLevel]

class SystemPressureFactor(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SYSTEM_PRESSURE_FACTOR_UNSPECIFIED: _ClassVar[SystemPressureFactor]
    SYSTEM_PRESSURE_FACTOR_SYSTEM_TEMPERATURE: _ClassVar[SystemPressureFactor]
SYSTEM_PRESSURE_LEVEL_UNSPECIFIED: SystemPressureLevel
SYSTEM_PRESSURE_LEVEL_NOMINAL: SystemPressureLevel
SYSTEM_PRESSURE_LEVEL_FAIR: SystemPressureLevel
SYSTEM_PRESSURE_LEVEL_SERIOUS: SystemPressureLevel
SYSTEM_PRESSURE_LEVEL_CRITICAL: SystemPressureLevel
SYSTEM_PRESSURE_LEVEL_SHUTDOWN: SystemPressureLevel
SYSTEM_PRESSURE_FACTOR_UNSPECIFIED: SystemPressureFactor
SYSTEM_PRESSURE_FACTOR_SYSTEM_TEMPERATURE: SystemPressureFactor

class GetSystemPressureRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetSystemPressureResponse(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: SystemPressureState
    def __init__(self, state: _Optional[_Union[SystemPressureState, _Mapping]] = ...) -> None: ...

class WatchSystemPressureRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WatchSystemPressureResponse(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: SystemPressureState
    def __init__(self, state: _Optional[_Union[SystemPressureState, _Mapping]] = ...) -> None: ...

class SystemPressureState(_message.Message):
    __slots__ = ("level", "factors", "readings", "read_time")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FACTORS_FIELD_NUMBER: _ClassVar[int]
    READINGS_FIELD_NUMBER: _ClassVar[int]
    READ_TIME_FIELD_NUMBER: _ClassVar[int]
    level: SystemPressureLevel
    factors: _containers.RepeatedScalarFieldContainer[SystemPressureFactor]
    readings: _containers.RepeatedCompositeFieldContainer[ThermalReading]
    read_time: _timestamp_pb2.Timestamp
    def __init__(self, level: _Optional[_Union[SystemPressureLevel, str]] = ..., factors: _Optional[_Iterable[_Union[SystemPressureFactor, str]]] = ..., readings: _Optional[_Iterable[_Union[ThermalReading, _Mapping]]] = ..., read_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ThermalReading(_message.Message):
    __slots__ = ("zone", "type", "temperature_millidegrees", "trips", "level", "fault")
    ZONE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_MILLIDEGREES_FIELD_NUMBER: _ClassVar[int]
    TRIPS_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    zone: str
    type: str
    temperature_millidegrees: int
    trips: _containers.RepeatedCompositeFieldContainer[TripPoint]
    level: SystemPressureLevel
    fault: str
    def __init__(self, zone: _Optional[str] = ..., type: _Optional[str] = ..., temperature_millidegrees: _Optional[int] = ..., trips: _Optional[_Iterable[_Union[TripPoint, _Mapping]]] = ..., level: _Optional[_Union[SystemPressureLevel, str]] = ..., fault: _Optional[str] = ...) -> None: ...

class TripPoint(_message.Message):
    __slots__ = ("type", "temperature_millidegrees")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_MILLIDEGREES_FIELD_NUMBER: _ClassVar[int]
    type: str
    temperature_millidegrees: int
    def __init__(self, type: _Optional[str] = ..., temperature_millidegrees: _Optional[int] = ...) -> None: ...
