from firstlight.v1 import control_pb2 as _control_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.rpc import status_pb2 as _status_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DeviceType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEVICE_TYPE_UNSPECIFIED: _ClassVar[DeviceType]
    DEVICE_TYPE_BUILT_IN_WIDE_ANGLE: _ClassVar[DeviceType]
    DEVICE_TYPE_EXTERNAL: _ClassVar[DeviceType]
    DEVICE_TYPE_SYNTHETIC: _ClassVar[DeviceType]
    DEVICE_TYPE_MICROPHONE: _ClassVar[DeviceType]

class MediaType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEDIA_TYPE_UNSPECIFIED: _ClassVar[MediaType]
    MEDIA_TYPE_VIDEO: _ClassVar[MediaType]
    MEDIA_TYPE_AUDIO: _ClassVar[MediaType]

class DevicePosition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEVICE_POSITION_UNSPECIFIED: _ClassVar[DevicePosition]
    DEVICE_POSITION_BACK: _ClassVar[DevicePosition]
    DEVICE_POSITION_FRONT: _ClassVar[DevicePosition]
DEVICE_TYPE_UNSPECIFIED: DeviceType
DEVICE_TYPE_BUILT_IN_WIDE_ANGLE: DeviceType
DEVICE_TYPE_EXTERNAL: DeviceType
DEVICE_TYPE_SYNTHETIC: DeviceType
DEVICE_TYPE_MICROPHONE: DeviceType
MEDIA_TYPE_UNSPECIFIED: MediaType
MEDIA_TYPE_VIDEO: MediaType
MEDIA_TYPE_AUDIO: MediaType
DEVICE_POSITION_UNSPECIFIED: DevicePosition
DEVICE_POSITION_BACK: DevicePosition
DEVICE_POSITION_FRONT: DevicePosition

class ListDevicesRequest(_message.Message):
    __slots__ = ("device_types", "media_type", "position", "page_size", "page_token", "format_query")
    DEVICE_TYPES_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FORMAT_QUERY_FIELD_NUMBER: _ClassVar[int]
    device_types: _containers.RepeatedScalarFieldContainer[DeviceType]
    media_type: MediaType
    position: DevicePosition
    page_size: int
    page_token: str
    format_query: FormatQuery
    def __init__(self, device_types: _Optional[_Iterable[_Union[DeviceType, str]]] = ..., media_type: _Optional[_Union[MediaType, str]] = ..., position: _Optional[_Union[DevicePosition, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., format_query: _Optional[_Union[FormatQuery, _Mapping]] = ...) -> None: ...

class FormatQuery(_message.Message):
    __slots__ = ("size", "frame_rate", "pixel_format")
    SIZE_FIELD_NUMBER: _ClassVar[int]
    FRAME_RATE_FIELD_NUMBER: _ClassVar[int]
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    size: _types_pb2.Size
    frame_rate: _types_pb2.Rational
    pixel_format: str
    def __init__(self, size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., frame_rate: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ..., pixel_format: _Optional[str] = ...) -> None: ...

class FormatMatch(_message.Message):
    __slots__ = ("device", "pixel_format", "size", "frame_rate")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    FRAME_RATE_FIELD_NUMBER: _ClassVar[int]
    device: str
    pixel_format: str
    size: _types_pb2.Size
    frame_rate: _types_pb2.Rational
    def __init__(self, device: _Optional[str] = ..., pixel_format: _Optional[str] = ..., size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., frame_rate: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ...) -> None: ...

class ListDevicesResponse(_message.Message):
    __slots__ = ("devices", "next_page_token", "format_matches")
    DEVICES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FORMAT_MATCHES_FIELD_NUMBER: _ClassVar[int]
    devices: _containers.RepeatedCompositeFieldContainer[Device]
    next_page_token: str
    format_matches: _containers.RepeatedCompositeFieldContainer[FormatMatch]
    def __init__(self, devices: _Optional[_Iterable[_Union[Device, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., format_matches: _Optional[_Iterable[_Union[FormatMatch, _Mapping]]] = ...) -> None: ...

class GetDeviceRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetDeviceResponse(_message.Message):
    __slots__ = ("device",)
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    device: Device
    def __init__(self, device: _Optional[_Union[Device, _Mapping]] = ...) -> None: ...

class WatchDevicesRequest(_message.Message):
    __slots__ = ("after_event_id",)
    AFTER_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    after_event_id: str
    def __init__(self, after_event_id: _Optional[str] = ...) -> None: ...

class WatchDevicesResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: DeviceEvent
    def __init__(self, event: _Optional[_Union[DeviceEvent, _Mapping]] = ...) -> None: ...

class DeviceEvent(_message.Message):
    __slots__ = ("event_id", "kind", "device")
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        KIND_UNSPECIFIED: _ClassVar[DeviceEvent.Kind]
        KIND_CONNECTED: _ClassVar[DeviceEvent.Kind]
        KIND_DISCONNECTED: _ClassVar[DeviceEvent.Kind]
        KIND_CHANGED: _ClassVar[DeviceEvent.Kind]
    KIND_UNSPECIFIED: DeviceEvent.Kind
    KIND_CONNECTED: DeviceEvent.Kind
    KIND_DISCONNECTED: DeviceEvent.Kind
    KIND_CHANGED: DeviceEvent.Kind
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    kind: DeviceEvent.Kind
    device: Device
    def __init__(self, event_id: _Optional[str] = ..., kind: _Optional[_Union[DeviceEvent.Kind, str]] = ..., device: _Optional[_Union[Device, _Mapping]] = ...) -> None: ...

class Device(_message.Message):
    __slots__ = ("name", "display_name", "device_type", "position", "media_type", "driver", "location", "formats", "controls", "session", "label", "mounting_rotation", "unavailable", "audio_capabilities")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    DEVICE_TYPE_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    DRIVER_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    FORMATS_FIELD_NUMBER: _ClassVar[int]
    CONTROLS_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    MOUNTING_ROTATION_FIELD_NUMBER: _ClassVar[int]
    UNAVAILABLE_FIELD_NUMBER: _ClassVar[int]
    AUDIO_CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    name: str
    display_name: str
    device_type: DeviceType
    position: DevicePosition
    media_type: MediaType
    driver: str
    location: str
    formats: _containers.RepeatedCompositeFieldContainer[DeviceFormat]
    controls: _containers.RepeatedCompositeFieldContainer[_control_pb2.Control]
    session: str
    label: str
    mounting_rotation: int
    unavailable: _status_pb2.Status
    audio_capabilities: AudioCapabilities
    def __init__(self, name: _Optional[str] = ..., display_name: _Optional[str] = ..., device_type: _Optional[_Union[DeviceType, str]] = ..., position: _Optional[_Union[DevicePosition, str]] = ..., media_type: _Optional[_Union[MediaType, str]] = ..., driver: _Optional[str] = ..., location: _Optional[str] = ..., formats: _Optional[_Iterable[_Union[DeviceFormat, _Mapping]]] = ..., controls: _Optional[_Iterable[_Union[_control_pb2.Control, _Mapping]]] = ..., session: _Optional[str] = ..., label: _Optional[str] = ..., mounting_rotation: _Optional[int] = ..., unavailable: _Optional[_Union[_status_pb2.Status, _Mapping]] = ..., audio_capabilities: _Optional[_Union[AudioCapabilities, _Mapping]] = ...) -> None: ...

class AudioCapabilities(_message.Message):
    __slots__ = ("sample_rates", "channel_counts", "driver_timestamps")
    SAMPLE_RATES_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_COUNTS_FIELD_NUMBER: _ClassVar[int]
    DRIVER_TIMESTAMPS_FIELD_NUMBER: _ClassVar[int]
    sample_rates: _containers.RepeatedScalarFieldContainer[int]
    channel_counts: _containers.RepeatedScalarFieldContainer[int]
    driver_timestamps: bool
    def __init__(self, sample_rates: _Optional[_Iterable[int]] = ..., channel_counts: _Optional[_Iterable[int]] = ..., driver_timestamps: bool = ...) -> None: ...

class DeviceFormat(_message.Message):
    __slots__ = ("pixel_format", "description", "size", "size_range", "frame_rates", "frame_rate_range", "binned", "converted_pixel_format", "highest_photo_quality_supported")
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    SIZE_RANGE_FIELD_NUMBER: _ClassVar[int]
    FRAME_RATES_FIELD_NUMBER: _ClassVar[int]
    FRAME_RATE_RANGE_FIELD_NUMBER: _ClassVar[int]
    BINNED_FIELD_NUMBER: _ClassVar[int]
    CONVERTED_PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    HIGHEST_PHOTO_QUALITY_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    pixel_format: str
    description: str
    size: _types_pb2.Size
    size_range: SizeRange
    frame_rates: _containers.RepeatedCompositeFieldContainer[_types_pb2.Rational]
    frame_rate_range: FrameRateRange
    binned: bool
    converted_pixel_format: str
    highest_photo_quality_supported: bool
    def __init__(self, pixel_format: _Optional[str] = ..., description: _Optional[str] = ..., size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., size_range: _Optional[_Union[SizeRange, _Mapping]] = ..., frame_rates: _Optional[_Iterable[_Union[_types_pb2.Rational, _Mapping]]] = ..., frame_rate_range: _Optional[_Union[FrameRateRange, _Mapping]] = ..., binned: bool = ..., converted_pixel_format: _Optional[str] = ..., highest_photo_quality_supported: bool = ...) -> None: ...

class SizeRange(_message.Message):
    __slots__ = ("minimum_size", "maximum_size", "step_size")
    MINIMUM_SIZE_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_SIZE_FIELD_NUMBER: _ClassVar[int]
    STEP_SIZE_FIELD_NUMBER: _ClassVar[int]
    minimum_size: _types_pb2.Size
    maximum_size: _types_pb2.Size
    step_size: _types_pb2.Size
    def __init__(self, minimum_size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., maximum_size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., step_size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ...) -> None: ...

class FrameRateRange(_message.Message):
    __slots__ = ("lowest", "highest", "frame_duration_step")
    LOWEST_FIELD_NUMBER: _ClassVar[int]
    HIGHEST_FIELD_NUMBER: _ClassVar[int]
    FRAME_DURATION_STEP_FIELD_NUMBER: _ClassVar[int]
    lowest: _types_pb2.Rational
    highest: _types_pb2.Rational
    frame_duration_step: _types_pb2.Rational
    def __init__(self, lowest: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ..., highest: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ..., frame_duration_step: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ...) -> None: ...
