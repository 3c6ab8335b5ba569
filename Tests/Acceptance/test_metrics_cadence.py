"""The cadence of an output in the metrics: the intervals and the lateness of the frames that the output handed over."""

import itertools
import time

import pytest

import firstlight
from faults import inject, seconds, stall
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2
from firstlight.v1 import preview_service_pb2 as preview_pb2, session_pb2, video_data_service_pb2 as video_data_pb2
from support import SYNTHETIC, TIMEOUT, Stubs

pytestmark = pytest.mark.alone


def spans(page, what, **labels):
    """The histogram of an output: the number of values up to each bound in seconds, and the sum of the values."""
    name = f"firstlight_output_frame_{what}_seconds"
    (family,) = [family for found, family in page.families.items() if found == name]
    assert family.type == "histogram"
    buckets = {
        float(sample.labels["le"]): sample.value
        for sample in family.samples
        if sample.name == f"{name}_bucket" and labels.items() <= sample.labels.items()
    }
    assert list(buckets) == sorted(buckets)
    assert list(buckets.values()) == sorted(buckets.values())
    assert buckets[float("inf")] == page(f"{name}_count", **labels)
    return buckets, page(f"{name}_sum", **labels)


def frames_until_stopped(stub, request, client, name, seconds):
    """Reads a stream and stops the session after `seconds` of the camera's time. Returns every frame with its arrival
    time in nanoseconds of CLOCK_MONOTONIC.
    """
    frames = []
    stream = stub(request)
    for response in stream:
        if response.HasField("frame"):
            frames.append((time.monotonic_ns(), response.frame))
            if (frames[-1][1].monotonic_time_ns - frames[0][1].monotonic_time_ns) / 1e9 >= seconds:
                # The frames that are still on their way come before the status of the stopped session.
                client.stop(name)
        elif frames and response.status.session_state == session_pb2.Session.STATE_STOPPED:
            break
    stream.cancel()
    return frames


@pytest.mark.parametrize("delay", [0, 0.2], ids=["in time", "200 ms late"])
@pytest.mark.parametrize("kind", ["preview", "data"])
def test_D7_cadence_is_told_as_it_is_seen(endpoint, kind, delay):
    endpoint = endpoint()
    with firstlight.connect(endpoint.daemon.address, timeout=TIMEOUT) as client:
        stubs = Stubs(client.channel)
        inject(client, {"late": fault_pb2.LateFault(delay=seconds(delay))})
        outputs = [firstlight.video_data_output("data")]
        wanted = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(640, 360), video_data=outputs)
        name = client.create_session(configuration=wanted, start=True).name
        # Both outputs give the camera's own frames, so the last frame has left the output before the session stops.
        if kind == "preview":
            request = preview_pb2.StreamPreviewRequest(session=name, pixel_format="NV12")
            frames = frames_until_stopped(stubs.previews.StreamPreview, request, client, name, 2)
        else:
            request = video_data_pb2.StreamVideoDataRequest(session=name, output="data")
            frames = frames_until_stopped(stubs.video_data.StreamVideoData, request, client, name, 2)
        page = endpoint.scrape()
        other = "data" if kind == "preview" else "preview"
        assert page("firstlight_output_frame_lateness_seconds_count", session=name, output=other) == 0
        late_by, late_sum = spans(page, "lateness", session=name, output=kind)
        intervals, interval_sum = spans(page, "interval", session=name, output=kind)
    # Each frame that was handed over comes exactly once, and later than the output handed it over.
    assert late_by[float("inf")] == len(frames)
    assert intervals[float("inf")] == len(frames) - 1
    seen = [(arrived - frame.monotonic_time_ns) / 1e9 for arrived, frame in frames]
    for bound, count in late_by.items():
        assert count >= sum(lateness <= bound for lateness in seen), f"frames later than {bound} s that were not"
    assert 0 < late_sum <= sum(seen)
    # The time between the first and the last hand-over equals the time between the captures, apart from the lateness of
    # these two frames.
    span = (frames[-1][1].monotonic_time_ns - frames[0][1].monotonic_time_ns) / 1e9
    assert abs(interval_sum - span) <= max(seen)
    if delay:
        assert late_by[0.15] == 0
        assert late_sum >= delay * len(frames)


def test_D7_intervals_show_when_the_camera_stalls(endpoint):
    endpoint = endpoint()
    with firstlight.connect(endpoint.daemon.address, timeout=TIMEOUT) as client:
        wanted = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(640, 360))
        name = client.create_session(configuration=wanted, start=True).name
        with client.preview(name, pixel_format="NV12") as preview:
            list(itertools.islice(preview, 10))
            before, _ = spans(endpoint.scrape(), "interval", session=name, output="preview")
            inject(client, stall(0.7))
            came = [time.monotonic(), *(time.monotonic() for _ in itertools.islice(preview, 20))]
        after, _ = spans(endpoint.scrape(), "interval", session=name, output="preview")
    # After the stall the camera delivers the frames of that time, with their own time stamps.
    assert max(later - earlier for earlier, later in itertools.pairwise(came)) >= 0.5, "the stall was seen"

    def above(buckets):
        return buckets[float("inf")] - buckets[0.5]

    assert above(after) >= above(before) + 1
    assert after[0.5] - before[0.5] >= 10, "all others came as usual"
