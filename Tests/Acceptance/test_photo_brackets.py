"""Brackets: photos of one moment in several exposures, each as a photo of its own, or merged into one."""

import numpy as np
import pytest

from captures import ORDER, check_events
from firstlight import Encoding, Exposure, FlashMode, Quality
from firstlight.v1 import photo_pb2, photo_service_pb2 as photos_pb2
from shots import brightness, capture, controls, lag_positive
from support import SYNTHETIC, call, capabilities, refused, take, timecode


def test_H8_a_bias_bracket_has_photos_of_growing_brightness(client, stubs, photo_session, unique_id):
    name = photo_session()
    assert capabilities(client.session(name)).max_bracketed_photo_count == 5
    settings = controls(client)
    photos = client.bracket(name, [Exposure(bias=bias) for bias in (-1.6667, 0, 1)], unique_id=unique_id)
    assert [photo.bracket_index for photo in photos] == [0, 1, 2]
    for photo in photos:
        assert photo.phases.capture_begin_ns > 0
        assert list(photo.phases) == sorted(photo.phases)
    assert brightness(photos[0]) + 5 < brightness(photos[1]) < brightness(photos[2]) - 5
    assert [photo.exposure_bias for photo in photos] == [-1.667, 0, 1]
    assert all(lag_positive(photo) for photo in photos)
    sequences = [photo.sequence for photo in photos]
    assert sequences == sorted(set(sequences)) == [timecode(photo).sequence for photo in photos]
    assert controls(client) == settings
    found = call(stubs.photos.GetCapture, photos_pb2.GetCaptureRequest(name=f"captures/{unique_id}")).capture
    assert [photo.sequence for photo in found.bracketed_photos] == sequences
    for photo in photos:
        request = photos_pb2.DownloadCaptureRequest(name=f"captures/{unique_id}", bracket_index=photo.bracket_index)
        assert b"".join(part.data for part in stubs.photos.DownloadCapture(request)) == photo.data


def test_H8_a_manual_bracket_has_the_exposures_asked_for(client, stubs, photo_session, unique_id):
    name = photo_session()
    bracket = [Exposure(seconds=0.004, gain=800), Exposure(seconds=0.002), Exposure(seconds=0.008, gain=200)]
    events = capture(stubs, name, unique_id=unique_id, bracket=[each.bracketed() for each in bracket])
    check_events(events)
    resolved = events[0].resolved_settings
    assert resolved.expected_photo_count == 3
    assert resolved.quality_prioritization == Quality.SPEED
    assert [event.WhichOneof("event") for event in events].count("did_finish_capture") == 1
    photos = [
        event.did_finish_processing_photo.photo for event in events if event.HasField("did_finish_processing_photo")
    ]
    assert [photo.exposure_duration.ToNanoseconds() for photo in photos] == [4_000_000, 2_000_000, 8_000_000]
    assert [photo.gain for photo in photos] == [800, 100, 200], "the second is as the camera is set"


def test_H8_each_photo_of_a_bracket_is_set_for_itself(client, photo_session):
    name = photo_session()
    settings = controls(client)
    usual = brightness(client.photo(name, quality=Quality.SPEED))
    photos = client.bracket(name, [Exposure(seconds=0.002, gain=100), Exposure(bias=1), Exposure(seconds=0.002)])
    assert [photo.exposure_ns for photo in photos[::2]] == [2_000_000, 2_000_000]
    assert photos[1].exposure_bias == 1
    assert brightness(photos[1]) > usual + 5, "automatic exposure again"
    assert controls(client) == settings


def patches(picture):
    """The standard deviation of luma in each patch of the chart below the timecode board."""
    luma = picture.luma().astype(float)
    height, width = luma.shape
    rows = [luma[height * row // 9 : height * (row + 1) // 9] for row in range(4, 9)]
    return np.array([[row[:, width * i // 16 : width * (i + 1) // 16].std() for i in range(16)] for row in rows])


def test_H5_a_merged_bracket_shows_what_each_exposure_loses(client, stubs, photo_session, unique_id):
    name = photo_session(max_quality=Quality.QUALITY)
    # The chart has more contrast than pixels can hold, so one exposure is black where the other is white.
    client.set_controls(SYNTHETIC[0], {"test_pattern": 1, "contrast": 200}, session=name)
    with client.preview(name, max_size=(320, 180)) as preview:
        take(preview, 3)
    exposures = [Exposure(bias=bias) for bias in (-0.667, 1.667)]
    singles = [patches(photo) for photo in client.bracket(name, exposures, encoding=Encoding.UNCOMPRESSED)]
    (merged,) = client.bracket(name, exposures, encoding=Encoding.UNCOMPRESSED, merge=True, unique_id=unique_id)
    assert (merged.fused_frame_count, merged.quality, merged.bracket_index) == (2, Quality.QUALITY, None)
    assert (merged.exposure_ns, merged.gain, merged.exposure_bias) == (None, None, None)
    assert [event.name for event in merged.events] == ORDER
    assert lag_positive(merged)
    best = np.max(singles, axis=0)
    textured = best > 25
    assert textured.sum() > 20
    for single in singles:
        assert (single[textured] < 0.25 * best[textured]).sum() >= 5, "in each exposure some of it is noise alone"
    assert (patches(merged)[textured] > 0.4 * best[textured]).all()
    found = call(stubs.photos.GetCapture, photos_pb2.GetCaptureRequest(name=f"captures/{unique_id}")).capture
    assert found.photo.sequence == merged.sequence
    assert not found.bracketed_photos


@pytest.mark.parametrize(
    ("most", "biases", "reason"),
    [(Quality.BALANCED, (-1, 1), "UNSUPPORTED_VALUE"), (Quality.QUALITY, (0,), "INVALID_ARGUMENT")],
)
def test_H5_a_merge_that_cannot_be_is_refused(client, photo_session, most, biases, reason):
    with refused("INVALID_ARGUMENT", reason):
        client.bracket(photo_session(max_quality=most), [Exposure(bias=bias) for bias in biases], merge=True)


def test_H8_what_a_bracket_cannot_be_is_refused(client, photo_session):
    name = photo_session()
    with refused("INVALID_ARGUMENT") as refusal:
        client.bracket(name, [Exposure(bias=0)] * 6)
    assert refusal.error.metadata["limit"] == "5"
    with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE"):
        client.bracket(name, [Exposure(bias=0), Exposure(bias=5)])
    settings = photo_pb2.PhotoSettings(flash_mode=FlashMode.ON, bracket=[Exposure(bias=0).bracketed()])
    with refused("INVALID_ARGUMENT"):
        client.prepare_photos(name, [settings])


def test_H11_brackets_and_thumbnails_can_be_prepared(client, stubs, photo_session, unique_id):
    name = photo_session()
    settings = photo_pb2.PhotoSettings(bracket=[Exposure(bias=bias).bracketed() for bias in (-1, 1)])
    settings.embedded_thumbnail_dimensions.width = settings.embedded_thumbnail_dimensions.height = 128
    assert client.prepare_photos(name, [settings])
    settings.unique_id = unique_id
    request = photos_pb2.CapturePhotoRequest(session=name, settings=settings)
    events = [response.event for response in stubs.photos.CapturePhoto(request)]
    check_events(events)
    assert events[0].resolved_settings.embedded_thumbnail_dimensions.width == 128
    assert client.prepare_photos(name, [])
