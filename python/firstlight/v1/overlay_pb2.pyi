from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Overlay(_message.Message):
    __slots__ = ("elements",)
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    elements: _containers.RepeatedCompositeFieldContainer[OverlayElement]
    def __init__(self, elements: _Optional[_Iterable[_Union[OverlayElement, _Mapping]]] = ...) -> None: ...

class OverlayElement(_message.Message):
    __slots__ = ("text", "image", "box")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    BOX_FIELD_NUMBER: _ClassVar[int]
    text: OverlayText
    image: OverlayImage
    box: OverlayBox
    def __init__(self, text: _Optional[_Union[OverlayText, _Mapping]] = ..., image: _Optional[_Union[OverlayImage, _Mapping]] = ..., box: _Optional[_Union[OverlayBox, _Mapping]] = ...) -> None: ...

class OverlayText(_message.Message):
    __slots__ = ("string", "x", "y", "relative_height", "color", "background")
    STRING_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    RELATIVE_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    COLOR_FIELD_NUMBER: _ClassVar[int]
    BACKGROUND_FIELD_NUMBER: _ClassVar[int]
    string: str
    x: float
    y: float
    relative_height: float
    color: int
    background: int
    def __init__(self, string: _Optional[str] = ..., x: _Optional[float] = ..., y: _Optional[float] = ..., relative_height: _Optional[float] = ..., color: _Optional[int] = ..., background: _Optional[int] = ...) -> None: ...

class OverlayImage(_message.Message):
    __slots__ = ("png", "pixels", "x", "y", "relative_width")
    PNG_FIELD_NUMBER: _ClassVar[int]
    PIXELS_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    RELATIVE_WIDTH_FIELD_NUMBER: _ClassVar[int]
    png: bytes
    pixels: OverlayPixels
    x: float
    y: float
    relative_width: float
    def __init__(self, png: _Optional[bytes] = ..., pixels: _Optional[_Union[OverlayPixels, _Mapping]] = ..., x: _Optional[float] = ..., y: _Optional[float] = ..., relative_width: _Optional[float] = ...) -> None: ...

class OverlayPixels(_message.Message):
    __slots__ = ("width", "height", "rgba")
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    RGBA_FIELD_NUMBER: _ClassVar[int]
    width: int
    height: int
    rgba: bytes
    def __init__(self, width: _Optional[int] = ..., height: _Optional[int] = ..., rgba: _Optional[bytes] = ...) -> None: ...

class OverlayBox(_message.Message):
    __slots__ = ("x", "y", "relative_width", "relative_height", "color", "line_width", "label")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    RELATIVE_WIDTH_FIELD_NUMBER: _ClassVar[int]
    RELATIVE_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    COLOR_FIELD_NUMBER: _ClassVar[int]
    LINE_WIDTH_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    x: float
    y: float
    relative_width: float
    relative_height: float
    color: int
    line_width: float
    label: str
    def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ..., relative_width: _Optional[float] = ..., relative_height: _Optional[float] = ..., color: _Optional[int] = ..., line_width: _Optional[float] = ..., label: _Optional[str] = ...) -> None: ...
