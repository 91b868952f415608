"""A picture for the README: the output of a real kubectl, beside the page that follows it."""

import base64
import html
import os
import subprocess
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize

from tests.browser.driver import Driver
from tests.kubectl import programs

PAGE: ViewportSize = {"width": 1100, "height": 820}
TERMINAL_WIDTH = 620
COMMANDS = (
    "kubectl create deployment web --image=nginx --replicas=3",
    "kubectl rollout status deployment web",
    "kubectl cordon worker-a1",
    "kubectl scale deployment web --replicas=4",
    "kubectl wait pod -l app=web --for=condition=Ready",
    "kubectl get pods -l app=web -o custom-columns=POD:.metadata.name,NODE:.spec.nodeName,PHASE:.status.phase",
    "kubectl create deployment web --image=nginx",
)
BESIDE = """<body style="margin:0;display:flex;background:{back};color:{ink}">
<pre style="box-sizing:border-box;width:{width}px;margin:0;padding:18px;white-space:pre-wrap;font:13px/1.5 monospace"
>{text}</pre>
<img src="data:image/png;base64,{shot}"></body>"""
INK = {"light": ("#1f2328", "#f6f8fa"), "dark": ("#e6edf3", "#161b22")}


def take_terminal(browser: Browser, url: str, theme: str) -> bytes:
    """Return the picture, as PNG."""
    context = browser.new_context(
        viewport=PAGE, color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce"
    )
    context.add_init_script("localStorage.setItem('playground.controls', 'true')")
    page = context.new_page()
    driver = Driver(page, url)
    cluster = driver.create("three-zones", "shop")
    driver.post(f"clusters/{cluster}/commands/", {"kind": "set_actors", "actors": "all"})
    driver.post(f"clusters/{cluster}/pace/", {"live": True})
    page.goto(f"{url}/?cluster={cluster}")
    page.get_by_role("button", name="Play").wait_for()
    page.keyboard.press("K")
    page.locator(".terminal .lines").wait_for()
    text = recorded(page, f"{url}/api/v1/clusters/{cluster}/kubeconfig/")
    page.locator(".terminal .write", has_text="AlreadyExists").wait_for()
    # These commands come as fast as those of one: each is to be seen.
    for summary in page.locator(".terminal [data-go] > details > summary").all():
        summary.click()
    shot = base64.b64encode(page.screenshot()).decode()
    ink, back = INK[theme]
    context.close()
    both = browser.new_page(viewport={"width": PAGE["width"] + TERMINAL_WIDTH, "height": PAGE["height"]})
    both.set_content(BESIDE.format(ink=ink, back=back, width=TERMINAL_WIDTH, text=html.escape(text), shot=shot))
    picture = both.screenshot()
    both.close()
    return picture


def recorded(page: Page, kubeconfig: str) -> str:
    """Return the commands and their output."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "playground.yaml"
        config.write_text(page.request.get(kubeconfig).text())
        path = f"{programs.folder()}{os.pathsep}{os.environ['PATH']}"
        environ = {**os.environ, "KUBECONFIG": str(config), "HOME": folder, "PATH": path}
        lines = []
        for command in COMMANDS:
            ran = subprocess.run(command.split(), env=environ, text=True, stdout=-1, stderr=-2, timeout=60, check=False)
            lines.append(f"$ {command}\n{ran.stdout}")
    return "\n".join(lines)
