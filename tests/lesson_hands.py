"""What a reader does by hand in the lessons' tasks: with the mouse, through the page's own buttons, forms and editors.

The labels are looked up in the page's own catalogue, so that the same hands work in every language.
"""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

MATCH_LABEL_KEYS = "matchLabelKeys: [pod-template-hash]"


class Hands:
    def __init__(self, page: Page) -> None:
        self.page = page

    def word(self, text: str) -> str:
        """What the page calls this in its language."""
        return str(self.page.evaluate("text => (window.gettext ?? ((same) => same))(text)", text))

    def button(self, text: str, within: Locator | None = None) -> Locator:
        return (within or self.page.locator("body")).get_by_role("button", name=self.word(text), exact=True)

    def cycle(self) -> None:
        # Its title ends with its key, whether it has its name on it or, on a phone, its picture alone.
        self.page.locator(".transport .buttons button[title$=']']").click()

    def cycles_until(self, done: Callable[[], bool], most: int = 8) -> int:
        """Cycle after cycle, as many as it takes, looking at the lesson after each; how many it took."""
        for count in range(most):
            if done():
                return count
            where = self.page.locator(".transport .where b").inner_text()
            self.cycle()
            expect(self.page.locator(".transport .where b")).not_to_have_text(where)
        return most

    def let_pass(self, seconds: str) -> None:
        self.page.locator(".more-steps > button").click()
        self.page.locator(".menu-panel").get_by_role("button").filter(has_text=self.word("let time pass…")).click()
        dialog = self.page.locator("dialog")
        dialog.locator("input").fill(seconds)
        dialog.locator(".dialog-foot .primary").click()
        expect(dialog).to_have_count(0)

    def tab(self, name: str) -> None:
        self.page.locator(f"#tab-{name}").click()

    def pick_node(self, name: str) -> None:
        node = self.page.locator(f".node[data-node='{name}']")
        if node.get_attribute("aria-pressed") != "true":
            node.click()
        self.tab("node")

    def pick_pod(self, lane: str, name: str) -> None:
        self.page.locator(f"[data-lane={lane}] .pod-row", has_text=name).click()

    def change(self, action: str) -> None:
        self.button("Change").click()
        menu = self.page.locator(".menu-panel")
        menu.get_by_role("button").filter(has_text=self.word(action)).first.click()

    def delete_pod_of(self, node: str, pod: str) -> None:
        self.pick_node(node)
        self.page.locator(".node-pods button", has_text=pod).click()
        self.change("delete the pod")
        self.button("Delete", self.page.locator("dialog")).click()
        expect(self.page.locator("dialog")).to_have_count(0)

    def edit(self, action: str) -> Locator:
        """The form of the node or pod in view."""
        self.change(action)
        expect(self.page.locator("dialog .cm-content")).to_be_visible()
        self.button("form").click()
        return self.page.locator(".object-form")

    def apply(self) -> None:
        self.button("Apply", self.page.locator("dialog")).click()
        expect(self.page.locator("dialog")).to_have_count(0)

    def open_gate(self, pod: str) -> None:
        self.pick_pod("gated", pod)
        form = self.edit("edit the pod")
        form.locator("[data-field='spec.schedulingGates'] .form-row button").click()
        self.apply()

    def new_node(self, name: str) -> None:
        self.page.keyboard.press("n")
        dialog = self.page.locator("dialog")
        expect(dialog.locator(".cm-content")).to_be_visible()
        dialog.get_by_label(self.word("Template"), exact=True).select_option("Node")
        self.button("form").click()
        form = dialog.locator(".object-form")
        form.locator("[data-field='metadata.name'] input").fill(name)
        form.locator("[data-field='status.allocatable.cpu'] input").fill("4")
        dialog.locator(".dialog-foot .primary").click()
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
    field.locator("> div button").last.click()
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
    hands.page.locator(".profile-foot .primary").click()
    expect(hands.page.locator(".profile-foot .primary")).to_be_disabled()


def without(plugin: str) -> Callable[[Hands], None]:
    def act(hands: Hands) -> None:
        hands.tab("profile")
        hands.page.locator(f"[data-point=score] > [data-plugin={plugin}] button.bare.icon").first.click()
        apply_profile(hands)

    return act


def look_at_all(hands: Hands) -> None:
    hands.tab("profile")
    hands.page.locator("[data-group=settings] .fold-head").click()
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
        editor.locator(".cm-line", has_text="maxSkew: 1").click()
        hands.page.keyboard.press("End")
        hands.page.keyboard.press("Enter")
        hands.page.keyboard.type(MATCH_LABEL_KEYS)
        hands.button("form").click()
        hands.page.locator("[data-field='spec.schedulingGates'] .form-row button").click()
        hands.apply()


def label_ssd(hands: Hands) -> None:
    hands.pick_node("plain")
    form = hands.edit("edit the node")
    form.locator("[data-field='metadata.labels'] .form-row.map input").nth(1).fill("ssd")
    hands.apply()


def ask_for_repairs(hands: Hands) -> None:
    """In the panel: a task whose hints are all out asks the same beside it."""
    hands.page.locator("section.make-it-fit").get_by_role("button", name="What would make it fit?", exact=True).click()


def repair_with(node: str) -> Callable[[Hands], None]:
    """Carry out the first repair that leads to this node, of the pod whose attempt or details are open."""

    def act(hands: Hands) -> None:
        hands.tab("why")
        ask_for_repairs(hands)
        named = hands.page.locator(".repair-edit", has_text=node)
        found = hands.page.locator(".repair", has=named).first
        found.locator(".reason-head").click()
        found.locator(".repair-actions .primary").click()
        expect(hands.page.locator("[data-applied], .repair-actions .is-pass").first).to_be_visible()

    return act


def ask_for_less(hands: Hands) -> None:
    hands.pick_pod("gated", "search")
    ask_for_repairs(hands)
    hands.page.locator("[data-repairs=there]").wait_for()
    gate = hands.page.locator(".repair").filter(has_text=re.compile("spare-1|web-1")).first
    if gate.locator(".reason-head").get_attribute("aria-expanded") == "false":
        gate.locator(".reason-head").click()
    gate.locator(".repair-actions .primary").click()
    expect(hands.page.locator("[data-applied], .repair-actions .is-pass").first).to_be_visible()


def evict_web(hands: Hands) -> None:
    hands.pick_node("north")
    hands.page.locator(".node-pods button", has_text="web-").first.click()
    hands.change("evict the pod")


def drain_north(hands: Hands) -> None:
    hands.pick_node("north")
    hands.change("drain the node")
    hands.button("Play").click()


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
    """A mark for each pod of the workloads, also of those that stop."""
    return hands.page.locator(".workload .mark")


def settled(hands: Hands) -> None:
    """Play until the three pods are ready, and nothing else is there."""
    hands.button("Play").click()
    expect(marks(hands)).to_have_count(3)
    expect(hands.page.locator(".workload .mark.s-ready")).to_have_count(3)


def edit_workload(hands: Hands, name: str, line: str, *keys: str) -> None:
    """Its line of YAML that has this text, with the cursor at its end, gets these keys."""
    workload = hands.page.locator(f".workload[data-workload$='/{name}']")
    workload.locator("summary").click()
    hands.button("Edit", workload).click()
    editor = hands.page.locator("dialog .cm-content")
    expect(editor).to_be_visible()
    editor.locator(".cm-line", has_text=line).first.click()
    hands.page.keyboard.press("End")
    for key in keys:
        if len(key) > 1 and key.isalpha():
            hands.page.keyboard.press(key)
        else:
            hands.page.keyboard.insert_text(key)
    hands.apply()


def even_zones(hands: Hands) -> None:
    edit_workload(hands, "web", "maxSkew: 1", "Enter", MATCH_LABEL_KEYS)
    hands.button("Play").click()


def let_go(hands: Hands) -> None:
    hands.open_gate("sale-2")
    hands.button("Play").click()


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
    "rolled-out": lambda hands: hands.button("Play").click(),
    "even": even_zones,
    "five-minutes-later": lambda hands: hands.let_pass("330"),
    "inflate": inflate,
    "let-go": let_go,
    "five-minutes": lambda hands: hands.let_pass("330"),
}
