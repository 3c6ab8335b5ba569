"""A request that is too large costs its client one call, and its neighbours nothing."""

import numpy as np
import pytest

import firstlight
from firstlight.v1 import asset_writer_pb2 as writer_pb2, video_data_service_pb2 as video_data_pb2
from support import Stubs, call, refused

pytestmark = pytest.mark.alone

#: A picture in NV12 of 12 MB, and one of 50 MB; a request may have 4 MiB.
SIZES = [(3840, 2160), (7680, 4320)]


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
