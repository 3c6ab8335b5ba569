"""Shots: the pixels show the exposure of the photo, and the camera returns to its settings afterwards."""

import io
import threading
import time

import pytest
from google.protobuf import duration_pb2
from PIL import Image

import firstlight
from captures import SMALL, at_once, by_capture, check_events, is_over, watch
from firstlight import Encoding, Exposure, FlashMode, Quality, Readiness
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2, fault_injection_service_pb2_grpc as fault_grpc
from firstlight.v1 import (
    photo_pb2,
    photo_service_pb2 as photos_pb2,
    photo_shot_pb2 as shot_pb2,
)
from shots import brightness, controls, lag_positive
from support import SYNTHETIC, Collector, call, capabilities, refused, take, timecode


def test_H9_J3_a_manual_exposure_is_of_its_photo_alone(client, photo_session):
    name = photo_session()
    before = client.photo(name, quality=Quality.SPEED)
    settings = controls(client)
    dark = client.photo(name, exposure=Exposure(seconds=0.002, gain=100), quality=Quality.SPEED)
    assert lag_positive(dark)
    assert timecode(dark).sequence == dark.sequence > before.sequence
    assert (dark.exposure_ns, dark.gain) == (2_000_000, 100)
    # The exposure has a fifth of the light, and black is 0 in JPEG.
    assert brightness(dark) == pytest.approx(brightness(before) / 5, rel=0.15)
    assert controls(client) == settings, "set back"
    after = client.photo(name, quality=Quality.SPEED)
    assert brightness(after) == pytest.approx(brightness(before), rel=0.05)


@pytest.mark.parametrize("settings", [{"exposure": Exposure(seconds=0.002, gain=100)}, {"flash": FlashMode.ON}])
def test_J3_now_after_anothers_exposure_is_as_bright_as_usual(client, photo_session, settings):
    name = photo_session()
    usual = brightness(client.photo(name, quality=Quality.SPEED))
    for _ in range(5):
        other = client.photo(name, quality=Quality.BALANCED, **settings)
        assert not usual * 0.7 < brightness(other) < usual * 1.3
        now = client.photo(name, quality=Quality.SPEED)
        assert brightness(now) == pytest.approx(usual, rel=0.05)
        assert now.zero_shutter_lag_used


@pytest.mark.parametrize("settings", [{"exposure": Exposure(seconds=0.002)}, {"flash": FlashMode.ON}])
def test_J5_phases_of_a_shot_are_told_in_order(client, photo_session, settings):
    photo = client.photo(photo_session(), **settings)
    assert photo.phases.capture_begin_ns > photo.monotonic_time_ns - 2_000_000_000
    assert list(photo.phases) == sorted(photo.phases)


def test_H9_exif_of_a_manual_exposure_is_the_value_set(client, photo_session):
    image = client.photo(photo_session(), exposure=Exposure(seconds=0.0042, gain=250))
    exif = Image.open(io.BytesIO(image.data)).getexif().get_ifd(0x8769)
    assert float(exif[0x829A]) == pytest.approx(0.0042)
    assert exif[0x9209] == 0, "no flash"


def test_H9_gain_is_noise_in_the_pixels(client, photo_session):
    name = photo_session()
    client.set_controls(SYNTHETIC[0], {"test_pattern": 2}, session=name)
    with client.preview(name, max_size=(320, 180)) as preview:
        take(preview, 3)

    def noise(exposure):
        photo = client.photo(name, exposure=exposure, quality=Quality.SPEED, encoding=Encoding.UNCOMPRESSED)
        # The pixels lie inside a bar of middle brightness.
        return photo.luma()[80:170, 95:115].astype(float).std()

    assert noise(Exposure(seconds=0.0025, gain=400)) > 1.3 * noise(Exposure(seconds=0.01, gain=100))


def test_H9_merged_frames_all_have_the_exposure(client, photo_session):
    name = photo_session()
    before = client.photo(name, quality=Quality.SPEED)
    photo = client.photo(name, exposure=Exposure(seconds=0.005), quality=Quality.BALANCED)
    assert photo.fused_frame_count > 1
    assert brightness(photo) == pytest.approx(brightness(before) / 2, rel=0.15)


@pytest.mark.parametrize("seconds", [0.00001, 0.1])
def test_H9_an_exposure_the_camera_does_not_have_is_refused(client, photo_session, seconds):
    name = photo_session()
    with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE") as refusal:
        client.photo(name, exposure=Exposure(seconds=seconds))
    assert "allowed" in refusal.error.metadata
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
        client.photo(name, exposure=Exposure())


def test_H9_limits_are_told(client, photo_session):
    limits = capabilities(client.session(photo_session())).exposure_limits
    shortest, longest = limits.min_exposure_duration, limits.max_exposure_duration
    assert (shortest.ToNanoseconds(), longest.ToNanoseconds()) == (100_000, 16_000_000)
    assert (limits.min_gain, limits.max_gain) == (100, 800)
    assert (limits.min_exposure_bias, limits.max_exposure_bias) == (-2, 2)


def test_H9_the_camera_is_set_back_when_the_client_goes(client, stubs, photo_session, unique_id):
    name = photo_session()
    settings = controls(client)
    exposure = shot_pb2.ManualExposure(exposure_duration=duration_pb2.Duration(nanos=1_000_000))
    request = photos_pb2.CapturePhotoRequest(
        session=name, settings=photo_pb2.PhotoSettings(unique_id=unique_id, manual_exposure=exposure)
    )
    told = watch(client, name)
    stream = stubs.photos.CapturePhoto(request)
    next(stream)
    stream.cancel()
    events = told.wait_for(lambda events: any(is_over(event) and event.unique_id == unique_id for event in events))
    told.close()
    assert controls(client) == settings
    events = by_capture(events)[unique_id]
    check_events(events)
    assert not events[-1].did_finish_capture.HasField("error"), "it goes on without its client"
    (photo,) = [
        event.did_finish_processing_photo.photo for event in events if event.HasField("did_finish_processing_photo")
    ]
    assert photo.exposure_duration.ToNanoseconds() == 1_000_000, "it was set"


@pytest.fixture
def faulty(own_daemon):
    """A client of a daemon that accepts injected faults, the function that injects one, and the name of a running
    session.
    """
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
    readiness.wait_for(len)
    with refused("ABORTED", "OPERATION_INTERRUPTED"):
        client.photo(name)
    # The stall interrupts the session until the camera delivers frames again.
    told = readiness.wait_for(lambda items: items[-1] is Readiness.SESSION_NOT_RUNNING)
    readiness.close()
    assert Readiness.NOT_READY_WAITING_FOR_CAPTURE in told


def test_H9_a_camera_that_goes_ends_the_capture_at_once(faulty):
    client, inject, name = faulty
    inject(stall=fault_pb2.StallFault(duration=duration_pb2.Duration(seconds=30)))
    told = watch(client, name)
    (failure,) = at_once(1, lambda _: shoot_and_unplug(client, inject, name, told))
    assert failure.reason == "OPERATION_INTERRUPTED"
    # Only unplugging the camera ends this stall early.
    inject(replug=fault_pb2.ReplugFault())
    assert "led_mode" in controls(client)


def is_under_way(events):
    """Whether the daemon has set the camera for the capture and waits for frames."""
    return any(event.HasField("will_capture_photo") for event in events)


@pytest.mark.parametrize("delete", [False, True], ids=["stop", "delete"])
def test_H9_a_stop_does_not_wait_for_a_photo(faulty, delete):
    client, inject, name = faulty
    settings = controls(client)
    inject(stall=fault_pb2.StallFault(duration=duration_pb2.Duration(seconds=30)))
    told = watch(client, name)

    def shoot(_):
        return client.bracket(name, [Exposure(seconds=0.001)] * 5)

    def stop(_):
        told.wait_for(is_under_way)
        begin = time.monotonic()
        (client.delete_session if delete else client.stop)(name)
        return time.monotonic() - begin

    failure, took = at_once(2, lambda index: (shoot, stop)[index](index))
    # Without this, five steps would take five seconds each.
    assert took < 4
    assert failure.reason == "OPERATION_INTERRUPTED"
    assert controls(client) == settings


def test_H9_nobody_sets_what_a_photo_has_set(faulty):
    client, inject, name = faulty
    settings = controls(client)
    inject(stall=fault_pb2.StallFault(duration=duration_pb2.Duration(seconds=30)))
    told = watch(client, name)

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
    """Requests a photo with manual exposure and unplugs the camera once the capture has begun. Returns the error, or
    None.
    """
    unplugging = threading.Thread(target=lambda: (told.wait_for(is_under_way), inject(unplug=fault_pb2.UnplugFault())))
    unplugging.start()
    try:
        client.photo(name, exposure=Exposure(seconds=0.001))
    except firstlight.FirstlightError as error:
        return error
    finally:
        unplugging.join()
    return None


def test_H9_other_captures_keep_their_order_and_their_exposure(client, photo_session):
    name = photo_session(responsive_capture=True)
    usual = brightness(client.photo(name, quality=Quality.SPEED))
    told = watch(client, name)

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
