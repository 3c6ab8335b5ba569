"""When the deferred outputs of a real driver's camera start, and what a deferred preview shows until then."""

from contextlib import contextmanager

import pytest

from client import configuration, next_frame
from daemons import own_daemon
from firstlight import video_data_output
from firstlight.v1 import preview_service_pb2 as preview, types_pb2
from test_launch import DID, WILL, is_did, kinds, run_deferred_start, timeline

pytestmark = pytest.mark.bare

ENCODINGS = {"as it comes": {"pixel_format": "YUYV"}, "JPEG": {"encoding": types_pb2.ENCODING_JPEG}}


@contextmanager
def session(client, *, automatic: bool):
    """A stopped session and its events. The session has a second, deferred preview and a video data output that is not
    deferred.
    """
    with client.open_session(client.cameras()[0].name, start=False) as name, client.watch_session(name) as events:
        events.next()
        wanted = configuration(client.cameras()[0].name, video_data=[video_data_output("data")])
        wanted.additional_previews.add(id="second")
        wanted.automatically_runs_deferred_start = automatic
        client.configure(name, wanted)
        yield name, events


def watch_second(client, name, **encoding):
    request = preview.StreamPreviewRequest(session=name, output="second", **encoding)
    return client.stream(client.previews.StreamPreview(request))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_C5_a_deferred_preview_shows_only_what_comes_after_it_has_started(client, encoding):
    with session(client, automatic=False) as (name, events), client.stream_preview(name) as main:
        client.start(name)
        next_frame(main)
        with watch_second(client, name, **ENCODINGS[encoding]) as second:
            status = second.next()
            assert not status.status.previewing
            for _ in range(10):
                last = next_frame(main)
            assert not any(message.HasField("frame") for message in second.waiting())
            run_deferred_start(client, name)
            assert next_frame(second).sequence > last.sequence
        assert kinds(events.until(is_did)) == [WILL, DID]


def test_C6_deferred_start_waits_for_every_stream_that_is_read_and_for_no_other(tmp_path):
    # The limit is longer than any wait of this test.
    with own_daemon(tmp_path, "--synthetic", "0", "--deferred-start-limit", "60") as client:
        for reads_both in (False, True):
            with session(client, automatic=True) as (name, events), client.stream_preview(name) as main:
                if reads_both:
                    with client.stream_video_data(name, "data") as data:
                        client.start(name)
                        next_frame(main)
                        next_frame(data)
                        told = events.until(is_did)
                else:
                    client.start(name)
                    next_frame(main)
                    told = events.until(is_did)
                assert kinds(told) == [WILL, DID]
                launch = timeline(client, name)
                assert launch.first_frame_sent_ns < launch.deferred_start_begin_ns


def test_C6_without_a_reader_deferred_start_runs_at_the_limit(tmp_path):
    with own_daemon(tmp_path, "--synthetic", "0", "--deferred-start-limit", "3") as client:
        with session(client, automatic=True) as (name, events):
            client.start(name)
            events.until(is_did)
            launch = timeline(client, name)
        # vivid stamps the end of a frame 0.9 periods after it gave out the frame.
        waited_ns = launch.deferred_start_begin_ns - launch.first_frame_captured_ns
        assert waited_ns > 3_000_000_000 - 1_000_000_000 // 30
