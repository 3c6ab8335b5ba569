"""When a writer takes the next sample, and what becomes of samples that come before (G6)."""

from __future__ import annotations

import threading

import pytest

import drawn
import firstlight
from drawn_movies import check_movie
from firstlight import MovieCodec
from firstlight.v1 import asset_writer_pb2 as writer_pb2, asset_writer_service_pb2 as writers_pb2
from movies import read_movie
from support import TIMEOUT, Stubs

State = writer_pb2.AssetWriter

# The pictures are large, and a busy machine takes long to make and to decode them.
pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def faulty(disk):
    """A client of a daemon of its own, and the disk with its recordings."""
    with firstlight.connect(disk.start().address, timeout=20) as client:
        yield client, disk


#: Pictures that fill what may wait for the disk soon.
LARGE = (1280, 720)
JPEG_WRITER = {"codec": MovieCodec.MOTION_JPEG, "pixel_format": "JPEG", "fragment_seconds": 0.1}


def test_G6_a_disk_that_stands_makes_the_input_unready(faulty):
    client, disk = faulty
    writer = client.asset_writer(LARGE, "slow", real_time=True, **JPEG_WRITER)
    writer.start()
    picture = drawn.noisy_jpeg(0, LARGE)
    writer.append(picture, 0)
    writer.flush()
    with writer.watch() as states:
        assert next(states).writer_inputs[0].ready_for_more_media_data
        disk.set(stands=True)
        sent = 1
        while writer.input().refused_sample_count < 3:
            assert sent < 400, "the input is ready for ever"
            writer.append(drawn.noisy_jpeg(sent, LARGE), sent * drawn.PERIOD)
            sent += 1
        assert not writer.flush().writer_inputs[0].ready_for_more_media_data
        assert not next(each for each in states if not each.writer_inputs[0].ready_for_more_media_data).session_ended
        disk.set()
        next(each for each in states if each.writer_inputs[0].ready_for_more_media_data)
    writer.append(drawn.noisy_jpeg(sent, LARGE), sent * drawn.PERIOD)
    writer.finish()
    pictures = writer.input()
    assert writer.state.state == State.STATE_COMPLETED
    assert pictures.appended_sample_count + pictures.refused_sample_count == sent + 1
    assert pictures.acknowledged_sample_count == pictures.appended_sample_count
    movie = read_movie(disk.folder / "slow.mov")
    movie.check_times()
    assert len(movie.boards) == pictures.appended_sample_count
    assert movie.sequences[-1] == sent


def test_G6_without_real_time_the_client_waits_and_nothing_is_lost(faulty):
    client, disk = faulty
    writer = client.asset_writer(LARGE, "slow", **JPEG_WRITER)
    writer.start()
    disk.set(stands=True)
    count = 120
    sender = threading.Thread(
        target=lambda: [writer.append(drawn.noisy_jpeg(each, LARGE), each * drawn.PERIOD) for each in range(count)]
    )
    sender.start()
    with writer.watch() as states:
        stopped = next(
            each for each in states if each.writer_inputs and not each.writer_inputs[0].ready_for_more_media_data
        )
    assert stopped.writer_inputs[0].appended_sample_count < count
    disk.set()
    sender.join(TIMEOUT * 3)
    assert writer.finish().state == State.STATE_COMPLETED
    assert writer.input().refused_sample_count == 0
    check_movie(disk.folder / "slow.mov", range(count))


def test_G6_the_daemon_reads_no_further_than_it_writes(faulty):
    """A client that looks at nothing and sends as fast as it can loses neither its connection nor a picture."""
    client, disk = faulty
    writer = client.asset_writer(LARGE, "flood", **JPEG_WRITER)
    writer.start()
    disk.set(stands=True)
    count = 150

    def requests():
        yield writers_pb2.AppendSamplesRequest(writer_name=writer.name)
        for number in range(count):
            data, time_ns = drawn.noisy_jpeg(number, LARGE), number * drawn.PERIOD
            yield writers_pb2.AppendSamplesRequest(sample={"data": data, "presentation_time_ns": time_ns})

    call = Stubs(client.channel).writers.AppendSamples(requests())
    with writer.watch() as states:
        next(each for each in states if not each.writer_inputs[0].ready_for_more_media_data)
    disk.set()
    *_, last = firstlight.Stream(call, lambda each: each.writer)
    assert last.writer_inputs[0].appended_sample_count == count
    assert writer.finish().state == State.STATE_COMPLETED
    check_movie(disk.folder / "flood.mov", range(count))
