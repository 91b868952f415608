"""A reader's actions in the lessons' tasks: with mouse or finger, through the page's buttons and editors.

Labels come from the page's own catalog, so the same actions work in every language.
"""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

MATCH_LABEL_KEYS = "matchLabelKeys: [pod-template-hash]"


class Hands:
    """A reader of a page. `touch`: a finger on a phone, where panels are tabs and nothing is clicked."""

    def __init__(self, page: Page, *, touch: bool = False) -> None:
        self.page = page
        self.touch = touch

    def press(self, what: Locator) -> None:
        """Press with the mouse, or a finger."""
        if self.touch:
            what.tap()
        else:
            what.click()

    def panel(self, name: str) -> None:
        """Open the panel if the screen doesn't show all of them."""
        tab = self.page.locator(f"#panel-tab-{name}")
        if tab.count() and tab.get_attribute("aria-selected") != "true":
            self.press(tab)

    def word(self, text: str) -> str:
        """Return the text in the page's language."""
        return str(self.page.evaluate("text => (window.gettext ?? ((same) => same))(text)", text))

    def button(self, text: str, within: Locator | None = None) -> Locator:
        return (within or self.page.locator("body")).get_by_role("button", name=self.word(text), exact=True)

    def cycle(self) -> None:
        # Its title ends with its key, whether it has its name on it or, on a phone, its picture alone.
        self.press(self.page.locator(".transport .buttons button[title$=']']"))

    def play(self) -> None:
        """Play until the cluster has started, because it looks idle before."""
        with self.page.expect_response(lambda answer: "/commands/" in answer.url and answer.request.method == "POST"):
            self.press(self.button("Play"))

    def cycles_until(self, done: Callable[[], bool], most: int = 8) -> int:
        """Run cycles until the lesson's check is done; return their number."""
        for count in range(most):
            if done():
                return count
            where = self.page.locator(".transport .where b").inner_text()
            self.cycle()
            expect(self.page.locator(".transport .where b")).not_to_have_text(where)
        return most

    def let_pass(self, seconds: str) -> None:
        self.press(self.page.locator(".more-steps > button"))
        self.press(self.page.locator(".menu-panel").get_by_role("button").filter(has_text=self.word("let time pass…")))
        dialog = self.page.locator("dialog")
        dialog.locator("input").fill(seconds)
        self.press(dialog.locator(".dialog-foot .primary"))
        expect(dialog).to_have_count(0)

    def tab(self, name: str) -> None:
        self.panel("details")
        self.press(self.page.locator(f"#tab-{name}"))

    def pick_node(self, name: str) -> None:
        self.panel("cluster")
        node = self.page.locator(f".node[data-node='{name}']")
        if node.get_attribute("aria-pressed") != "true":
            node.click()
        self.tab("node")

    def pick_pod(self, lane: str, name: str) -> None:
        self.panel("queues")
        self.press(self.page.locator(f"[data-lane={lane}] .pod-row", has_text=name))

    def change(self, action: str) -> None:
        self.press(self.button("Change"))
        menu = self.page.locator(".menu-panel")
        self.press(menu.get_by_role("button").filter(has_text=self.word(action)).first)

    def delete_pod_of(self, node: str, pod: str) -> None:
        self.pick_node(node)
        self.press(self.page.locator(".node-pods button", has_text=pod))
        self.change("delete the pod")
        self.press(self.button("Delete", self.page.locator("dialog")))
        expect(self.page.locator("dialog")).to_have_count(0)

    def edit(self, action: str) -> Locator:
        """Open the form of the Node or Pod in view."""
        self.change(action)
        expect(self.page.locator("dialog .cm-content")).to_be_visible()
        self.press(self.button("form"))
        return self.page.locator(".object-form")

    def apply(self) -> None:
        self.press(self.button("Apply", self.page.locator("dialog")))
        expect(self.page.locator("dialog")).to_have_count(0)

    def open_gate(self, pod: str) -> None:
        self.pick_pod("gated", pod)
        form = self.edit("edit the pod")
        self.press(form.locator("[data-field='spec.schedulingGates'] .form-row button"))
        self.apply()

    def new_node(self, name: str) -> None:
        self.page.keyboard.press("n")
        dialog = self.page.locator("dialog")
        expect(dialog.locator(".cm-content")).to_be_visible()
        dialog.get_by_label(self.word("Template"), exact=True).select_option("Node")
        self.press(self.button("form"))
        form = dialog.locator(".object-form")
        form.locator("[data-field='metadata.name'] input").fill(name)
        form.locator("[data-field='status.allocatable.cpu'] input").fill("4")
        self.press(dialog.locator(".dialog-foot .primary"))
        expect(dialog).to_have_count(0)


def uncordon(node: str) -> Callable[[Hands], None]:
    def act(hands: Hands) -> None:
        hands.pick_node(node)
        hands.change("uncordon the node")

    return act


def cordon(node: str) -> Callable[[Hands], None]:
    def act(hands: Hands) -> None:
        hands.pick_node(node)
        hands.change("cordon the node")

    return act


def tolerate(hands: Hands) -> None:
    hands.pick_pod("unschedulable", "only-requires")
    form = hands.edit("edit the pod")
    field = form.locator("[data-field='spec.tolerations']")
    hands.press(field.locator("> div button").last)
    row = field.locator(".form-row").last
    row.locator("input").first.fill("nvidia.com/gpu")
    row.locator("select").first.select_option("Exists")
    hands.apply()


def weight(plugin: str, value: str) -> Callable[[Hands], None]:
    def act(hands: Hands) -> None:
        hands.tab("profile")
        hands.page.locator(f"[data-point=score] > [data-plugin={plugin}] input[type=number]").fill(value)
        apply_profile(hands)

    return act


def apply_profile(hands: Hands) -> None:
    hands.press(hands.page.locator(".profile-foot .primary"))
    expect(hands.page.locator(".profile-foot .primary")).to_be_disabled()


def without(plugin: str) -> Callable[[Hands], None]:
    def act(hands: Hands) -> None:
        hands.tab("profile")
        hands.press(hands.page.locator(f"[data-point=score] > [data-plugin={plugin}] button.bare.icon").first)
        apply_profile(hands)

    return act


def look_at_all(hands: Hands) -> None:
    hands.tab("profile")
    hands.press(hands.page.locator("[data-group=settings] .fold-head"))
    hands.page.locator("[data-field=percentageOfNodesToScore] input").fill("100")
    apply_profile(hands)


def end_early(hands: Hands) -> None:
    hands.delete_pod_of("two", "early")
    hands.let_pass("60")


def end_version_1(hands: Hands) -> None:
    for node, pod in (("a", "v1-0"), ("a", "v1-1"), ("b", "v1-2")):
        hands.delete_pod_of(node, pod)


def even_rollout(hands: Hands) -> None:
    for pod in ("v3-0", "v3-1"):
        hands.pick_pod("gated", pod)
        hands.change("edit the pod")
        editor = hands.page.locator("dialog .cm-content")
        expect(editor).to_be_visible()
        # Before the gate goes, the constraint: a line of its own in the list's first entry.
        hands.press(editor.locator(".cm-line", has_text="maxSkew: 1"))
        hands.page.keyboard.press("End")
        hands.page.keyboard.press("Enter")
        hands.page.keyboard.type(MATCH_LABEL_KEYS)
        hands.press(hands.button("form"))
        hands.press(hands.page.locator("[data-field='spec.schedulingGates'] .form-row button"))
        hands.apply()


def label_ssd(hands: Hands) -> None:
    hands.pick_node("plain")
    form = hands.edit("edit the node")
    form.locator("[data-field='metadata.labels'] .form-row.map input").nth(1).fill("ssd")
    hands.apply()


def ask_for_repairs(hands: Hands) -> None:
    """Request repairs in the panel; a task without more hints has the same button."""
    hands.press(hands.button("What would make it fit?", hands.page.locator("section.make-it-fit")))


def repair_with(node: str) -> Callable[[Hands], None]:
    """Apply the first repair that uses this Node, for the Pod whose attempt or details are open."""

    def act(hands: Hands) -> None:
        hands.tab("why")
        ask_for_repairs(hands)
        named = hands.page.locator(".repair-edit", has_text=node)
        found = hands.page.locator(".repair", has=named).first
        hands.press(found.locator(".reason-head"))
        hands.press(found.locator(".repair-actions .primary"))
        expect(hands.page.locator("[data-applied], .repair-actions .is-pass").first).to_be_visible()

    return act


def ask_for_less(hands: Hands) -> None:
    hands.pick_pod("gated", "search")
    ask_for_repairs(hands)
    hands.page.locator("[data-repairs=there]").wait_for()
    gate = hands.page.locator(".repair").filter(has_text=re.compile("spare-1|web-1")).first
    if gate.locator(".reason-head").get_attribute("aria-expanded") == "false":
        hands.press(gate.locator(".reason-head"))
    hands.press(gate.locator(".repair-actions .primary"))
    expect(hands.page.locator("[data-applied], .repair-actions .is-pass").first).to_be_visible()


def evict_web(hands: Hands) -> None:
    hands.pick_node("north")
    hands.press(hands.page.locator(".node-pods button", has_text="web-").first)
    hands.change("evict the pod")


def drain_north(hands: Hands) -> None:
    hands.pick_node("north")
    hands.change("drain the node")
    hands.play()


def drain_once(hands: Hands) -> None:
    hands.pick_node("north")
    hands.change("drain the node")


def finish_drain(hands: Hands) -> None:
    uncordon("spare")(hands)
    settled(hands)
    for _ in range(2):
        hands.pick_node("north")
        hands.change("drain the node")
        expect(marks(hands)).to_have_count(4)
        settled(hands)


def marks(hands: Hands) -> Locator:
    """Return a mark for each Pod of the workloads, terminating ones included."""
    hands.panel("queues")
    return hands.page.locator(".workload .mark")


def settled(hands: Hands) -> None:
    """Play until the three Pods are ready, and no other exists."""
    hands.play()
    expect(marks(hands)).to_have_count(3)
    expect(hands.page.locator(".workload .mark.s-ready")).to_have_count(3)


def edit_workload(hands: Hands, name: str, line: str, *keys: str) -> None:
    """Type these keys at the end of the YAML line that contains this text."""
    hands.panel("queues")
    workload = hands.page.locator(f".workload[data-workload$='/{name}']")
    hands.press(workload.locator("summary"))
    hands.press(hands.button("Edit", workload))
    editor = hands.page.locator("dialog .cm-content")
    expect(editor).to_be_visible()
    hands.press(editor.locator(".cm-line", has_text=line).first)
    hands.page.keyboard.press("End")
    for key in keys:
        if len(key) > 1 and key.isalpha():
            hands.page.keyboard.press(key)
        else:
            hands.page.keyboard.insert_text(key)
    hands.apply()


def even_zones(hands: Hands) -> None:
    edit_workload(hands, "web", "maxSkew: 1", "Enter", MATCH_LABEL_KEYS)
    hands.play()


def let_go(hands: Hands) -> None:
    hands.open_gate("sale-2")
    hands.play()


def inflate(hands: Hands) -> None:
    edit_workload(hands, "balloon", "replicas: 0", "Backspace", "1")
    expect(marks(hands)).to_have_count(1)
    hands.cycle()
    expect(hands.page.locator("[data-lane=unschedulable] .pod-row")).to_have_count(1)
    hands.let_pass("330")


# By check: what is done before the cycles are run.
TASKS: dict[str, Callable[[Hands], None]] = {
    "place-giant": uncordon("eve"),
    "make-room": uncordon("spare-1"),
    "keep-the-taint": repair_with("spare-1"),
    "ask-for-less": ask_for_less,
    "to-quiet": cordon("hot"),
    "both": tolerate,
    "raise-the-weight": weight("NodeAffinity", "20"),
    "to-empty": without("ImageLocality"),
    "old-ones-end": end_version_1,
    "even-rollout": even_rollout,
    "place-payment": lambda hands: hands.new_node("west"),
    "open-p2": lambda hands: hands.open_gate("p2"),
    "place-p1": lambda hands: hands.new_node("second"),
    "wake-picky": label_ssd,
    "open-gate": lambda hands: hands.open_gate("held"),
    "place-db": lambda hands: hands.delete_pod_of("a-1", "squatter"),
    "place-vip": end_early,
    "web-2-placed": look_at_all,
    "place-train": lambda hands: hands.delete_pod_of("h100", "serving"),
    "place-violet": lambda hands: hands.new_node("east-3"),
    "nobody-moves": without("NodeResourcesBalancedAllocation"),
    "evicted": evict_web,
    "empty-north": drain_north,
    "drained": drain_once,
    "finish-the-drain": finish_drain,
    "rolled-out": Hands.play,
    "even": even_zones,
    "five-minutes-later": lambda hands: hands.let_pass("330"),
    "inflate": inflate,
    "let-go": let_go,
    "five-minutes": lambda hands: hands.let_pass("330"),
}
