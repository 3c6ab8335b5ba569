"""Photos of a chart that the test knows pixel by pixel: the real effect of quality, bursts, formats and sizes."""

import itertools
import statistics
import threading
import time

import numpy as np
import pytest

import firstlight
from firstlight import Encoding, Quality, Readiness
from firstlight.v1 import types_pb2
from processes import thread_seconds
from still import STILL, chart, error, shown
from support import SYNTHETIC, capabilities, refused, take, timecode

#: The number of photos in a burst, and how many of them get the quality that was asked for.
SHOTS, UNHURRIED = 11, 3
HD = {"pixel_format": "NV12", "size": (1280, 720), "frame_rate": 30}


@pytest.fixture
def chart_session(client, session):
    """Creates sessions whose camera shows the chart from its first frame on."""
    names = {}

    def make(device=SYNTHETIC[0], **keywords):
        client.set_controls(device, {"test_pattern": STILL})
        names[session(device, **keywords)] = device
        return list(names)[-1]

    yield make
    for name, device in names.items():
        client.stop(name)
        client.set_controls(device, {"test_pattern": None})


def photo_work(daemon) -> float:
    """The seconds of processor time that the threads that make photos have taken. Other load on the machine does not
    count.
    """
    return thread_seconds(daemon.process.pid, "photo-")


def test_H4_more_quality_is_nearer_to_the_truth_and_takes_longer(client, daemon, chart_session):
    name = chart_session(start=True, max_quality=Quality.QUALITY, **HD)
    with client.preview(name, max_size=(320, 180)) as preview:
        take(preview, 15)
    client.photo(name)
    errors, work = ({quality: [] for quality in Quality if quality} for _ in range(2))
    for _, quality in itertools.product(range(4), errors):
        before = photo_work(daemon)
        photo = client.photo(name, quality=quality, encoding=Encoding.UNCOMPRESSED)
        work[quality].append(photo_work(daemon) - before)
        errors[quality].append(error(photo))
    speed, balanced, quality = (statistics.median(each) for each in errors.values())
    assert 1 < speed < 2, "one frame: it shows the chart, with the sensor's noise"
    assert balanced < speed / 2
    assert quality < balanced / 1.5
    speed, balanced, quality = (statistics.median(each) for each in work.values())
    assert speed < balanced / 4
    assert balanced < quality / 1.3


@pytest.fixture
def burst_session(client, chart_session):
    """Creates sessions for bursts. The ring is full."""

    def make(device, **features):
        features |= {"max_quality": Quality.QUALITY, "responsive_capture": True} | HD
        name = chart_session(device, start=True, **features)
        with client.preview(name, max_size=(320, 180)) as preview:
            take(preview, 15)
        client.photo(name)
        return name

    return make


@pytest.mark.alone
def test_J8_a_hurried_burst_keeps_its_pace_and_pays_in_noise(client, burst_session):
    slow = burst_session(SYNTHETIC[0])
    fast = burst_session(SYNTHETIC[1], fast_capture_prioritization=True)
    balanced, quality = (error(best(client, slow, each)) for each in (Quality.BALANCED, Quality.QUALITY))
    assert quality < balanced / 1.5
    middle = (quality * balanced) ** 0.5

    slow_times, slow_photos = burst(client, slow)
    # After a pause of more than one second a photo belongs to another burst, so the session's earlier photos do not
    # count.
    time.sleep(1.1)
    fast_times, fast_photos = burst(client, fast)
    assert [photo.quality for photo in slow_photos] == [Quality.QUALITY] * SHOTS
    assert all(error(photo) < middle for photo in slow_photos)
    hurried = [photo.quality is Quality.BALANCED for photo in fast_photos]
    assert hurried == [False] * UNHURRIED + [True] * (SHOTS - UNHURRIED)
    assert [error(photo) > middle for photo in fast_photos] == hurried
    assert pace(fast_times) < 0.75 * pace(slow_times)

    time.sleep(1.1)
    assert error(best(client, fast, Quality.QUALITY)) < middle, "a photo alone is not hurried"


def best(client, name, quality):
    """A photo that loses almost nothing in its file."""
    return client.photo(name, quality=quality, jpeg_quality=100)


def burst(client, name):
    """Takes a photo whenever the session is ready. Returns the times in seconds and the photos."""
    photos, times = [None] * SHOTS, []

    def shoot(index):
        photos[index] = best(client, name, Quality.QUALITY)

    threads = [threading.Thread(target=shoot, args=(index,)) for index in range(SHOTS)]
    with client.readiness(name) as readiness:
        assert next(readiness) is Readiness.READY
        for thread in threads:
            times.append(time.monotonic())
            thread.start()
            next(state for state in readiness if state is Readiness.READY)
    for thread in threads:
        thread.join()
    return times, photos


def pace(times):
    """The median of the seconds between shots, after the shots that are made as asked for."""
    return statistics.median(after - before for before, after in itertools.pairwise(times[UNHURRIED:]))


def test_B5_photos_without_shutter_lag_come_of_the_formats_of_highest_quality_only(client, chart_session):
    name = chart_session(configure=False)
    found = set()
    for format_ in client.device(SYNTHETIC[0]).formats:
        size = (format_.size.width, format_.size.height)
        # Larger formats would differ only in the time that they take.
        if size[0] > 1280:
            continue
        client.configure(name, firstlight.configuration(SYNTHETIC[0], pixel_format=format_.pixel_format, size=size))
        client.start(name)
        client.photo(name)
        asked = time.monotonic_ns()
        photo = client.photo(name, quality=Quality.SPEED)
        answered = time.monotonic_ns()
        # The request arrived at this time. The client's clock shows that the daemon tells it truly.
        arrived = photo.monotonic_time_ns - photo.shutter_lag_ns
        assert asked < arrived < answered
        # The board shows whether the sensor had seen the picture before that.
        seen = photo.monotonic_time_ns - photo.capture_time_ns + timecode(photo).capture_time_ns
        assert (seen < arrived) == format_.highest_photo_quality_supported, f"{format_.pixel_format} {size}"
        assert (photo.width, photo.height) == size
        found.add(format_.highest_photo_quality_supported)
        client.stop(name)
    assert found == {True, False}


def test_B6_no_size_is_enlarged(client, chart_session):
    name = chart_session(configure=False)
    wanted = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(320, 180), frame_rate=30)
    told = capabilities(client.configure(name, wanted)).supported_max_photo_dimensions
    sizes = [(size.width, size.height) for size in told]
    assert len(sizes) > 2
    wanted.photo.max_photo_dimensions.CopyFrom(told[-1])
    client.configure(name, wanted)
    client.start(name)
    client.photo(name)
    for size in sizes[1:]:
        photo = client.photo(name, size=size, quality=Quality.SPEED, encoding=Encoding.UNCOMPRESSED)
        assert photo.luma().shape == size[::-1]
        assert error(photo) < 2, "as sharp as the sensor sees the chart in that size"
        noise = (photo.luma() - chart(*size))[shown(size[1])]
        for before, after in ((noise[:, :-1], noise[:, 1:]), (noise[:-1], noise[1:])):
            # In an enlarged picture, neighbouring pixels would have the same noise or mixtures of it.
            assert abs(np.corrcoef(before.ravel(), after.ravel())[0, 1]) < 0.1, "each pixel has a noise of its own"
    largest = types_pb2.Size(width=2 * sizes[-1][0], height=2 * sizes[-1][1])
    with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE"):
        client.photo(name, size=(largest.width, largest.height))
    wanted.photo.max_photo_dimensions.CopyFrom(largest)
    with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION"):
        client.configure(name, wanted)
