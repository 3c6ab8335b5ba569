"""Helpers that photo tests share. They check the events that captures send."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import firstlight
from firstlight.v1 import photo_events_pb2
from support import Collector

#: Keywords of `firstlight.configuration` for small frames, and for frames of the usual size of cameras, which `make
#: soak` uses.
SMALL = {"pixel_format": "NV12", "size": (320, 180), "frame_rate": 30}
FULL = {**SMALL, "size": (1920, 1080)}
SIZES = [
    pytest.param(SMALL, id="180p", marks=pytest.mark.timeout(60)),
    pytest.param(FULL, id="1080p", marks=[pytest.mark.slow, pytest.mark.timeout(180)]),
]


def frame_bytes(features: dict[str, Any]) -> int:
    """The bytes of a frame of one of `SIZES`, which are NV12."""
    width, height = features["size"]
    return width * height * 3 // 2


ORDER = [
    "will_begin_capture",
    "will_capture_photo",
    "did_capture_photo",
    "did_finish_processing_photo",
    "did_finish_capture",
]


def watch(client: firstlight.Client, session: str, after_event_id: str = "") -> Collector:
    """Collects the events of a session's captures after the event `after_event_id`, or from now on. The collector
    misses none.
    """
    after_event_id = after_event_id or client.captures(session).event_id
    assert after_event_id, "there is nothing to watch after"
    return Collector(client.watch_captures(session, after_event_id=after_event_id))


def by_capture(
    events: Iterable[photo_events_pb2.PhotoCaptureEvent],
) -> dict[str, list[photo_events_pb2.PhotoCaptureEvent]]:
    """The events of each capture, by the id of the capture."""
    found: dict[str, list[photo_events_pb2.PhotoCaptureEvent]] = {}
    for event in events:
        found.setdefault(event.unique_id, []).append(event)
    return found


def check_events(events: list[photo_events_pb2.PhotoCaptureEvent]) -> None:
    """Checks all events of one capture: first and last event, order, times, counts, ids and settings."""
    names = [event.WhichOneof("event") for event in events]
    assert names[0] == ORDER[0], names
    assert names[-1] == ORDER[-1], names
    # The events of a bracket are first those of all frames, then those of all photos.
    assert list(dict.fromkeys(names)) == [name for name in ORDER if name in names], names
    times = [event.monotonic_time_ns for event in events]
    assert times == sorted(times)
    ids = [event.event_id for event in events]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    assert len({event.unique_id for event in events}) == 1
    settings = [event.resolved_settings for event in events]
    assert all(each == settings[0] for each in settings)
    assert events[0].will_begin_capture.resolved_settings == settings[0]
    photos = [event.did_finish_processing_photo for event in events if event.HasField("did_finish_processing_photo")]
    assert len(photos) == settings[0].expected_photo_count
    failed = events[-1].did_finish_capture.HasField("error")
    assert all(photo.HasField("error") == failed and photo.HasField("photo") != failed for photo in photos)
    assert failed or names.count("did_capture_photo") == len(photos)
    assert failed or set(names) == set(ORDER)
    assert failed or names == sorted(names, key=ORDER.index), names


def is_over(event: photo_events_pb2.PhotoCaptureEvent) -> bool:
    """Whether this event is the last of its capture."""
    return event.HasField("did_finish_capture")


def at_once(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Calls `work(0)`, `work(1)` … in as many threads. Returns the results in that order. An exception is a result,
    too.
    """
    results: list[Any] = [None] * count

    def run(index: int) -> None:
        try:
            results[index] = work(index)
        except Exception as error:  # The test looks at the exception and says whether it expects one.
            results[index] = error

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
