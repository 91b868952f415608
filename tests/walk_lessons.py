"""Complete the lessons in a browser, as a reader does: `python -m tests.walk_lessons`.

Every step of every lesson is done with the mouse, or on a phone with a finger, through the page's own controls. A
picture of each step is stored in the folder for review. Detectable faults are reported: text that overflows, a missing
or covered target, a check that doesn't complete.
"""

import argparse
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Error, Locator, Page, expect, sync_playwright

from tests.browser.conftest import SEEN
from tests.browser.driver import PATIENCE, Answers
from tests.lesson_actions import TASKS, Hands
from tests.services import CHROMIUM_FLAGS, run_playground, until
from tools import chromium

SIZES = {"desktop": (1440, 900), "phone": (390, 844)}
# Of what is pointed at: whether its middle is on the screen and is its own.
SEEN_WHOLE = """element => {
  const box = element.getBoundingClientRect();
  const x = box.left + box.width / 2, y = box.top + Math.min(box.height / 2, innerHeight / 2);
  const found = document.elementFromPoint(x, y);
  return box.width > 40 && box.height > 20 && Boolean(found) && element.contains(found);
}"""
OVERFLOW = "element => element.scrollWidth - element.clientWidth"
# What the page knows of a check once the server has set it: "begun", or "missed" where it could not; "" until then.
BEGUN = """async (name) => {
  const {lesson} = await import('/static/js/lesson/lesson_state.js');
  const check = lesson.value?.checks[name];
  return !check ? '' : check.form === 'missed' ? 'missed' : 'begun';
}"""
# Whether a check is "done" or "open", once the cluster has carried out everything that was asked of it; "" until then.
DONE = """async (name) => {
  const {get, clusterPath, post} = await import('/static/js/base/api.js');
  const {store} = await import('/static/js/base/store.js');
  const id = store.cluster.value.id;
  if ((await get(clusterPath(id))).state !== 'idle') return '';
  return (await post(clusterPath(id, 'lesson', 'checks', name, 'look'))).done ? 'done' : 'open';
}"""


@dataclass
class Walk:
    """One lesson on one page; `shots`: the folder for pictures, or None for none."""

    page: Page
    slug: str
    shots: Path | None
    device: str
    noticed: list[str] = field(default_factory=list)
    acts: int = 0
    taken: int = 0

    def __post_init__(self) -> None:
        self.hands = Hands(self.page, touch=self.device == "phone")
        self.lesson = self.page.locator(".lesson")
        self.answers = Answers(self.page)

    # ── looking ──

    def shot(self, what: str) -> None:
        self.taken += 1
        if self.shots:
            self.page.screenshot(path=self.shots / f"{self.slug}-{self.taken:02}-{what}.png")

    def notice(self, what: str) -> None:
        step = self.lesson.locator("h3").first.inner_text() if self.lesson.count() else "?"
        self.noticed.append(f"{step}: {what}")

    def settle(self) -> None:
        self.answers.settle()

    def found(self, probe: str, name: str) -> str:
        """Return the page's state of a check once it is known."""
        answer = until(lambda: self.page.evaluate(probe, name), PATIENCE)
        if answer is None:
            raise RuntimeError(f"nobody says how {name} stands")
        return str(answer)

    def to_lesson(self) -> None:
        """Open the lesson's tab if the screen has no room for columns."""
        self.hands.panel("lesson")

    def look_at_panel(self) -> None:
        self.to_lesson()
        over = self.lesson.locator(".lesson-body").evaluate(OVERFLOW)
        if over > 0:
            self.notice(f"the panel's text is {over} px too wide")

    # ── doing ──

    def start(self, number: int) -> None:
        welcome = self.page.locator(".welcome .primary")
        expect(welcome.or_(self.page.locator(".transport .play:enabled")).first).to_be_visible()
        self.settle()
        if welcome.count():
            self.hands.press(welcome)
        else:
            if not (lessons := self.page.get_by_role("button", name=self.hands.word("Lessons"), exact=True)).count():
                self.hands.press(self.page.locator(".learning > button, .top .menu:last-child > button").first)
            self.hands.press(lessons)
        row = self.page.locator(".lesson-row").nth(number - 1)
        expect(row).to_be_visible()
        self.shot("list")
        self.hands.press(row.locator("button").last)
        expect(self.lesson).to_be_visible()
        expect(self.page.locator("dialog")).to_have_count(0)
        self.settle()

    def open_check(self) -> Locator | None:
        self.to_lesson()
        found = self.lesson.locator(".check.open")
        return found.first if found.count() else None

    def be_shown(self) -> None:
        """Press every visible "Show me" of the step."""
        for at in range(self.lesson.locator(".pointer button").count()):
            self.to_lesson()
            self.hands.press(self.lesson.locator(".pointer button").nth(at))
            self.acts += 1
            framed = self.page.locator(".pointed-at")
            try:
                framed.first.wait_for(timeout=2000)
                if not framed.first.evaluate(SEEN_WHOLE):
                    self.notice("what is pointed at is not on the screen, or covered")
            except Error:
                self.notice("nothing is pointed at")
            self.settle()
            self.shot(f"shown-{at + 1}")

    def predict(self, check: Locator) -> None:
        """Answer by a click on a Node if one is asked for, else by the last option."""
        options = check.locator(".option")
        expect(options.first).to_be_visible()
        names = [option.strip() for option in options.all_inner_texts()]
        node = next((self.page.locator(f".node[data-node='{name}']") for name in reversed(names)
                     if self.page.locator(f".node[data-node='{name}']").count()), None)  # fmt: skip
        if node is not None and self.device != "phone":
            if node.get_attribute("aria-pressed") != "true":
                self.hands.press(node)
            expect(check.locator("input:checked")).to_have_count(1)
        else:
            self.hands.press(options.last.locator("input"))
        self.acts += 2
        self.shot("picked")
        self.hands.press(check.locator(".question .primary"))
        self.settle()
        # Where that was wrong there is a second try.
        again = check.locator(".question .option input:enabled")
        if again.count():
            self.shot("wrong")
            self.hands.press(again.first)
            self.acts += 2
            self.hands.press(check.locator(".question .primary"))

    def take_hints(self, check: Locator) -> None:
        # The last hint is a button that asks for repairs.
        more = check.locator(".hints > button:not([data-last-hint])")
        while more.count():
            self.hands.press(more)
            self.acts += 1
        self.shot("hints")

    def do(self, name: str, check: Locator) -> None:
        if check.locator(".hints").count():
            self.take_hints(check)
        done = self.lesson.locator(f".check.done[data-check='{name}']")

        def is_done() -> bool:
            if self.found(DONE, name) == "open":
                return False
            self.to_lesson()
            expect(done).to_have_count(1)
            return True

        if name in TASKS:
            TASKS[name](self.hands)
            self.acts += 3
            self.settle()
        self.acts += self.hands.cycles_until(is_done)
        if not is_done():
            self.shot("stuck")
            raise RuntimeError(f"{name} does not get done")

    def step(self) -> None:
        self.look_at_panel()
        self.shot("read")
        seen = 0
        while check := self.open_check():
            name = str(check.get_attribute("data-check"))
            shown = self.lesson.locator(".pointer button").count()
            if shown > seen:
                seen = shown
                self.be_shown()
                self.to_lesson()
            # The check begins when the server has looked at the cluster.
            if self.found(BEGUN, name) == "missed":
                raise RuntimeError(f"{name} can be asked no more")
            self.settle()
            if self.lesson.locator(f".check.open[data-check='{name}'] .question").count():
                self.predict(check)
            else:
                self.do(name, check)
            expect(self.lesson.locator(f".check.done[data-check='{name}']")).to_have_count(1)
            self.settle()
            self.look_at_panel()
            self.shot(f"done-{name}")
        if self.lesson.locator(".pointer button").count() > seen:
            self.be_shown()
            self.to_lesson()

    def whole(self, number: int) -> int:
        """Complete a lesson from its first page to its end; return the number of steps."""
        self.start(number)
        steps = 0
        while True:
            steps += 1
            self.step()
            onward = self.lesson.locator(".lesson-foot .btn").last
            if self.lesson.locator(".lesson-end").count():
                break
            self.hands.press(onward)
            self.acts += 1
            self.settle()
        self.shot("end")
        return steps


def walk(
    browser: Browser, url: str, language: str, device: str, theme: str, wanted: list[str], shots: Path | None
) -> int:
    width, height = SIZES[device]
    by_finger = device == "phone"
    context = browser.new_context(
        viewport={"width": width, "height": height},
        locale=language,
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
        has_touch=by_finger,
        is_mobile=by_finger,
    )
    context.add_init_script(SEEN)
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.on("pageerror", lambda error: print(f"  error of the page: {error.message}"))
    page.goto(url)
    rows = context.request.get(f"{url}/api/v1/lessons/").json()
    failed = 0
    for number, row in enumerate(rows, 1):
        slug = row["slug"]
        if wanted and not any(slug.startswith(one) for one in wanted):
            continue
        made = Walk(page, slug, shots, device)
        since = time.monotonic()
        page.goto(url)
        try:
            steps = made.whole(number)
            end = f"{steps} steps, {row['total']} checks"
        except (RuntimeError, AssertionError, Error) as error:
            failed += 1
            made.shot("failed")
            end = f"FAILED: {str(error).splitlines()[0]}"
        print(f"{slug}: {end}, {made.acts} acts, {time.monotonic() - since:.0f} s", flush=True)
        for what in made.noticed:
            print(f"  {what}", flush=True)
    context.close()
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.walk_lessons", description=__doc__)
    parser.add_argument("lesson", nargs="*", help="only those whose folder begins so, such as 05")
    parser.add_argument("--language", default="en", help="en, zh-CN, ko (default: en)")
    parser.add_argument("--device", default="desktop", choices=SIZES, help="a phone is touched")
    parser.add_argument("--theme", default="light", choices=("light", "dark"))
    parser.add_argument("--pictures", type=Path, help="folder for a picture of every moment")
    parser.add_argument("--url", help="a playground that runs already; else one is started")
    given = parser.parse_args()
    executable = chromium.find()
    if not executable:
        sys.exit(chromium.HELP)
    if given.pictures:
        given.pictures.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="playground-walk-")))
        url = given.url or stack.enter_context(run_playground(folder / "data")).url
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        failed = walk(browser, url, given.language, given.device, given.theme, given.lesson, given.pictures)
        browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
