"""Photos, and whether the next one may be asked for."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import NamedTuple

import grpc
import numpy as np

from firstlight import pixels, values
from firstlight.enums import ColorRange, ContractEnum, Encoding
from firstlight.errors import FirstlightError
from firstlight.frames import nanoseconds
from firstlight.v1 import (
    photo_events_pb2,
    photo_pb2,
    photo_service_pb2 as photos_pb2,
    photo_shot_pb2 as shot_pb2,
)


class Readiness(ContractEnum):
    """Whether the next photo may be asked for; the values of `CaptureReadiness`."""

    #: The session does not run.
    SESSION_NOT_RUNNING = photos_pb2.CAPTURE_READINESS_SESSION_NOT_RUNNING
    #: Ask.
    READY = photos_pb2.CAPTURE_READINESS_READY
    #: Ready in a moment.
    NOT_READY_MOMENTARILY = photos_pb2.CAPTURE_READINESS_NOT_READY_MOMENTARILY
    #: The sensor works for a while.
    NOT_READY_WAITING_FOR_CAPTURE = photos_pb2.CAPTURE_READINESS_NOT_READY_WAITING_FOR_CAPTURE
    #: A photo is being processed.
    NOT_READY_WAITING_FOR_PROCESSING = photos_pb2.CAPTURE_READINESS_NOT_READY_WAITING_FOR_PROCESSING


class Quality(ContractEnum):
    """What counts more, the photo or the time it takes; the values of `PhotoQualityPrioritization`."""

    #: The time: one frame, as it is.
    SPEED = photo_pb2.PHOTO_QUALITY_PRIORITIZATION_SPEED
    #: Both: a few frames become one.
    BALANCED = photo_pb2.PHOTO_QUALITY_PRIORITIZATION_BALANCED
    #: The photo: more frames, and more work.
    QUALITY = photo_pb2.PHOTO_QUALITY_PRIORITIZATION_QUALITY


class FrameMatch(ContractEnum):
    """Whether a photo shows the frame that was asked for; the values of the contract's `FrameMatch`."""

    #: It shows the frame that was named, the one nearest to the time that was named, or that of the request's instant.
    EXACT = photo_pb2.FRAME_MATCH_EXACT
    #: That frame was no longer, or not yet, in the ring of recent frames: this is the nearest there was.
    NEAREST = photo_pb2.FRAME_MATCH_NEAREST
    #: The camera damaged that frame: this is the intact one nearest to it, for "now" the next.
    DAMAGED = photo_pb2.FRAME_MATCH_DAMAGED


class FlashMode(ContractEnum):
    """Whether a photo is lit; the values of the contract's `FlashMode`."""

    #: No.
    OFF = shot_pb2.FLASH_MODE_OFF
    #: Yes.
    ON = shot_pb2.FLASH_MODE_ON
    #: When the scene is dark.
    AUTO = shot_pb2.FLASH_MODE_AUTO


@dataclasses.dataclass(frozen=True, slots=True)
class Exposure:
    """An exposure for one photo: by hand, or brighter or darker than the camera likes it."""

    #: How long the sensor collects light, seconds.
    seconds: float | None = None
    #: In the unit of the camera's gain control.
    gain: int | None = None
    #: EV brighter than automatic exposure likes it; not together with the others.
    bias: float | None = None

    def manual(self) -> shot_pb2.ManualExposure:
        """As the contract has it; ValueError when it is a bias."""
        if self.bias is not None:
            raise ValueError("a bias is for brackets only")
        message = shot_pb2.ManualExposure(gain=values.whole_or_none("gain", self.gain, values.SIGNED_64))
        if self.seconds is not None:
            message.exposure_duration.CopyFrom(values.duration("seconds", self.seconds))
        return message

    def bracketed(self) -> shot_pb2.BracketedPhotoSettings:
        """As one photo of a bracket."""
        if self.bias is None:
            return shot_pb2.BracketedPhotoSettings(manual_exposure=self.manual())
        if self.seconds is not None or self.gain is not None:
            raise ValueError("a bias and an exposure by hand exclude each other")
        return shot_pb2.BracketedPhotoSettings(exposure_bias=values.number("bias", self.bias))


class Phases(NamedTuple):
    """When each phase of a photo began and ended, nanoseconds of the daemon's CLOCK_MONOTONIC."""

    capture_begin_ns: int
    capture_end_ns: int
    process_begin_ns: int
    process_end_ns: int
    encode_begin_ns: int
    encode_end_ns: int


class CaptureEvent(NamedTuple):
    """Something that happened to a capture."""

    #: For example `did_capture_photo`.
    name: str
    #: When, nanoseconds of the daemon's CLOCK_MONOTONIC.
    monotonic_time_ns: int


@dataclasses.dataclass(frozen=True, slots=True)
class Photo:
    """A photo, with the instant it shows and the steps it went through."""

    #: Names the capture for ever.
    unique_id: str
    #: The driver's number of the frame.
    sequence: int
    #: The frame's stream.
    stream_id: int
    #: When it was captured, nanoseconds since the Unix epoch on the daemon's clock.
    capture_time_ns: int
    #: When it was captured, nanoseconds of the daemon's CLOCK_MONOTONIC. Authoritative.
    monotonic_time_ns: int
    #: Pixels per line.
    width: int
    #: Lines.
    height: int
    #: Whether it comes from the ring of recent frames.
    zero_shutter_lag_used: bool
    #: Capture time minus the instant asked for; negative when the frame is older. None when nobody knows: of a frame
    #: named that the ring does not have.
    shutter_lag_ns: int | None
    #: Whether it shows the frame that was asked for.
    frame_match: FrameMatch
    #: What counted more.
    quality: Quality
    #: Frames that it is made of.
    fused_frame_count: int
    #: From the request's arrival at the daemon until its frame was held.
    pin_ns: int
    #: When each phase began and ended.
    phases: Phases
    #: The steps, in the order they were told.
    events: tuple[CaptureEvent, ...]
    #: The encoded photo.
    data: bytes = dataclasses.field(repr=False)
    #: How `data` is encoded.
    encoding: Encoding = Encoding.JPEG
    #: V4L2 four-character code of an uncompressed photo; empty for others.
    pixel_format: str = ""
    #: Which numbers black and white are in an uncompressed photo; UNSPECIFIED for others, whose files say.
    color_range: ColorRange = ColorRange.UNSPECIFIED
    #: Whether a flash lit it; None where nobody can tell.
    flash_fired: bool | None = None
    #: How long the sensor collected light, nanoseconds; None where it is not known.
    exposure_ns: int | None = None
    #: In the unit of the camera's gain control; None where it is not known.
    gain: int | None = None
    #: EV that it is brighter by than automatic exposure likes it; None where it is not known.
    exposure_bias: float | None = None
    #: Its place in the bracket, from 0; None when it is not one of several.
    bracket_index: int | None = None

    @classmethod
    def from_message(
        cls, unique_id: str, message: photo_pb2.Photo, data: bytes, events: tuple[CaptureEvent, ...]
    ) -> Photo:
        """Makes a photo of its description, its bytes and its steps."""
        return cls(
            unique_id=unique_id,
            sequence=message.sequence,
            stream_id=message.stream_id,
            capture_time_ns=nanoseconds(message.capture_time),
            monotonic_time_ns=message.monotonic_time_ns,
            width=message.width,
            height=message.height,
            zero_shutter_lag_used=message.zero_shutter_lag_used,
            shutter_lag_ns=message.shutter_lag.ToNanoseconds() if message.HasField("shutter_lag") else None,
            frame_match=FrameMatch(message.frame_match),
            quality=Quality(message.quality_prioritization),
            fused_frame_count=message.fused_frame_count,
            pin_ns=message.request_receive_to_pin.ToNanoseconds(),
            phases=Phases(*(getattr(message.phases, name) for name in Phases._fields)),
            events=events,
            data=data,
            encoding=Encoding(message.encoding),
            pixel_format=message.pixel_format,
            color_range=ColorRange(message.color_range),
            flash_fired=message.flash_fired if message.HasField("flash_fired") else None,
            exposure_ns=message.exposure_duration.ToNanoseconds() if message.HasField("exposure_duration") else None,
            gain=message.gain if message.HasField("gain") else None,
            exposure_bias=message.exposure_bias if message.HasField("exposure_bias") else None,
            bracket_index=message.bracket_index if message.HasField("bracket_index") else None,
        )

    def as_array(self) -> np.ndarray:
        """The picture as a (height, width, 3) array, red, green and blue; uncompressed as `Frame.as_array` gives it.

        JPEG and PNG need `pip install firstlight[jpeg]`, HEIC needs `firstlight[heic]`. ValueError for an encoding or
        a pixel format that this version does not know.
        """
        if self.encoding is Encoding.UNCOMPRESSED:
            size = (self.width, self.height)
            return pixels.as_array(self.data, self.pixel_format, size, pixels.packed_planes(self.pixel_format, size))
        return self._decode("RGB")

    def luma(self) -> np.ndarray:
        """The brightness as a (height, width) array; needs what `as_array` does."""
        if self.encoding is Encoding.UNCOMPRESSED:
            size = (self.width, self.height)
            return pixels.luma(self.data, self.pixel_format, size, pixels.packed_planes(self.pixel_format, size))
        return self._decode("L")

    def _decode(self, mode: str) -> np.ndarray:
        if self.encoding is Encoding.HEIC:
            return pixels.decode_heic(self.data, mode)
        if self.encoding in (Encoding.JPEG, Encoding.PNG):
            return pixels.decode_image(self.data, mode)
        raise ValueError(f"no array is defined for a photo encoded as {self.encoding.name}; use data")


def collect(
    responses: Iterable[photo_events_pb2.PhotoCaptureEvent],
    download: Callable[[str, int], bytes],
    on_event: Callable[[CaptureEvent], None] | None,
) -> list[Photo]:
    """Follows a capture to its end, which may be a FirstlightError.

    `download` gives the bytes of a capture, by its id and the photo's place in it, that were too many for one message.
    """
    events: list[CaptureEvent] = []
    finished: list[photo_pb2.Photo] = []
    unique_id = ""
    for event in responses:
        unique_id = event.unique_id
        name = event.WhichOneof("event")
        if name is None:
            # A step that only a newer daemon knows.
            continue
        events.append(CaptureEvent(name, event.monotonic_time_ns))
        if on_event is not None:
            on_event(events[-1])
        step = getattr(event, name)
        if name in ("did_finish_processing_photo", "did_finish_capture") and step.HasField("error"):
            raise FirstlightError.from_status(step.error)
        if name == "did_finish_processing_photo":
            finished.append(step.photo)
    if not finished:
        raise FirstlightError(grpc.StatusCode.INTERNAL, f"capture {unique_id} ended without a photo")
    return [
        Photo.from_message(
            unique_id,
            photo,
            download(unique_id, photo.bracket_index) if photo.data_omitted else photo.data,
            tuple(events),
        )
        for photo in finished
    ]
