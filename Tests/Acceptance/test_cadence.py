"""How evenly the frames of previews come to readers."""

import gc
import itertools
import multiprocessing
import signal
import time
from concurrent.futures import ProcessPoolExecutor

import pytest

import firstlight
from firstlight import Cadence
from support import changed, take, watching

pytestmark = pytest.mark.alone

SMALL = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30}
PERIOD_MS = 1000 / 30
READERS = 20
SECONDS = 60


def test_D7_the_cameras_cadence_and_losses_are_told(client, session):
    name = session(start=True, **SMALL)
    cadence = Cadence()
    with client.preview(name, max_size=(320, 180)) as preview:
        frames = take(preview, 60)
    for frame in frames:
        cadence.add(frame, frame.monotonic_time_ns)
    summary = cadence.summary()
    assert summary.frames == 60
    # The stamps are the camera's. A lost frame shows as an interval of several periods, and in the counts.
    assert summary.interval_p50 == pytest.approx(PERIOD_MS, rel=0.02)
    periods = (frames[-1].monotonic_time_ns - frames[0].monotonic_time_ns) / 1e6 / PERIOD_MS
    assert round(periods) == 59 + sum(summary.dropped)
    # The p99 of 59 intervals is the longest of them.
    assert round(summary.interval_p99 / PERIOD_MS) == 1 + max(sum(frame.dropped) for frame in frames[1:])


def test_D8_the_first_frame_is_what_the_rest_waits_for(client, session):
    # The first message with a picture is the first frame, and deferred start follows it (test C7). The camera is slow,
    # so that even a busy machine shows the first frame before the second comes.
    name = session(**SMALL | {"frame_rate": 5})
    with client.preview(name, max_size=(320, 180)) as preview:
        events = watching(client, name)
        client.start(name)
        first = next(preview)
        events.wait_for(lambda items: any(changed(event) == "did_run_deferred_start" for event in items))
    timeline = client.launch_timeline(name)
    # The timeline must have the times of this very frame, not of a frame that another reader got.
    assert first.monotonic_time_ns == timeline.first_frame_captured_ns
    assert timeline.first_frame_captured_ns < timeline.first_frame_sent_ns < timeline.deferred_start_begin_ns
    told = list(itertools.takewhile(lambda event: changed(event) != "will_run_deferred_start", events.close()))
    assert any(event.launch_timeline.HasField("first_frame_sent_ns") for event in told)


def join(shared):
    """Initializes a process of the pool. `shared` counts the readers, of all processes, that have had a frame."""
    global running
    running = shared
    # Otherwise the garbage collectors of all processes would walk everything imported, at the same frame.
    gc.collect()
    gc.freeze()
    # The alarm kills a reader that gets no frame, and with it the pool, so that neither outlives the test.
    signal.alarm(150)


def watch(address, session):
    """Reads as one of the readers. Returns the summary of the minute in which all readers ran."""
    cadence, counted, end = Cadence(), False, None

    def count():
        nonlocal counted
        if not counted:
            with running.get_lock():
                running.value += 1
        counted = True

    try:
        with firstlight.connect(address) as client, client.preview(session) as preview:
            for frame in preview:
                now = time.monotonic()
                count()
                # The minute begins when all readers run, so the start of the other readers does not count.
                if running.value == READERS:
                    cadence.add(frame, time.monotonic_ns())
                    end = end or now + SECONDS
                    # A frame after the end shows that the reader did not stand still before the end.
                    if now >= end:
                        return cadence.summary()
    finally:
        # A reader that failed counts too, so that the others do not wait for it.
        count()
    raise AssertionError("the stream ended")


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_D7_twenty_readers_for_a_minute(daemon, session):
    name = session(start=True, **SMALL)
    # Each reader is a process of its own. Readers in one process would wait for one another at the interpreter's lock.
    processes = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(READERS, processes, join, (processes.Value("i", 0),)) as readers:
        calls = [readers.submit(watch, daemon.address, name) for _ in range(READERS)]
        summaries = [call.result() for call in calls]
    print("worst of twenty:", max(summaries, key=lambda summary: summary.interval_p99))
    for summary in summaries:
        assert summary.frames >= 0.99 * SECONDS * SMALL["frame_rate"], summary
        assert summary.interval_p99 < 1.5 * PERIOD_MS, summary
        assert sum(summary.dropped) == 0, summary
