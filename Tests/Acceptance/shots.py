"""Helpers for tests of shots, the photos that the camera must be set for."""

from __future__ import annotations

import firstlight
from firstlight import Frame, Photo
from firstlight.v1 import photo_events_pb2, photo_pb2, photo_service_pb2 as photos_pb2
from support import SYNTHETIC, Stubs


def brightness(picture: Frame | Photo) -> float:
    """The mean luma below the timecode board."""
    luma = picture.luma()
    return float(luma[luma.shape[0] // 4 :].mean())


def controls(client: firstlight.Client) -> dict[str, object]:
    """The values of the first camera's controls, by control id."""
    return {
        control.id: getattr(control.value, control.value.WhichOneof("value"))
        for control in client.device(SYNTHETIC[0]).controls
        if control.HasField("value")
    }


def capture(stubs: Stubs, name: str, **settings: object) -> list[photo_events_pb2.PhotoCaptureEvent]:
    """All events of one capture."""
    request = photos_pb2.CapturePhotoRequest(session=name, settings=photo_pb2.PhotoSettings(**settings))
    return [response.event for response in stubs.photos.CapturePhoto(request)]


def lag_positive(photo: Photo) -> bool:
    """Whether the camera took the photo's frame after the request."""
    return not photo.zero_shutter_lag_used and photo.shutter_lag_ns > 0
