"""The photo library over the wire, on the disk, and over the death of the daemon."""

from __future__ import annotations

import io
import os
import pathlib
import random
import threading
import urllib.error
import urllib.request

import grpc
import PIL.Image
import pytest

import firstlight
from captures import SMALL
from firstlight.v1 import photo_library_service_pb2 as library_pb2
from http_rpc import HTTPEndpoint
from support import SYNTHETIC, Stubs, refused

#: How often the test kills the daemon; the long form has 1,000.
CRASHES = int(os.environ.get("FIRSTLIGHT_LIBRARY_CRASHES", "6"))


def picture(number: int) -> bytes:
    """A JPEG file that no other number has."""
    file = io.BytesIO()
    PIL.Image.new("RGB", (640, 360), (number % 256, number // 256 % 256, 90)).save(file, "JPEG")
    return file.getvalue()


def contents(folder: pathlib.Path) -> list[pathlib.Path]:
    """The files of a library's assets."""
    return [path for part in ("incoming", "contents") for path in (folder / part).rglob("*.*")]


def test_K7_a_capture_is_kept_over_the_death_of_the_daemon(own_daemon, tmp_path):
    daemon = own_daemon()
    with firstlight.connect(daemon.address) as client:
        wanted = firstlight.configuration(SYNTHETIC[0], **SMALL)
        session = client.create_session(configuration=wanted, start=True).name
        photo = client.photo(session)
        asset = client.save_capture(photo.unique_id)
        daemon.process.kill()
        daemon.process.wait()
    assert (asset.session, asset.device) == (session, SYNTHETIC[0])
    assert (asset.width, asset.height) == SMALL["size"]
    with firstlight.connect(own_daemon().address) as client:
        (found,) = client.assets(include_thumbnails=True)
        assert PIL.Image.open(io.BytesIO(found.thumbnail)).size == (320, 180)
        found.ClearField("thumbnail")
        assert found == asset
        assert client.download_asset(asset.name, tmp_path / "photo.jpg") == asset.byte_count
        assert (tmp_path / "photo.jpg").read_bytes() == photo.data


def test_H14_the_last_photo_comes_with_its_thumbnail_in_one_call(own_daemon):
    with firstlight.connect(own_daemon().address) as client:
        for number in range(3):
            client.save_photo(picture(number), device=SYNTHETIC[0])
        request = library_pb2.ListAssetsRequest(page_size=1, include_thumbnails=True)
        (asset,) = Stubs(client.channel).library.ListAssets(request).assets
        color = PIL.Image.open(io.BytesIO(asset.thumbnail)).convert("RGB").getpixel((160, 90))
        assert abs(color[0] - 2) < 4


def test_a_photo_is_served_by_http_in_ranges(own_daemon, tmp_path):
    daemon = own_daemon("--http-listen", "127.0.0.1:0")
    endpoint = HTTPEndpoint.of(tmp_path / "firstlightd.log")
    data = picture(7)
    with firstlight.connect(daemon.address) as client:
        name = client.save_photo(data).name
    with urllib.request.urlopen(f"{endpoint.origin}/{name}") as answer:
        assert (answer.headers["content-type"], answer.read()) == ("image/jpeg", data)
    request = urllib.request.Request(f"{endpoint.origin}/{name}", headers={"Range": "bytes=10-29"})
    with urllib.request.urlopen(request) as answer:
        assert (answer.status, answer.read()) == (206, data[10:30])
    # A proxy on this machine speaks for clients who may be anywhere.
    request = urllib.request.Request(f"{endpoint.origin}/{name}", headers={"X-Forwarded-For": "192.0.2.7"})
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(request)
    assert refusal.value.code == 403


def test_the_quota_is_a_flag(own_daemon):
    with firstlight.connect(own_daemon("--library-quota", "20000").address) as client:
        first = client.save_photo(picture(1))
        with refused("RESOURCE_EXHAUSTED", "LIBRARY_FULL"):
            for number in range(100):
                client.save_photo(picture(number))
        client.delete_assets(first.name)
        client.save_photo(picture(2))


def fetch(client: firstlight.Client, name: str) -> bytes:
    """The bytes of an asset's photo."""
    stream = Stubs(client.channel).library.DownloadAsset(library_pb2.DownloadAssetRequest(name=name), timeout=8)
    return b"".join(response.data for response in stream)


class Told:
    """What the daemon acknowledged until it was killed."""

    def __init__(self) -> None:
        #: The bytes of each photo that was saved and not deleted, by its asset.
        self.kept: dict[str, bytes] = {}
        #: Assets whose deletion was asked for and perhaps not done.
        self.unsure: set[str] = set()
        self.deleted: set[str] = set()


def change_until_killed(client: firstlight.Client, dice: random.Random, told: Told) -> None:
    """Saves and deletes photos, several in a call, until the daemon does not answer any more."""
    while True:
        gone = dice.sample(sorted(told.kept), min(len(told.kept), dice.randrange(3)))
        new = [picture(dice.randrange(65536)) for _ in range(dice.randrange(1, 4))]
        told.unsure.update(gone)
        resource = library_pb2.NewResource.TYPE_PHOTO
        changes = [library_pb2.AssetChange(delete_asset=name) for name in gone] + [
            library_pb2.AssetChange(
                create_asset=library_pb2.CreateAsset(resources=[library_pb2.NewResource(type=resource, data=data)])
            )
            for data in new
        ]
        assets = client.perform_changes(changes)
        told.unsure.difference_update(gone)
        for name in gone:
            del told.kept[name]
            told.deleted.add(name)
        told.kept.update({asset.name: data for asset, data in zip(assets, new, strict=True)})


# Each round starts two daemons, and fetches all photos.
@pytest.mark.timeout(30 + 4 * CRASHES)
def test_K7_a_killed_daemon_keeps_what_it_acknowledged(own_daemon, tmp_path):
    dice = random.Random(54)
    told = Told()
    folder = tmp_path / "data" / "library"
    for _ in range(CRASHES):
        daemon = own_daemon()
        with firstlight.connect(daemon.address, timeout=20) as client:
            killer = threading.Timer(dice.uniform(0.02, 0.5), daemon.process.kill)
            killer.start()
            with pytest.raises(firstlight.FirstlightError) as end:
                change_until_killed(client, dice, told)
            assert end.value.code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED), end.value
            killer.join()
        daemon.process.wait()
        daemon = own_daemon()
        with firstlight.connect(daemon.address) as client:
            found = {asset.name: asset for asset in client.assets()}
            assert not told.deleted & set(found)
            for name in told.unsure:
                if name not in found:
                    told.kept.pop(name, None)
            told.unsure.clear()
            assert set(told.kept) <= set(found)
            for name, data in told.kept.items():
                assert fetch(client, name) == data
            # What the last call had saved when the daemon died is whole, or is not there at all.
            for name in set(found) - set(told.kept):
                data = fetch(client, name)
                PIL.Image.open(io.BytesIO(data)).load()
                told.kept[name] = data
        daemon.process.kill()
        daemon.process.wait()
        assert len(contents(folder)) == 2 * len(found), "each photo has its thumbnail, and no other file is left"
