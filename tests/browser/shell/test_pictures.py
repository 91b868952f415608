"""Pictures of the views: what is on the screen, sharp, in the theme that is shown, with the moment under it."""

import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver

pytestmark = pytest.mark.one_page

# How many pixels are not the colour of the left upper one.
DRAWN = """async (bytes) => {
  const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], {type: 'image/png'}));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const pen = canvas.getContext('2d');
  pen.drawImage(bitmap, 0, 0);
  const data = new Uint32Array(pen.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
  return [data.filter((one) => one !== data[0]).length / data.length, data[0] & 255];
}"""


def saved(driver: Driver, view: str, hint: str, folder: Path) -> Path:
    panel = driver.page.locator(f".panel.{view}")
    panel.get_by_role("button", name="Save a picture").click()
    with driver.page.expect_download() as download:
        panel.locator(".menu-panel button", has_text=hint).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_a_png_is_what_is_shown(driver: Driver, tmp_path: Path, scheme: str, dark: bool) -> None:
    driver.page.emulate_media(color_scheme="dark" if dark else "light")
    driver.open("gpu-pool")
    driver.next_cycle(1)
    expect(driver.page.locator(".node[data-verdict=chosen]")).to_have_count(1)
    for view in ("cluster", "matrix"):
        path = saved(driver, view, "PNG", tmp_path)
        assert path.name == f"{view}-cycle-1.png"
        box = driver.page.locator(f".panel.{view}").bounding_box()
        assert box is not None
        width, height = struct.unpack(">II", path.read_bytes()[16:24])
        assert abs(width - 2 * box["width"]) <= 2
        assert abs(height - 2 * (box["height"] + 28)) <= 4
        part, corner = driver.page.evaluate(DRAWN, list(path.read_bytes()))
        assert part > 0.05
        assert (corner < 64) is dark


def test_an_svg_has_the_words_and_the_moment(driver: Driver, tmp_path: Path) -> None:
    driver.open("gpu-pool")
    driver.next_cycle(1)
    expect(driver.page.locator(".node[data-verdict=chosen]")).to_have_count(1)
    drawing = saved(driver, "cluster", "SVG", tmp_path).read_text()
    tree = ElementTree.fromstring(drawing)  # noqa: S314  a picture of our own
    names = [element.tag.rpartition("}")[2] for element in tree.iter()]
    words = [
        part for element in tree.iter() if not element.tag.endswith("style") for part in (element.text, element.tail)
    ]
    text = " ".join("".join(part or "" for part in words).split())
    assert names[0] == "svg"
    assert "gpu-a100-a1" in text
    assert "Cluster · test · cycle 1 · step" in text
    assert "emulates v1.36.3" in text
    assert "script" not in names
