"""The page faults and allocations of photo threads that PreparePhotoSettings saves for the first photo of a kind."""

import contextlib
import mmap
import pathlib
import struct
import subprocess
from typing import NamedTuple

import pytest

import firstlight
from conftest import REPOSITORY
from firstlight import Encoding, Exposure, Quality
from firstlight.v1 import photo_pb2, types_pb2
from processes import stat_fields, thread_files
from support import SYNTHETIC

SOURCE = REPOSITORY / "Tests/Benchmarks/count_allocations.c"

KINDS = {
    "JPEG": {"encoding": Encoding.JPEG},
    "JPEG with a thumbnail": {"encoding": Encoding.JPEG, "thumbnail": (256, 256)},
    "HEIC": {"encoding": Encoding.HEIC},
    "PNG": {"encoding": Encoding.PNG},
    "bracket": {"bracket": (-1, 0, 1)},
}


class Counts(NamedTuple):
    """The counts of the thread that makes photos: since its start, or between two moments."""

    faults: int
    allocations: int
    threads: int

    def __sub__(self, former):
        return Counts(*(now - before for now, before in zip(self, former, strict=True)))


@pytest.fixture(scope="module")
def counter(tmp_path_factory) -> pathlib.Path:
    """A library that counts allocations and started threads in the process that loads the library."""
    library = tmp_path_factory.mktemp("counter") / "count.so"
    command = ["cc", "-O2", "-Wall", "-Wextra", "-fno-builtin", "-shared", "-fPIC", SOURCE, "-o", library]
    subprocess.run(command, check=True)
    return library


@pytest.fixture
def counted(own_daemon, tmp_path, counter, monkeypatch):
    """Starts daemons with the counter. Gives a client and the function that returns the counts."""
    with contextlib.ExitStack() as stack:

        def start():
            file = tmp_path / "counts"
            file.write_bytes(bytes(mmap.PAGESIZE))
            with monkeypatch.context() as patch:
                patch.setenv("LD_PRELOAD", str(counter))
                patch.setenv("ALLOCATION_COUNT", str(file))
                # The counter counts photo-1, which makes the photos, and not photo-prepare. Without responsive capture
                # there is one such thread.
                patch.setenv("ALLOCATION_THREADS", "photo-1")
                daemon = own_daemon()

            def counts() -> Counts:
                stats = [stat for name, stat in thread_files(daemon.process.pid, "stat") if name == "photo-1"]
                # In "1234 (photo-1) S ..." minflt is the eighth field after the name.
                faults = sum(int(stat_fields(stat)[7]) for stat in stats)
                return Counts(faults, *struct.unpack("QQ", file.read_bytes()[:16]))

            return stack.enter_context(firstlight.connect(daemon.address, timeout=30)), counts

        yield start


def settings(keywords):
    """The same settings as a message of the contract."""
    wanted = photo_pb2.PhotoSettings(encoding=keywords.get("encoding"))
    if "thumbnail" in keywords:
        width, height = keywords["thumbnail"]
        wanted.embedded_thumbnail_dimensions.CopyFrom(types_pb2.Size(width=width, height=height))
    wanted.bracket.extend(Exposure(bias=bias).bracketed() for bias in keywords.get("bracket", ()))
    if not wanted.bracket:
        wanted.quality_prioritization = Quality.SPEED
    return wanted


def take_photos(client, name, keywords):
    if "bracket" in keywords:
        return client.bracket(name, [Exposure(bias=bias) for bias in keywords["bracket"]])
    return [client.photo(name, quality=Quality.SPEED, **keywords)]


def photos_of(counted, keywords, *, prepared):
    """The counts of two captures in a daemon of their own. The first capture is the first of its kind."""
    client, counts = counted()
    wanted = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(1920, 1080), preview=False)
    name = client.create_session(configuration=wanted, start=True).name
    # The output is ready and the camera's own memory exists, so the counts below are those of the photos alone.
    with client.watch_session(name) as events:
        while not next(events).launch_timeline.HasField("first_settled_sequence"):
            pass
    if prepared:
        assert client.prepare_photos(name, [settings(keywords)])
    taken = []
    for _ in range(2):
        before = counts()
        photos = take_photos(client, name, keywords)
        taken.append(counts() - before)
        assert all(photo.data for photo in photos)
    return taken


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", KINDS)
def test_H11_the_first_photo_of_a_kind_needs_less_when_it_was_prepared(counted, kind):
    without, with_it = (photos_of(counted, KINDS[kind], prepared=prepared) for prepared in (False, True))
    print(f"{kind}: first {without[0]}, then {without[1]}; prepared first {with_it[0]}, then {with_it[1]}")
    # Preparing cannot save what every photo needs, such as libheif's memory and x265's threads, so the test subtracts
    # the later photo.
    (more, prepared_more) = (first - later for first, later in (without, with_it))
    assert more.faults > 0, "the first is dearer"
    assert prepared_more.faults <= 0.5 * more.faults
    assert with_it[0].allocations <= without[0].allocations
    assert with_it[0].threads <= without[0].threads
