from firstlight.v1 import photo_pb2 as _photo_pb2
from firstlight.v1 import photo_shot_pb2 as _photo_shot_pb2
from firstlight.v1 import recording_pb2 as _recording_pb2
from firstlight.v1 import session_configuration_pb2 as _session_configuration_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OutputCapabilities(_message.Message):
    __slots__ = ("output", "deferred_start_supported", "video_orientation_supported", "preview_capabilities", "video_data_capabilities", "photo_capabilities", "movie_capabilities")
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_START_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    VIDEO_ORIENTATION_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    VIDEO_DATA_CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    PHOTO_CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    MOVIE_CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    output: str
    deferred_start_supported: bool
    video_orientation_supported: bool
    preview_capabilities: PreviewCapabilities
    video_data_capabilities: VideoDataCapabilities
    photo_capabilities: PhotoCapabilities
    movie_capabilities: MovieCapabilities
    def __init__(self, output: _Optional[str] = ..., deferred_start_supported: bool = ..., video_orientation_supported: bool = ..., preview_capabilities: _Optional[_Union[PreviewCapabilities, _Mapping]] = ..., video_data_capabilities: _Optional[_Union[VideoDataCapabilities, _Mapping]] = ..., photo_capabilities: _Optional[_Union[PhotoCapabilities, _Mapping]] = ..., movie_capabilities: _Optional[_Union[MovieCapabilities, _Mapping]] = ...) -> None: ...

class PreviewCapabilities(_message.Message):
    __slots__ = ("tone_mapping_enabled",)
    TONE_MAPPING_ENABLED_FIELD_NUMBER: _ClassVar[int]
    tone_mapping_enabled: bool
    def __init__(self, tone_mapping_enabled: bool = ...) -> None: ...

class VideoDataCapabilities(_message.Message):
    __slots__ = ("available_pixel_formats",)
    AVAILABLE_PIXEL_FORMATS_FIELD_NUMBER: _ClassVar[int]
    available_pixel_formats: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, available_pixel_formats: _Optional[_Iterable[str]] = ...) -> None: ...

class PhotoCapabilities(_message.Message):
    __slots__ = ("zero_shutter_lag_supported", "responsive_capture_supported", "fast_capture_prioritization_supported", "supported_max_quality_prioritization", "max_captures_in_flight", "frame_memory_bytes", "available_encodings", "supported_flash_modes", "exposure_limits", "max_bracketed_photo_count", "supported_max_photo_dimensions", "depth_data_delivery_supported", "constituent_photo_delivery_supported")
    ZERO_SHUTTER_LAG_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    RESPONSIVE_CAPTURE_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    FAST_CAPTURE_PRIORITIZATION_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    SUPPORTED_MAX_QUALITY_PRIORITIZATION_FIELD_NUMBER: _ClassVar[int]
    MAX_CAPTURES_IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    FRAME_MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    AVAILABLE_ENCODINGS_FIELD_NUMBER: _ClassVar[int]
    SUPPORTED_FLASH_MODES_FIELD_NUMBER: _ClassVar[int]
    EXPOSURE_LIMITS_FIELD_NUMBER: _ClassVar[int]
    MAX_BRACKETED_PHOTO_COUNT_FIELD_NUMBER: _ClassVar[int]
    SUPPORTED_MAX_PHOTO_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    DEPTH_DATA_DELIVERY_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    CONSTITUENT_PHOTO_DELIVERY_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    zero_shutter_lag_supported: bool
    responsive_capture_supported: bool
    fast_capture_prioritization_supported: bool
    supported_max_quality_prioritization: _photo_pb2.PhotoQualityPrioritization
    max_captures_in_flight: int
    frame_memory_bytes: int
    available_encodings: _containers.RepeatedScalarFieldContainer[_types_pb2.Encoding]
    supported_flash_modes: _containers.RepeatedScalarFieldContainer[_photo_shot_pb2.FlashMode]
    exposure_limits: _photo_shot_pb2.ExposureLimits
    max_bracketed_photo_count: int
    supported_max_photo_dimensions: _containers.RepeatedCompositeFieldContainer[_types_pb2.Size]
    depth_data_delivery_supported: bool
    constituent_photo_delivery_supported: bool
    def __init__(self, zero_shutter_lag_supported: bool = ..., responsive_capture_supported: bool = ..., fast_capture_prioritization_supported: bool = ..., supported_max_quality_prioritization: _Optional[_Union[_photo_pb2.PhotoQualityPrioritization, str]] = ..., max_captures_in_flight: _Optional[int] = ..., frame_memory_bytes: _Optional[int] = ..., available_encodings: _Optional[_Iterable[_Union[_types_pb2.Encoding, str]]] = ..., supported_flash_modes: _Optional[_Iterable[_Union[_photo_shot_pb2.FlashMode, str]]] = ..., exposure_limits: _Optional[_Union[_photo_shot_pb2.ExposureLimits, _Mapping]] = ..., max_bracketed_photo_count: _Optional[int] = ..., supported_max_photo_dimensions: _Optional[_Iterable[_Union[_types_pb2.Size, _Mapping]]] = ..., depth_data_delivery_supported: bool = ..., constituent_photo_delivery_supported: bool = ...) -> None: ...

class MovieCapabilities(_message.Message):
    __slots__ = ("available_codecs", "available_containers", "available_audio_codecs")
    AVAILABLE_CODECS_FIELD_NUMBER: _ClassVar[int]
    AVAILABLE_CONTAINERS_FIELD_NUMBER: _ClassVar[int]
    AVAILABLE_AUDIO_CODECS_FIELD_NUMBER: _ClassVar[int]
    available_codecs: _containers.RepeatedScalarFieldContainer[_session_configuration_pb2.MovieCodec]
    available_containers: _containers.RepeatedScalarFieldContainer[_recording_pb2.MovieContainer]
    available_audio_codecs: _containers.RepeatedScalarFieldContainer[_session_configuration_pb2.AudioCodec]
    def __init__(self, available_codecs: _Optional[_Iterable[_Union[_session_configuration_pb2.MovieCodec, str]]] = ..., available_containers: _Optional[_Iterable[_Union[_recording_pb2.MovieContainer, str]]] = ..., available_audio_codecs: _Optional[_Iterable[_Union[_session_configuration_pb2.AudioCodec, str]]] = ...) -> None: ...
