"""The viewfinder page for people who use the keyboard alone, a screen reader, a phone, or another theme."""

from __future__ import annotations

import pytest

from browser import PHONE, Viewfinder, window
from support import SYNTHETIC

pytestmark = pytest.mark.timeout(120)


def test_the_keyboard_is_enough(serving, open_page):
    served = serving()
    served.session("default", SYNTHETIC[0])
    served.session("other", SYNTHETIC[1])
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.wait("firstlight.sessions.length === 2")
    keys = viewfinder.page.keyboard
    keys.press("ArrowRight")
    viewfinder.wait("firstlight.session === 'sessions/other' && firstlight.look === 'ready'")
    viewfinder.focus("#shutter")
    press = viewfinder.press("Space")
    assert press.photo == press.canvas
    keys.press("w")
    viewfinder.wait("firstlight.layout === 'wall' && firstlight.views.every((view) => view.drawn > 0)")
    keys.press("Escape")
    viewfinder.wait("firstlight.layout === 'one'")
    keys.press("i")
    viewfinder.wait(
        "!document.querySelector('#overlay').hidden && document.querySelector('#overlay').children.length > 4"
    )
    viewfinder.focus("#panel-button")
    keys.press("Enter")
    viewfinder.wait("document.activeElement.id === 'tab-camera'")
    keys.press("ArrowRight")
    viewfinder.wait("document.querySelector('#control-brightness')")
    viewfinder.focus("#control-brightness")
    before = value_of(viewfinder)
    keys.press("ArrowRight")
    viewfinder.wait(f"document.querySelector('#control-brightness').value !== '{before}'")
    keys.press("Escape")
    viewfinder.wait("document.querySelector('#panel').hidden && document.activeElement.id === 'panel-button'")
    keys.press("?")
    viewfinder.wait("document.querySelector('#help').open")
    keys.press("Escape")
    viewfinder.wait("!document.querySelector('#help').open")


def value_of(viewfinder: Viewfinder) -> str:
    """The value of the slider for the brightness."""
    return viewfinder.get("document.querySelector('#control-brightness').value")


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [{}, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_that_keeps_people_out(browser, serving, theme, size):
    served = serving()
    served.session()
    with window(browser, **size) as context:
        context.add_init_script(f"localStorage.setItem('firstlight-theme', '{theme}')")
        viewfinder = Viewfinder(context.new_page()).open(served.address)
        viewfinder.wait_for_picture()
        viewfinder.press()
        assert viewfinder.get("document.documentElement.dataset.theme") == theme
        viewfinder.page.keyboard.press("i")
        assert viewfinder.violations() == []
        viewfinder.page.click("#wall-button")
        viewfinder.wait("firstlight.views.every((view) => view.drawn > 1)")
        assert viewfinder.violations() == []
        viewfinder.page.click("#wall-button")
        viewfinder.page.click("#panel-button")
        for tab in ("controls", "photos", "movies", "machine", "camera"):
            viewfinder.page.click(f"#tab-{tab}")
            viewfinder.wait(f"document.querySelector('#page-{tab}').children.length > 1")
            assert viewfinder.violations() == []
        viewfinder.page.click("#panel-close")
        viewfinder.page.click("#help-button")
        assert viewfinder.violations() == []
        assert viewfinder.errors == []
