"""Sessions that take load off the machine by themselves while it is under pressure."""

from __future__ import annotations

import itertools
import os
import time

import pytest

import firstlight
import machines
from firstlight import AdaptationPolicy, PressureFactor, PressureLevel
from firstlight.v1 import photo_pb2, photo_service_pb2 as photos_pb2
from pressure_rig import MACHINES, SIZE, Rig, collecting, step
from support import SYNTHETIC, Stubs, refused, resident_bytes, take, timecode


@pytest.mark.parametrize("machine", MACHINES)
def test_E4_the_ladder_is_climbed_in_order_and_undone_in_reverse(rig, machine):
    rig = rig(machine)
    ladder = rig.client.adaptation_ladder()
    assert [each.level for each in ladder] == sorted(each.level for each in ladder)
    serious = [each.WhichOneof("limit") for each in ladder if each.level == PressureLevel.SERIOUS]
    critical = [each.WhichOneof("limit") for each in ladder if each.level == PressureLevel.CRITICAL]
    name = rig.session(AdaptationPolicy.SERVER)
    before = rig.client.session(name)
    with collecting(rig.client.watch_session(name)) as events:
        rig.heat("SERIOUS")
        events.wait_for(lambda items: f"+ {serious[-1]}" in map(step, items))
        assert rig.steps(name) == serious
        rig.heat("CRITICAL")
        # Several steps may limit the same thing and so have one name, so the test counts the steps.
        events.wait_for(lambda items: sum(step(item).startswith("+") for item in items) == len(ladder))
        rig.heat("NOMINAL")
        told = events.wait_for(lambda items: f"- {serious[0]}" in map(step, items))
    up = [f"+ {limit}" for limit in serious + critical]
    down = [f"- {limit}" for limit in reversed(serious + critical)]
    told = [event for event in told if event.WhichOneof("event").startswith("adaptation")]
    assert [step(event) for event in told] == up + down
    levels = [PressureLevel(event.adaptation_applied.level).name for event in told[: len(up)]]
    assert levels == ["SERIOUS"] * len(serious) + ["CRITICAL"] * len(critical)
    assert {cause.source for event in told[: len(up)] for cause in event.adaptation_applied.causes} == {rig.zone}
    assert {PressureLevel(event.adaptation_undone.level).name for event in told[len(up) :]} == {"NOMINAL"}
    assert rig.client.session(name) == before


def gaps(pictures):
    """The distance of each frame from the one before it, in sequence numbers of the camera."""
    return [after.sequence - before.sequence for before, after in itertools.pairwise(pictures)]


def test_E4_previews_become_smaller_coarser_and_rarer_and_recover(rig):
    rig = rig()
    name = rig.session(AdaptationPolicy.SERVER)
    with rig.client.preview(name, jpeg_quality=90) as preview:
        full = take(preview, 3)[-1]
        assert (full.width, full.height) == SIZE
        rig.drill("SERIOUS")
        small = next(frame for frame in preview if frame.width < SIZE[0])
        assert (small.width, small.height) == (640, 360)
        assert timecode(small).sequence == small.sequence
        rarer = [small, *take(preview, 4)]
        assert min(gaps(rarer)[1:]) >= 3, "10 of 30 a second"
        assert {frame.stream_id for frame in rarer} == {full.stream_id}
        rig.drill("NOMINAL")
        again = next(frame for frame in preview if frame.width == SIZE[0])
        assert again.stream_id == full.stream_id, "the camera was not restarted"
        # The scene is the same, so an equal number of bytes means an equal quality.
        assert 0.8 < len(next(preview).data) / len(full.data) < 1.25
        assert min(gaps(take(preview, 6))) == 1


def test_E4_programs_get_fewer_frames_and_photos_stay_as_large(rig):
    rig = rig()
    name = rig.session(
        AdaptationPolicy.SERVER, size=(640, 360), photo=True, video_data=[firstlight.video_data_output("all")]
    )
    with rig.client.video_data(name, "all") as data:
        before = take(data, 6)
        assert min(gaps(before)) == 1
        rig.drill("SERIOUS")
        # The session may still be applying steps when the call that sets the level returns. A wider gap between two
        # frames shows that the step is in force.
        pairs = itertools.pairwise(data)
        next(pair for pair in pairs if pair[1].sequence - pair[0].sequence >= 2)
        after = take(data, 6)
        assert min(gaps(after)) >= 2, "15 of 30 a second"
        assert sum(frame.dropped.discontinuity for frame in after) == 0, (
            "frames that the ladder leaves out are not dropped frames"
        )
        photo = rig.client.photo(name)
        assert (photo.width, photo.height) == (640, 360)
        rig.drill("NOMINAL")
        next(pair for pair in itertools.pairwise(data) if pair[1].sequence - pair[0].sequence == 1)


def test_E4_photos_are_merged_of_fewer_frames_and_recover(rig):
    rig = rig()
    name = rig.session(
        AdaptationPolicy.SERVER,
        size=(320, 180),
        photo=True,
        max_quality=firstlight.Quality.QUALITY,
    )
    photos = Stubs(rig.client.channel).photos
    settings = photo_pb2.PhotoSettings(quality_prioritization=firstlight.Quality.QUALITY)

    def photo():
        """The number of frames that the settings resolved to, and the number that the photo was made of."""
        request = photos_pb2.CapturePhotoRequest(session=name, settings=settings)
        told = [response.event for response in photos.CapturePhoto(request)]
        (made,) = (
            event.did_finish_processing_photo.photo.fused_frame_count
            for event in told
            if event.HasField("did_finish_processing_photo")
        )
        return told[-1].resolved_settings.fused_frame_count, made

    with collecting(rig.client.watch_session(name)) as events, rig.client.preview(name) as preview:
        take(preview, 12)
        assert photo() == (8, 8)
        for level, frames in (("SERIOUS", 4), ("CRITICAL", 2), ("SERIOUS", 4)):
            rig.drill(level)
            wanted = [each for each in rig.client.adaptation_ladder() if each.level <= PressureLevel[level]]
            events.wait_for(lambda _, wanted=wanted: len(rig.steps(name)) == len(wanted))
            assert min(each.fused_frames for each in wanted if each.HasField("fused_frames")) == frames
            resolved, made = photo()
            # The ring, which is shorter and has fewer frames by then, may lack some frames.
            assert (resolved, 1 <= made <= frames) == (frames, True)
        rig.drill("NOMINAL")
        events.wait_for(lambda items: "- preview_side_pixels" in map(step, items))
        take(preview, 12)
        assert photo() == (8, 8)
    told = [step(event) for event in events.close() if "fused_frames" in step(event)]
    assert told == ["+ fused_frames", "+ fused_frames", "- fused_frames", "- fused_frames"]


def test_E4_a_client_that_adapts_itself_is_left_alone(rig):
    rig = rig()
    name = rig.session()
    assert rig.client.session(name).resolved_configuration.adaptation_policy == AdaptationPolicy.CLIENT
    with rig.client.preview(name) as preview, collecting(rig.client.watch_system_pressure()) as states:
        next(preview)
        rig.drill("CRITICAL")
        states.wait_for(lambda items: items and items[-1].level == PressureLevel.CRITICAL)
        before = rig.client.session(name)
        # The frames must keep their size. The commit of the other policy below then shows that the daemon had acted on
        # the level.
        assert [(frame.width, frame.height) for frame in take(preview, 5)] == [SIZE] * 5
        assert not before.applied_adaptation_steps
        wanted = before.configuration
        wanted.adaptation_policy = AdaptationPolicy.SERVER
        assert rig.client.configure(name, wanted).applied_adaptation_steps
        assert next(frame for frame in preview if frame.width < SIZE[0]).stream_id
        wanted.adaptation_policy = AdaptationPolicy.CLIENT
        assert not rig.client.configure(name, wanted).applied_adaptation_steps
        assert next(frame for frame in preview if frame.width == SIZE[0]).stream_id


def test_E3_a_hot_camera_is_its_own_devices_state(rig):
    rig = rig()
    name = rig.session(AdaptationPolicy.SERVER, size=(320, 180))
    with (
        collecting(rig.client.watch_system_pressure(SYNTHETIC[0])) as camera,
        collecting(rig.client.watch_session(name)) as events,
    ):
        for celsius, level in ((66, "FAIR"), (76, "SERIOUS"), (86, "CRITICAL")):
            rig.client.set_controls(SYNTHETIC[0], {"sensor_temperature": celsius}, session=name)
            state = camera.wait_for(lambda items, level=level: items and items[-1].level == PressureLevel[level])[-1]
            assert list(state.factors) == [PressureFactor.CAMERA_TEMPERATURE]
            (reading,) = state.cameras
            assert (reading.device, reading.control) == (SYNTHETIC[0], "sensor_temperature")
            assert (reading.temperature_millidegrees, reading.level) == (celsius * 1000, PressureLevel[level])
        ladder = rig.client.adaptation_ladder()
        told = events.wait_for(lambda items: sum(step(item).startswith("+") for item in items) == len(ladder))
        assert [cause.source for cause in told[-1].adaptation_applied.causes] == [SYNTHETIC[0]]
        for other in ("", SYNTHETIC[1]):
            state = rig.client.system_pressure(other)
            assert (state.level, list(state.cameras)) == (PressureLevel.NOMINAL, [])
        assert rig.client.system_pressure(SYNTHETIC[0]).level == PressureLevel.CRITICAL
        assert [PressureLevel(state.level).name for state in camera.close()] == [
            "NOMINAL",
            "FAIR",
            "SERIOUS",
            "CRITICAL",
        ]


def test_E3_an_unknown_camera_has_no_state(client):
    with refused("NOT_FOUND", "DEVICE_NOT_FOUND"):
        client.system_pressure("devices/nowhere")
    with refused("NOT_FOUND", "DEVICE_NOT_FOUND"):
        next(client.watch_system_pressure("devices/nowhere"))


SOAK_SECONDS = float(os.environ.get("FIRSTLIGHT_SOAK_SECONDS", "1800"))


@pytest.mark.slow
@pytest.mark.timeout(SOAK_SECONDS + 120)
def test_E7_at_serious_nothing_leaks_and_nothing_hangs(own_daemon, sysfs):
    """Runs for FIRSTLIGHT_SOAK_SECONDS seconds, half an hour by default."""
    sysfs.put(machines.PC)
    daemon = own_daemon("--enable-fault-injection")
    with firstlight.connect(daemon.address, timeout=30) as client:
        rig = Rig(client, sysfs, "thermal_zone0", MACHINES["PC"][2])
        name = rig.session(AdaptationPolicy.SERVER, photo=True)
        before = client.session(name)
        rig.heat("SERIOUS")
        with client.preview(name) as preview:
            next(frame for frame in preview if frame.width == 640)
            end = time.monotonic() + SOAK_SECONDS
            resident: list[int] = []
            sizes = set()
            rounds = 0
            while time.monotonic() < end:
                rounds += 1
                sizes.add(take(preview, 20)[-1].width)
                assert client.photo(name).width == SIZE[0]
                # Readers that come and go, and a level that moves, are the places where the daemon could leave
                # something behind.
                with client.preview(name) as visitor:
                    next(visitor)
                rig.drill("CRITICAL" if rounds % 2 else "NOMINAL")
                resident.append(resident_bytes(daemon.process.pid))
            assert sizes == {640}, "the level was serious or worse all the time"
            rig.drill("NOMINAL")
            rig.heat("NOMINAL")
            next(frame for frame in preview if frame.width == SIZE[0])
        assert client.session(name) == before
    assert rounds > 3, "too short to tell anything"
    third = max(1, len(resident) // 3)
    first, last = max(resident[third : 2 * third]), max(resident[-third:])
    print(f"{rounds} rounds in {SOAK_SECONDS:g} s; resident in the second third {first >> 10} KiB, then {last >> 10}")
    assert last < first + (8 << 20)
