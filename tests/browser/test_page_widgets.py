"""Widgets for every parameter type, and for types that no ruleset has."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_objects import GamePage, installed
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess, preloaded_server

pytestmark = pytest.mark.thorough

Pages = Callable[..., Page]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server where the ruleset `parameters` is installed from outside of the tree, and a game of it for one."""
    site = tmp_path_factory.mktemp("site")
    installed(site, "parameters", Path(__file__).with_name("all_parameters.py"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")])))
        with preloaded_server() as started:
            started.create_game("all", "parameters", 1)
            yield started


def test_every_parameter_is_filled_in_sent_and_shown(server: ServerProcess, page: Page) -> None:
    """The server has the values of the form. A refusal is shown at its parameter, and the others keep their values."""
    game = GamePage(page, server).enter("ann")
    game.select("Base")
    game.begin("Everything")
    page.keyboard.press("Escape")  # the map need not be used
    form = page.locator("#order-form")
    expect(form).to_be_visible()
    form.get_by_label("where x").fill("9007199254740993")
    form.get_by_label("where y").fill("-5")
    form.get_by_label("how long", exact=True).fill("3")
    form.get_by_label("whom", exact=True).select_option(label="ann (you)")
    much = form.get_by_label("how much", exact=True)
    much.fill("15")  # now the server tells all limits and choices, though the target is not chosen yet
    target = form.get_by_label("target", exact=True)
    expect(target.locator("option")).to_have_count(1 + 2)
    expect(much).to_have_attribute("max", "50")
    target.select_option(label="<i>Beta</i>")
    much.fill("12")
    expect(page.locator("#parameter-4-problem")).to_contain_text("steps of 5")
    much.fill("15")
    which = form.get_by_role("group", name="which")
    which.get_by_label("one of these").check()
    which.get_by_label("some of those").fill("2")
    form.get_by_role("group", name="goods").get_by_label("Ore").fill("4")
    words = form.get_by_label("words", exact=True)
    words.fill("bad")
    expect(page.locator("#parameter-6-problem")).to_have_text("Words: bad is not a word for this.")
    game.give()
    expect(page.locator("#parameter-6-problem")).to_have_text("Words: bad is not a word for this.")
    expect(words).to_be_focused()
    words.fill("<b>good</b>")
    expect(game.verdict).to_contain_text("The server would accept this")
    game.give()
    expect(game.queue).to_have_count(1)
    for part in (
        "target: <i>Beta</i>",
        "where: 9007199254740993, -5, 0",
        "how long: 3",
        "whom: ann",
        "how much: 15",
        "which: one of these, 2 some of those",
        "words: <b>good</b>",
        "goods: 4 Ore",
    ):
        expect(game.queue).to_contain_text(part)
    assert page.locator("#side i, #side b b, #map i").count() == 0


def test_places_that_are_no_grid_are_picked_on_the_map(server: ServerProcess, page: Page) -> None:
    """Coordinates are those of the place that is clicked; what does not fit is refused in a sentence."""
    game = GamePage(page, server).enter("ann")
    game.select("Base")
    game.begin("Everything")
    note = page.locator("#pick-note")
    expect(note).to_contain_text("Everything, target: click on the map")
    beta = page.locator(".name").filter(has_text="Beta")
    expect(beta).to_be_visible()
    page.locator(".cell").nth(1).click()
    expect(page.get_by_label("target", exact=True).locator("option:checked")).to_have_text("<i>Beta</i>")
    page.get_by_role("button", name="Pick on map").nth(1).click()
    page.locator(".cell").nth(0).click()
    expect(page.get_by_label("where x")).to_have_value("50")
    expect(page.get_by_label("where y")).to_have_value("2")


IN_THE_PAGE = """async (field) => {
  const { widgetFor } = await import("/ui/widgets.js");
  const { REFERENCE } = await import("/core/objects.js");
  const table = (...names) => new Map(names.map((name, at) => [at + 1, { id: at + 1, name, parent: 0, owner: 0,
    role: 4, ships: new Map() }]));
  const universe = { objects: table("Sun", "Moon"), orderKinds: table("Go"), boards: table("Mine"),
    resources: table("Ore"), players: table("ann", "ben"), designs: table("Ship"), me: 1,
    where: (test) => [...universe.objects.values()].filter(test), objectName: (id) => universe.objects.get(id).name,
    kindName: () => "", designName: () => "" };
  let changes = 0;
  const widget = widgetFor(field, { universe, id: "made", pick: async () => 2, changed: () => changes++ });
  document.body.append(widget.element);
  for (const [selector, value] of field.steps) {
    const control = widget.element.matches(selector) ? widget.element : widget.element.querySelector(selector);
    if (control.multiple) for (const one of control.options) one.selected = value.includes(one.value);
    else control.value = value;
    control.dispatchEvent(new Event("input"));
    control.dispatchEvent(new Event("change"));
  }
  const value = widget.value();
  return [value instanceof Map ? [...value] : value ?? null, changes > 0];
}"""


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ({"widget": "reference", "allowed": [6], "steps": [["select", "1"]]}, 1),
        ({"widget": "reference", "allowed": [], "steps": []}, None),
        ({"widget": "referenceList", "allowed": [1, 7], "steps": [["select", ["2"]]]}, [2, 2]),
        (
            {
                "widget": "relativeCoordinates",
                "steps": [["#made", "2"], ["#made-by", "10"], ["#made-by-y", "-3"]],
            },
            {"object": 2, "position": [10, -3, 0]},
        ),
        (
            {
                "widget": "quantityList",
                "known": True,
                "options": [{"id": 5, "name": "Ship", "most": -1}],
                "steps": [["input", "70000"]],
            },
            [[5, 70000]],
        ),
        ({"widget": "", "type": 99, "steps": []}, None),
    ],
)
def test_parameters_that_only_other_servers_have(
    server: ServerProcess, page: Page, field: dict[str, object], expected: object
) -> None:
    """References, relative coordinates and lists of quantities give the values that core/orders.js sends."""
    GamePage(page, server).open()
    value, has_told = page.evaluate(IN_THE_PAGE, {"name": "made", "index": 0, **field})
    assert value == expected
    assert has_told == bool(field["steps"])


A_FORM = """const { OrderForm } = await import("/ui/orderform.js");
  const thing = { id: 1, queue: 1 };
  const kind = { id: 1, name: "Load", description: "" };
  const names = { orderName: () => "Load", objectName: () => "Ship" };
  const universe = { objects: new Map([[1, thing]]), queues: new Map([[1, {}]]), ...names };
  const asked = [];
  const ask = () => new Promise((resolve, reject) => asked.push({ resolve, reject }));
  // Time passes at once, and what was put off is done.
  const due = new Map();
  window.setTimeout = (work) => (due.set(due.size + 1, work), due.size);
  window.clearTimeout = (number) => due.has(number) && due.set(number, null);
  const settle = async () => {
    for (const [number, work] of [...due]) due.set(number, null), work?.();
    await new Promise((resolve) => requestAnimationFrame(resolve));
  };
  const uncaught = [];
  addEventListener("unhandledrejection", ({ reason }) => uncaught.push(reason.message));
  const reading = { links: () => null };
  const player = { universe, queued: () => [], fields: ask, probe: ask };
  const place = document.createElement("div");
  document.body.append(place);
  const legal = { values: async () => null };
  const form = new OrderForm(place, { player, reading, stopPicking() {}, legal, map: {} });
"""

LOOKED_AT_TOO_SOON = f"""async () => {{
  {A_FORM}
  const range = {{ type: 3, widget: "range", known: true, min: 0, max: 9, step: 1, value: 1 }};
  const field = {{ index: 0, name: "much", label: "Much", ...range }};
  const first = form.open(thing, kind);
  asked.pop().resolve([field]);
  await first;
  form.open(thing, kind);
  form.recheck();
  await settle();
  return {{ uncaught, probes: asked.length - 1, said: place.textContent }};
}}"""

CLOSED_WHILE_ASKED = f"""async () => {{
  {A_FORM}
  const options = [5, 6].map((id) => ({{ id, name: String(id), most: 1 }}));
  const list = {{ type: 6, widget: "list", known: true, options, value: new Map() }};
  const field = {{ index: 0, name: "what", label: "What", ...list }};
  const first = form.open(thing, kind);
  asked.pop().resolve([field]);
  await first;
  for (const box of place.querySelectorAll("input")) box.click();
  await settle();
  const {{ Refusal }} = await import("/core/errors.js");
  asked.pop().reject(new Refusal({{ code: 5, result: "One only." }}));
  await settle();
  const alone = asked.pop();
  form.close();
  alone.resolve({{}});
  await settle();
  return {{ uncaught, probes: asked.length, said: place.textContent }};
}}"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("what", "said"),
    [(LOOKED_AT_TOO_SOON, "Asking what can be chosen…"), (CLOSED_WHILE_ASKED, "")],
    ids=["the next is not drawn yet", "closed while asked"],
)
def test_what_is_looked_at_again_is_the_form_that_is_there(
    server: ServerProcess, page: Page, what: str, said: str
) -> None:
    """Not the one before, while what can be chosen in the next one is asked; nor one that was closed meanwhile."""
    page.goto(server.url)
    assert page.evaluate(what) == {"uncaught": [], "probes": 0, "said": said}


RENEWED = """async (seed) => {
  const { h, renew, show } = await import("/ui/dom.js");
  const dice = (sides) => ((seed = (seed * 1103515245 + 12345) % 2147483648) >> 8) % sides;
  const oneOf = (...things) => things[dice(things.length)];
  const made = (depth) => dice(4) ? h(oneOf("p", "ul", "li"), { class: oneOf("", "a", "b") }, ...nodes(depth - 1))
    : oneOf(new Text(String(dice(3))), String(dice(3)), "", null, false);
  const nodes = (depth) => Array.from({ length: depth ? dice(5) : 0 }, () => made(depth));
  const [one, other] = [h("div"), h("div")];
  for (let round = 0; round < 300; round++) {
    const children = nodes(3);
    show(other, ...children.map((child) => child?.cloneNode?.(true) ?? child));
    renew(one, ...children);
    if (!one.isEqualNode(other)) return [round, one.outerHTML, other.outerHTML];
  }
  return null;
}"""


@pytest.mark.thorough
def test_what_is_renewed_is_what_would_be_shown(server: ServerProcess, page: Page) -> None:
    """300 random trees, one over the other; some children are plain texts, or left out."""
    page.goto(server.url)
    for seed in range(1, 6):
        assert page.evaluate(RENEWED, seed) is None


BUTTONS = """async () => {
  const { h, renew } = await import("/ui/dom.js");
  const done = [];
  const button = (text) => h("button", { type: "button", text, onclick: () => done.push(text) });
  const place = h("div");
  renew(place, button("Agreements"));
  renew(place, button("How it ended"), button("Agreements"));
  for (const one of place.children) one.click();
  return done;
}"""


@pytest.mark.thorough
def test_a_button_that_is_renewed_does_what_it_says(server: ServerProcess, page: Page) -> None:
    """Also where another one, with other words only, was in its place."""
    page.goto(server.url)
    assert page.evaluate(BUTTONS) == ["How it ended", "Agreements"]


PLACE = """async () => {
  const { h, show } = await import("/ui/dom.js");
  const [place, above] = [h("div"), h("div")];
  const page = h("div", { id: "place" }, above, place);
  Object.assign(page.style, { position: "fixed", inset: 0, zIndex: 9 });
  document.body.append(page);
  const clicked = [];
  const button = (text) => h("button", { type: "button", text, onclick: () => clicked.push(text) });
  const push = () => show(above, h("p", { text: "above" }));
  window.probe = { clicked, push, show: (text) => show(place, button(text)) };
}"""


def test_a_pressed_button_stays_until_it_is_let_go(server: ServerProcess, page: Page) -> None:
    """Drawings between press and release wait for the click, in its place and above it; the newest one counts."""
    page.goto(server.url)
    page.evaluate(PLACE)
    place = page.locator("#place")
    page.evaluate("() => window.probe.show('one')")
    place.get_by_role("button").hover()
    page.mouse.down()
    page.evaluate("() => ['two', 'three'].forEach(window.probe.show)")
    page.evaluate("() => window.probe.push()")
    expect(place).to_have_text("one")
    page.mouse.up()
    expect(place).to_have_text("abovethree")
    assert page.evaluate("() => window.probe.clicked") == ["one"]
    page.mouse.down(button="right")
    page.evaluate("() => window.probe.show('four')")
    expect(place).to_have_text("abovefour")
