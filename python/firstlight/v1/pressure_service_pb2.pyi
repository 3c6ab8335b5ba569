import datetime

from firstlight.v1 import pressure_readings_pb2 as _pressure_readings_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

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
    __slots__ = ("device", "after_event_id")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    AFTER_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    device: str
    after_event_id: str
    def __init__(self, device: _Optional[str] = ..., after_event_id: _Optional[str] = ...) -> None: ...

class WatchSystemPressureResponse(_message.Message):
    __slots__ = ("state", "event_id")
    STATE_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    state: SystemPressureState
    event_id: str
    def __init__(self, state: _Optional[_Union[SystemPressureState, _Mapping]] = ..., event_id: _Optional[str] = ...) -> None: ...

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

class SystemPressureState(_message.Message):
    __slots__ = ("level", "factors", "readings", "read_time", "causes", "simulated", "sensors", "cooling_devices", "frequency_limits", "throttle_counters", "power_supplies", "supply_alarms", "stalls", "cameras", "faults")
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
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    level: _pressure_readings_pb2.SystemPressureLevel
    factors: _containers.RepeatedScalarFieldContainer[_pressure_readings_pb2.SystemPressureFactor]
    readings: _containers.RepeatedCompositeFieldContainer[_pressure_readings_pb2.ThermalReading]
    read_time: _timestamp_pb2.Timestamp
    causes: _containers.RepeatedCompositeFieldContainer[PressureCause]
    simulated: bool
    sensors: _containers.RepeatedCompositeFieldContainer[_pressure_readings_pb2.TemperatureSensorReading]
    cooling_devices: _containers.RepeatedCompositeFieldContainer[_pressure_readings_pb2.CoolingDeviceReading]
    frequency_limits: _containers.RepeatedCompositeFieldContainer[_pressure_readings_pb2.FrequencyLimitReading]
    throttle_counters: _containers.RepeatedCompositeFieldContainer[_pressure_readings_pb2.ThrottleCounterReading]
    power_supplies: _containers.RepeatedCompositeFieldContainer[_pressure_readings_pb2.PowerSupplyReading]
    supply_alarms: _containers.RepeatedCompositeFieldContainer[_pressure_readings_pb2.SupplyAlarmReading]
    stalls: _containers.RepeatedCompositeFieldContainer[_pressure_readings_pb2.ResourceStallReading]
    cameras: _containers.RepeatedCompositeFieldContainer[_pressure_readings_pb2.CameraReading]
    faults: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, level: _Optional[_Union[_pressure_readings_pb2.SystemPressureLevel, str]] = ..., factors: _Optional[_Iterable[_Union[_pressure_readings_pb2.SystemPressureFactor, str]]] = ..., readings: _Optional[_Iterable[_Union[_pressure_readings_pb2.ThermalReading, _Mapping]]] = ..., read_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., causes: _Optional[_Iterable[_Union[PressureCause, _Mapping]]] = ..., simulated: bool = ..., sensors: _Optional[_Iterable[_Union[_pressure_readings_pb2.TemperatureSensorReading, _Mapping]]] = ..., cooling_devices: _Optional[_Iterable[_Union[_pressure_readings_pb2.CoolingDeviceReading, _Mapping]]] = ..., frequency_limits: _Optional[_Iterable[_Union[_pressure_readings_pb2.FrequencyLimitReading, _Mapping]]] = ..., throttle_counters: _Optional[_Iterable[_Union[_pressure_readings_pb2.ThrottleCounterReading, _Mapping]]] = ..., power_supplies: _Optional[_Iterable[_Union[_pressure_readings_pb2.PowerSupplyReading, _Mapping]]] = ..., supply_alarms: _Optional[_Iterable[_Union[_pressure_readings_pb2.SupplyAlarmReading, _Mapping]]] = ..., stalls: _Optional[_Iterable[_Union[_pressure_readings_pb2.ResourceStallReading, _Mapping]]] = ..., cameras: _Optional[_Iterable[_Union[_pressure_readings_pb2.CameraReading, _Mapping]]] = ..., faults: _Optional[_Iterable[str]] = ...) -> None: ...

class PressureCause(_message.Message):
    __slots__ = ("factor", "level", "source")
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    factor: _pressure_readings_pb2.SystemPressureFactor
    level: _pressure_readings_pb2.SystemPressureLevel
    source: str
    def __init__(self, factor: _Optional[_Union[_pressure_readings_pb2.SystemPressureFactor, str]] = ..., level: _Optional[_Union[_pressure_readings_pb2.SystemPressureLevel, str]] = ..., source: _Optional[str] = ...) -> None: ...

class AdaptationLadder(_message.Message):
    __slots__ = ("steps",)
    STEPS_FIELD_NUMBER: _ClassVar[int]
    steps: _containers.RepeatedCompositeFieldContainer[AdaptationStep]
    def __init__(self, steps: _Optional[_Iterable[_Union[AdaptationStep, _Mapping]]] = ...) -> None: ...

class AdaptationStep(_message.Message):
    __slots__ = ("preview_side_pixels", "preview_jpeg_quality", "preview_frame_rate", "zero_shutter_lag_window", "device_frame_rate", "fused_frames", "level")
    PREVIEW_SIDE_PIXELS_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_JPEG_QUALITY_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FRAME_RATE_FIELD_NUMBER: _ClassVar[int]
    ZERO_SHUTTER_LAG_WINDOW_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FRAME_RATE_FIELD_NUMBER: _ClassVar[int]
    FUSED_FRAMES_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    preview_side_pixels: int
    preview_jpeg_quality: int
    preview_frame_rate: _types_pb2.Rational
    zero_shutter_lag_window: _duration_pb2.Duration
    device_frame_rate: _types_pb2.Rational
    fused_frames: int
    level: _pressure_readings_pb2.SystemPressureLevel
    def __init__(self, preview_side_pixels: _Optional[int] = ..., preview_jpeg_quality: _Optional[int] = ..., preview_frame_rate: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ..., zero_shutter_lag_window: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., device_frame_rate: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ..., fused_frames: _Optional[int] = ..., level: _Optional[_Union[_pressure_readings_pb2.SystemPressureLevel, str]] = ...) -> None: ...

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
    worst_level: _pressure_readings_pb2.SystemPressureLevel
    best_level: _pressure_readings_pb2.SystemPressureLevel
    samples: int
    temperatures: _containers.RepeatedCompositeFieldContainer[TemperatureSummary]
    def __init__(self, start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., worst_level: _Optional[_Union[_pressure_readings_pb2.SystemPressureLevel, str]] = ..., best_level: _Optional[_Union[_pressure_readings_pb2.SystemPressureLevel, str]] = ..., samples: _Optional[int] = ..., temperatures: _Optional[_Iterable[_Union[TemperatureSummary, _Mapping]]] = ...) -> None: ...

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
