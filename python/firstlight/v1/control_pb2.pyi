from firstlight.v1 import types_pb2 as _types_pb2
from google.rpc import status_pb2 as _status_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ControlType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTROL_TYPE_UNSPECIFIED: _ClassVar[ControlType]
    CONTROL_TYPE_INTEGER: _ClassVar[ControlType]
    CONTROL_TYPE_BOOLEAN: _ClassVar[ControlType]
    CONTROL_TYPE_MENU: _ClassVar[ControlType]
    CONTROL_TYPE_INTEGER_MENU: _ClassVar[ControlType]
    CONTROL_TYPE_BUTTON: _ClassVar[ControlType]
    CONTROL_TYPE_INTEGER64: _ClassVar[ControlType]
    CONTROL_TYPE_STRING: _ClassVar[ControlType]
    CONTROL_TYPE_BITMASK: _ClassVar[ControlType]
    CONTROL_TYPE_U8: _ClassVar[ControlType]
    CONTROL_TYPE_U16: _ClassVar[ControlType]
    CONTROL_TYPE_U32: _ClassVar[ControlType]
CONTROL_TYPE_UNSPECIFIED: ControlType
CONTROL_TYPE_INTEGER: ControlType
CONTROL_TYPE_BOOLEAN: ControlType
CONTROL_TYPE_MENU: ControlType
CONTROL_TYPE_INTEGER_MENU: ControlType
CONTROL_TYPE_BUTTON: ControlType
CONTROL_TYPE_INTEGER64: ControlType
CONTROL_TYPE_STRING: ControlType
CONTROL_TYPE_BITMASK: ControlType
CONTROL_TYPE_U8: ControlType
CONTROL_TYPE_U16: ControlType
CONTROL_TYPE_U32: ControlType

class Control(_message.Message):
    __slots__ = ("id", "display_name", "v4l2_id", "control_type", "minimum", "maximum", "step", "default_value", "menu_items", "value", "read_only", "inactive", "grabbed", "volatile", "dimensions")
    ID_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    V4L2_ID_FIELD_NUMBER: _ClassVar[int]
    CONTROL_TYPE_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    MENU_ITEMS_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    INACTIVE_FIELD_NUMBER: _ClassVar[int]
    GRABBED_FIELD_NUMBER: _ClassVar[int]
    VOLATILE_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    id: str
    display_name: str
    v4l2_id: int
    control_type: ControlType
    minimum: int
    maximum: int
    step: int
    default_value: int
    menu_items: _containers.RepeatedCompositeFieldContainer[ControlMenuItem]
    value: ControlValue
    read_only: bool
    inactive: bool
    grabbed: bool
    volatile: bool
    dimensions: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, id: _Optional[str] = ..., display_name: _Optional[str] = ..., v4l2_id: _Optional[int] = ..., control_type: _Optional[_Union[ControlType, str]] = ..., minimum: _Optional[int] = ..., maximum: _Optional[int] = ..., step: _Optional[int] = ..., default_value: _Optional[int] = ..., menu_items: _Optional[_Iterable[_Union[ControlMenuItem, _Mapping]]] = ..., value: _Optional[_Union[ControlValue, _Mapping]] = ..., read_only: bool = ..., inactive: bool = ..., grabbed: bool = ..., volatile: bool = ..., dimensions: _Optional[_Iterable[int]] = ...) -> None: ...

class ControlMenuItem(_message.Message):
    __slots__ = ("index", "label", "number")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    index: int
    label: str
    number: int
    def __init__(self, index: _Optional[int] = ..., label: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class ControlValue(_message.Message):
    __slots__ = ("integer", "boolean", "string", "array")
    INTEGER_FIELD_NUMBER: _ClassVar[int]
    BOOLEAN_FIELD_NUMBER: _ClassVar[int]
    STRING_FIELD_NUMBER: _ClassVar[int]
    ARRAY_FIELD_NUMBER: _ClassVar[int]
    integer: int
    boolean: bool
    string: str
    array: bytes
    def __init__(self, integer: _Optional[int] = ..., boolean: bool = ..., string: _Optional[str] = ..., array: _Optional[bytes] = ...) -> None: ...

class SetControlsRequest(_message.Message):
    __slots__ = ("device", "session", "control_settings", "active_frame_rate")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CONTROL_SETTINGS_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FRAME_RATE_FIELD_NUMBER: _ClassVar[int]
    device: str
    session: str
    control_settings: _containers.RepeatedCompositeFieldContainer[ControlSetting]
    active_frame_rate: _types_pb2.Rational
    def __init__(self, device: _Optional[str] = ..., session: _Optional[str] = ..., control_settings: _Optional[_Iterable[_Union[ControlSetting, _Mapping]]] = ..., active_frame_rate: _Optional[_Union[_types_pb2.Rational, _Mapping]] = ...) -> None: ...

class ControlSetting(_message.Message):
    __slots__ = ("control", "value")
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    control: str
    value: ControlValue
    def __init__(self, control: _Optional[str] = ..., value: _Optional[_Union[ControlValue, _Mapping]] = ...) -> None: ...

class SetControlsResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[ControlResult]
    def __init__(self, results: _Optional[_Iterable[_Union[ControlResult, _Mapping]]] = ...) -> None: ...

class ControlResult(_message.Message):
    __slots__ = ("control", "error", "value", "outcome")
    class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        OUTCOME_UNSPECIFIED: _ClassVar[ControlResult.Outcome]
        OUTCOME_SET: _ClassVar[ControlResult.Outcome]
        OUTCOME_CLAMPED: _ClassVar[ControlResult.Outcome]
        OUTCOME_REFUSED: _ClassVar[ControlResult.Outcome]
        OUTCOME_WRONG_TYPE: _ClassVar[ControlResult.Outcome]
    OUTCOME_UNSPECIFIED: ControlResult.Outcome
    OUTCOME_SET: ControlResult.Outcome
    OUTCOME_CLAMPED: ControlResult.Outcome
    OUTCOME_REFUSED: ControlResult.Outcome
    OUTCOME_WRONG_TYPE: ControlResult.Outcome
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    control: str
    error: _status_pb2.Status
    value: ControlValue
    outcome: ControlResult.Outcome
    def __init__(self, control: _Optional[str] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ..., value: _Optional[_Union[ControlValue, _Mapping]] = ..., outcome: _Optional[_Union[ControlResult.Outcome, str]] = ...) -> None: ...
