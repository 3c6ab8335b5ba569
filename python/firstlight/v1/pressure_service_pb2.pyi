import datetime

from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import duration_pb2 as _duration_pb2
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

class GetSystemPressureRequest(_message.Message):
    __slots__ = ("device",)
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    device: str
    def __init__(self, device: _Optional[str] = ...) -> None: ...

class GetSystemPressureResponse(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: SystemPressureState
    def __init__(self, state: _Optional[_Union[SystemPressureState, _Mapping]] = ...) -> None: ...

class WatchSystemPressureRequest(_message.Message):
    __slots__ = ("device",)
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    device: str
    def __init__(self, device: _Optional[str] = ...) -> None: ...

class WatchSystemPressureResponse(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: SystemPressureState
    def __init__(self, state: _Optional[_Union[SystemPressureState, _Mapping]] = ...) -> None: ...

class GetPressureHistoryRequest(_message.Message):
    __slots__ = ("start_time", "end_time", "max_points")
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    MAX_POINTS_FIELD_NUMBER: _ClassVar[int]
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    max_points: int
    def __init__(self, start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., max_points: _Optional[int] = ...) -> None: ...

class GetPressureHistoryResponse(_message.Message):
    __slots__ = ("history",)
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    history: PressureHistory
    def __init__(self, history: _Optional[_Union[PressureHistory, _Mapping]] = ...) -> None: ...

class GetAdaptationLadderRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetAdaptationLadderResponse(_message.Message):
    __slots__ = ("ladder",)
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ladder: AdaptationLadder
    def __init__(self, ladder: _Optional[_Union[AdaptationLadder, _Mapping]] = ...) -> None: ...

class SimulateLevelRequest(_message.Message):
    __slots__ = ("level", "factor", "duration")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    level: SystemPressureLevel
    factor: SystemPressureFactor
    duration: _duration_pb2.Duration
    def __init__(self, level: _Optional[_Union[SystemPressureLevel, str]] = ..., factor: _Optional[_Union[SystemPressureFactor, str]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class SimulateLevelResponse(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: SystemPressureState
    def __init__(self, state: _Optional[_Union[SystemPressureState, _Mapping]] = ...) -> None: ...

class SystemPressureState(_message.Message):
    __slots__ = ("level", "factors", "readings", "read_time", "causes", "simulated", "sensors", "cooling_devices", "frequency_limits", "throttle_counters", "power_supplies", "supply_alarms", "stalls", "cameras")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FACTORS_FIELD_NUMBER: _ClassVar[int]
    READINGS_FIELD_NUMBER: _ClassVar[int]
    READ_TIME_FIELD_NUMBER: _ClassVar[int]
    CAUSES_FIELD_NUMBER: _ClassVar[int]
    SIMULATED_FIELD_NUMBER: _ClassVar[int]
    SENSORS_FIELD_NUMBER: _ClassVar[int]
    COOLING_DEVICES_FIELD_NUMBER: _ClassVar[int]
    FREQUENCY_LIMITS_FIELD_NUMBER: _ClassVar[int]
    THROTTLE_COUNTERS_FIELD_NUMBER: _ClassVar[int]
    POWER_SUPPLIES_FIELD_NUMBER: _ClassVar[int]
    SUPPLY_ALARMS_FIELD_NUMBER: _ClassVar[int]
    STALLS_FIELD_NUMBER: _ClassVar[int]
    CAMERAS_FIELD_NUMBER: _ClassVar[int]
    level: SystemPressureLevel
    factors: _containers.RepeatedScalarFieldContainer[SystemPressureFactor]
    readings: _containers.RepeatedCompositeFieldContainer[ThermalReading]
    read_time: _timestamp_pb2.Timestamp
    causes: _containers.RepeatedCompositeFieldContainer[PressureCause]
    simulated: bool
    sensors: _containers.RepeatedCompositeFieldContainer[TemperatureSensorReading]
    cooling_devices: _containers.RepeatedCompositeFieldContainer[CoolingDeviceReading]
    frequency_limits: _containers.RepeatedCompositeFieldContainer[FrequencyLimitReading]
    throttle_counters: _containers.RepeatedCompositeFieldContainer[ThrottleCounterReading]
    power_supplies: _containers.RepeatedCompositeFieldContainer[PowerSupplyReading]
    supply_alarms: _containers.RepeatedCompositeFieldContainer[SupplyAlarmReading]
    stalls: _containers.RepeatedCompositeFieldContainer[ResourceStallReading]
    cameras: _containers.RepeatedCompositeFieldContainer[CameraReading]
    def __init__(self, level: _Optional[_Union[SystemPressureLevel, str]] = ..., factors: _Optional[_Iterable[_Union[SystemPressureFactor, str]]] = ..., readings: _Optional[_Iterable[_Union[ThermalReading, _Mapping]]] = ..., read_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., causes: _Optional[_Iterable[_Union[PressureCause, _Mapping]]] = ..., simulated: bool = ..., sensors: _Optional[_Iterable[_Union[TemperatureSensorReading, _Mapping]]] = ..., cooling_devices: _Optional[_Iterable[_Union[CoolingDeviceReading, _Mapping]]] = ..., frequency_limits: _Optional[_Iterable[_Union[FrequencyLimitReading, _Mapping]]] = ..., throttle_counters: _Optional[_Iterable[_Union[ThrottleCounterReading, _Mapping]]] = ..., power_supplies: _Optional[_Iterable[_Union[PowerSupplyReading, _Mapping]]] = ..., supply_alarms: _Optional[_Iterable[_Union[SupplyAlarmReading, _Mapping]]] = ..., stalls: _Optional[_Iterable[_Union[ResourceStallReading, _Mapping]]] = ..., cameras: _Optional[_Iterable[_Union[CameraReading, _Mapping]]] = ...) -> None: ...

class PressureCause(_message.Message):
    __slots__ = ("factor", "level", "source")
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    factor: SystemPressureFactor
    level: SystemPressureLevel
    source: str
    def __init__(self, factor: _Optional[_Union[SystemPressureFactor, str]] = ..., level: _Optional[_Union[SystemPressureLevel, str]] = ..., source: _Optional[str] = ...) -> None: ...

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
    __slots__ = ("name", "type", "state", "maximum_state", "fault")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_STATE_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: str
    state: int
    maximum_state: int
    fault: str
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., state: _Optional[int] = ..., maximum_state: _Optional[int] = ..., fault: _Optional[str] = ...) -> None: ...

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
    __slots__ = ("name", "type", "status", "capacity_level", "health", "capacity_percent", "online", "supplies_device", "level", "fault")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_LEVEL_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_PERCENT_FIELD_NUMBER: _ClassVar[int]
    ONLINE_FIELD_NUMBER: _ClassVar[int]
    SUPPLIES_DEVICE_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: str
    status: str
    capacity_level: str
    health: str
    capacity_percent: int
    online: bool
    supplies_device: bool
    level: SystemPressureLevel
    fault: str
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., status: _Optional[str] = ..., capacity_level: _Optional[str] = ..., health: _Optional[str] = ..., capacity_percent: _Optional[int] = ..., online: bool = ..., supplies_device: bool = ..., level: _Optional[_Union[SystemPressureLevel, str]] = ..., fault: _Optional[str] = ...) -> None: ...

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

class AdaptationLadder(_message.Message):
    __slots__ = ("steps",)
    STEPS_FIELD_NUMBER: _ClassVar[int]
    steps: _containers.RepeatedCompositeFieldContainer[AdaptationStep]
    def __init__(self, steps: _Optional[_Iterable[_Union[AdaptationStep, _Mapping]]] = ...) -> None: ...

class AdaptationStep(_message.Message):
    __slots__ = ("preview_side_pixels", "preview_jpeg_quality", "preview_frame_rate", "zero_shutter_lag_window", "device_frame_rate", "level")
    PREVIEW_SIDE_PIXELS_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_JPEG_QUALITY_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FRAME_RATE_FIELD_NUMBER: _ClassVar[int]
    ZERO_SHUTTER_LAG_WINDOW_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FRAME_RATE_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    preview_side_pixels: int
    preview_jpeg_quality: int
    preview_frame_rate: _types_pb2.Rational
    zero_shutter_lag_window: _duration_pb2.Duration
    device_frame_rate: _types_pb2.Rational
    level: SystemPressureLevel
    def __init__(self, preview_side_pixels: _Optional[int] = ..., preview_jpeg_quality: _Optional[int] = ..., preview_frame_rate: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ..., zero_shutter_lag_window: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., device_frame_rate: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ..., level: _Optional[_Union[SystemPressureLevel, str]] = ...) -> None: ...

class PressureHistory(_message.Message):
    __slots__ = ("points",)
    POINTS_FIELD_NUMBER: _ClassVar[int]
    points: _containers.RepeatedCompositeFieldContainer[PressureHistoryPoint]
    def __init__(self, points: _Optional[_Iterable[_Union[PressureHistoryPoint, _Mapping]]] = ...) -> None: ...

class PressureHistoryPoint(_message.Message):
    __slots__ = ("start_time", "duration", "worst_level", "best_level", "samples", "temperatures")
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    WORST_LEVEL_FIELD_NUMBER: _ClassVar[int]
    BEST_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURES_FIELD_NUMBER: _ClassVar[int]
    start_time: _timestamp_pb2.Timestamp
    duration: _duration_pb2.Duration
    worst_level: SystemPressureLevel
    best_level: SystemPressureLevel
    samples: int
    temperatures: _containers.RepeatedCompositeFieldContainer[TemperatureSummary]
    def __init__(self, start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., worst_level: _Optional[_Union[SystemPressureLevel, str]] = ..., best_level: _Optional[_Union[SystemPressureLevel, str]] = ..., samples: _Optional[int] = ..., temperatures: _Optional[_Iterable[_Union[TemperatureSummary, _Mapping]]] = ...) -> None: ...

class TemperatureSummary(_message.Message):
    __slots__ = ("source", "minimum_millidegrees", "mean_millidegrees", "maximum_millidegrees")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_MILLIDEGREES_FIELD_NUMBER: _ClassVar[int]
    MEAN_MILLIDEGREES_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_MILLIDEGREES_FIELD_NUMBER: _ClassVar[int]
    source: str
    minimum_millidegrees: int
    mean_millidegrees: int
    maximum_millidegrees: int
    def __init__(self, source: _Optional[str] = ..., minimum_millidegrees: _Optional[int] = ..., mean_millidegrees: _Optional[int] = ..., maximum_millidegrees: _Optional[int] = ...) -> None: ...
