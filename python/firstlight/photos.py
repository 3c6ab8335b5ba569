"""Photos with their settings and events, and the readiness for the next photo."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import NamedTuple

import grpc
import numpy as np

from firstlight import pixels, values
from firstlight.compositions import LayerSource
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
    """Whether a client may ask for the next photo. The values of the contract's `CaptureReadiness`."""

    #: The session does not run, or gives no frames to the photo output because its connection is disabled.
    SESSION_NOT_RUNNING = photos_pb2.CAPTURE_READINESS_SESSION_NOT_RUNNING
    #: The daemon would work on a request at once.
    READY = photos_pb2.CAPTURE_READINESS_READY
    #: The output will be ready in a moment.
    NOT_READY_MOMENTARILY = photos_pb2.CAPTURE_READINESS_NOT_READY_MOMENTARILY
    #: A capture waits for its frame, which takes a while.
    NOT_READY_WAITING_FOR_CAPTURE = photos_pb2.CAPTURE_READINESS_NOT_READY_WAITING_FOR_CAPTURE
    #: The daemon is processing a photo.
    NOT_READY_WAITING_FOR_PROCESSING = photos_pb2.CAPTURE_READINESS_NOT_READY_WAITING_FOR_PROCESSING


class Quality(ContractEnum):
    """Whether the photo or the time that it takes is more important. The values of `PhotoQualityPrioritization`."""

    #: The time is more important: the photo is made of one frame, without further work.
    SPEED = photo_pb2.PHOTO_QUALITY_PRIORITIZATION_SPEED
    #: Both are important: the photo is merged of a few frames.
    BALANCED = photo_pb2.PHOTO_QUALITY_PRIORITIZATION_BALANCED
    #: The photo is more important: it is merged of more frames, with more work.
    QUALITY = photo_pb2.PHOTO_QUALITY_PRIORITIZATION_QUALITY


class FrameMatch(ContractEnum):
    """Whether a photo shows the frame that the client asked for. The values of the contract's `FrameMatch`."""

    #: The photo shows the named frame, the frame that was captured nearest to the named time, or for "now" the frame of
    #: the instant at which the request arrived.
    EXACT = photo_pb2.FRAME_MATCH_EXACT
    #: The ring did not have the named frame or time any more, or not yet. The photo shows the nearest frame that the
    #: ring had.
    NEAREST = photo_pb2.FRAME_MATCH_NEAREST
    #: The camera damaged the frame. The photo shows the nearest intact frame instead; for "now", the next intact frame.
    DAMAGED = photo_pb2.FRAME_MATCH_DAMAGED


class FlashMode(ContractEnum):
    """Whether a flash lights a photo. The values of the contract's `FlashMode`."""

    #: The flash stays dark.
    OFF = shot_pb2.FLASH_MODE_OFF
    #: The flash lights the photo.
    ON = shot_pb2.FLASH_MODE_ON
    #: The flash lights the photo when the scene is dark.
    AUTO = shot_pb2.FLASH_MODE_AUTO


@dataclasses.dataclass(frozen=True, slots=True)
class Exposure:
    """The exposure of one photo: manual values, or a bias to automatic exposure.

    A value that is None stays as the camera is set.
    """

    #: How long the sensor collects light, in seconds.
    seconds: float | None = None
    #: The gain, in the unit of the camera's gain control.
    gain: int | None = None
    #: By how many EV the photo is to be brighter than automatic exposure would make it; negative for a darker photo.
    #: Only in brackets, and not together with `seconds` or `gain`.
    bias: float | None = None

    def manual(self) -> shot_pb2.ManualExposure:
        """The message of manual values. Raises ValueError for an exposure with a bias."""
        if self.bias is not None:
            raise ValueError("a bias is for brackets only")
        message = shot_pb2.ManualExposure(gain=values.whole_or_none("gain", self.gain, values.SIGNED_64))
        if self.seconds is not None:
            message.exposure_duration.CopyFrom(values.duration("seconds", self.seconds))
        return message

    def bracketed(self) -> shot_pb2.BracketedPhotoSettings:
        """The message of one photo of a bracket. Raises ValueError for a bias together with manual values."""
        if self.bias is None:
            return shot_pb2.BracketedPhotoSettings(manual_exposure=self.manual())
        if self.seconds is not None or self.gain is not None:
            raise ValueError("a bias and an exposure by hand exclude each other")
        return shot_pb2.BracketedPhotoSettings(exposure_bias=values.number("bias", self.bias))


class Phases(NamedTuple):
    """When each phase of making a photo began and ended, in nanoseconds of the daemon's CLOCK_MONOTONIC.

    First the capture takes its frames, then the daemon makes one picture of the frames, then it encodes the picture.
    """

    capture_begin_ns: int
    capture_end_ns: int
    process_begin_ns: int
    process_end_ns: int
    encode_begin_ns: int
    encode_end_ns: int


class CaptureEvent(NamedTuple):
    """An event of a capture."""

    #: The name of the event in `PhotoCaptureEvent`, for example `did_capture_photo`.
    name: str
    #: When the event happened, in nanoseconds of the daemon's CLOCK_MONOTONIC.
    monotonic_time_ns: int


@dataclasses.dataclass(frozen=True, slots=True)
class Photo:
    """A finished photo, with the frame that it shows and the events of its capture."""

    #: The id of the capture, which is never used again.
    unique_id: str
    #: The driver's number of the frame that the photo shows.
    sequence: int
    #: The stream of that frame.
    stream_id: int
    #: When the frame was captured, in nanoseconds since the Unix epoch, on the daemon's wall clock.
    capture_time_ns: int
    #: When the frame was captured, in nanoseconds of the daemon's CLOCK_MONOTONIC. This time is authoritative.
    monotonic_time_ns: int
    #: Pixels per line.
    width: int
    #: Lines.
    height: int
    #: Whether the photo is made of a frame from the ring.
    zero_shutter_lag_used: bool
    #: The capture time of the frame minus the instant that the client asked for, in nanoseconds; negative when the
    #: frame is older. None when that instant is not known, because the client named a frame that the ring does not
    #: have.
    shutter_lag_ns: int | None
    #: Whether the photo shows the frame that the client asked for.
    frame_match: FrameMatch
    #: Whether the photo or the time was more important; `fused_frame_count` says how the photo was made.
    quality: Quality
    #: The number of frames that the photo is made of.
    fused_frame_count: int
    #: The time from the arrival of the request at the daemon until the daemon held the frame, in nanoseconds.
    pin_ns: int
    #: When each phase of making the photo began and ended.
    phases: Phases
    #: The events of the capture, in order.
    events: tuple[CaptureEvent, ...]
    #: The bytes of the encoded photo.
    data: bytes = dataclasses.field(repr=False)
    #: How `data` is encoded.
    encoding: Encoding = Encoding.JPEG
    #: V4L2 four-character code of an uncompressed photo. Empty for other encodings.
    pixel_format: str = ""
    #: Which numbers stand for black and white in an uncompressed photo. UNSPECIFIED for other encodings, whose files
    #: tell the range.
    color_range: ColorRange = ColorRange.UNSPECIFIED
    #: Whether a flash lit the photo. None where neither the daemon nor the driver knows.
    flash_fired: bool | None = None
    #: How long the sensor collected light, in nanoseconds. None where the daemon does not know.
    exposure_ns: int | None = None
    #: The gain, in the unit of the camera's gain control. None where the daemon does not know.
    gain: int | None = None
    #: By how many EV the photo is brighter than automatic exposure would make it; negative for a darker photo. None
    #: where the daemon does not know.
    exposure_bias: float | None = None
    #: The place of the photo in its bracket or among those of several cameras, from 0. None for a photo that is not one
    #: of several.
    bracket_index: int | None = None
    #: What each layer of a composition shows, in the order of its layers. Empty for a photo of a camera.
    sources: tuple[LayerSource, ...] = ()
    #: The id of the camera or composition whose frame the photo shows.
    input: str = ""

    @classmethod
    def from_message(
        cls, unique_id: str, message: photo_pb2.Photo, data: bytes, events: tuple[CaptureEvent, ...]
    ) -> Photo:
        """Makes a photo from its message, its bytes and the events of its capture."""
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
            sources=LayerSource.from_messages(message.sources),
            input=message.input,
        )

    def as_array(self) -> np.ndarray:
        """The picture as a (height, width, 3) array of uint8, with red, green and blue.

        The array of an uncompressed photo is the one that `Frame.as_array` gives for its pixel format. JPEG and PNG
        need `pip install firstlight[jpeg]`, HEIC needs `firstlight[heic]`. Raises ValueError for an encoding or a pixel
        format that this version does not know.
        """
        if self.encoding is Encoding.UNCOMPRESSED:
            size = (self.width, self.height)
            return pixels.as_array(self.data, self.pixel_format, size, pixels.packed_planes(self.pixel_format, size))
        return self._decode("RGB")

    def luma(self) -> np.ndarray:
        """The brightness as a (height, width) array of uint8; of uint16 for uncompressed photos in P010, Y10, Y12, Y14,
        Y16 and Y16-BE.

        The needed packages and the errors are those of `as_array`.
        """
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
    """Reads the events of a capture to the end, and returns its photos.

    `download` gets the bytes of a photo whose message came without them, by the id of the capture and the photo's place
    among those of the capture, from 0. `on_event` is called with each event. Raises FirstlightError when the capture
    fails.
    """
    events: list[CaptureEvent] = []
    finished: list[photo_pb2.Photo] = []
    unique_id = ""
    for event in responses:
        unique_id = event.unique_id
        name = event.WhichOneof("event")
        if name is None:
            # An event that only a newer daemon knows.
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
