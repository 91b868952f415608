"""Explanations on the page: what each view says is what the engine says, and what the record holds."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Driver

pytestmark = pytest.mark.one_page


def played(driver: Driver, example: str, upto: int, view: str = "", **pins: str) -> str:
    """A cluster of an example, so many cycles in, with a view open; its path in the API."""
    more = "".join(f"&{name}={value}" for name, value in {"view": view, **pins}.items() if value)
    cluster = driver.look(example, upto, f"&t={upto}{more}")
    driver.cycle(upto)
    return f"clusters/{cluster}"


def whole(text: str) -> int:
    return int(text.replace(",", ""))


def test_the_reason_tree_goes_down_to_one_nodes_numbers(driver: Driver) -> None:
    path = played(driver, "three-zones", 5)
    tree = driver.get(f"{path}/cycles/5/reasons/")
    branches = driver.page.locator(".tree > [data-branch]")
    expect(branches).to_have_count(len(tree["children"]))
    fit = driver.page.locator(".tree > [data-branch=plugin][data-plugin=NodeResourcesFit]")
    reason = fit.locator("[data-branch=reason]").first
    reason.get_by_role("button").first.click()
    expect(reason).to_contain_text("the node has less cpu left than the pod requests")
    # What is here is shown here: nobody is sent to kubectl.
    expect(driver.page.locator("#side-panel")).not_to_contain_text("kubectl describe nodes")
    expect(reason.locator("[data-such] .fact.is-rejected").first).to_be_visible()
    name = reason.locator(".name-list button").first.inner_text()
    reason.locator(".name-list button").first.click()
    answer = driver.page.locator(f"[data-node-answer={name}]")
    why = driver.get(f"{path}/cycles/5/nodes/{name}/")
    assert why["state"] == "rejected"
    facts = [fact["what"]["text"] for plugin in why["plugins"] for fact in plugin["facts"] if fact["fails"]]
    assert facts
    for text in facts:
        expect(answer).to_contain_text(text)


def test_a_plugin_that_was_not_asked_is_no_pass(driver: Driver) -> None:
    path = played(driver, "three-zones", 5)
    matrix = driver.get(f"{path}/cycles/5/matrix/")
    first = next(
        i for i, status in enumerate(matrix["status"]) if status and "unsched" in str(matrix["statuses"][status])
    )
    driver.page.locator(f".node[data-node={matrix['names'][first]}]").click()
    answer = driver.page.locator(f"[data-node-reasons={matrix['names'][first]}]")
    expect(answer.locator("[data-ran=true]")).to_have_count(1)
    expect(answer.locator("[data-ran=false]").first).to_contain_text("not run; it would pass")


def check_arithmetic(page: Locator, score: dict[str, Any]) -> None:
    box = page.locator(f"[data-arithmetic={score['plugin']}]")
    for part in (score["raw"], score["normalized"]):
        for line in part["lines"] if part else ():
            if line["formula"]:
                expect(box).to_contain_text(line["formula"])
    expect(box).to_contain_text(score["weighted"]["formula"])


def test_what_decided_between_two_is_said_as_the_engine_says_it(driver: Driver) -> None:
    """Against a node with fewer points, and against one that a filter rejected."""
    path = played(driver, "three-zones", 4, "scores")
    chosen = driver.get(f"{path}/cycles/4/")["cycle"]["node"]
    matrix = driver.get(f"{path}/cycles/4/matrix/")
    least = min(zip(matrix["totals"], matrix["feasible"], strict=True))[1]
    rejected = next(i for i, status in enumerate(matrix["status"]) if status)
    for at, by in ((least, "score"), (rejected, "filter")):
        name = matrix["names"][at]
        want = driver.get(f"{path}/cycles/4/compare/?a={chosen}&b={name}")
        assert want["decided"]["by"] == by and want["decided"]["plugin"]
        driver.page.locator(f".node[data-node={name}]").click()
        expect(driver.page.locator(f".side [data-decided={by}]")).to_have_text(want["why"]["text"])
        for row in want["plugins"]:
            if row["difference"]:
                texts = f"{row['a']['weighted']:,} vs {row['b']['weighted']:,}", f"{abs(row['difference']):,}"
                line = driver.page.locator(".versus tr", has_text=texts[0]).filter(has_text=texts[1])
                expect(line.filter(has_text=row["plugin"])).to_have_count(1)


def test_the_ledger_is_written_out_and_adds_up(driver: Driver) -> None:
    path = played(driver, "three-zones", 5, "scores")
    chosen = driver.get(f"{path}/cycles/5/")["cycle"]["node"]
    ledger = driver.get(f"{path}/cycles/5/nodes/{chosen}/ledger/")
    side = driver.page.locator(".side")
    for score in ledger["plugins"]:
        head = side.locator(f"[data-ledger={score['plugin']}] .fold")
        expect(head).to_be_enabled()
        if head.get_attribute("aria-expanded") == "false":
            head.click()
        check_arithmetic(side, score)
    rows = side.locator(".ledger [data-ledger] td:last-child").all_inner_texts()
    total = side.locator(".ledger .total td").last.inner_text()
    assert sum(map(whole, rows)) == whole(total) == ledger["total"]["value"]
    expect(side.locator("[data-standing]")).to_contain_text(ledger["why"]["text"])


def test_enter_on_a_node_opens_its_ledger(driver: Driver) -> None:
    played(driver, "three-zones", 5)
    driver.page.locator("#matrix").focus()
    driver.press("ArrowDown", "Enter")
    expect(driver.page.get_by_role("tab", name="Scores")).to_have_attribute("aria-selected", "true")
    name = driver.page.locator("#matrix [aria-selected=true] .mono").inner_text()
    expect(driver.page.locator(".ledger th .mono")).to_have_text(name)
    driver.press("Escape", "w")
    expect(driver.page.get_by_role("tab", name="Why not")).to_have_attribute("aria-selected", "true")


def test_spread_by_domain_down_to_the_pods_that_count(driver: Driver) -> None:
    path = played(driver, "three-zones", 5, "spread")
    (constraint,) = driver.get(f"{path}/cycles/5/spread/")["constraints"]
    box = driver.page.locator("[data-constraint='0']")
    expect(box.locator("[data-domain]")).to_have_count(len(constraint["domains"]))
    for row in constraint["domains"]:
        line = box.locator(f"[data-domain={row['domain']}]")
        expect(line.locator(".num").first).to_have_text(str(row["pods"]))
        expect(line).to_contain_text(f"skew {row['skew']}, {'fits' if row['fits'] else 'too high'}")
    fullest = constraint["domains"][0]
    box.locator(f"[data-domain={fullest['domain']}] button").first.click()
    expect(box.locator("[data-domain-pods] .is-pass")).to_have_count(fullest["pods"])


def test_preemption_shows_every_candidate_and_what_decided(driver: Driver) -> None:
    path = played(driver, "nearly-full", 4, "preemption")
    found = driver.get(f"{path}/cycles/4/preemption/")["preemption"]
    view = driver.page.locator("[data-preemption]")
    expect(view.locator("[data-candidate]")).to_have_count(len(found["candidates"]))
    expect(view.locator("[data-why]")).to_contain_text(found["why"]["text"])
    expect(view.locator("[data-criterion]")).to_have_count(len(found["criteria"]))
    chosen = view.locator(f"[data-candidate={found['nominatedNode']}]")
    expect(chosen).to_contain_text("nominated")
    for victim in found["candidates"][0]["victims"]:
        expect(chosen).to_contain_text(victim["pod"].removeprefix("default/"))
    for loser in found["candidates"][1:]:
        reason = re.compile("eliminated by|lost the random choice")
        expect(view.locator(f"[data-candidate={loser['node']}]")).to_contain_text(reason)


def test_a_pods_life_tells_the_event_and_the_hint_of_every_move(driver: Driver) -> None:
    path = played(driver, "nearly-full", 4, "pod", pod="web/payments-0")
    moves = driver.get(f"{path}/pods/web/payments-0/moves/")["moves"]
    assert {"from": "active", "to": "inFlight"}.items() <= moves[1].items()
    shown = driver.page.locator("[data-move]")
    expect(shown).to_have_count(len(moves))
    for index, move in enumerate(moves):
        expect(shown.nth(index)).to_have_attribute("data-move", f"{move['from']} {move['to']}")
        expect(shown.nth(index)).to_contain_text(move["event"])
        if move["hint"]:
            expect(shown.nth(index)).to_contain_text(move["hint"])
    expect(driver.page.locator(".life .event").first).to_contain_text("FailedScheduling")


def test_time_of_every_step_and_how_it_was_measured(driver: Driver) -> None:
    path = played(driver, "three-zones", 5, "time")
    steps = driver.get(f"{path}/cycles/5/timings/")["steps"]
    points = list(dict.fromkeys(step["point"] for step in steps))
    expect(driver.page.locator("[data-time]")).to_have_count(len(points))
    assert [bar.get_attribute("data-time") for bar in driver.page.locator("[data-time]").all()] == points
    expect(driver.page.locator("[data-measured]")).to_contain_text("The cycle ran again")
    expect(driver.page.locator("[data-time=Filter]")).to_contain_text("NodeResourcesFit")
    driver.page.get_by_role("button", name="all attempts", exact=True).click()
    expect(driver.page.locator(".side-title")).to_have_text("Time in all: 5 attempts")
    sums = driver.get(f"{path}/timings/")
    assert [bar.get_attribute("data-time") for bar in driver.page.locator("[data-time]").all()] == [
        point["point"] for point in sums["points"]
    ]
    binder = driver.page.locator("[data-time=Bind] li")
    expect(binder).to_contain_text("DefaultBinder 5×")
    expect(binder).to_have_attribute("title", re.compile("on average, .* at most"))


def test_complete_mode_is_marked_and_never_takes_not_run_for_a_pass(driver: Driver) -> None:
    path = played(driver, "three-zones", 5)
    driver.page.get_by_role("button", name="complete", exact=True).click()
    matrix = driver.get(f"{path}/cycles/5/matrix/?complete=1")
    panel = driver.page.locator("[data-complete]")
    expect(panel).to_contain_text("kube-scheduler itself stops at the first failure")
    expect(panel.locator("[data-ran=false]").first).to_be_visible()
    ran = set()
    for row in range(len(matrix["names"])):
        verdicts = [column[row] for column in matrix["verdicts"]]
        stop = next((i for i, verdict in enumerate(verdicts) if verdict), len(verdicts))
        ran |= {(i <= stop, bool(verdict)) for i, verdict in enumerate(verdicts)}
    # Something that was not run and would pass is there, so that the next lines mean something.
    assert (False, False) in ran
    for cell in panel.locator("[data-ran=false]").all():
        expect(cell).to_have_class(re.compile("hatched"))
        expect(cell).to_contain_text("not run; the result would be:")
    driver.page.get_by_role("button", name="as run", exact=True).click()
    expect(driver.page.locator(".matrix [data-ran]")).to_have_count(0)


MESSAGES = [
    # pasted, what is said of it
    (
        "0/37 nodes are available: 3 node(s) had untolerated taint {gpu: }, 34 Insufficient cpu.",
        [
            "0 of 37 nodes could take the pod",
            "TaintToleration",
            "NodeResourcesFit",
            "kubectl",
            "every part was recognised",
        ],
    ),
    ("0/2 nodes are available: 2 the moon is full.", ["not known: it may come from an extender"]),
]


@pytest.mark.parametrize(("pasted", "said"), MESSAGES)
def test_the_decoder_takes_a_pasted_line_apart(driver: Driver, pasted: str, said: list[str]) -> None:
    driver.open("gpu-pool")
    driver.press("Control+k")
    driver.page.keyboard.type("FailedScheduling message")
    driver.press("Enter")
    driver.page.get_by_label(re.compile("Paste a FailedScheduling line")).fill(pasted)
    for text in said:
        expect(driver.page.locator("[data-decoded]")).to_contain_text(text)


def test_what_is_this_opens_says_and_closes(driver: Driver) -> None:
    played(driver, "three-zones", 5, "time")
    button = driver.page.get_by_role("button", name="What is PreFilter?")
    button.focus()
    driver.press("Enter")
    panel = driver.page.locator(".what-panel")
    expect(panel).to_contain_text("Checks the Pod and the whole cluster once")
    expect(panel.get_by_role("link")).to_have_attribute("href", re.compile("^https://kubernetes.io/docs/"))
    driver.press("Escape")
    expect(panel).to_have_count(0)
    expect(button).to_be_focused()
