"""Photos that the camera is set for: by hand, with a flash, in brackets. What they are is read in their pixels."""

import io
import threading
import time

import numpy as np
import pytest
from google.protobuf import duration_pb2
from PIL import Image

import firstlight
from captures import ORDER, at_once, by_capture, check_events, is_over
from firstlight import Exposure, FlashMode, PhotoEncoding, Quality, Readiness
from firstlight.v1 import (
    fault_injection_service_pb2 as fault_pb2,
    fault_injection_service_pb2_grpc as fault_grpc,
    photo_pb2,
    photo_service_pb2 as photos_pb2,
    photo_shot_pb2 as shot_pb2,
)
from support import SYNTHETIC, Collector, call, refused, take, timecode

SMALL = {"pixel_format": "NV12", "size": (320, 180), "frame_rate": 30}


@pytest.fixture
def ready(client, session):
    """Starts a session of small frames, its photo output prepared; the controls are put back at the end."""
    names = []

    def start(**features):
        names.append(session(start=True, **{**SMALL, **features}))
        client.photo(names[-1])
        return names[-1]

    yield start
    for name in names:
        client.set_controls(SYNTHETIC[0], {"reset_controls": True}, session=name)


def brightness(picture):
    """The mean of luma below the timecode board."""
    luma = picture.luma()
    return luma[luma.shape[0] // 4 :].mean()


def controls(client):
    """What the camera is set to."""
    return {
        control.id: getattr(control.value, control.value.WhichOneof("value"))
        for control in client.device(SYNTHETIC[0]).controls
        if control.HasField("value")
    }


def output(client, name):
    """What the photo output tells of itself."""
    return client.session(name).resolved_configuration.photo


def capture(stubs, name, **settings):
    """All events of a capture."""
    request = photos_pb2.CapturePhotoRequest(session=name, settings=photo_pb2.PhotoSettings(**settings))
    return [response.event for response in stubs.photos.CapturePhoto(request)]


def is_photo(event):
    return event.HasField("did_finish_processing_photo")


def lag_positive(photo):
    """Whether it was captured after the request."""
    return not photo.zero_shutter_lag_used and photo.shutter_lag_ns > 0


def test_H9_J3_a_manual_exposure_is_of_its_photo_alone(client, ready):
    name = ready()
    before = client.photo(name, quality=Quality.SPEED)
    settings = controls(client)
    dark = client.photo(name, exposure=Exposure(seconds=0.002, gain=100), quality=Quality.SPEED)
    assert lag_positive(dark)
    assert timecode(dark).sequence == dark.sequence > before.sequence
    assert (dark.exposure_ns, dark.gain) == (2_000_000, 100)
    # A fifth of the light; JPEG's black is 0.
    assert brightness(dark) == pytest.approx(brightness(before) / 5, rel=0.15)
    assert controls(client) == settings, "set back"
    after = client.photo(name, quality=Quality.SPEED)
    assert brightness(after) == pytest.approx(brightness(before), rel=0.05)


@pytest.mark.parametrize("settings", [{"exposure": Exposure(seconds=0.002, gain=100)}, {"flash": FlashMode.ON}])
def test_J3_now_after_anothers_exposure_is_as_bright_as_usual(client, ready, settings):
    name = ready()
    usual = brightness(client.photo(name, quality=Quality.SPEED))
    for _ in range(5):
        other = client.photo(name, quality=Quality.BALANCED, **settings)
        assert not usual * 0.7 < brightness(other) < usual * 1.3
        now = client.photo(name, quality=Quality.SPEED)
        assert brightness(now) == pytest.approx(usual, rel=0.05)
        assert now.zero_shutter_lag_used


@pytest.mark.parametrize("settings", [{"exposure": Exposure(seconds=0.002)}, {"flash": FlashMode.ON}])
def test_J5_phases_of_a_shot_are_told_in_order(client, ready, settings):
    photo = client.photo(ready(), **settings)
    assert photo.phases.capture_begin_ns > photo.monotonic_time_ns - 2_000_000_000
    assert list(photo.phases) == sorted(photo.phases)


def test_H9_exif_of_a_manual_exposure_is_the_value_set(client, ready):
    image = client.photo(ready(), exposure=Exposure(seconds=0.0042, gain=250))
    exif = Image.open(io.BytesIO(image.data)).getexif().get_ifd(0x8769)
    assert float(exif[0x829A]) == pytest.approx(0.0042)
    assert exif[0x9209] == 0, "no flash"


def test_H9_gain_is_noise_in_the_pixels(client, ready):
    name = ready()
    client.set_controls(SYNTHETIC[0], {"test_pattern": 2}, session=name)
    with client.preview(name, max_size=(320, 180)) as preview:
        take(preview, 3)

    def noise(exposure):
        photo = client.photo(name, exposure=exposure, quality=Quality.SPEED, encoding=PhotoEncoding.UNCOMPRESSED)
        # Inside a bar of middle brightness.
        return photo.luma()[80:170, 95:115].astype(float).std()

    assert noise(Exposure(seconds=0.0025, gain=400)) > 1.3 * noise(Exposure(seconds=0.01, gain=100))


def test_H9_merged_frames_all_have_the_exposure(client, ready):
    name = ready()
    before = client.photo(name, quality=Quality.SPEED)
    photo = client.photo(name, exposure=Exposure(seconds=0.005), quality=Quality.BALANCED)
    assert photo.fused_frame_count > 1
    assert brightness(photo) == pytest.approx(brightness(before) / 2, rel=0.15)


@pytest.mark.parametrize("seconds", [0.00001, 0.1])
def test_H9_an_exposure_the_camera_does_not_have_is_refused(client, ready, seconds):
    name = ready()
    with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE") as refusal:
        client.photo(name, exposure=Exposure(seconds=seconds))
    assert "allowed" in refusal.error.metadata
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
        client.photo(name, exposure=Exposure())


def test_H9_limits_are_told(client, ready):
    limits = output(client, ready()).exposure_limits
    assert (limits.min_duration.ToNanoseconds(), limits.max_duration.ToNanoseconds()) == (100_000, 16_000_000)
    assert (limits.min_gain, limits.max_gain) == (100, 800)
    assert (limits.min_exposure_bias, limits.max_exposure_bias) == (-2, 2)


def test_H9_the_camera_is_set_back_when_the_client_goes(client, stubs, ready, unique_id):
    name = ready()
    settings = controls(client)
    exposure = shot_pb2.ManualExposure(duration=duration_pb2.Duration(nanos=1_000_000))
    request = photos_pb2.CapturePhotoRequest(
        session=name, settings=photo_pb2.PhotoSettings(unique_id=unique_id, manual_exposure=exposure)
    )
    told = Collector(client.watch_captures(name, after_event_id=0))
    stream = stubs.photos.CapturePhoto(request)
    next(stream)
    stream.cancel()
    events = told.wait_for(lambda events: any(is_over(event) and event.unique_id == unique_id for event in events))
    told.close()
    assert controls(client) == settings
    events = by_capture(events)[unique_id]
    check_events(events)
    assert not events[-1].did_finish_capture.HasField("error"), "it goes on without its client"
    (photo,) = [event.did_finish_processing_photo.photo for event in events if is_photo(event)]
    assert photo.exposure_duration.ToNanoseconds() == 1_000_000, "it was set"


@pytest.fixture
def faulty(own_daemon):
    """A client of a daemon that takes faults, the function that injects one, and a running session."""
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=9) as client:
        stub = fault_grpc.FaultInjectionServiceStub(client.channel)
        name = client.create_session().name
        client.configure(name, firstlight.configuration(SYNTHETIC[0], **SMALL))
        client.start(name)
        client.photo(name)
        yield (
            client,
            lambda **fault: call(stub.InjectFault, fault_pb2.InjectFaultRequest(device=SYNTHETIC[0], **fault)),
            name,
        )


def test_H9_the_camera_is_set_back_when_no_frame_comes(faulty):
    client, inject, name = faulty
    settings = controls(client)
    inject(stall=fault_pb2.StallFault(duration=duration_pb2.Duration(seconds=30)))
    with refused("ABORTED", "OPERATION_INTERRUPTED"):
        client.photo(name, exposure=Exposure(seconds=0.001))
    assert controls(client) == settings


def test_a_camera_that_stalls_ends_what_waits_for_its_frames(faulty):
    client, inject, name = faulty
    client.configure(name, firstlight.configuration(SYNTHETIC[0], zero_shutter_lag=False, **SMALL))
    inject(stall=fault_pb2.StallFault(duration=duration_pb2.Duration(seconds=30)))
    readiness = Collector(client.readiness(name))
    with refused("ABORTED", "OPERATION_INTERRUPTED"):
        client.photo(name)
    told = readiness.wait_for(lambda items: items[-1] is Readiness.READY and len(items) > 1)
    readiness.close()
    assert Readiness.NOT_READY_WAITING_FOR_CAPTURE in told


def test_H9_a_camera_that_goes_ends_the_capture_at_once(faulty):
    client, inject, name = faulty
    inject(stall=fault_pb2.StallFault(duration=duration_pb2.Duration(seconds=30)))
    told = Collector(client.watch_captures(name))
    (failure,) = at_once(1, lambda _: shoot_and_unplug(client, inject, name, told))
    assert failure.reason == "OPERATION_INTERRUPTED"
    # The stall ends with the camera's power, not before.
    inject(replug=fault_pb2.ReplugFault())
    assert "led_mode" in controls(client)


def is_under_way(events):
    """Whether the camera is set for the capture, and frames are waited for."""
    return any(event.HasField("will_capture_photo") for event in events)


@pytest.mark.parametrize("delete", [False, True], ids=["stop", "delete"])
def test_H9_a_stop_does_not_wait_for_a_photo(faulty, delete):
    client, inject, name = faulty
    settings = controls(client)
    inject(stall=fault_pb2.StallFault(duration=duration_pb2.Duration(seconds=30)))
    told = Collector(client.watch_captures(name))

    def shoot(_):
        return client.bracket(name, [Exposure(seconds=0.001)] * 5)

    def stop(_):
        told.wait_for(is_under_way)
        begin = time.monotonic()
        (client.delete_session if delete else client.stop)(name)
        return time.monotonic() - begin

    failure, took = at_once(2, lambda index: (shoot, stop)[index](index))
    # Five steps of five seconds each otherwise.
    assert took < 4
    assert failure.reason == "OPERATION_INTERRUPTED"
    assert controls(client) == settings


def test_H9_nobody_sets_what_a_photo_has_set(faulty):
    client, inject, name = faulty
    settings = controls(client)
    inject(stall=fault_pb2.StallFault(duration=duration_pb2.Duration(seconds=30)))
    told = Collector(client.watch_captures(name))

    def shoot(_):
        return client.photo(name, exposure=Exposure(seconds=0.001))

    def interfere(_):
        told.wait_for(is_under_way)
        wanted = {"brightness": 7, "auto_exposure": 1, "gain": 300}
        results = client.set_controls(SYNTHETIC[0], wanted, session=name)
        client.stop(name)
        return results

    failure, results = at_once(2, lambda index: (shoot, interfere)[index](index))
    assert failure.reason == "OPERATION_INTERRUPTED"
    errors = [firstlight.FirstlightError.from_status(r.error) for r in results if r.HasField("error")]
    assert [result.HasField("error") for result in results] == [False, True, True]
    assert {error.reason for error in errors} == {"CONTROL_GRABBED"}
    assert controls(client) == settings | {"brightness": 7}


def shoot_and_unplug(client, inject, name, told):
    """Takes a photo by hand, and unplugs the camera once that has begun; its error."""
    unplugging = threading.Thread(target=lambda: (told.wait_for(is_under_way), inject(unplug=fault_pb2.UnplugFault())))
    unplugging.start()
    try:
        client.photo(name, exposure=Exposure(seconds=0.001))
    except firstlight.FirstlightError as error:
        return error
    finally:
        unplugging.join()
    return None


def test_H9_other_captures_keep_their_order_and_their_exposure(client, ready):
    name = ready(responsive_capture=True)
    usual = brightness(client.photo(name, quality=Quality.SPEED))
    told = Collector(client.watch_captures(name))

    def shoot(index):
        exposure = Exposure(seconds=0.001) if index % 3 == 0 else None
        return client.photo(name, exposure=exposure, quality=Quality.SPEED)

    photos = at_once(9, shoot)
    for index, photo in enumerate(photos):
        assert (brightness(photo) < usual / 2) == (index % 3 == 0)
    events = told.wait_for(lambda items: sum(map(is_over, items)) == 9)
    told.close()
    for each in by_capture(events).values():
        check_events(each)
    began = [event.unique_id for event in events if event.HasField("will_begin_capture")]
    ended = [event.unique_id for event in events if event.HasField("did_finish_processing_photo")]
    assert began == ended


def test_H7_a_flash_lights_its_photo_and_that_is_not_from_the_ring(client, ready):
    name = ready()
    assert list(output(client, name).supported_flash_modes) == [FlashMode.OFF, FlashMode.ON, FlashMode.AUTO]
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


def test_H3_flash_auto_is_off_in_the_light_and_on_in_the_dark(client, stubs, ready, unique_id):
    name = ready()
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


def test_F3_a_flash_waits_for_the_capture(client, ready):
    name = ready()
    readiness = Collector(client.readiness(name))
    client.photo(name, flash=FlashMode.ON)
    told = readiness.wait_for(lambda items: len(items) > 1 and items[-1] is Readiness.READY)
    readiness.close()
    # Then it is processed, without responsive capture; so quickly that a reader may miss it.
    assert [item for item in told if item is not Readiness.NOT_READY_WAITING_FOR_PROCESSING] == [
        Readiness.READY,
        Readiness.NOT_READY_WAITING_FOR_CAPTURE,
        Readiness.READY,
    ]
    assert told[1] is Readiness.NOT_READY_WAITING_FOR_CAPTURE


def test_F2_a_tracked_flash_is_waited_for_as_one(client, stubs, ready, unique_id):
    name = ready()
    readiness = Collector(client.readiness(name))
    readiness.wait_for(lambda items: items)
    request = photos_pb2.StartTrackingCaptureRequest(
        session=name, settings=photo_pb2.PhotoSettings(unique_id=unique_id, flash_mode=FlashMode.ON)
    )
    tracked = call(stubs.photos.StartTrackingCapture, request).readiness
    assert tracked == Readiness.NOT_READY_WAITING_FOR_CAPTURE
    assert client.stop_tracking(name, unique_id) is Readiness.READY
    readiness.close()


def test_H8_a_bias_bracket_has_photos_of_growing_brightness(client, stubs, ready, unique_id):
    name = ready()
    assert output(client, name).max_bracketed_photo_count == 5
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


def test_H8_a_manual_bracket_has_the_exposures_asked_for(client, stubs, ready, unique_id):
    name = ready()
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


def test_H8_each_photo_of_a_bracket_is_set_for_itself(client, ready):
    name = ready()
    settings = controls(client)
    usual = brightness(client.photo(name, quality=Quality.SPEED))
    photos = client.bracket(name, [Exposure(seconds=0.002, gain=100), Exposure(bias=1), Exposure(seconds=0.002)])
    assert [photo.exposure_ns for photo in photos[::2]] == [2_000_000, 2_000_000]
    assert photos[1].exposure_bias == 1
    assert brightness(photos[1]) > usual + 5, "automatic exposure again"
    assert controls(client) == settings


def patches(picture):
    """The standard deviation of luma in each patch of the chart that is below the timecode board."""
    luma = picture.luma().astype(float)
    height, width = luma.shape
    rows = [luma[height * row // 9 : height * (row + 1) // 9] for row in range(4, 9)]
    return np.array([[row[:, width * i // 16 : width * (i + 1) // 16].std() for i in range(16)] for row in rows])


def test_H5_a_merged_bracket_shows_what_each_exposure_loses(client, stubs, ready, unique_id):
    name = ready(max_quality=Quality.QUALITY)
    # The chart, with more contrast than pixels have room for: one exposure is black where the other is white.
    client.set_controls(SYNTHETIC[0], {"test_pattern": 1, "contrast": 200}, session=name)
    with client.preview(name, max_size=(320, 180)) as preview:
        take(preview, 3)
    exposures = [Exposure(bias=bias) for bias in (-0.667, 1.667)]
    singles = [patches(photo) for photo in client.bracket(name, exposures, encoding=PhotoEncoding.UNCOMPRESSED)]
    (merged,) = client.bracket(name, exposures, encoding=PhotoEncoding.UNCOMPRESSED, merge=True, unique_id=unique_id)
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
def test_H5_a_merge_that_cannot_be_is_refused(client, ready, most, biases, reason):
    with refused("INVALID_ARGUMENT", reason):
        client.bracket(ready(max_quality=most), [Exposure(bias=bias) for bias in biases], merge=True)


def test_H8_what_a_bracket_cannot_be_is_refused(client, ready):
    name = ready()
    with refused("INVALID_ARGUMENT") as refusal:
        client.bracket(name, [Exposure(bias=0)] * 6)
    assert refusal.error.metadata["limit"] == "5"
    with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE"):
        client.bracket(name, [Exposure(bias=0), Exposure(bias=5)])
    settings = photo_pb2.PhotoSettings(flash_mode=FlashMode.ON, bracket=[Exposure(bias=0).bracketed()])
    with refused("INVALID_ARGUMENT"):
        client.prepare_photos(name, [settings])


def test_H11_brackets_and_thumbnails_can_be_prepared(client, stubs, ready, unique_id):
    name = ready()
    settings = photo_pb2.PhotoSettings(bracket=[Exposure(bias=bias).bracketed() for bias in (-1, 1)])
    settings.embedded_thumbnail_dimensions.width = settings.embedded_thumbnail_dimensions.height = 128
    assert client.prepare_photos(name, [settings])
    settings.unique_id = unique_id
    request = photos_pb2.CapturePhotoRequest(session=name, settings=settings)
    events = [response.event for response in stubs.photos.CapturePhoto(request)]
    check_events(events)
    assert events[0].resolved_settings.embedded_thumbnail_dimensions.width == 128
    assert client.prepare_photos(name, [])
