"""Photos with a flash: the flash lights them, the photo says so, and readiness waits for them."""

import io

import pytest
from PIL import Image

from captures import check_events
from firstlight import FlashMode, Quality, Readiness
from firstlight.v1 import photo_pb2, photo_service_pb2 as photos_pb2
from shots import brightness, capture, controls, lag_positive
from support import SYNTHETIC, Collector, call, capabilities, timecode


def test_H7_a_flash_lights_its_photo_and_that_is_not_from_the_ring(client, photo_session):
    name = photo_session()
    assert list(capabilities(client.session(name)).supported_flash_modes) == [
        FlashMode.OFF,
        FlashMode.ON,
        FlashMode.AUTO,
    ]
    before = client.photo(name, quality=Quality.SPEED)
    assert before.flash_fired is False
    lit = client.photo(name, flash=FlashMode.ON)
    assert lit.flash_fired
    assert lag_positive(lit)
    assert timecode(lit).sequence == lit.sequence
    assert brightness(lit) > 1.5 * brightness(before)
    assert Image.open(io.BytesIO(lit.data)).getexif().get_ifd(0x8769)[0x9209] & 1
    after = client.photo(name, quality=Quality.SPEED)
    assert after.flash_fired is False
    assert brightness(after) == pytest.approx(brightness(before), rel=0.05)
    assert controls(client)["led_mode"] == 0


def test_H3_flash_auto_is_off_in_the_light_and_on_in_the_dark(client, stubs, photo_session, unique_id):
    name = photo_session()
    events = capture(stubs, name, unique_id=unique_id, flash_mode=FlashMode.AUTO)
    check_events(events)
    assert not events[0].resolved_settings.flash_enabled
    settings = {"auto_exposure": 1, "exposure_time_absolute": 2}
    client.set_controls(SYNTHETIC[0], settings, session=name)
    with client.preview(name, max_size=(320, 180)) as preview:
        next(frame for frame in preview if brightness(frame) < 30)
    events = capture(stubs, name, unique_id=unique_id + "-dark", flash_mode=FlashMode.AUTO)
    check_events(events)
    resolved = events[0].resolved_settings
    assert resolved.flash_enabled
    assert not resolved.zero_shutter_lag_used
    assert resolved.fused_frame_count == 1
    photo = next(e.did_finish_processing_photo.photo for e in events if e.HasField("did_finish_processing_photo"))
    assert photo.flash_fired


def test_F3_a_flash_waits_for_the_capture(client, photo_session):
    name = photo_session()
    readiness = Collector(client.readiness(name))
    readiness.wait_for(lambda items: items)
    client.photo(name, flash=FlashMode.ON)
    told = readiness.wait_for(lambda items: len(items) > 1 and items[-1] is Readiness.READY)
    readiness.close()
    # Without responsive capture the session then waits for the processing. This state is so short that a reader may
    # miss it.
    assert [item for item in told if item is not Readiness.NOT_READY_WAITING_FOR_PROCESSING] == [
        Readiness.READY,
        Readiness.NOT_READY_WAITING_FOR_CAPTURE,
        Readiness.READY,
    ]
    assert told[1] is Readiness.NOT_READY_WAITING_FOR_CAPTURE


def test_F2_a_tracked_flash_is_waited_for_as_one(client, stubs, photo_session, unique_id):
    name = photo_session()
    readiness = Collector(client.readiness(name))
    readiness.wait_for(lambda items: items)
    request = photos_pb2.StartTrackingCaptureRequest(
        session=name, settings=photo_pb2.PhotoSettings(unique_id=unique_id, flash_mode=FlashMode.ON)
    )
    tracked = call(stubs.photos.StartTrackingCapture, request).readiness
    assert tracked == Readiness.NOT_READY_WAITING_FOR_CAPTURE
    assert client.stop_tracking(name, unique_id) is Readiness.READY
    readiness.close()
