"""Files that somebody puts to the place of a movie which is still in the video storage. The daemon never takes them."""

from __future__ import annotations

import pytest

import drawn
from firstlight.v1 import asset_writer_pb2 as writer_pb2
from support import refused, wait_until

# Units are written through, and other tests use the disk too.
pytestmark = pytest.mark.timeout(60)

FOREIGN = b"somebody else's"


def writer_with_pictures(storage):
    """A writer into the storage with pictures that are acknowledged."""
    writer = storage.sdk.asset_writer(drawn.SIZE, "mine", uses_pro_video_storage=True, fragment_seconds=0.1)
    writer.start()
    for number in range(20):
        writer.append(drawn.nv12(number), number * drawn.PERIOD)
    writer.flush()
    wait_until(lambda: writer.refresh().writer_inputs[0].acknowledged_sample_count > 0)
    return writer


def test_cancelling_a_writer_leaves_the_file_at_its_place(storage, movies):
    writer = writer_with_pictures(storage)
    place = movies / "mine.mp4"
    place.write_bytes(FOREIGN)
    writer.cancel()
    assert writer.state.state == writer_pb2.AssetWriter.STATE_CANCELLED
    assert place.read_bytes() == FOREIGN
    assert list(storage.sdk.recordings()) == []
    assert not storage.state.busy


def test_cancelling_a_writer_whose_movie_cannot_move_gives_the_movie_up(storage, movies):
    writer = writer_with_pictures(storage)
    place = movies / "mine.mp4"
    place.write_bytes(FOREIGN)
    failed = storage.sdk.stop_recording(writer.recording)
    assert not failed.playable
    # The writer learns a little later that its recording has ended. Until then it may be cancelled.
    wait_until(lambda: writer.refresh().state == writer_pb2.AssetWriter.STATE_FAILED)
    with refused("FAILED_PRECONDITION", "WRITER_ENDED"):
        writer.cancel()
    storage.sdk.delete_recording(failed.name)
    storage.idle()
    assert place.read_bytes() == FOREIGN
    assert list(storage.sdk.recordings()) == []


def test_deleting_a_movie_of_which_nothing_plays_leaves_the_file_at_its_place(storage, movies):
    writer = storage.sdk.asset_writer(drawn.SIZE, "mine", uses_pro_video_storage=True)
    writer.start()
    (movies / "mine.mp4").write_bytes(FOREIGN)
    assert writer.finish().state == writer_pb2.AssetWriter.STATE_FAILED
    storage.sdk.delete_recording(writer.recording)
    assert (movies / "mine.mp4").read_bytes() == FOREIGN
    assert list(storage.sdk.recordings()) == []
