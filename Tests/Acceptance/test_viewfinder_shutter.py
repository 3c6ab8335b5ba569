"""The shutter of the viewfinder page: it takes the frame that is on the screen, and looks as the readiness says."""

from __future__ import annotations

import pytest

from compositions import configured
from firstlight import layer

pytestmark = pytest.mark.timeout(120)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("codec", ["jpeg", "h264"])
@pytest.mark.parametrize("count", [8, pytest.param(50, marks=pytest.mark.slow)])
def test_a_photo_shows_the_frame_that_was_on_the_screen(serving, open_page, codec, count):
    served = serving()
    # The daemon makes pictures smaller for a tab that is so slow, and the board must stay readable.
    served.session(size=(640, 360))
    viewfinder = open_page(f"{served.address}?codec={codec}")
    viewfinder.wait_for_picture()
    viewfinder.slow_down(processor=4, delay=0.1)
    presses = []
    for _ in range(count):
        viewfinder.wait_for_next()
        presses.append(viewfinder.press())
    assert {press.encoding for press in presses} == {codec.upper()}
    assert all(press.canvas for press in presses)
    assert [press.photo for press in presses] == [press.canvas for press in presses]
    assert len({press.canvas.sequence for press in presses}) == count


def test_a_slow_link_gets_h264(serving, open_page):
    served = serving()
    served.session(size=(1280, 720))
    viewfinder = open_page(f"{served.address}?codec=auto")
    viewfinder.slow_down(bytes_per_second=200_000)
    # The limit is for streams that begin now.
    viewfinder.page.reload()
    viewfinder.wait("firstlight.current.encoding === 'H264'", 40)
    press = viewfinder.press()
    assert press.photo == press.canvas


def test_a_composition_is_shown_in_the_size_of_the_page_and_photographed_as_it_was(serving, open_page):
    served = serving()
    layers = [layer("cam-0", (0, 0, 1920, 1080)), layer("cam-1", (960, 540, 800, 450), order=1)]
    wanted = configured(layers, connected=("preview", "photo"))
    wanted.inputs[2].composition.width, wanted.inputs[2].composition.height = 1920, 1080
    served.client.create_session("both", configuration=wanted, start=True)
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    # The first camera is smaller than the page, and the composition is larger.
    viewfinder.wait("document.querySelector('#picture').width <= 1280")
    press = viewfinder.press()
    assert press.photo == press.canvas
    assert press.photo.camera == 0


@pytest.mark.parametrize(
    ("features", "look"),
    [
        ({}, "spinner"),
        ({"responsive_capture": True}, "unchanged"),
        ({"zero_shutter_lag": False}, "dimmed"),
    ],
)
def test_the_shutter_looks_as_readiness_says(serving, open_page, features, look):
    served = serving()
    name = served.session(**features)
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.press()
    served.client.start_tracking(name, "tracked")
    viewfinder.wait(f"firstlight.look === '{look}'")
    assert viewfinder.get("document.querySelector('#shutter').ariaDisabled") == "true"
    served.client.stop_tracking(name, "tracked")
    viewfinder.wait("firstlight.look === 'ready'")
    served.client.stop(name)
    viewfinder.wait("firstlight.look === 'off'")
