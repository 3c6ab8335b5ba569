"""The way to the first frame: slow cameras, exposure that settles, and cameras that the daemon asks before the first
call.
"""

import concurrent.futures
import itertools
import threading
import time

import pytest
from google.protobuf import duration_pb2

import firstlight
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2, fault_injection_service_pb2_grpc as fault_grpc
from firstlight.v1 import (
    preview_service_pb2 as preview_pb2,
    session_pb2,
    types_pb2,
)
from support import SYNTHETIC, TIMEOUT, Collector, Stubs, call, changed, timecode, watching

pytestmark = pytest.mark.alone

DID = "did_run_deferred_start"
SMALL = {"pixel_format": "NV12", "size": (320, 180), "frame_rate": 30}


def milliseconds(count):
    return duration_pb2.Duration(seconds=count // 1000, nanos=count % 1000 * 1_000_000)


def injector(client):
    stub = fault_grpc.FaultInjectionServiceStub(client.channel)

    def inject(device=SYNTHETIC[0], **fault):
        call(stub.InjectFault, fault_pb2.InjectFaultRequest(device=device, **fault))

    return inject


@pytest.fixture
def camera(own_daemon):
    """A client of a daemon that accepts injected faults, and the function that injects one."""
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=8) as client:
        yield client, injector(client)


def small_session(client, *, photo_deferred=True):
    wanted = firstlight.configuration(SYNTHETIC[0], **SMALL)
    wanted.photo.deferred_start_enabled = photo_deferred
    name = client.create_session().name
    client.configure(name, wanted)
    return name


def steps(items):
    """For each launch timeline among the events, the set of steps that had happened."""
    timelines = [event.launch_timeline for event in items if changed(event) == "launch_timeline"]
    return [{field.name for field, _ in timeline.ListFields()} for timeline in timelines]


def test_A1_C12_while_a_camera_is_slow_to_start_other_calls_are_answered(camera):
    client, inject = camera
    name = small_session(client)
    inject(start_latency=fault_pb2.StartLatencyFault(latency=milliseconds(2000)))
    told = watching(client, name)
    start = threading.Thread(target=client.start, args=(name,))
    start.start()
    told.wait_for(lambda items: any(changed(event) == "STATE_STARTING" for event in items))
    for _ in range(20):
        client.server_info()
        client.create_session()
    assert client.session(name).state == session_pb2.Session.STATE_STARTING
    start.join(TIMEOUT)
    assert client.session(name).state == session_pb2.Session.STATE_RUNNING
    with client.preview(name) as preview:
        next(preview)
    told.close()
    timeline = client.launch_timeline(name)
    assert timeline.start_returned_ns - timeline.start_requested_ns >= 2_000_000_000
    assert timeline.first_frame_captured_ns - timeline.start_requested_ns >= 2_000_000_000


def test_C1_every_step_is_told_with_the_timeline_so_far(client, session):
    name = session(**SMALL)
    told = watching(client, name)
    with client.preview(name) as preview:
        client.start(name)
        frame = next(preview)
        told.wait_for(
            lambda items: any(
                {"start_returned_ns", "first_frame_sent_ns", "first_settled_sequence", "deferred_start_end_ns"} <= step
                for step in steps(items)
            )
        )
    items = told.close()
    assert len(steps(items)) == 4
    for before, after in itertools.pairwise(steps(items)):
        assert before < after
    last = [event.launch_timeline for event in items if changed(event) == "launch_timeline"][-1]
    assert last == client.launch_timeline(name)
    assert last.stream_id == frame.stream_id
    assert last.first_settled_frame_captured_ns >= last.first_frame_captured_ns


def test_C1_a_second_launch_keeps_nothing_of_the_first(client, session):
    name = session(**SMALL)
    told = watching(client, name)
    with client.preview(name) as preview:
        client.start(name)
        first = next(preview)
        told.wait_for(lambda items: any("deferred_start_end_ns" in step for step in steps(items)))
        client.stop(name)
        client.start(name)
        second = next(frame for frame in preview if frame.stream_id != first.stream_id)
    told.close()
    timeline = client.launch_timeline(name)
    assert timeline.stream_id == second.stream_id
    assert timeline.start_requested_ns < timeline.first_frame_captured_ns <= second.monotonic_time_ns
    assert timeline.first_frame_captured_ns < timeline.first_frame_sent_ns
    assert not timeline.HasField("deferred_start_begin_ns"), "the outputs were ready already"


def test_C1_the_first_settled_frame_is_the_first_that_is_as_bright_as_those_after_it(camera):
    client, inject = camera
    count = 12
    inject(settling=fault_pb2.SettlingFault(frames=count))
    name = small_session(client)
    told = watching(client, name)
    luma = {}
    with client.preview(name, pixel_format="NV12") as preview:
        client.start(name)
        for frame in preview:
            assert timecode(frame).sequence == frame.sequence
            luma[frame.sequence] = frame.luma().mean()
            if frame.sequence > count + 5:
                break
        told.wait_for(lambda items: any("first_settled_sequence" in step for step in steps(items)))
    told.close()
    timeline = client.launch_timeline(name)
    full = luma[max(luma)]
    early = [mean for sequence, mean in luma.items() if sequence < count - 3]
    assert early
    assert all(mean < 0.95 * full for mean in early), "the picture was dark at first"
    settled = timeline.first_settled_sequence
    # The brightness of the last frames before the end differs by less than a person or the rule of 2 % can tell.
    assert count - 3 <= settled <= count + 5
    assert timeline.first_settled_frame_captured_ns > timeline.first_frame_captured_ns
    assert all(abs(mean - full) < 0.04 * full for sequence, mean in luma.items() if sequence >= settled)


def test_C2_C6_outputs_that_take_long_do_not_hold_up_the_first_frame(camera):
    client, inject = camera
    inject(output_init_delay=fault_pb2.OutputInitDelayFault(delay=milliseconds(700)))
    name = small_session(client)
    told = watching(client, name)
    with client.preview(name) as preview:
        client.start(name)
        next(preview)
        told.wait_for(lambda items: any(changed(event) == DID for event in items))
    told.close()
    timeline = client.launch_timeline(name)
    photo = next(output for output in timeline.outputs if output.output == "photo")
    assert photo.init_begin_ns > timeline.first_frame_sent_ns
    assert photo.init_end_ns - photo.init_begin_ns >= 700_000_000
    assert timeline.deferred_start_end_ns >= photo.init_end_ns


def test_C5_outputs_that_are_not_deferred_are_ready_when_start_returns(camera):
    client, inject = camera
    inject(output_init_delay=fault_pb2.OutputInitDelayFault(delay=milliseconds(700)))
    name = small_session(client, photo_deferred=False)
    client.start(name)
    timeline = client.launch_timeline(name)
    photo = next(output for output in timeline.outputs if output.output == "photo")
    preview = next(output for output in timeline.outputs if output.output == "preview")
    assert photo.init_end_ns - photo.init_begin_ns >= 700_000_000
    assert preview.init_begin_ns < photo.init_end_ns, "they start side by side"
    assert photo.init_end_ns < timeline.start_returned_ns


def test_C11_a_launch_takes_at_most_half_as_long_when_slow_outputs_are_deferred(camera):
    client, inject = camera
    inject(output_init_delay=fault_pb2.OutputInitDelayFault(delay=milliseconds(700)))
    took = {}
    for deferred in (True, False):
        name = small_session(client, photo_deferred=deferred)
        with client.preview(name) as preview:
            asked_ns = time.monotonic_ns()
            client.start(name)
            next(preview)
            took[deferred] = time.monotonic_ns() - asked_ns
        client.delete_session(name)
    assert took[False] >= 700_000_000
    assert took[True] <= 0.5 * took[False]


def test_C7_a_stop_before_it_is_ready_tells_no_did_and_arms_again(camera):
    client, inject = camera
    inject(output_init_delay=fault_pb2.OutputInitDelayFault(delay=milliseconds(1000)))
    name = client.create_session().name
    client.configure(name, firstlight.configuration(SYNTHETIC[0], automatic_deferred_start=False, **SMALL))
    told = watching(client, name)
    client.start(name)
    client.run_deferred_start(name)
    client.stop(name)
    client.start(name)
    client.run_deferred_start(name)
    items = told.wait_for(lambda items: any(changed(event) == DID for event in items))
    kinds = [changed(event) for event in items if "deferred" in changed(event) or changed(event) == "STATE_STOPPED"]
    assert kinds == ["will_run_deferred_start", "STATE_STOPPED", "will_run_deferred_start", DID]
    told.close()


@pytest.mark.parametrize(("flag", "is_prewarmed"), [("--prewarm", True), ("--no-prewarm", False)])
def test_C4_cameras_are_asked_before_the_daemon_serves_if_wanted(own_daemon, tmp_path, flag, is_prewarmed):
    with firstlight.connect(own_daemon(flag).address, timeout=8) as client:
        # The daemon serves, so prewarming is over or was left out.
        assert ("The cameras are prewarmed." in (tmp_path / "firstlightd.log").read_text()) == is_prewarmed
        name = small_session(client)
        with client.preview(name) as preview:
            client.start(name)
            next(preview)
        timeline = client.launch_timeline(name)
        assert timeline.process_start_ns < timeline.server_ready_ns < timeline.start_requested_ns
        assert timeline.start_requested_ns < timeline.first_frame_captured_ns < timeline.first_frame_sent_ns


def test_the_whole_launch_is_one_line_of_the_log(own_daemon, tmp_path):
    with firstlight.connect(own_daemon().address, timeout=8) as client:
        name = small_session(client)
        with client.preview(name) as preview:
            client.start(name)
            next(preview)
        client.stop(name)
        client.start(name)
        client.stop(name)
    lines = [
        line for line in (tmp_path / "firstlightd.log").read_text().splitlines() if "The session has launched." in line
    ]
    assert len(lines) == 2, "once for each launch, at the latest when it stops"
    assert "first_frame_sent_ms" in lines[0]


def test_A9_a_commit_that_failed_leaves_nothing_of_it_with_who_came_meanwhile(camera):
    client, inject = camera
    name = client.create_session().name
    client.configure(name, firstlight.configuration(SYNTHETIC[0], photo=False, **SMALL))
    client.start(name)
    told = watching(client, name)
    inject(start_latency=fault_pb2.StartLatencyFault(latency=milliseconds(1000)))
    turned = firstlight.configuration(
        SYNTHETIC[0],
        photo=False,
        pixel_format="NV12",
        size=(640, 360),
        connections=[firstlight.connection("preview", rotated=90)],
    )
    with concurrent.futures.ThreadPoolExecutor() as pool:
        commit = pool.submit(client.configure, name, turned)
        told.wait_for(lambda items: any(changed(event) == "reconfiguration_started" for event in items))
        came = None
        while came is None or came.size.width > came.size.height:
            # The loop ends when the outputs are connected as the new configuration says.
            call = Stubs(client.channel).previews.StreamPreview(preview_pb2.StreamPreviewRequest(session=name))
            stream = firstlight.Stream(call, lambda response: response.status)
            came = next(stream)
        inject(unplug=fault_pb2.UnplugFault())
        assert commit.exception(TIMEOUT) is not None
    statuses = Collector(stream)
    statuses.wait_for(
        lambda items: any(
            status.session_state == session_pb2.Session.STATE_INTERRUPTED
            and status.size == types_pb2.Size(width=320, height=180)
            for status in items
        )
    )
    statuses.close()
    told.close()
