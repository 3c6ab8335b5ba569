import datetime

from firstlight.v1 import composition_pb2 as _composition_pb2
from firstlight.v1 import photo_pb2 as _photo_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AdaptationPolicy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ADAPTATION_POLICY_UNSPECIFIED: _ClassVar[AdaptationPolicy]
    ADAPTATION_POLICY_CLIENT: _ClassVar[AdaptationPolicy]
    ADAPTATION_POLICY_SERVER: _ClassVar[AdaptationPolicy]

class AudioCodec(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AUDIO_CODEC_UNSPECIFIED: _ClassVar[AudioCodec]
    AUDIO_CODEC_AAC: _ClassVar[AudioCodec]
    AUDIO_CODEC_OPUS: _ClassVar[AudioCodec]
    AUDIO_CODEC_PCM: _ClassVar[AudioCodec]

class MovieCodec(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MOVIE_CODEC_UNSPECIFIED: _ClassVar[MovieCodec]
    MOVIE_CODEC_H264: _ClassVar[MovieCodec]
    MOVIE_CODEC_HEVC: _ClassVar[MovieCodec]
    MOVIE_CODEC_PRO_RES: _ClassVar[MovieCodec]
    MOVIE_CODEC_FFV1: _ClassVar[MovieCodec]
    MOVIE_CODEC_MOTION_JPEG: _ClassVar[MovieCodec]

class SessionPreset(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SESSION_PRESET_UNSPECIFIED: _ClassVar[SessionPreset]
    SESSION_PRESET_PHOTO: _ClassVar[SessionPreset]
    SESSION_PRESET_HIGH: _ClassVar[SessionPreset]
    SESSION_PRESET_MEDIUM: _ClassVar[SessionPreset]
    SESSION_PRESET_LOW: _ClassVar[SessionPreset]
    SESSION_PRESET_HD_720P: _ClassVar[SessionPreset]
    SESSION_PRESET_HD_1080P: _ClassVar[SessionPreset]
    SESSION_PRESET_HD_4K: _ClassVar[SessionPreset]
    SESSION_PRESET_INPUT_PRIORITY: _ClassVar[SessionPreset]
ADAPTATION_POLICY_UNSPECIFIED: AdaptationPolicy
ADAPTATION_POLICY_CLIENT: AdaptationPolicy
ADAPTATION_POLICY_SERVER: AdaptationPolicy
AUDIO_CODEC_UNSPECIFIED: AudioCodec
AUDIO_CODEC_AAC: AudioCodec
AUDIO_CODEC_OPUS: AudioCodec
AUDIO_CODEC_PCM: AudioCodec
MOVIE_CODEC_UNSPECIFIED: MovieCodec
MOVIE_CODEC_H264: MovieCodec
MOVIE_CODEC_HEVC: MovieCodec
MOVIE_CODEC_PRO_RES: MovieCodec
MOVIE_CODEC_FFV1: MovieCodec
MOVIE_CODEC_MOTION_JPEG: MovieCodec
SESSION_PRESET_UNSPECIFIED: SessionPreset
SESSION_PRESET_PHOTO: SessionPreset
SESSION_PRESET_HIGH: SessionPreset
SESSION_PRESET_MEDIUM: SessionPreset
SESSION_PRESET_LOW: SessionPreset
SESSION_PRESET_HD_720P: SessionPreset
SESSION_PRESET_HD_1080P: SessionPreset
SESSION_PRESET_HD_4K: SessionPreset
SESSION_PRESET_INPUT_PRIORITY: SessionPreset

class SessionConfiguration(_message.Message):
    __slots__ = ("inputs", "preset", "automatically_runs_deferred_start", "preview", "photo", "connections", "additional_previews", "video_data", "movie", "adaptation_policy", "additional_movies")
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    PRESET_FIELD_NUMBER: _ClassVar[int]
    AUTOMATICALLY_RUNS_DEFERRED_START_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    PHOTO_FIELD_NUMBER: _ClassVar[int]
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    ADDITIONAL_PREVIEWS_FIELD_NUMBER: _ClassVar[int]
    VIDEO_DATA_FIELD_NUMBER: _ClassVar[int]
    MOVIE_FIELD_NUMBER: _ClassVar[int]
    ADAPTATION_POLICY_FIELD_NUMBER: _ClassVar[int]
    ADDITIONAL_MOVIES_FIELD_NUMBER: _ClassVar[int]
    inputs: _containers.RepeatedCompositeFieldContainer[SessionInput]
    preset: SessionPreset
    automatically_runs_deferred_start: bool
    preview: PreviewOutput
    photo: PhotoOutput
    connections: _containers.RepeatedCompositeFieldContainer[SessionConnection]
    additional_previews: _containers.RepeatedCompositeFieldContainer[PreviewOutput]
    video_data: _containers.RepeatedCompositeFieldContainer[VideoDataOutput]
    movie: MovieOutput
    adaptation_policy: AdaptationPolicy
    additional_movies: _containers.RepeatedCompositeFieldContainer[MovieOutput]
    def __init__(self, inputs: _Optional[_Iterable[_Union[SessionInput, _Mapping]]] = ..., preset: _Optional[_Union[SessionPreset, str]] = ..., automatically_runs_deferred_start: bool = ..., preview: _Optional[_Union[PreviewOutput, _Mapping]] = ..., photo: _Optional[_Union[PhotoOutput, _Mapping]] = ..., connections: _Optional[_Iterable[_Union[SessionConnection, _Mapping]]] = ..., additional_previews: _Optional[_Iterable[_Union[PreviewOutput, _Mapping]]] = ..., video_data: _Optional[_Iterable[_Union[VideoDataOutput, _Mapping]]] = ..., movie: _Optional[_Union[MovieOutput, _Mapping]] = ..., adaptation_policy: _Optional[_Union[AdaptationPolicy, str]] = ..., additional_movies: _Optional[_Iterable[_Union[MovieOutput, _Mapping]]] = ...) -> None: ...

class SessionInput(_message.Message):
    __slots__ = ("id", "device", "format", "frame_rate_override", "audio_format", "deferred_start_enabled", "composition")
    ID_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    FRAME_RATE_OVERRIDE_FIELD_NUMBER: _ClassVar[int]
    AUDIO_FORMAT_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_START_ENABLED_FIELD_NUMBER: _ClassVar[int]
    COMPOSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    device: str
    format: StreamFormat
    frame_rate_override: _types_pb2.Rational
    audio_format: AudioFormat
    deferred_start_enabled: bool
    composition: _composition_pb2.Composition
    def __init__(self, id: _Optional[str] = ..., device: _Optional[str] = ..., format: _Optional[_Union[StreamFormat, _Mapping]] = ..., frame_rate_override: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ..., audio_format: _Optional[_Union[AudioFormat, _Mapping]] = ..., deferred_start_enabled: bool = ..., composition: _Optional[_Union[_composition_pb2.Composition, _Mapping]] = ...) -> None: ...

class AudioFormat(_message.Message):
    __slots__ = ("sample_rate", "channel_count")
    SAMPLE_RATE_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_COUNT_FIELD_NUMBER: _ClassVar[int]
    sample_rate: int
    channel_count: int
    def __init__(self, sample_rate: _Optional[int] = ..., channel_count: _Optional[int] = ...) -> None: ...

class SessionConnection(_message.Message):
    __slots__ = ("input", "output", "enabled", "video_mirrored", "video_rotation_angle")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    VIDEO_MIRRORED_FIELD_NUMBER: _ClassVar[int]
    VIDEO_ROTATION_ANGLE_FIELD_NUMBER: _ClassVar[int]
    input: str
    output: str
    enabled: bool
    video_mirrored: bool
    video_rotation_angle: int
    def __init__(self, input: _Optional[str] = ..., output: _Optional[str] = ..., enabled: bool = ..., video_mirrored: bool = ..., video_rotation_angle: _Optional[int] = ...) -> None: ...

class StreamFormat(_message.Message):
    __slots__ = ("pixel_format", "width", "height")
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    pixel_format: str
    width: int
    height: int
    def __init__(self, pixel_format: _Optional[str] = ..., width: _Optional[int] = ..., height: _Optional[int] = ...) -> None: ...

class PreviewOutput(_message.Message):
    __slots__ = ("id", "deferred_start_enabled")
    ID_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_START_ENABLED_FIELD_NUMBER: _ClassVar[int]
    id: str
    deferred_start_enabled: bool
    def __init__(self, id: _Optional[str] = ..., deferred_start_enabled: bool = ...) -> None: ...

class VideoDataOutput(_message.Message):
    __slots__ = ("id", "deferred_start_enabled", "pixel_format", "always_discards_late_video_frames", "max_queue_depth", "color_range")
    ID_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_START_ENABLED_FIELD_NUMBER: _ClassVar[int]
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    ALWAYS_DISCARDS_LATE_VIDEO_FRAMES_FIELD_NUMBER: _ClassVar[int]
    MAX_QUEUE_DEPTH_FIELD_NUMBER: _ClassVar[int]
    COLOR_RANGE_FIELD_NUMBER: _ClassVar[int]
    id: str
    deferred_start_enabled: bool
    pixel_format: str
    always_discards_late_video_frames: bool
    max_queue_depth: int
    color_range: _types_pb2.ColorRange
    def __init__(self, id: _Optional[str] = ..., deferred_start_enabled: bool = ..., pixel_format: _Optional[str] = ..., always_discards_late_video_frames: bool = ..., max_queue_depth: _Optional[int] = ..., color_range: _Optional[_Union[_types_pb2.ColorRange, str]] = ...) -> None: ...

class PhotoOutput(_message.Message):
    __slots__ = ("id", "deferred_start_enabled", "zero_shutter_lag_enabled", "zero_shutter_lag_window", "max_quality_prioritization", "responsive_capture_enabled", "fast_capture_prioritization_enabled", "max_photo_dimensions", "constituent_photo_delivery_enabled", "depth_data_delivery_enabled")
    ID_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_START_ENABLED_FIELD_NUMBER: _ClassVar[int]
    ZERO_SHUTTER_LAG_ENABLED_FIELD_NUMBER: _ClassVar[int]
    ZERO_SHUTTER_LAG_WINDOW_FIELD_NUMBER: _ClassVar[int]
    MAX_QUALITY_PRIORITIZATION_FIELD_NUMBER: _ClassVar[int]
    RESPONSIVE_CAPTURE_ENABLED_FIELD_NUMBER: _ClassVar[int]
    FAST_CAPTURE_PRIORITIZATION_ENABLED_FIELD_NUMBER: _ClassVar[int]
    MAX_PHOTO_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    CONSTITUENT_PHOTO_DELIVERY_ENABLED_FIELD_NUMBER: _ClassVar[int]
    DEPTH_DATA_DELIVERY_ENABLED_FIELD_NUMBER: _ClassVar[int]
    id: str
    deferred_start_enabled: bool
    zero_shutter_lag_enabled: bool
    zero_shutter_lag_window: _duration_pb2.Duration
    max_quality_prioritization: _photo_pb2.PhotoQualityPrioritization
    responsive_capture_enabled: bool
    fast_capture_prioritization_enabled: bool
    max_photo_dimensions: _types_pb2.Size
    constituent_photo_delivery_enabled: bool
    depth_data_delivery_enabled: bool
    def __init__(self, id: _Optional[str] = ..., deferred_start_enabled: bool = ..., zero_shutter_lag_enabled: bool = ..., zero_shutter_lag_window: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_quality_prioritization: _Optional[_Union[_photo_pb2.PhotoQualityPrioritization, str]] = ..., responsive_capture_enabled: bool = ..., fast_capture_prioritization_enabled: bool = ..., max_photo_dimensions: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., constituent_photo_delivery_enabled: bool = ..., depth_data_delivery_enabled: bool = ...) -> None: ...

class MovieOutput(_message.Message):
    __slots__ = ("id", "deferred_start_enabled", "codec", "quality", "average_bit_rate", "max_pre_roll_duration", "audio_codec", "audio_average_bit_rate", "uses_pro_video_storage")
    ID_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_START_ENABLED_FIELD_NUMBER: _ClassVar[int]
    CODEC_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    AVERAGE_BIT_RATE_FIELD_NUMBER: _ClassVar[int]
    MAX_PRE_ROLL_DURATION_FIELD_NUMBER: _ClassVar[int]
    AUDIO_CODEC_FIELD_NUMBER: _ClassVar[int]
    AUDIO_AVERAGE_BIT_RATE_FIELD_NUMBER: _ClassVar[int]
    USES_PRO_VIDEO_STORAGE_FIELD_NUMBER: _ClassVar[int]
    id: str
    deferred_start_enabled: bool
    codec: MovieCodec
    quality: int
    average_bit_rate: int
    max_pre_roll_duration: _duration_pb2.Duration
    audio_codec: AudioCodec
    audio_average_bit_rate: int
    uses_pro_video_storage: bool
    def __init__(self, id: _Optional[str] = ..., deferred_start_enabled: bool = ..., codec: _Optional[_Union[MovieCodec, str]] = ..., quality: _Optional[int] = ..., average_bit_rate: _Optional[int] = ..., max_pre_roll_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., audio_codec: _Optional[_Union[AudioCodec, str]] = ..., audio_average_bit_rate: _Optional[int] = ..., uses_pro_video_storage: bool = ...) -> None: ...
