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
    SYSTEM_PRESSURE_FACTOR_PEAK_POWER: _ClassVar[SystemPressureFactor]
    SYSTEM_PRESSURE_FACTOR_CAMERA_TEMPERATURE: _ClassVar[SystemPressureFactor]
    SYSTEM_PRESSURE_FACTOR_CPU_PRESSURE: _ClassVar[SystemPressureFactor]
    SYSTEM_PRESSURE_FACTOR_MEMORY_PRESSURE: _ClassVar[SystemPressureFactor]
    SYSTEM_PRESSURE_FACTOR_IO_PRESSURE: _ClassVar[SystemPressureFactor]
SYSTEM_PRESSURE_LEVEL_UNSPECIFIED: SystemPressureLevel
SYSTEM_PRESSURE_LEVEL_NOMINAL: SystemPressureLevel
SYSTEM_PRESSURE_LEVEL_FAIR: SystemPressureLevel
SYSTEM_PRESSURE_LEVEL_SERIOUS: SystemPressureLevel
SYSTEM_PRESSURE_LEVEL_CRITICAL: SystemPressureLevel
SYSTEM_PRESSURE_LEVEL_SHUTDOWN: SystemPressureLevel
SYSTEM_PRESSURE_FACTOR_UNSPECIFIED: SystemPressureFactor
SYSTEM_PRESSURE_FACTOR_SYSTEM_TEMPERATURE: SystemPressureFactor
SYSTEM_PRESSURE_FACTOR_PEAK_POWER: SystemPressureFactor
SYSTEM_PRESSURE_FACTOR_CAMERA_TEMPERATURE: SystemPressureFactor
SYSTEM_PRESSURE_FACTOR_CPU_PRESSURE: SystemPressureFactor
SYSTEM_PRESSURE_FACTOR_MEMORY_PRESSURE: SystemPressureFactor
SYSTEM_PRESSURE_FACTOR_IO_PRESSURE: SystemPressureFactor

class ThermalReading(_message.Message):
    __slots__ = ("zone", "type", "temperature_millidegrees", "trips", "level", "fault", "trend_millidegrees_per_minute")
    ZONE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_MILLIDEGREES_FIELD_NUMBER: _ClassVar[int]
    TRIPS_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    TREND_MILLIDEGREES_PER_MINUTE_FIELD_NUMBER: _ClassVar[int]
    zone: str
    type: str
    temperature_millidegrees: int
    trips: _containers.RepeatedCompositeFieldContainer[TripPoint]
    level: SystemPressureLevel
    fault: str
    trend_millidegrees_per_minute: int
    def __init__(self, zone: _Optional[str] = ..., type: _Optional[str] = ..., temperature_millidegrees: _Optional[int] = ..., trips: _Optional[_Iterable[_Union[TripPoint, _Mapping]]] = ..., level: _Optional[_Union[SystemPressureLevel, str]] = ..., fault: _Optional[str] = ..., trend_millidegrees_per_minute: _Optional[int] = ...) -> None: ...

class TripPoint(_message.Message):
    __slots__ = ("type", "temperature_millidegrees")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_MILLIDEGREES_FIELD_NUMBER: _ClassVar[int]
    type: str
    temperature_millidegrees: int
    def __init__(self, type: _Optional[str] = ..., temperature_millidegrees: _Optional[int] = ...) -> None: ...

class TemperatureSensorReading(_message.Message):
    __slots__ = ("name", "chip", "label", "temperature_millidegrees", "maximum_millidegrees", "critical_millidegrees", "level", "fault")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CHIP_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_MILLIDEGREES_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_MILLIDEGREES_FIELD_NUMBER: _ClassVar[int]
    CRITICAL_MILLIDEGREES_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    name: str
    chip: str
    label: str
    temperature_millidegrees: int
    maximum_millidegrees: int
    critical_millidegrees: int
    level: SystemPressureLevel
    fault: str
    def __init__(self, name: _Optional[str] = ..., chip: _Optional[str] = ..., label: _Optional[str] = ..., temperature_millidegrees: _Optional[int] = ..., maximum_millidegrees: _Optional[int] = ..., critical_millidegrees: _Optional[int] = ..., level: _Optional[_Union[SystemPressureLevel, str]] = ..., fault: _Optional[str] = ...) -> None: ...

class CoolingDeviceReading(_message.Message):
    __slots__ = ("name", "type", "cooling_state", "maximum_cooling_state", "fault")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    COOLING_STATE_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_COOLING_STATE_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: str
    cooling_state: int
    maximum_cooling_state: int
    fault: str
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., cooling_state: _Optional[int] = ..., maximum_cooling_state: _Optional[int] = ..., fault: _Optional[str] = ...) -> None: ...

class FrequencyLimitReading(_message.Message):
    __slots__ = ("name", "allowed_kilohertz", "hardware_kilohertz", "fault")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_KILOHERTZ_FIELD_NUMBER: _ClassVar[int]
    HARDWARE_KILOHERTZ_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    name: str
    allowed_kilohertz: int
    hardware_kilohertz: int
    fault: str
    def __init__(self, name: _Optional[str] = ..., allowed_kilohertz: _Optional[int] = ..., hardware_kilohertz: _Optional[int] = ..., fault: _Optional[str] = ...) -> None: ...

class ThrottleCounterReading(_message.Message):
    __slots__ = ("name", "events", "level", "fault")
    NAME_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    name: str
    events: int
    level: SystemPressureLevel
    fault: str
    def __init__(self, name: _Optional[str] = ..., events: _Optional[int] = ..., level: _Optional[_Union[SystemPressureLevel, str]] = ..., fault: _Optional[str] = ...) -> None: ...

class PowerSupplyReading(_message.Message):
    __slots__ = ("name", "type", "charging_status", "capacity_level", "health", "capacity_percent", "connection", "supplies_device", "level", "fault")
    class Connection(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CONNECTION_UNSPECIFIED: _ClassVar[PowerSupplyReading.Connection]
        CONNECTION_OFFLINE: _ClassVar[PowerSupplyReading.Connection]
        CONNECTION_ONLINE: _ClassVar[PowerSupplyReading.Connection]
        CONNECTION_ONLINE_PROGRAMMABLE: _ClassVar[PowerSupplyReading.Connection]
    CONNECTION_UNSPECIFIED: PowerSupplyReading.Connection
    CONNECTION_OFFLINE: PowerSupplyReading.Connection
    CONNECTION_ONLINE: PowerSupplyReading.Connection
    CONNECTION_ONLINE_PROGRAMMABLE: PowerSupplyReading.Connection
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    CHARGING_STATUS_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_LEVEL_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_PERCENT_FIELD_NUMBER: _ClassVar[int]
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    SUPPLIES_DEVICE_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: str
    charging_status: str
    capacity_level: str
    health: str
    capacity_percent: int
    connection: PowerSupplyReading.Connection
    supplies_device: bool
    level: SystemPressureLevel
    fault: str
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., charging_status: _Optional[str] = ..., capacity_level: _Optional[str] = ..., health: _Optional[str] = ..., capacity_percent: _Optional[int] = ..., connection: _Optional[_Union[PowerSupplyReading.Connection, str]] = ..., supplies_device: bool = ..., level: _Optional[_Union[SystemPressureLevel, str]] = ..., fault: _Optional[str] = ...) -> None: ...

class SupplyAlarmReading(_message.Message):
    __slots__ = ("name", "chip", "under_voltage", "frequency_capped", "throttled", "temperature_limit", "level", "fault")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CHIP_FIELD_NUMBER: _ClassVar[int]
    UNDER_VOLTAGE_FIELD_NUMBER: _ClassVar[int]
    FREQUENCY_CAPPED_FIELD_NUMBER: _ClassVar[int]
    THROTTLED_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    name: str
    chip: str
    under_voltage: bool
    frequency_capped: bool
    throttled: bool
    temperature_limit: bool
    level: SystemPressureLevel
    fault: str
    def __init__(self, name: _Optional[str] = ..., chip: _Optional[str] = ..., under_voltage: bool = ..., frequency_capped: bool = ..., throttled: bool = ..., temperature_limit: bool = ..., level: _Optional[_Union[SystemPressureLevel, str]] = ..., fault: _Optional[str] = ...) -> None: ...

class ResourceStallReading(_message.Message):
    __slots__ = ("name", "scope", "factor", "some_percent", "full_percent", "level", "fault")
    class Scope(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        SCOPE_UNSPECIFIED: _ClassVar[ResourceStallReading.Scope]
        SCOPE_HOST: _ClassVar[ResourceStallReading.Scope]
        SCOPE_CGROUP: _ClassVar[ResourceStallReading.Scope]
    SCOPE_UNSPECIFIED: ResourceStallReading.Scope
    SCOPE_HOST: ResourceStallReading.Scope
    SCOPE_CGROUP: ResourceStallReading.Scope
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    SOME_PERCENT_FIELD_NUMBER: _ClassVar[int]
    FULL_PERCENT_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    name: str
    scope: ResourceStallReading.Scope
    factor: SystemPressureFactor
    some_percent: float
    full_percent: float
    level: SystemPressureLevel
    fault: str
    def __init__(self, name: _Optional[str] = ..., scope: _Optional[_Union[ResourceStallReading.Scope, str]] = ..., factor: _Optional[_Union[SystemPressureFactor, str]] = ..., some_percent: _Optional[float] = ..., full_percent: _Optional[float] = ..., level: _Optional[_Union[SystemPressureLevel, str]] = ..., fault: _Optional[str] = ...) -> None: ...

class CameraReading(_message.Message):
    __slots__ = ("device", "control", "temperature_millidegrees", "level", "fault")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_MILLIDEGREES_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    device: str
    control: str
    temperature_millidegrees: int
    level: SystemPressureLevel
    fault: str
    def __init__(self, device: _Optional[str] = ..., control: _Optional[str] = ..., temperature_millidegrees: _Optional[int] = ..., level: _Optional[_Union[SystemPressureLevel, str]] = ..., fault: _Optional[str] = ...) -> None: ...
