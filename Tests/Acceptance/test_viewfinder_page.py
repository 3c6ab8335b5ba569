"""The viewfinder page, as a person uses it in a browser: what it opens, shows and sets."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route

from browser import SECONDS, Serving, board
from conftest import sessions
from support import SYNTHETIC, refused, wait_until

pytestmark = pytest.mark.timeout(120)


def test_the_picture_and_the_shutter_come_first(serving, open_page):
    served = serving()
    served.session()
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    loaded = {
        name.rpartition("/")[2]: start
        for name, start in viewfinder.get(
            "performance.getEntriesByType('resource').map((entry) => [entry.name, entry.startTime])"
        )
    }
    assert {"main.js", "shutter.js", "preview-canvas.js"} <= loaded.keys()
    assert loaded["everything-else.js"] >= viewfinder.get("firstlight.firstPictureTime")
    assert all(
        viewfinder.get("location.origin") in each
        for each in viewfinder.get("performance.getEntriesByType('resource').map((entry) => entry.name)")
    )


def test_one_camera_of_the_wall_becomes_large(serving, open_page):
    served = serving()
    served.session("left", SYNTHETIC[0])
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.click("#wall-button")
    viewfinder.wait("firstlight.layout === 'wall' && firstlight.views.length === 1")
    viewfinder.page.get_by_role("button", name="Synthetic camera 1: Open").click()
    viewfinder.wait("firstlight.sessions.length === 2 && firstlight.views.every((view) => view.drawn > 1)")
    viewfinder.page.get_by_role("button", name="Synthetic camera 1: live").click()
    viewfinder.wait(
        "firstlight.layout === 'one' && firstlight.session !== 'sessions/left' && firstlight.current.drawn > 1"
    )
    assert viewfinder.press().photo.camera == 1


def test_a_picture_of_the_wall_is_marked_as_old_until_the_camera_brings_another(serving, open_page):
    served = serving()
    served.session()
    viewfinder = open_page(f"{served.address}?view=wall")
    viewfinder.wait_for_picture()
    # While the daemon does not know what the page shows now, no large picture comes.
    held: list[Route] = []
    is_held = True

    def hold(route: Route) -> None:
        if is_held:
            held.append(route)
        else:
            route.continue_()

    viewfinder.page.route("**/*.ViewfinderService/UpdateViewfinder", hold)
    viewfinder.page.get_by_role("button", name="Synthetic camera 0: live").click()
    viewfinder.wait("firstlight.layout === 'one'")
    assert viewfinder.get("document.querySelector('#picture').dataset.old") == ""
    shown = board(viewfinder.get("document.querySelector('#picture').toDataURL()"))
    assert (viewfinder.get("firstlight.look"), viewfinder.get("firstlight.current.sequence")) == ("off", "")
    viewfinder.get("document.querySelector('#shutter').click()")
    is_held = False
    for route in held:
        route.continue_()
    press = viewfinder.press()
    assert press.photo == press.canvas
    assert press.photo.sequence > shown.sequence
    assert viewfinder.get("firstlight.photos.length") == 1
    assert viewfinder.get("document.querySelector('#picture').dataset.old ?? 'live'") == "live"


def test_the_standard_session_starts_by_itself(serving, open_page):
    served = serving(sessions="")
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    assert viewfinder.get("firstlight.session") == "sessions/default"
    press = viewfinder.press()
    assert press.photo.camera == press.canvas.camera == 0


def test_the_page_opens_a_camera_where_there_is_no_session(serving, open_page):
    served = serving()
    viewfinder = open_page(served.address)
    viewfinder.page.get_by_role("button", name="Open Synthetic camera 1").click()
    viewfinder.wait_for_picture()
    (session,) = sessions(served.client)
    assert session.configuration.inputs[0].device == SYNTHETIC[1]


def test_controls_and_formats_are_those_of_the_device(serving, open_page):
    served = serving()
    name = served.session()
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    page = viewfinder.page
    page.click("#panel-button")
    page.click("#tab-controls")
    controls = {control.id: control for control in served.client.device(SYNTHETIC[0]).controls}
    slider = page.get_by_label("Brightness")
    slider.wait_for()
    limits = {"min": controls["brightness"].minimum, "max": controls["brightness"].maximum}
    assert {key: int(slider.get_attribute(key)) for key in limits} == limits
    slider.fill("20")
    wait_until(lambda: value(served, "brightness") == 20, SECONDS)
    page.get_by_label("Auto Exposure", exact=True).select_option("Manual Mode")
    viewfinder.wait("!document.querySelector('#control-exposure_time_absolute').disabled")
    page.click("#tab-camera")
    page.get_by_label("Format").select_option("NV12 640x360")
    wait_until(lambda: served.client.session(name).resolved_configuration.inputs[0].format.width == 640, SECONDS)
    viewfinder.wait("firstlight.look === 'ready' && document.querySelector('#picture').width === 640")


def value(served: Serving, control: str) -> int:
    """The present value of a control of the first camera."""
    (found,) = [each for each in served.client.device(SYNTHETIC[0]).controls if each.id == control]
    return found.value.integer


def test_an_unknown_session_is_said_in_words(serving, open_page):
    served = serving()
    served.session()
    viewfinder = open_page(f"{served.address}?session=nowhere")
    viewfinder.wait_for_picture()
    assert viewfinder.get("document.querySelector('#alert').textContent") == "There is no session nowhere."
    with refused("NOT_FOUND"):
        served.client.session("sessions/nowhere")
