"""The calls of the client that are about photos."""

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
    """The captures that wait, that are in flight or that the daemon keeps, and the event after which to watch them."""

    #: The captures in the order of their requests. Their photos have no bytes.
    captures: list[photos_pb2.Capture]
    #: The id of the newest event that the list includes: `Client.watch_captures` after this event misses nothing. Empty
    #: for the captures of all sessions, and for a session without a photo output.
    event_id: str


_DONE = photos_pb2.PreparePhotoSettingsResponse.PREPARATION_DONE


class PhotoCalls(Calls):
    """The methods of `Client` that take photos, and list and watch captures."""

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
        """Takes a photo, and returns it when it is finished.

        The photo shows the frame `of`, or the instant `at_ns` of the daemon's wall clock in nanoseconds since the Unix
        epoch; give at most one of them. With neither the photo shows the instant at which the request arrives, or,
        where the request starts the session, the instant at which the exposure has settled, at most 2 s later.

        - `unique_id`: names the capture for ever; the daemon makes an id when it is empty.
        - `encoding`: None for JPEG. The session's `output_capabilities` list the encodings that the daemon's machine
          can make, in `photo_capabilities.available_encodings` of the photo output.
        - `quality`: None for BALANCED, or for the highest quality of the photo output where that is lower.
        - `jpeg_quality`, `heic_quality`: 1 to 100; None for 90 and 50.
        - `thumbnail`: the largest (width, height) of a thumbnail in the file, 64 to 512 each; None for no thumbnail.
        - `flash`: whether a flash lights the photo; None for OFF.
        - `exposure`: the exposure that the camera is set to for this photo, and set back from afterwards. It must not
          have a bias.
        - `size`: the (width, height) of the photo before it is rotated. For a size larger than the camera's frames the
          camera streams in that size for a moment.
        - `on_event`: called with each event of the capture, on the calling thread.

        A photo with a flash, an exposure or a larger size is made of a frame that is captured after the request. Raises
        FirstlightError when the capture fails, and ValueError for `of` together with `at_ns`.
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
        """Takes a photo for each exposure, one after the other, and returns the photos when all are finished.

        With `merge` the exposures become one photo that shows both dark and bright parts; for this the output's
        `max_quality_prioritization` must be QUALITY. Where memory was too short to merge, the photo is one of the
        exposures, and its `fused_frame_count` is 1. The other arguments are those of `photo`. Raises FirstlightError
        when the capture fails.
        """
        bracket = [_exposure("exposures", exposure).bracketed() for exposure in exposures]
        merging = shot_pb2.BRACKET_MERGING_EXPOSURE_FUSION if merge else None
        settings = photo_pb2.PhotoSettings(
            unique_id=values.text("unique_id", unique_id), encoding=encoding, bracket=bracket, bracket_merging=merging
        )
        return self._capture(
            photos_pb2.CapturePhotoRequest(session=values.text("session", session), settings=settings), on_event
        )

    def constituent_photos(
        self,
        session: str,
        inputs: Iterable[str],
        *,
        unique_id: str = "",
        encoding: Encoding | None = None,
        on_event: Callable[[CaptureEvent], None] | None = None,
    ) -> list[Photo]:
        """Takes a photo of each of several cameras at the same time, and returns the photos when all are finished.

        `inputs` are the ids of two or more inputs that connections join to the photo output, whose configuration has
        `constituent_photos`. The photos come in their order. The other arguments are those of `photo`. Raises
        FirstlightError when the capture fails.
        """
        settings = photo_pb2.PhotoSettings(
            unique_id=values.text("unique_id", unique_id),
            encoding=encoding,
            constituent_inputs=values.texts("inputs", inputs),
        )
        return self._capture(
            photos_pb2.CapturePhotoRequest(session=values.text("session", session), settings=settings), on_event
        )

    def readiness(self, session: str) -> ReadinessStream:
        """Streams whether a client may ask for the next photo: the present value, then each change."""
        return ReadinessStream(
            self._photos.WatchReadiness(photos_pb2.WatchReadinessRequest(session=values.text("session", session)))
        )

    def start_tracking(
        self, session: str, unique_id: str, *, quality: Quality | None = None, watcher: ReadinessStream | None = None
    ) -> Readiness:
        """Counts a capture into readiness before it is requested, so that a button is dimmed at the touch.

        Tracking ends when `photo` with this id is called, with `stop_tracking`, or with `watcher`: the `readiness`
        stream of the session that the button follows. Without a watcher tracking ends after ten seconds, or earlier
        with the session's last `readiness` stream. Returns the readiness with this capture counted in.

        Raises ValueError for a `watcher` of which the program has read no item yet.
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
        """Ends the tracking that `start_tracking` began. Returns the readiness without this capture."""
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
        """Lists the captures that wait or are in flight, and the finished ones, which the daemon keeps for 60 seconds.

        - `session`: only captures of this session; empty for all sessions, including those that are gone.
        - `state`: only captures in this state, for example `photo_service_pb2.Capture.STATE_FINISHED`.
        - `start_ns`, `end_ns`: only captures that were requested at `start_ns` or later, and before `end_ns`. Both are
          instants of the daemon's wall clock, in nanoseconds since the Unix epoch.

        Raises FirstlightError (NOT_FOUND `SESSION_NOT_FOUND`) for a session that does not exist and of which the daemon
        keeps no capture.
        """
        request = photos_pb2.ListCapturesRequest(session=values.text("session", session), state=state)
        if start_ns is not None:
            request.start_time.CopyFrom(values.instant("start_ns", start_ns))
        if end_ns is not None:
            request.end_time.CopyFrom(values.instant("end_ns", end_ns))
        page = self._call(self._photos.ListCaptures, request)
        # Take the event id of the first page, so that events that happen while the other pages are read are not missed.
        captures, event_id = list(page.captures), page.event_id
        while page.next_page_token:
            request.page_token = page.next_page_token
            page = self._call(self._photos.ListCaptures, request)
            captures += page.captures
        return CaptureList(captures, event_id)

    def watch_captures(self, session: str, *, after_event_id: str = "") -> Stream[photo_events_pb2.PhotoCaptureEvent]:
        """Streams the events of all captures of a session, without the bytes of the photos.

        The stream begins with the next event, or after `after_event_id`, the `event_id` of an event or of `captures`.
        It raises FirstlightError (OUT_OF_RANGE `EVENTS_LOST`) when the daemon does not know that event any more: call
        `captures` again, and watch after its `event_id`.
        """
        request = photos_pb2.WatchCapturesRequest(
            session=values.text("session", session), after_event_id=values.text("after_event_id", after_event_id)
        )
        return Stream(self._photos.WatchCaptures(request), lambda r: r.event)

    def prepare_photos(self, session: str, settings: Iterable[photo_pb2.PhotoSettings]) -> bool:
        """Prepares what photos with the given settings need. No settings give the memory back.

        At most 16 settings. Returns True when the session runs and everything is prepared, and False when another call
        replaced this one before.
        """
        request = photos_pb2.PreparePhotoSettingsRequest(session=values.text("session", session), settings=settings)
        return self._call(self._photos.PreparePhotoSettings, request).preparation == _DONE

    def _capture(
        self, request: photos_pb2.CapturePhotoRequest, on_event: Callable[[CaptureEvent], None] | None
    ) -> list[Photo]:
        """Requests a capture, and returns its photos when it is finished."""
        responses = Stream(self._photos.CapturePhoto(request, timeout=self._timeout), lambda r: r.event)
        return collect(responses, self._download, on_event)

    def _download(self, unique_id: str, bracket_index: int) -> bytes:
        """The bytes of a photo whose message came without them."""
        request = photos_pb2.DownloadCaptureRequest(name=f"captures/{unique_id}", bracket_index=bracket_index)
        call = self._photos.DownloadCapture(request, timeout=self._timeout)
        return b"".join(Stream(call, lambda r: r.data))


def _exposure(argument: str, value: Exposure) -> Exposure:
    """Returns `value`. Raises TypeError when it is not an Exposure."""
    if not isinstance(value, Exposure):
        raise TypeError(f"{argument} = {values.shown(value)}: it takes an Exposure, not {type(value).__name__}")
    return value
