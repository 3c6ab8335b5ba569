"""What PreparePhotoSettings takes off the first photo of a kind: page faults, allocations and threads, counted in the daemon."""

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
from support import SYNTHETIC

SOURCE = REPOSITORY / "Tests/Benchmarks/count_allocations.c"

#: Settings of a photo, and of what the first one is to need with preparation at most, as a share of what it needs without.
KINDS = {
    "JPEG": ({"encoding": Encoding.JPEG}, 0.5),
    "JPEG with a thumbnail": ({"encoding": Encoding.JPEG, "thumbnail": (256, 256)}, 0.5),
    "HEIC": ({"encoding": Encoding.HEIC}, 0.8),
    "PNG": ({"encoding": Encoding.PNG}, 0.5),
    "bracket": ({"bracket": (-1, 0, 1)}, 0.5),
}


class Counts(NamedTuple):
    """What a process has done so far, or in between."""

    faults: int
    allocations: int
    threads: int

    def __sub__(self, former):
        return Counts(*(now - before for now, before in zip(self, former, strict=True)))


@pytest.fixture(scope="module")
def counter(tmp_path_factory) -> pathlib.Path:
    """A library that counts allocations and threads of the process it is loaded into."""
    library = tmp_path_factory.mktemp("counter") / "count.so"
    command = ["cc", "-O2", "-Wall", "-Wextra", "-fno-builtin", "-shared", "-fPIC", SOURCE, "-o", library]
    subprocess.run(command, check=True)
    return library


@pytest.fixture
def counted(own_daemon, tmp_path, counter, monkeypatch):
    """Starts a daemon that counts: a client, and the function that tells the counts."""
    with contextlib.ExitStack() as stack:

        def start():
            file = tmp_path / "counts"
            file.write_bytes(bytes(mmap.PAGESIZE))
            with monkeypatch.context() as patch:
                patch.setenv("LD_PRELOAD", str(counter))
                patch.setenv("ALLOCATION_COUNT", str(file))
                daemon = own_daemon()
            stat = pathlib.Path(f"/proc/{daemon.process.pid}/stat")

            def counts() -> Counts:
                faults = int(stat.read_text().rpartition(")")[2].split()[7])
                return Counts(faults, *struct.unpack("QQ", file.read_bytes()[:16]))

            return stack.enter_context(firstlight.connect(daemon.address, timeout=30)), counts

        yield start


def settings(keywords):
    """The same settings as the contract has them."""
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
    """What each of two captures takes in a daemon of its own, of which the first is the first of its kind."""
    client, counts = counted()
    wanted = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(1920, 1080), preview=False)
    name = client.create_session(configuration=wanted, start=True).name
    # The output is ready, and the camera's own memory is there: what follows is of the photos alone.
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


@pytest.mark.parametrize("kind", KINDS)
def test_H11_the_first_photo_of_a_kind_needs_less_when_it_was_prepared(counted, kind):
    keywords, share = KINDS[kind]
    unprepared, later = photos_of(counted, keywords, prepared=False)
    prepared, _ = photos_of(counted, keywords, prepared=True)
    print(f"{kind}: first {unprepared}, later {later}; prepared first {prepared}")
    assert prepared.faults <= share * unprepared.faults
    assert prepared.allocations < unprepared.allocations
    assert prepared.threads <= unprepared.threads
