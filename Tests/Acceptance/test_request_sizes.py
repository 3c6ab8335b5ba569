"""A request that is too large costs its client one call, and its neighbours nothing."""

from __future__ import annotations

import contextlib
import pathlib
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import firstlight
from captures import SMALL
from firstlight import video_data_output
from firstlight.daemon import Daemon
from firstlight.requests import Requests
from firstlight.streams import Stream
from firstlight.v1 import (
    asset_writer_pb2 as writer_pb2,
    asset_writer_service_pb2 as writers_pb2,
    video_data_service_pb2 as video_data_pb2,
)
from support import SYNTHETIC, TIMEOUT, Stubs, call, refused, wait_until

pytestmark = pytest.mark.alone

#: A picture in NV12 of 12 MB, and one of 50 MB; a request may have 4 MiB.
SIZES = [(3840, 2160), (7680, 4320)]
#: Pictures of 5.5, 12 and 15.7 MB. On a connection with two calls of large requests they come whole, so that the daemon
#: knows of which call each is.
WHOLE = [(2560, 1440), (3840, 2160), (4096, 2560)]
#: How many samples or frames a neighbour has at least before and after the request that is too large.
SOME = 3

Neighbour = Callable[[firstlight.Client], contextlib.AbstractContextManager[None]]


def cuts(page) -> float:
    """The number of connections that the daemon has cut."""
    return sum(page("firstlight_grpc_connections_cut_total", excess=excess) for excess in ("calls", "bytes"))


@pytest.fixture
def served(endpoint):
    """A daemon with its metrics, of which nobody has cost too much yet."""
    return endpoint()


def check_neighbours(served, client) -> None:
    """Checks that the client's connection and its address may go on."""
    assert client.server_info().version, "the connection must survive"
    with firstlight.connect(served.daemon.address, timeout=8) as newcomer:
        assert newcomer.server_info().version, "other clients of the address must be served"
    page = served.scrape()
    assert (cuts(page), page("firstlight_grpc_connections_refused_total")) == (0, 0)


@pytest.mark.parametrize("size", SIZES)
def test_fault_F7_a_sample_that_is_too_large_costs_one_call(served, size):
    picture = np.zeros((size[1] * 3 // 2, size[0]), np.uint8)
    with firstlight.connect(served.daemon.address, timeout=8) as client:
        for _ in range(3):
            writer = client.asset_writer(size)
            writer.start()
            with refused("RESOURCE_EXHAUSTED", "REQUEST_TOO_LARGE") as refusal:
                writer.append(picture, 0)
                writer.flush()
            assert refusal.error.metadata["limit"] == str(4 << 20)
            check_neighbours(served, client)
            assert writer.refresh().state == writer_pb2.AssetWriter.STATE_WRITING
            writer.cancel()


def test_fault_F7_an_overlay_that_is_too_large_costs_one_call(served):
    request = video_data_pb2.SetOverlayRequest(session="sessions/" + "a" * (30 << 20))
    with firstlight.connect(served.daemon.address, timeout=8) as client:
        for _ in range(2):
            with refused("RESOURCE_EXHAUSTED", "REQUEST_TOO_LARGE"):
                call(Stubs(client.channel).video_data.SetOverlay, request)
            check_neighbours(served, client)


class LargeSample:
    """A call of AppendSamples that has been opened, and then sends a picture that is too large."""

    def __init__(self, client: firstlight.Client, size: tuple[int, int]) -> None:
        self.size = size
        self.writer = client.asset_writer(size)
        self.writer.start()
        self.requests = Requests(writers_pb2.AppendSamplesRequest(writer_name=self.writer.name))
        answers = Stubs(client.channel).writers.AppendSamples(self.requests, timeout=TIMEOUT)
        self.states = Stream(answers, lambda answer: answer.writer)
        # The daemon waits for the first sample from now on.
        next(self.states)

    def check_refused(self) -> None:
        """Sends the picture, which the daemon must refuse with its reason. The writer is not to blame."""
        width, height = self.size
        sample = writers_pb2.WriterSample(data=bytes(width * height * 3 // 2))
        self.requests.put(writers_pb2.AppendSamplesRequest(sample=sample))
        with refused("RESOURCE_EXHAUSTED", "REQUEST_TOO_LARGE") as refusal:
            list(self.states)
        assert refusal.error.metadata["limit"] == str(4 << 20)
        assert self.writer.refresh().state == writer_pb2.AssetWriter.STATE_WRITING
        self.writer.cancel()


class SmallSamples:
    """A writer that gets small pictures."""

    def __init__(self, client: firstlight.Client) -> None:
        width, height = SMALL["size"]
        self.picture = np.zeros((height * 3 // 2, width), np.uint8)
        self.writer = client.asset_writer((width, height))
        self.writer.start()
        self.sent = 0

    def append(self) -> None:
        """Appends one picture."""
        self.writer.append(self.picture, self.sent * 40_000_000)
        self.sent += 1

    def wait_for_acknowledgement(self) -> None:
        """Waits until the daemon has acknowledged all pictures."""
        wait_until(lambda: self.writer.input().appended_sample_count == self.sent)

    def end(self) -> None:
        """Checks that every picture is acknowledged, and cancels the writer."""
        self.writer.flush()
        taken = self.writer.input()
        assert (taken.appended_sample_count, taken.refused_sample_count) == (self.sent, 0)
        self.writer.cancel()


@contextlib.contextmanager
def meanwhile(step: Callable[[], None]) -> Iterator[None]:
    """Takes one step after the other while the block runs, and at least SOME before and after it."""
    begun, over = threading.Event(), threading.Event()

    def run() -> None:
        try:
            for _ in range(SOME):
                step()
        finally:
            begun.set()
        while not over.is_set():
            step()
        for _ in range(SOME):
            step()

    with ThreadPoolExecutor(1) as pool:
        steps = pool.submit(run)
        try:
            begun.wait()
            yield
        finally:
            over.set()
        steps.result()


@contextlib.contextmanager
def waiting_samples(client: firstlight.Client) -> Iterator[None]:
    """Another writer, whose call waits for a sample while the block runs."""
    samples = SmallSamples(client)
    samples.append()
    samples.wait_for_acknowledgement()
    yield
    for _ in range(SOME):
        samples.append()
    samples.end()


@contextlib.contextmanager
def coming_samples(client: firstlight.Client) -> Iterator[None]:
    """Another writer, which gets one sample after the other while the block runs."""
    samples = SmallSamples(client)
    with meanwhile(samples.append):
        yield
    samples.end()


@contextlib.contextmanager
def processed_frames(client: firstlight.Client) -> Iterator[None]:
    """A program that answers the frames of a camera while the block runs."""
    wanted = firstlight.configuration(SYNTHETIC[0], video_data=[video_data_output("data")], **SMALL)
    session = client.create_session(configuration=wanted, start=True).name
    with client.process_frames(session) as frames, meanwhile(lambda: (next(frames), frames.answer())):
        yield
        # The end of the block waits until the daemon has received the last answer.
    client.delete_session(session)


@pytest.mark.parametrize("size", WHOLE)
@pytest.mark.parametrize("neighbour", [waiting_samples, coming_samples, processed_frames])
def test_fault_F7_the_other_stream_of_the_connection_goes_on(served, neighbour: Neighbour, size):
    with firstlight.connect(served.daemon.address, timeout=8) as client:
        for _ in range(2):
            large = LargeSample(client, size)
            with neighbour(client):
                large.check_refused()
            check_neighbours(served, client)


def test_fault_F7_a_sample_of_an_unknown_call_is_refused_too(served):
    with firstlight.connect(served.daemon.address, timeout=8) as client:
        large, other = LargeSample(client, SIZES[-1]), SmallSamples(client)
        other.append()
        other.wait_for_acknowledgement()
        large.check_refused()
        check_neighbours(served, client)
        # The daemon cannot tell of which of the two calls the sample is. It may have ended this one, too, and its
        # writer takes samples all the same.
        with contextlib.suppress(firstlight.FirstlightError):
            other.writer.flush()
        other.append()
        other.end()


def most_memory(daemon: Daemon) -> int:
    """The most memory that a daemon has had, in bytes."""
    status = pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) << 10


def test_fault_F7_a_message_beyond_all_limits_takes_little_memory(served):
    """Also beside another call, so that nobody can tell whose message it is before it is complete."""
    with firstlight.connect(served.daemon.address, timeout=8) as client:
        large, other = LargeSample(client, SIZES[0]), SmallSamples(client)
        other.append()
        other.wait_for_acknowledgement()
        before = most_memory(served.daemon)
        sample = writers_pb2.WriterSample(data=bytes(256 << 20))
        large.requests.put(writers_pb2.AppendSamplesRequest(sample=sample))
        with pytest.raises(firstlight.FirstlightError):
            list(large.states)
        assert most_memory(served.daemon) - before < 128 << 20
