"""The viewfinder page with a session of two cameras and a composition of them: it shows all three, and swaps them."""

from __future__ import annotations

import base64
import datetime
import io
import json

import numpy as np
import pytest
from PIL import Image

import firstlight
from browser import PHONE, SECONDS, Serving, Viewfinder, window
from compositions import PERIOD_NS, configured
from faults import REPLUG, UNPLUG, inject
from firstlight import connection, layer
from firstlight.v1 import composition_pb2, session_configuration_pb2, session_pb2
from movie_tabs import RUNNING
from support import SYNTHETIC, wait_until

pytestmark = pytest.mark.timeout(120)

SIZE = (1280, 720)
#: Each camera has the size of the inset, which covers no board of the camera below it.
WHOLE, INSET = (0, 0, *SIZE), (608, 320, 640, 360)
ALL_MOVE = "firstlight.views.length === 3 && firstlight.views.every((view) => view.drawn > 5)"
CAPTIONS = "[...document.querySelectorAll('#small-pictures .caption')].map((each) => each.textContent)"
CURRENT = "document.querySelector('#small-pictures [aria-current=true] .caption').textContent"


def start(served: Serving, *previews: str) -> str:
    """Starts a session whose main preview and photos show the composition. Further previews show a camera each."""
    # Both layers have the same order, so that the list alone says which of them lies over the other.
    wanted = configured(
        [layer("cam-0", WHOLE), layer("cam-1", INSET)], connected=("preview", "photo"), additional_previews=previews
    )
    wanted.inputs[2].composition.width, wanted.inputs[2].composition.height = SIZE
    # The tests delay a tab's requests, so that a request comes late.
    wanted.photo.zero_shutter_lag_window.FromTimedelta(datetime.timedelta(seconds=3))
    wanted.connections.extend(connection(output, input=f"cam-{number}") for number, output in enumerate(previews))
    return served.client.create_session("default", configuration=wanted, start=True).name


@pytest.fixture
def served(serving) -> Serving:
    """A daemon with such a session, with a preview of each camera."""
    served = serving()
    start(served, "left", "right")
    return served


@pytest.fixture
def viewfinder(served, open_page) -> Viewfinder:
    """A tab in which all three pictures move."""
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.wait(ALL_MOVE)
    return viewfinder


def cameras(viewfinder: Viewfinder) -> list[int | None]:
    """Which cameras the large picture shows: in the whole picture and in the inset."""
    data = viewfinder.get("document.querySelector('#picture').toDataURL()")
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(data.partition(",")[2]))).convert("L"))
    # The daemon makes pictures smaller for a tab that is slow.
    scale = picture.shape[1] / SIZE[0]
    found = []
    for place in (WHOLE, INSET):
        left, top, width, height = (round(edge * scale) for edge in place)
        board = firstlight.timecode.decode(picture[top : top + height, left : left + width])
        found.append(board and board.camera)
    return found


def wait_for_cameras(viewfinder: Viewfinder, whole: int, inset: int) -> None:
    """Waits until the large picture shows these cameras."""
    wait_until(lambda: cameras(viewfinder) == [whole, inset], SECONDS)


def session(served: Serving) -> session_pb2.Session:
    """The session as the daemon has it."""
    return served.client.session("sessions/default")


def layers(served: Serving) -> list[composition_pb2.CompositionLayer]:
    """The layers of the composition as the session has them."""
    return list(session(served).configuration.inputs[2].composition.layers)


def test_the_page_shows_both_cameras_and_the_composition(viewfinder):
    captions = json.dumps(["both", "Synthetic camera 0", "Synthetic camera 1"], separators=(",", ":"))
    viewfinder.wait(f"JSON.stringify({CAPTIONS}) === '{captions}'")
    assert viewfinder.get(CURRENT) == "both"
    assert viewfinder.get("document.querySelector('#camera-name').textContent") == "both"
    wait_for_cameras(viewfinder, 0, 1)
    viewfinder.page.get_by_role("button", name="Synthetic camera 1: live").click()
    viewfinder.wait("firstlight.current.output === 'right' && firstlight.current.drawn > 1")
    assert viewfinder.get(CURRENT) == viewfinder.get("document.querySelector('#camera-name').textContent")
    assert viewfinder.get(CURRENT) == "Synthetic camera 1"
    # The composition goes on as a small picture.
    drawn = viewfinder.get("firstlight.views.find((view) => view.output === 'preview').drawn")
    viewfinder.wait(f"firstlight.views.find((view) => view.output === 'preview').drawn > {drawn} + 2")


def test_one_key_swaps_the_pictures_without_another_stream(served, viewfinder):
    wait_for_cameras(viewfinder, 0, 1)
    stream = viewfinder.get("firstlight.current.streamId")
    viewfinder.page.keyboard.press("x")
    wait_for_cameras(viewfinder, 1, 0)
    told = "Synthetic camera 0 and Synthetic camera 1 have changed places."
    viewfinder.wait(f"document.querySelector('#voice').textContent === '{told}'")
    viewfinder.focus("#swap-button")
    viewfinder.page.keyboard.press("Enter")
    wait_for_cameras(viewfinder, 0, 1)
    assert viewfinder.get("firstlight.current.streamId") == stream
    assert [each.input for each in layers(served)] == ["cam-0", "cam-1"], "the list stays, and with it the clock"


def test_the_key_also_swaps_a_composition_that_is_small(served, viewfinder):
    viewfinder.page.get_by_role("button", name="Synthetic camera 0: live").click()
    viewfinder.wait("firstlight.current.output === 'left'")
    viewfinder.page.keyboard.press("x")
    wait_until(lambda: layers(served)[0].rect.left == INSET[0], SECONDS)


def test_a_photo_shows_the_composition_at_the_instant_on_the_screen(viewfinder):
    label = "document.querySelector('#shutter .quiet').textContent"
    assert viewfinder.get(label) == "Take a photo"
    viewfinder.page.get_by_role("button", name="Synthetic camera 1: live").click()
    viewfinder.wait("firstlight.current.output === 'right' && firstlight.look === 'ready'")
    assert viewfinder.get(label) == "Take a photo of both"
    # The daemon hears of the press long after the frame that is on the screen.
    viewfinder.slow_down(delay=0.3)
    press = viewfinder.press()
    assert (press.canvas.camera, press.photo.camera) == (1, 0)
    assert abs(press.photo.capture_time_ns - press.canvas.capture_time_ns) < 2 * PERIOD_NS


def test_formats_and_controls_are_those_of_the_camera_that_is_large(served, viewfinder):
    page = viewfinder.page
    page.get_by_role("button", name="Synthetic camera 1: live").click()
    page.keyboard.press("s")
    page.get_by_role("heading", name="Picture of Synthetic camera 1").wait_for()
    page.get_by_label("Format").select_option("NV12 1280x720")
    sizes = [640, 1280]
    wait_until(
        lambda: [each.format.width for each in session(served).resolved_configuration.inputs[:2]] == sizes, SECONDS
    )
    page.click("#tab-controls")
    heading = "document.querySelector('#page-controls h2').textContent"
    viewfinder.wait(f"{heading} === 'Synthetic camera 1'")
    page.get_by_role("button", name="both: live").click()
    viewfinder.wait(f"{heading} === 'Synthetic camera 0'")


def test_a_camera_that_is_unplugged_is_said_at_its_picture_alone(served, viewfinder):
    inject(served.client, UNPLUG, SYNTHETIC[1])
    viewfinder.wait(
        "document.querySelector('#small-pictures .frozen strong').textContent === 'The camera is not there'"
    )
    assert viewfinder.get("[...document.querySelectorAll('#small-pictures .frozen .caption')].length") == 1
    assert viewfinder.get("document.querySelector('#notice').hidden")
    viewfinder.page.get_by_role("button", name="Synthetic camera 1: The camera is not there").click()
    viewfinder.wait("document.querySelector('#notice h2').textContent === 'The camera is not there'")
    assert viewfinder.violations() == []
    # The controls of the other camera do not stay.
    viewfinder.page.keyboard.press("s")
    viewfinder.page.click("#tab-controls")
    words = "document.querySelector('#page-controls').textContent"
    viewfinder.wait(f"{words} === 'The controls of this camera cannot be read now.'")
    inject(served.client, REPLUG, SYNTHETIC[1])
    viewfinder.wait(f"{words}.startsWith('Synthetic camera 1')")


def test_a_preview_that_is_added_again_moves(served, viewfinder):
    present = session(served)
    without = session_configuration_pb2.SessionConfiguration()
    without.CopyFrom(present.configuration)
    del without.additional_previews[1]
    kept = [each for each in present.configuration.connections if each.output != "right"]
    del without.connections[:]
    without.connections.extend(kept)
    # The second commit comes before the page has read the session after the first one.
    for wanted in (without, present.configuration):
        served.client.configure("sessions/default", wanted)
    drawn = "firstlight.views.find((view) => view.output === 'right')"
    viewfinder.wait(f"{drawn} && !{drawn}.error")
    before = viewfinder.get(f"{drawn}.drawn")
    viewfinder.wait(f"{drawn}.drawn > {before} + 5")


def test_the_movie_output_that_the_page_adds_gets_the_composition_that_it_shows(recorder, open_page):
    served = recorder()
    wanted = configured(connected=("preview", "photo"))
    session = served.client.create_session("both", configuration=wanted, start=True).name
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.click("#record")
    viewfinder.wait(RUNNING)
    connections = served.client.session(session).configuration.connections
    assert {each.output: each.input for each in connections} == dict.fromkeys(["preview", "photo", "movie"], "both")
    viewfinder.page.click("#record")
    viewfinder.wait("firstlight.recording === null")


def test_a_movie_shows_the_first_preview_of_a_session_without_a_main_one(recorder, open_page):
    served = recorder()
    wanted = configured(connected=("photo",), additional_previews=("left",))
    wanted.ClearField("preview")
    wanted.connections.append(connection("left", input="cam-1"))
    served.client.create_session("default", configuration=wanted, start=True)
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.keyboard.press("r")
    viewfinder.wait(RUNNING)
    assert [each.input for each in session(served).configuration.connections if each.output == "movie"] == ["cam-1"]


def test_a_camera_without_a_preview_is_said_and_never_offered_twice(serving, open_page):
    served = serving()
    start(served, "left")
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.wait("document.querySelectorAll('#small-pictures .tile').length === 2")
    viewfinder.page.keyboard.press("s")
    words = viewfinder.page.get_by_text("No preview of the session shows Synthetic camera 1.")
    words.wait_for()
    assert viewfinder.get("document.querySelectorAll('.camera-list button').length") == 1


def test_a_camera_that_comes_while_the_tab_is_open_gets_its_name(serving, open_page):
    served = serving()
    start(served, "left")
    inject(served.client, UNPLUG, SYNTHETIC[1])
    wait_until(lambda: len(served.client.devices()) == 1, SECONDS)
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.keyboard.press("s")
    viewfinder.page.get_by_text("No preview of the session shows cam-1.").wait_for()
    inject(served.client, REPLUG, SYNTHETIC[1])
    viewfinder.page.get_by_text("No preview of the session shows Synthetic camera 1.").wait_for()


def test_a_session_of_one_camera_has_nothing_to_swap(serving, open_page):
    served = serving()
    served.session()
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    assert viewfinder.get("document.querySelector('#small-pictures').hidden")
    assert viewfinder.get("document.querySelector('#swap-button').hidden")
    viewfinder.page.keyboard.press("x")
    viewfinder.wait("document.querySelector('#status').textContent.startsWith('Nothing can change places')")


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [{}, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_that_keeps_people_out(browser, served, theme, size):
    with window(browser, **size) as context:
        context.add_init_script(f"localStorage.setItem('firstlight-theme', '{theme}')")
        viewfinder = Viewfinder(context.new_page()).open(served.address)
        viewfinder.wait_for_picture()
        viewfinder.wait(ALL_MOVE)
        assert viewfinder.violations() == []
        viewfinder.focus("#small-pictures .tile:not([aria-current=true])")
        viewfinder.page.keyboard.press("Enter")
        viewfinder.wait("firstlight.current.output === 'left' && firstlight.current.drawn > 1")
        assert viewfinder.get("document.activeElement.getAttribute('aria-current')") == "true"
        assert viewfinder.violations() == []
        assert viewfinder.errors == []
