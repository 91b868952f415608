"""Modules of the page import only the floors below theirs."""

import pytest

from tools import page_floors

UP = "may import only the floors below it"
CASES = [
    # module, its text                                                             part of the message; "" for none
    ("base/api.js", 'import { get } from "../parts/menu.js";', UP),
    ("parts/menu.js", 'import { get } from "../base/api.js";', ""),
    ("parts/menu.js", 'import { END } from "../cycle/moment.js";', UP),
    ("drive/run.js", 'import {\n  _,\n  fill,\n} from "../palette/action_table.js";', UP),
    ("drive/run.js", 'import { END } from "../cycle/moment.js";', ""),
    ("drive/run.js", 'import { setPace } from "./larger_steps.js";', ""),
    ("drive/run.js", 'const later = () => import("../shell/app.js");', UP),
    ("drive/run.js", 'import { html } from "../../vendor/preact.js";', ""),
    ("nodes/nodes_model.js", 'import { mayEdit } from "../access/allowed.js";', UP),
    ("shell/app.js", 'import { actions } from "../palette/action_table.js";', ""),
    ("palette/action_table.js", 'import { App } from "../shell/app.js";', UP),
    ("main.js", 'import { App } from "./shell/app.js";', ""),
    ("attic/box.js", "", "static/js/attic has no floor"),
]


@pytest.mark.parametrize(("module", "text", "message"), CASES)
def test_an_import_goes_down(module: str, text: str, message: str) -> None:
    found = list(page_floors.violations({module: text}))
    assert [message in found[0]] == [True] if message else found == []


def test_the_page_keeps_to_its_floors() -> None:
    assert page_floors.check() == []


def test_every_floor_has_a_folder() -> None:
    folders = {path.parent.name for path in page_floors.SCRIPTS.glob("*/*.js")}
    assert folders == page_floors.HEIGHT.keys()
