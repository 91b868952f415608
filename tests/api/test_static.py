"""The page's files: whole, packed, with the headers of every answer, and not sent again to those who have them."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from playground.asgi import application
from playground.places import ROOT
from playground.web.static import StaticFiles
from tests.api.static_files import serve

STATIC = ROOT / "static"
FILE = "/static/vendor/preact.js"


def test_a_file_is_answered_with_the_headers_of_every_answer() -> None:
    answer = serve(FILE)
    assert answer.status == 200
    assert answer.body == (STATIC / "vendor" / "preact.js").read_bytes()
    want = {
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "content-length": str(len(answer.body)),
    }
    assert want.items() <= answer.headers.items()
    assert "javascript" in answer.headers["content-type"]
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert "set-cookie" not in answer.headers


def test_it_is_packed_for_those_who_can_unpack_it() -> None:
    whole, packed = serve(FILE), serve(FILE, accept_encoding="gzip, br")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == whole.body
    assert "content-encoding" not in whole.headers
    assert (packed.headers["vary"], packed.headers["etag"]) == (whole.headers["vary"], whole.headers["etag"])


def test_who_has_it_is_not_sent_it_again() -> None:
    first = serve(FILE, accept_encoding="gzip")
    again = serve(FILE, accept_encoding="gzip", if_none_match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert serve(FILE, if_none_match='W/"another"').status == 200


def test_a_head_has_no_body_and_nothing_is_written() -> None:
    assert (serve(FILE, "HEAD").status, serve(FILE, "HEAD").body) == (200, b"")
    assert serve(FILE, "POST").status == 405


def test_a_changed_file_is_another_one_at_once(tmp_path: Path, db: None) -> None:
    path = tmp_path / "some.js"
    path.write_text("1;" * 200)
    page: Any = application
    files = StaticFiles(page)
    files.add_file_to_dictionary("/static/some.js", str(path))
    before = serve("/static/some.js", application=files, accept_encoding="gzip")
    path.write_text("2;" * 300)
    after = serve("/static/some.js", application=files, accept_encoding="gzip", if_none_match=before.headers["etag"])
    assert (after.status, gzip.decompress(after.body).decode()) == (200, "2;" * 300)
    path.unlink()
    assert serve("/static/some.js", application=files).status == 404


@pytest.mark.parametrize(
    "path",
    ["../playground/urls.py", "%2e%2e/manage.py", "/etc/passwd", "..%2f..%2fetc/passwd", "js", "js/", "nothing.js"],
)
def test_no_other_files(path: str, db: None) -> None:
    assert serve(f"/static/{path}").status == 404
