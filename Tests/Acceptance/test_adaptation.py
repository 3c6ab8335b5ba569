"""Under pressure: sessions that rest, and sessions that take load off the machine by themselves."""

from __future__ import annotations

import contextlib
import itertools
import os
import time

import pytest
from google.protobuf import duration_pb2

import firstlight
import machines
from firstlight import AdaptationPolicy, PressureFactor, PressureLevel
from firstlight.v1 import (
    photo_pb2,
    photo_service_pb2 as photos_pb2,
    pressure_service_pb2 as pressure_pb2,
    pressure_service_pb2_grpc as pressure_grpc,
    preview_service_pb2 as preview_pb2,
    session_pb2,
    types_pb2,
)
from machines import stall
from support import SYNTHETIC, TIMEOUT, Collector, Stubs, call, changed, refused, resident_bytes, take, timecode

State = session_pb2.Session.State
SYSTEM_PRESSURE = types_pb2.INTERRUPTION_REASON_SYSTEM_PRESSURE
SIZE = (1280, 720)

# A machine, its zone that becomes hot, and how hot that must be for each level, by its own trips; NOMINAL is near
# enough to FAIR that it is read often.
MACHINES = {
    "PC": (machines.PC, 0, {"NOMINAL": 70, "SERIOUS": 81, "CRITICAL": 91, "SHUTDOWN": 96}),
    "Raspberry Pi": (machines.RASPBERRY_PI, 0, {"NOMINAL": 80, "SERIOUS": 91, "CRITICAL": 101, "SHUTDOWN": 106}),
    "Jetson": (machines.JETSON, 2, {"NOMINAL": 76, "SERIOUS": 85, "CRITICAL": 95, "SHUTDOWN": 100}),
}


class Rig:
    """A daemon on a machine made of files, and a client of it."""

    def __init__(self, client: firstlight.Client, sysfs, zone: str, degrees: dict[str, float]) -> None:
        self.client = client
        #: The one that becomes hot.
        self.zone = zone
        self._sysfs = sysfs
        self._degrees = degrees
        self._drills = pressure_grpc.PressureDrillServiceStub(client.channel)

    def heat(self, level: str) -> None:
        """Makes the zone as hot as the level wants."""
        self._sysfs.heat(self.zone, self._degrees[level])

    def drill(self, level: str) -> None:
        """Simulates a level, for an hour: below it there is nothing to fall slowly."""
        duration = duration_pb2.Duration(seconds=3600)
        request = pressure_pb2.SimulateLevelRequest(level=PressureLevel[level], duration=duration)
        call(self._drills.SimulateLevel, request)

    def session(self, policy: AdaptationPolicy | None = None, *, start: bool = True, **keywords) -> str:
        """A session of the first camera."""
        name = self.client.create_session().name
        keywords = {"pixel_format": "NV12", "size": SIZE, "frame_rate": 30, "photo": False} | keywords
        self.client.configure(name, firstlight.configuration(SYNTHETIC[0], adaptation=policy, **keywords))
        if start:
            self.client.start(name)
        return name

    def steps(self, name: str) -> list[str]:
        """What is in force, as the session tells it."""
        return [step.WhichOneof("limit") for step in self.client.session(name).applied_adaptation_steps]


@pytest.fixture
def rig(own_daemon, sysfs):
    """Starts a daemon on a machine of `machines`."""
    with contextlib.ExitStack() as stack:

        def start(machine: str = "PC", *flags: str) -> Rig:
            files, number, degrees = MACHINES.get(machine, (getattr(machines, machine.upper(), {}), 0, {}))
            zone = f"thermal_zone{number}"
            sysfs.put(files)
            if degrees:
                sysfs.heat(zone, degrees["NOMINAL"])
            daemon = own_daemon("--enable-fault-injection", *flags)
            client = stack.enter_context(firstlight.connect(daemon.address, timeout=8))
            return Rig(client, sysfs, zone, degrees)

        yield start


@contextlib.contextmanager
def collecting(stream):
    """What a stream tells, until the end of the block."""
    collector = Collector(stream)
    try:
        yield collector
    finally:
        collector.close()


def responses(client, name):
    """Frames and statuses of a preview, in the order in which they came."""
    request = preview_pb2.StreamPreviewRequest(session=name, encoding=firstlight.Encoding.JPEG)
    return firstlight.Stream(Stubs(client.channel).previews.StreamPreview(request), lambda response: response)


def statuses(items):
    return [item.status for item in items if item.HasField("status")]


def frames(items):
    return [item.frame for item in items if item.HasField("frame")]


def resumed(items):
    """Whether frames came after an interruption."""
    kinds = [item.status.session_state if item.HasField("status") else "frame" for item in items]
    return State.STATE_INTERRUPTED in kinds and "frame" in kinds[kinds.index(State.STATE_INTERRUPTED) :]


def step(event) -> str:
    """What a session's event says of the ladder, or what else happened."""
    kind = event.WhichOneof("event")
    if kind not in ("adaptation_applied", "adaptation_undone"):
        return changed(event)
    return ("+ " if kind == "adaptation_applied" else "- ") + getattr(event, kind).step.WhichOneof("limit")


@pytest.mark.parametrize("machine", MACHINES)
def test_A12_shutdown_interrupts_and_relief_resumes_by_itself(rig, machine):
    rig = rig(machine)
    name = rig.session()
    with collecting(rig.client.watch_session(name)) as events, collecting(responses(rig.client, name)) as preview:
        preview.wait_for(lambda items: len(frames(items)) > 2)
        rig.heat("SHUTDOWN")
        preview.wait_for(lambda items: statuses(items) and statuses(items)[-1].session_state == State.STATE_INTERRUPTED)
        assert statuses(preview.wait_for(len))[-1].interruption_reason == SYSTEM_PRESSURE
        session = rig.client.session(name)
        assert (session.state, session.interruption_reason) == (State.STATE_INTERRUPTED, SYSTEM_PRESSURE)
        rig.heat("NOMINAL")
        items = preview.wait_for(resumed)
        told = events.wait_for(lambda items: "STATE_RUNNING" in map(changed, items))
    told = [event for event in told if changed(event) not in ("snapshot", "launch_timeline")]
    assert [changed(event) for event in told] == [
        "was_interrupted",
        "STATE_INTERRUPTED",
        "interruption_ended",
        "STATE_RUNNING",
    ]
    assert told[0].was_interrupted.reason == SYSTEM_PRESSURE
    assert rig.zone in told[0].was_interrupted.error.message
    before, after = (frame.stream_id for frame in (frames(items)[0], frames(items)[-1]))
    assert before != after == told[2].interruption_ended.stream_id
    first = next(frame for frame in frames(items) if frame.stream_id == after)
    assert first.dropped.discontinuity > 0


def test_A12_no_frame_is_taken_between_interruption_and_resumption(rig):
    rig = rig()
    name = rig.session(size=(320, 180))
    with rig.client.preview(name, encoding=firstlight.Encoding.NV12) as preview:
        assert timecode(next(preview)) is not None
        with collecting(rig.client.watch_session(name)) as events:
            rig.drill("SHUTDOWN")
            events.wait_for(lambda items: "STATE_INTERRUPTED" in map(changed, items))
            interrupted_ns = time.time_ns()
            # Whatever was on its way by then is older.
            rig.drill("CRITICAL")
            told = events.wait_for(lambda items: "interruption_ended" in map(changed, items))
        (stream,) = (event.interruption_ended.stream_id for event in told if event.HasField("interruption_ended"))
        resumed_ns = next(frame.capture_time_ns for frame in preview if frame.stream_id == stream)
    assert resumed_ns > interrupted_ns


def test_A12_a_start_at_shutdown_is_kept_until_the_level_falls(rig):
    rig = rig()
    rig.drill("SHUTDOWN")
    name = rig.session(start=False)
    with collecting(rig.client.watch_session(name)) as events, collecting(responses(rig.client, name)) as preview:
        for _ in range(2):
            with refused("UNAVAILABLE", "SYSTEM_PRESSURE") as refusal:
                rig.client.start(name)
            assert refusal.error.metadata["sources"] == "drill"
        assert rig.client.session(name).interruption_reason == SYSTEM_PRESSURE
        rig.drill("NOMINAL")
        events.wait_for(lambda items: "launch_timeline" in map(changed, items))
        assert frames(preview.wait_for(frames))
    assert rig.client.session(name).state == State.STATE_RUNNING


def test_A12_a_stop_drops_the_intent(rig):
    rig = rig()
    rig.drill("SHUTDOWN")
    name = rig.session(start=False)
    with refused("UNAVAILABLE", "SYSTEM_PRESSURE"):
        rig.client.start(name)
    assert rig.client.stop(name).state == State.STATE_STOPPED
    # The camera is free, and nobody else's session is kept from waiting for it.
    other = rig.session(start=False)
    with refused("UNAVAILABLE", "SYSTEM_PRESSURE"):
        rig.client.start(other)
    with collecting(rig.client.watch_session(other)) as events:
        rig.drill("NOMINAL")
        events.wait_for(lambda items: "STATE_RUNNING" in map(changed, items))
    assert rig.client.session(name).state == State.STATE_STOPPED


def test_E5_waiting_alone_never_interrupts(rig, sysfs):
    rig = rig("container")
    name = rig.session(AdaptationPolicy.SERVER)
    with collecting(rig.client.watch_session(name)) as events:
        sysfs.put({f"fs/cgroup/{resource}.pressure": stall(100, 100) for resource in ("cpu", "memory", "io")})
        told = events.wait_for(lambda items: "+ device_frame_rate" in map(step, items))
    applied = [event.adaptation_applied for event in told if event.HasField("adaptation_applied")]
    assert {PressureLevel(event.level) for event in applied} == {PressureLevel.SERIOUS}
    assert {cause.source for cause in applied[0].causes} == {"cgroup/cpu", "cgroup/memory", "cgroup/io"}
    assert rig.client.session(name).state == State.STATE_RUNNING


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
        # Steps of one kind bear one name: by number, then.
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
    """How many frames of the camera lie between a frame and the next, itself included."""
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
        # As large as it was: the scene is the same, so is the quality.
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
        # By the time the level is answered for, the session may still be at it: two in a row tell.
        pairs = itertools.pairwise(data)
        next(pair for pair in pairs if pair[1].sequence - pair[0].sequence >= 2)
        after = take(data, 6)
        assert min(gaps(after)) >= 2, "15 of 30 a second"
        assert sum(frame.dropped.discontinuity for frame in after) == 0, "nobody lost what was left out"
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
        """Frames that the settings resolved to, and those that the photo is made of."""
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
            # The shorter, rarer ring may lack some.
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
        # A commit of the other policy tells when the daemon has certainly acted.
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


def state_once(client, condition):
    """The camera's pressure as soon as it is so."""
    deadline = time.monotonic() + TIMEOUT
    while not condition(state := client.system_pressure(SYNTHETIC[0])):
        assert time.monotonic() < deadline, state
        time.sleep(0.05)
    return state


def test_E3_a_camera_that_rests_is_not_asked(rig):
    rig = rig()
    name = rig.session(size=(320, 180))
    with collecting(rig.client.watch_session(name)) as events:
        state_once(rig.client, lambda state: state.cameras)
        rig.drill("SHUTDOWN")
        events.wait_for(lambda items: "STATE_INTERRUPTED" in map(changed, items))
        state_once(rig.client, lambda state: not state.cameras)
        rig.drill("NOMINAL")
        state_once(rig.client, lambda state: state.cameras)
        assert rig.client.session(name).state == State.STATE_RUNNING


@pytest.mark.timeout(30)
def test_A12_a_camera_that_rests_for_its_own_heat_is_asked_and_rests_until_it_has_cooled(rig):
    rig = rig("PC", "--pressure-thresholds", "devices/synthetic-0=40/50/60/70")
    name = rig.session(size=(320, 180))
    with collecting(rig.client.watch_session(name)) as events:
        rig.client.set_controls(SYNTHETIC[0], {"sensor_temperature": 72}, session=name)
        events.wait_for(lambda items: "STATE_INTERRUPTED" in map(changed, items))
        hot = rig.client.system_pressure(SYNTHETIC[0]).read_time.ToNanoseconds()
        # Unread, the level would have fallen after 3 s.
        later = state_once(rig.client, lambda state: state.read_time.ToNanoseconds() > hot + 5_000_000_000)
        assert [camera.temperature_millidegrees for camera in later.cameras] == [72_000]
        assert later.level == PressureLevel.SHUTDOWN
        rig.client.set_controls(SYNTHETIC[0], {"sensor_temperature": 35}, session=name)
        told = events.wait_for(lambda items: "STATE_RUNNING" in map(changed, items))
    assert [changed(event) for event in told].count("was_interrupted") == 1


def test_E3_an_unknown_camera_has_no_state(client):
    with refused("NOT_FOUND", "DEVICE_NOT_FOUND"):
        client.system_pressure("devices/nowhere")
    with refused("NOT_FOUND", "DEVICE_NOT_FOUND"):
        next(client.watch_system_pressure("devices/nowhere"))


SOAK_SECONDS = float(os.environ.get("FIRSTLIGHT_SOAK_SECONDS", "1800"))


@pytest.mark.slow
@pytest.mark.timeout(SOAK_SECONDS + 120)
def test_E7_at_serious_nothing_leaks_and_nothing_hangs(own_daemon, sysfs):
    """How long is FIRSTLIGHT_SOAK_SECONDS, half an hour unless set."""
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
                # Attaching and leaving, and a level that moves, are where something could be left behind.
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
