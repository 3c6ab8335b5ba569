import datetime

from firstlight.v1 import recording_pb2 as _recording_pb2
from firstlight.v1 import session_configuration_pb2 as _session_configuration_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.rpc import status_pb2 as _status_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WriterConfiguration(_message.Message):
    __slots__ = ("file", "container", "video_input", "audio_inputs", "audio_codec", "audio_average_bit_rate", "expects_media_data_in_real_time", "should_optimize_for_network_use", "fragment_interval", "idle_timeout", "uses_pro_video_storage")
    FILE_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    VIDEO_INPUT_FIELD_NUMBER: _ClassVar[int]
    AUDIO_INPUTS_FIELD_NUMBER: _ClassVar[int]
    AUDIO_CODEC_FIELD_NUMBER: _ClassVar[int]
    AUDIO_AVERAGE_BIT_RATE_FIELD_NUMBER: _ClassVar[int]
    EXPECTS_MEDIA_DATA_IN_REAL_TIME_FIELD_NUMBER: _ClassVar[int]
    SHOULD_OPTIMIZE_FOR_NETWORK_USE_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    IDLE_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    USES_PRO_VIDEO_STORAGE_FIELD_NUMBER: _ClassVar[int]
    file: str
    container: _recording_pb2.MovieContainer
    video_input: WriterVideoInput
    audio_inputs: _containers.RepeatedCompositeFieldContainer[WriterAudioInput]
    audio_codec: _session_configuration_pb2.AudioCodec
    audio_average_bit_rate: int
    expects_media_data_in_real_time: bool
    should_optimize_for_network_use: bool
    fragment_interval: _duration_pb2.Duration
    idle_timeout: _duration_pb2.Duration
    uses_pro_video_storage: bool
    def __init__(self, file: _Optional[str] = ..., container: _Optional[_Union[_recording_pb2.MovieContainer, str]] = ..., video_input: _Optional[_Union[WriterVideoInput, _Mapping]] = ..., audio_inputs: _Optional[_Iterable[_Union[WriterAudioInput, _Mapping]]] = ..., audio_codec: _Optional[_Union[_session_configuration_pb2.AudioCodec, str]] = ..., audio_average_bit_rate: _Optional[int] = ..., expects_media_data_in_real_time: bool = ..., should_optimize_for_network_use: bool = ..., fragment_interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., idle_timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., uses_pro_video_storage: bool = ...) -> None: ...

class WriterVideoInput(_message.Message):
    __slots__ = ("codec", "size", "frame_rate", "quality", "average_bit_rate", "pixel_format", "color_range", "color_matrix")
    CODEC_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    FRAME_RATE_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    AVERAGE_BIT_RATE_FIELD_NUMBER: _ClassVar[int]
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    COLOR_RANGE_FIELD_NUMBER: _ClassVar[int]
    COLOR_MATRIX_FIELD_NUMBER: _ClassVar[int]
    codec: _session_configuration_pb2.MovieCodec
    size: _types_pb2.Size
    frame_rate: _types_pb2.Rational
    quality: int
    average_bit_rate: int
    pixel_format: str
    color_range: _types_pb2.ColorRange
    color_matrix: _types_pb2.ColorMatrix
    def __init__(self, codec: _Optional[_Union[_session_configuration_pb2.MovieCodec, str]] = ..., size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., frame_rate: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ..., quality: _Optional[int] = ..., average_bit_rate: _Optional[int] = ..., pixel_format: _Optional[str] = ..., color_range: _Optional[_Union[_types_pb2.ColorRange, str]] = ..., color_matrix: _Optional[_Union[_types_pb2.ColorMatrix, str]] = ...) -> None: ...

class WriterAudioInput(_message.Message):
    __slots__ = ("input", "audio_format")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    AUDIO_FORMAT_FIELD_NUMBER: _ClassVar[int]
    input: str
    audio_format: _session_configuration_pb2.AudioFormat
    def __init__(self, input: _Optional[str] = ..., audio_format: _Optional[_Union[_session_configuration_pb2.AudioFormat, _Mapping]] = ...) -> None: ...

class AssetWriter(_message.Message):
    __slots__ = ("name", "state", "writer_configuration", "session_ended", "recording_name", "writer_inputs", "error")
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STATE_UNSPECIFIED: _ClassVar[AssetWriter.State]
        STATE_UNKNOWN: _ClassVar[AssetWriter.State]
        STATE_WRITING: _ClassVar[AssetWriter.State]
        STATE_COMPLETED: _ClassVar[AssetWriter.State]
        STATE_FAILED: _ClassVar[AssetWriter.State]
        STATE_CANCELLED: _ClassVar[AssetWriter.State]
    STATE_UNSPECIFIED: AssetWriter.State
    STATE_UNKNOWN: AssetWriter.State
    STATE_WRITING: AssetWriter.State
    STATE_COMPLETED: AssetWriter.State
    STATE_FAILED: AssetWriter.State
    STATE_CANCELLED: AssetWriter.State
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    WRITER_CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    SESSION_ENDED_FIELD_NUMBER: _ClassVar[int]
    RECORDING_NAME_FIELD_NUMBER: _ClassVar[int]
    WRITER_INPUTS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: AssetWriter.State
    writer_configuration: WriterConfiguration
    session_ended: bool
    recording_name: str
    writer_inputs: _containers.RepeatedCompositeFieldContainer[WriterInput]
    error: _status_pb2.Status
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[AssetWriter.State, str]] = ..., writer_configuration: _Optional[_Union[WriterConfiguration, _Mapping]] = ..., session_ended: bool = ..., recording_name: _Optional[str] = ..., writer_inputs: _Optional[_Iterable[_Union[WriterInput, _Mapping]]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class WriterInput(_message.Message):
    __slots__ = ("input", "ready_for_more_media_data", "appended_sample_count", "acknowledged_sample_count", "refused_sample_count", "dropped")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    READY_FOR_MORE_MEDIA_DATA_FIELD_NUMBER: _ClassVar[int]
    APPENDED_SAMPLE_COUNT_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGED_SAMPLE_COUNT_FIELD_NUMBER: _ClassVar[int]
    REFUSED_SAMPLE_COUNT_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    input: str
    ready_for_more_media_data: bool
    appended_sample_count: int
    acknowledged_sample_count: int
    refused_sample_count: int
    dropped: _types_pb2.DropCounts
    def __init__(self, input: _Optional[str] = ..., ready_for_more_media_data: bool = ..., appended_sample_count: _Optional[int] = ..., acknowledged_sample_count: _Optional[int] = ..., refused_sample_count: _Optional[int] = ..., dropped: _Optional[_Union[_types_pb2.DropCounts, _Mapping]] = ...) -> None: ...
