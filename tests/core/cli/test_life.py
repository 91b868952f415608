"""`life` from outside: what cannot be used is said, with the nearest name."""

from pathlib import Path

import pytest

from playground.__main__ import main

SHOP = str(Path(__file__).parents[3] / "examples" / "scenarios" / "shop.yaml")


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        (["--scenario", SHOP, "--pod", "shop/wep-2"], 'no pod shop/wep-2 in the scenario; did you mean "shop/web-'),
        (["--scenario", SHOP, "--pod", "web-2"], "--pod: there is no pod default/web-2 in the scenario"),
        (["--scenario", "nowhere.yaml", "--pod", "x"], "nowhere.yaml: No such file"),
        (["--scenario", SHOP, "--pod", "x", "--commands", "nowhere.yaml"], "nowhere.yaml: No such file"),
    ],
)
def test_unusable_input(arguments: list[str], want: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["life", *arguments]) == 2
    out, err = capsys.readouterr()
    assert want in err and not out


def test_a_run_can_end_early(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["life", "--scenario", SHOP, "--pod", "shop/report", "--until", "1"]) == 0
    out = capsys.readouterr().out
    assert "shop/report: Queued" in out and "not tried yet" in out


@pytest.mark.parametrize("arguments", [["--pod", "x"], ["--scenario", SHOP], ["--scenario", SHOP, "--until", "0"]])
def test_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["life", *arguments])
    assert ended.value.code == 2
