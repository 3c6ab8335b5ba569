"""What the tests of the photo library in the viewfinder page share."""

from __future__ import annotations

import io
import struct

import PIL.Image
from playwright.sync_api import Route

import firstlight
from browser import Press, Viewfinder
from firstlight.v1 import photo_service_pb2 as photos_pb2
from support import SYNTHETIC

#: The photos of the library.
ITEMS = "document.querySelectorAll('.library li')"
#: Their resource names.
LISTED = f"[...{ITEMS}].map((each) => each.dataset.asset)"
#: The captures of the photos that are not in the library.
OTHERS = "[...document.querySelectorAll('[data-capture]')].map((each) => each.dataset.capture)"
#: The large photo.
LARGE = "document.querySelector('#photo img')"
#: What the tab says of a library that the page cannot use.
WORDS = "#library-words"


def item(name: str) -> str:
    """The selector of an asset in the list."""
    return f'.library li[data-asset="{name}"]'


def text(viewfinder: Viewfinder, selector: str) -> str:
    """The text of an element."""
    return viewfinder.get(f"document.querySelector('{selector}').textContent")


def picture(number: int, size: tuple[int, int] = (320, 180), form: str = "JPEG") -> bytes:
    """A picture file that no other number has."""
    file = io.BytesIO()
    PIL.Image.new("RGB", size, (number % 256, 90, 120)).save(file, form)
    return file.getvalue()


def plant(client: firstlight.Client, count: int) -> list[str]:
    """Puts photos into the library. Returns their names, the newest first."""
    return [client.save_photo(picture(number), device=SYNTHETIC[0]).name for number in range(count)][::-1]


def names(client: firstlight.Client) -> list[str]:
    """The names of all assets, the newest first."""
    return [asset.name for asset in client.assets()]


def saved_press(viewfinder: Viewfinder) -> tuple[Press, str]:
    """Presses the shutter, and waits until the photo is saved. Returns the press and the name of the asset."""
    press = viewfinder.press()
    viewfinder.wait("firstlight.photos[0].asset")
    return press, viewfinder.get("firstlight.photos[0].asset")


def ask_for_a_bracket(route: Route) -> None:
    """Makes a bracket of three of the photo that the page asks for."""
    request = photos_pb2.CapturePhotoRequest.FromString(route.request.post_data_buffer[5:])
    request.ClearField("moment")
    request.settings.bracket.extend(firstlight.Exposure(bias=bias).bracketed() for bias in (-1, 0, 1))
    message = request.SerializeToString()
    route.continue_(post_data=struct.pack(">BI", 0, len(message)) + message)


def open_large(viewfinder: Viewfinder, name: str) -> None:
    """Opens an asset, and waits until the large view has more pixels than the thumbnail."""
    viewfinder.page.click(f"{item(name)} .play")
    viewfinder.wait(f"{LARGE}.naturalWidth > 320")
