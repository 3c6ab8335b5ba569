"""What a client asks of a session's photo output."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import grpc

from firstlight import values
from firstlight.calls import Calls
from firstlight.enums import Encoding
from firstlight.frames import Frame
from firstlight.photos import CaptureEvent, Exposure, FlashMode, Photo, Quality, Readiness, collect
from firstlight.streams import ReadinessStream, Stream
from firstlight.v1 import (
    photo_events_pb2,
    photo_pb2,
    photo_service_pb2 as photos_pb2,
    photo_service_pb2_grpc as photo_grpc,
    photo_shot_pb2 as shot_pb2,
)


class CaptureList(NamedTuple):
    """Captures that are under way or kept, and where to go on watching them."""

    #: In the order they were asked for; photos come without their bytes.
    captures: list[photos_pb2.Capture]
    #: The newest event that the list includes: `Client.watch_captures` after it misses nothing. Empty for the captures
    #: of all sessions, and where the session has no photo output.
    event_id: str


_DONE = photos_pb2.PreparePhotoSettingsResponse.PREPARATION_DONE


class PhotoCalls(Calls):
    """Takes photos, and tells what becomes of them. The part of `Client` that is about photos."""

    def __init__(self, channel: grpc.Channel, *, timeout: float) -> None:
        super().__init__(channel, timeout=timeout)
        self._photos = photo_grpc.PhotoServiceStub(channel)

    def photo(
        self,
        session: str,
        *,
        of: Frame | None = None,
        at_ns: int | None = None,
        unique_id: str = "",
        encoding: Encoding | None = None,
        quality: Quality | None = None,
        jpeg_quality: int | None = None,
        heic_quality: int | None = None,
        thumbnail: tuple[int, int] | None = None,
        flash: FlashMode | None = None,
        exposure: Exposure | None = None,
        size: tuple[int, int] | None = None,
        on_event: Callable[[CaptureEvent], None] | None = None,
    ) -> Photo:
        """Takes a photo and waits for it.

        `of` is the frame the person saw: the photo shows that very instant. `at_ns` is an instant of the daemon's wall
        clock, in nanoseconds since the Unix epoch. With neither it is the instant at which the request arrives.
        `quality` is BALANCED unless given, or the most the photo output makes. `on_event` hears of each step.

        `encoding` is JPEG unless told otherwise; the session's `output_capabilities` tell of the photo output in
        `photo_capabilities.available_encodings` what the daemon's machine can make. `thumbnail` asks for one in the
        file, at most this wide and high.
        `flash` lights it, `exposure` sets the camera for it and back, a `size` larger than the camera's frames makes it
        stream that for a moment; all take a frame from after the request.
        """
        if of is not None and at_ns is not None:
            raise ValueError("of and at_ns exclude each other")
        settings = photo_pb2.PhotoSettings(
            unique_id=values.text("unique_id", unique_id),
            encoding=encoding,
            jpeg_quality=values.whole_or_none("jpeg_quality", jpeg_quality),
            heic_quality=values.whole_or_none("heic_quality", heic_quality),
            quality_prioritization=quality,
            flash_mode=flash,
            manual_exposure=_exposure("exposure", exposure).manual() if exposure is not None else None,
        )
        if size is not None:
            settings.max_photo_dimensions.CopyFrom(values.size("size", size))
        if thumbnail is not None:
            settings.embedded_thumbnail_dimensions.CopyFrom(values.size("thumbnail", thumbnail))
        request = photos_pb2.CapturePhotoRequest(session=values.text("session", session), settings=settings)
        if of is not None:
            request.viewfinder_sequence = of.sequence
            request.viewfinder_stream_id = of.stream_id
        if at_ns is not None:
            request.shutter_time.CopyFrom(values.instant("at_ns", at_ns))
        return self._capture(request, on_event)[0]

    def bracket(
        self,
        session: str,
        exposures: Iterable[Exposure],
        *,
        unique_id: str = "",
        encoding: Encoding | None = None,
        merge: bool = False,
        on_event: Callable[[CaptureEvent], None] | None = None,
    ) -> list[Photo]:
        """Takes a photo for each exposure, one after the other, and waits for all.

        With `merge` they become one photo, in which dark and bright parts both show; the output's
        `max_quality_prioritization` must be QUALITY. Its `fused_frame_count` is 1 where memory was too short
        to merge: it is one of the exposures then.
        """
        bracket = [_exposure("exposures", exposure).bracketed() for exposure in exposures]
        merging = shot_pb2.BRACKET_MERGING_EXPOSURE_FUSION if merge else shot_pb2.BRACKET_MERGING_NONE
        settings = photo_pb2.PhotoSettings(
            unique_id=values.text("unique_id", unique_id), encoding=encoding, bracket=bracket, bracket_merging=merging
        )
        return self._capture(
            photos_pb2.CapturePhotoRequest(session=values.text("session", session), settings=settings), on_event
        )

    def readiness(self, session: str) -> ReadinessStream:
        """Whether the next photo may be asked for: now, then each change."""
        return ReadinessStream(
            self._photos.WatchReadiness(photos_pb2.WatchReadinessRequest(session=values.text("session", session)))
        )

    def start_tracking(
        self, session: str, unique_id: str, *, quality: Quality | None = None, watcher: ReadinessStream | None = None
    ) -> Readiness:
        """Counts a capture into readiness before it is asked for, so that a button goes dark at the touch.

        Ends with `photo` of that id, `stop_tracking`, or with `watcher`, the `readiness` stream of the session that the
        button follows, whose first item must have been read. Without one it ends after ten seconds, or before with the
        session's last `readiness` stream. Readiness now.
        """
        if watcher is not None and not watcher.token:
            raise ValueError("read the first item of the readiness stream before tracking with it")
        settings = photo_pb2.PhotoSettings(
            unique_id=values.text("unique_id", unique_id), quality_prioritization=quality
        )
        token = watcher.token if watcher is not None else ""
        request = photos_pb2.StartTrackingCaptureRequest(
            session=values.text("session", session), settings=settings, stream_token=token
        )
        return Readiness(self._call(self._photos.StartTrackingCapture, request).readiness)

    def stop_tracking(self, session: str, unique_id: str) -> Readiness:
        """Ends what `start_tracking` began. Readiness now."""
        request = photos_pb2.StopTrackingCaptureRequest(
            session=values.text("session", session), unique_id=values.text("unique_id", unique_id)
        )
        return Readiness(self._call(self._photos.StopTrackingCapture, request).readiness)

    def captures(
        self,
        session: str = "",
        *,
        state: photos_pb2.Capture.State | None = None,
        start_ns: int | None = None,
        end_ns: int | None = None,
    ) -> CaptureList:
        """Captures that are under way or kept, of a session or, without one, of all, also of those that are gone.

        The daemon keeps finished ones for 60 seconds. With `state` only those in it, for example
        `photo_service_pb2.Capture.STATE_FINISHED`. `start_ns` and `end_ns` are instants of the daemon's wall clock, in
        nanoseconds since the Unix epoch: only captures asked for from the one on, and before the other. NOT_FOUND
        `SESSION_NOT_FOUND` for a session that is not there and of which no capture is kept.
        """
        request = photos_pb2.ListCapturesRequest(session=values.text("session", session), state=state)
        if start_ns is not None:
            request.start_time.CopyFrom(values.instant("start_ns", start_ns))
        if end_ns is not None:
            request.end_time.CopyFrom(values.instant("end_ns", end_ns))
        page = self._call(self._photos.ListCaptures, request)
        # That of the first page: what happens while the others are read must not be missed.
        captures, event_id = list(page.captures), page.event_id
        while page.next_page_token:
            request.page_token = page.next_page_token
            page = self._call(self._photos.ListCaptures, request)
            captures += page.captures
        return CaptureList(captures, event_id)

    def watch_captures(self, session: str, *, after_event_id: str = "") -> Stream[photo_events_pb2.PhotoCaptureEvent]:
        """What happens to all captures of a session, without the photos' bytes: from now on, or after an event.

        `after_event_id` is the `event_id` of an event or of `captures`. OUT_OF_RANGE `EVENTS_LOST` when the daemon does
        not know it any more: take `captures` again and watch after its.
        """
        request = photos_pb2.WatchCapturesRequest(
            session=values.text("session", session), after_event_id=values.text("after_event_id", after_event_id)
        )
        return Stream(self._photos.WatchCaptures(request), lambda r: r.event)

    def prepare_photos(self, session: str, settings: Iterable[photo_pb2.PhotoSettings]) -> bool:
        """Makes ready what photos with such settings need; with none, gives the memory back.

        Waits until the session runs and all is there; false when another call took the place of this one.
        """
        request = photos_pb2.PreparePhotoSettingsRequest(session=values.text("session", session), settings=settings)
        return self._call(self._photos.PreparePhotoSettings, request).preparation == _DONE

    def _capture(
        self, request: photos_pb2.CapturePhotoRequest, on_event: Callable[[CaptureEvent], None] | None
    ) -> list[Photo]:
        """Follows a capture to its end."""
        responses = Stream(self._photos.CapturePhoto(request, timeout=self._timeout), lambda r: r.event)
        return collect(responses, self._download, on_event)

    def _download(self, unique_id: str, bracket_index: int) -> bytes:
        """The bytes of a photo that was too large for one message."""
        request = photos_pb2.DownloadCaptureRequest(name=f"captures/{unique_id}", bracket_index=bracket_index)
        call = self._photos.DownloadCapture(request, timeout=self._timeout)
        return b"".join(Stream(call, lambda r: r.data))


def _exposure(argument: str, value: Exposure) -> Exposure:
    """The exposure that it is; TypeError for anything else."""
    if not isinstance(value, Exposure):
        raise TypeError(f"{argument} = {values.shown(value)}: it takes an Exposure, not {type(value).__name__}")
    return value
