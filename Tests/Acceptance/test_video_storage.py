"""The video storage: what it tells, who may set its capacity, and what a killed daemon leaves."""

from __future__ import annotations

import contextlib
import os
import random
import threading

import grpc
import pytest

import firstlight
from firstlight.v1 import video_storage_service_pb2 as storage_pb2
from metrics import Endpoint
from storages import HIDDEN, UNIT, Reason, Storage, xfs
from support import TIMEOUT, Stubs, refused

# Units are written through, and other tests use the disk too.
pytestmark = pytest.mark.timeout(60)

#: How often the long test kills the daemon in each phase.
CRASHES = int(os.environ.get("FIRSTLIGHT_CRASHES", "100"))


@pytest.fixture
def start(start_storage):
    """Starts daemons with a video storage in a folder of this test, or in another one."""
    return start_storage


@pytest.fixture
def storage(start):
    """A storage without a capacity. Skips the test where the temporary folder cannot hold one."""
    storage = start()
    if not storage.state.supported:
        pytest.skip(storage.state.unsupported_reason)
    return storage


def stop(storage: Storage) -> None:
    assert storage.daemon.stop() == 0


def test_G9_a_folder_that_cannot_hold_a_storage_says_so(start, tmp_path):
    storage = start(folder="/dev/shm/firstlight")
    state = storage.state
    assert not state.supported
    assert "/dev/shm" in state.unsupported_reason
    assert (state.initial_capacity, state.remaining_capacity, state.busy) == (0, 0, False)
    with refused("FAILED_PRECONDITION", "VIDEO_STORAGE_NOT_SUPPORTED") as refusal:
        storage.set_capacity(UNIT)
    assert str(refusal.error.message) == state.unsupported_reason
    with refused("FAILED_PRECONDITION", "VIDEO_STORAGE_NOT_SUPPORTED"):
        storage.replenish()


def test_G9_all_clients_share_one_storage(storage):
    storage.set_capacity(UNIT)
    storage.idle()
    with firstlight.connect(storage.daemon.address, timeout=TIMEOUT) as other:
        stub = Stubs(other.channel).storage
        assert stub.GetVideoStorage(storage_pb2.GetVideoStorageRequest()).video_storage == storage.state


def test_G10_a_storage_that_cannot_be_read_has_minus_one(storage, start):
    storage.set_capacity(UNIT)
    storage.idle()
    second = start()
    state = second.state
    assert (state.initial_capacity, state.remaining_capacity) == (-1, -1)
    error = firstlight.FirstlightError.from_status(state.error)
    assert (error.code.name, error.reason) == ("INTERNAL", "PROCESSING_FAILED")
    assert "Another daemon" in error.message
    with refused("INTERNAL", "PROCESSING_FAILED"):
        second.replenish()
    assert storage.state.initial_capacity == UNIT


def test_G11_an_operator_changes_the_capacity_which_is_busy_meanwhile(storage):
    for capacity, wanted in [(2 * UNIT - 1, 2 * UNIT), (UNIT, UNIT), (0, 0)]:
        answer = storage.set_capacity(capacity)
        assert answer.busy
        assert list(answer.busy_reasons) == [Reason.BUSY_REASON_ADJUSTING_CAPACITY]
        state = storage.idle()
        assert (state.initial_capacity, state.remaining_capacity) == (wanted, wanted)
        assert not state.HasField("error")
        assert list(state.busy_reasons) == []
        storage.check_disk(state)


def test_G11_a_capacity_that_the_disk_does_not_have_is_refused(storage):
    facts = os.statvfs(storage.folder.parent)
    if facts.f_bavail * facts.f_frsize >= 1 << 40:
        pytest.skip("the disk has room for the largest capacity")
    with refused("RESOURCE_EXHAUSTED", "VIDEO_STORAGE_FULL") as refusal:
        storage.set_capacity(1 << 40)
    assert int(refusal.error.metadata["free_bytes"]) < 1 << 40
    assert storage.state.initial_capacity == 0


def test_G11_the_settings_are_those_of_the_configuration_file(start, tmp_path):
    file = tmp_path / "my camera.yaml"
    file.write_text(f"video-storage-capacity: {UNIT}\n")
    settings = start("--config", str(file)).settings()
    assert settings.uri == file.as_uri()
    assert str(file) in settings.instructions
    assert "video-storage-capacity" in settings.instructions


def test_the_configuration_sets_the_capacity_and_wins_over_an_earlier_one(storage, start):
    storage.set_capacity(2 * UNIT)
    storage.idle()
    stop(storage)
    again = start()
    assert again.idle().initial_capacity == 2 * UNIT
    stop(again)
    configured = start("--video-storage-capacity", str(UNIT))
    state = configured.until(lambda state: state.initial_capacity == UNIT and not state.busy)
    configured.check_disk(state)


def test_G12_what_is_busy_takes_nothing_else(storage):
    storage.set_capacity(4 * UNIT)
    with refused("UNAVAILABLE", "VIDEO_STORAGE_BUSY") as refusal:
        storage.set_capacity(UNIT)
    assert refusal.error.metadata["busy_reasons"] == "ADJUSTING_CAPACITY"
    with refused("UNAVAILABLE", "VIDEO_STORAGE_BUSY"):
        storage.replenish()
    assert storage.idle().initial_capacity == 4 * UNIT


def lose_units(storage: Storage, start, count: int) -> Storage:
    """Starts the daemon again with fewer units, as movies leave them that took them."""
    stop(storage)
    for unit in storage.units()[:count]:
        unit.unlink()
    return start()


def test_G13_what_movies_took_is_replaced(storage, start):
    storage.set_capacity(3 * UNIT)
    storage.idle()
    storage = lose_units(storage, start, 2)
    state = storage.state
    assert (state.initial_capacity, state.remaining_capacity) == (3 * UNIT, UNIT)
    answer = storage.replenish()
    assert list(answer.busy_reasons) == [Reason.BUSY_REASON_REPLENISHING]
    seen = []
    for state in storage.watch():
        seen.append(state.remaining_capacity)
        if not state.busy:
            break
    assert (state.initial_capacity, state.remaining_capacity) == (3 * UNIT, 3 * UNIT)
    assert seen == sorted(seen)
    storage.check_disk(state)


def test_G13_on_a_full_disk_less_is_replaced(start, tmp_path):
    with xfs(tmp_path, 512 << 20) as place:
        storage = start(folder=place / "storage")
        storage.set_capacity(4 * UNIT)
        assert storage.idle().remaining_capacity == 4 * UNIT
        storage = lose_units(storage, lambda: start(folder=place / "storage"), 3)
        # Room for one unit, and for that which a move needs.
        free = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
        with (place / "others").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, free - 2 * UNIT - (16 << 20))
        storage.replenish()
        state = storage.idle()
        assert (state.initial_capacity, state.remaining_capacity) == (4 * UNIT, 2 * UNIT)
        assert not state.HasField("error")
        storage.check_disk(state)
        with refused("RESOURCE_EXHAUSTED", "VIDEO_STORAGE_FULL"):
            storage.set_capacity(8 * UNIT)
        stop(storage)


def test_G9_a_full_disk_is_supported(start, tmp_path):
    """A storage that is there can be used, and one that is not has a better error than that it is not supported."""
    with xfs(tmp_path, 512 << 20) as place:
        storage = start(folder=place / "storage")
        storage.set_capacity(UNIT)
        storage.idle()
        stop(storage)
        with (place / "others").open("wb") as file, contextlib.suppress(OSError):
            while True:
                os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), 1 << 20)
        for folder, remaining in [("storage", UNIT), ("other", 0)]:
            storage = start(folder=place / folder)
            assert storage.state.supported
            assert storage.state.remaining_capacity == remaining
            stop(storage)


def test_a_watcher_learns_that_the_daemon_stops(storage):
    states = storage.client.WatchVideoStorage(storage_pb2.WatchVideoStorageRequest())
    next(states)
    stop(storage)
    with pytest.raises(grpc.RpcError) as raised:
        list(states)
    assert firstlight.FirstlightError.from_rpc_error(raised.value).reason == "SHUTTING_DOWN"


def test_metrics_tell_the_capacity(start, tmp_path):
    storage = start("--metrics-listen", "127.0.0.1:0", "--video-storage-capacity", str(UNIT))
    if not storage.state.supported:
        pytest.skip(storage.state.unsupported_reason)
    storage.until(lambda state: state.initial_capacity == UNIT and not state.busy)
    page = Endpoint(storage.daemon, tmp_path).scrape()
    assert page("firstlight_video_storage_capacity_bytes") == UNIT
    assert page("firstlight_video_storage_remaining_bytes") == UNIT
    assert page("firstlight_video_storage_bytes_written_total") == 0


def begin(phase: str, storage: Storage) -> None:
    """Lets a storage of two units, one of which is missing, do what the phase says."""
    if phase == "replenish":
        storage.replenish()
    else:
        storage.set_capacity({"grow": 4 * UNIT, "shrink": 0}[phase])


@pytest.mark.parametrize(
    "crashes",
    [
        pytest.param(2, id="2"),
        pytest.param(CRASHES, id="many", marks=[pytest.mark.slow, pytest.mark.timeout(60 + 20 * CRASHES)]),
    ],
)
@pytest.mark.parametrize("phase", ["grow", "shrink", "replenish"])
def test_a_killed_daemon_leaves_a_whole_storage(storage, start, phase, crashes):
    """The capacity is the old one or the new one, and the disk has nothing but the units that the storage tells."""
    dice = random.Random(f"{phase} {crashes}")
    outcomes = []
    for _ in range(crashes):
        storage.set_capacity(2 * UNIT)
        storage.idle()
        storage = lose_units(storage, start, 1)
        begin(phase, storage)
        threading.Timer(dice.uniform(0, 0.5 if phase != "shrink" else 0.02), storage.daemon.process.kill).start()
        storage.daemon.process.wait(timeout=20)
        storage = start()
        state = storage.state
        assert not state.busy
        assert state.initial_capacity in (2 * UNIT, {"grow": 4 * UNIT, "shrink": 0}.get(phase, 2 * UNIT))
        assert state.remaining_capacity <= state.initial_capacity
        storage.check_disk(state)
        outcomes.append((state.initial_capacity // UNIT, state.remaining_capacity // UNIT))
        if state.initial_capacity:
            storage.replenish()
            state = storage.idle()
            assert state.remaining_capacity == state.initial_capacity
            storage.check_disk(state)
    print(f"{phase}: units wanted and there after each kill: {sorted(outcomes)}")


def test_what_a_daemon_left_half_made_is_removed(storage, start):
    storage.set_capacity(UNIT)
    storage.idle()
    stop(storage)
    for draft in ("making", "capacity.new"):
        (storage.folder / HIDDEN / draft).write_bytes(bytes(100))
    (storage.folder / HIDDEN / "unit-000000000009").write_bytes(bytes(100))
    storage = start()
    state = storage.state
    assert (state.initial_capacity, state.remaining_capacity) == (UNIT, UNIT)
    storage.check_disk(state)
