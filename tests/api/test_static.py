"""The page's files: whole, packed, with the headers of every answer, and not sent again to those who have them."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from django.templatetags.static import static

from playground.asgi import application
from playground.folders import ROOT
from playground.web.static_files import StaticFiles
from playground.web.versioned_files import version_of
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


def test_an_address_that_names_the_version_is_never_asked_for_again() -> None:
    address = static("vendor/preact.js")
    assert address != FILE
    told = serve(address, accept_encoding="gzip")
    assert told.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert told.body == serve(FILE, accept_encoding="gzip").body
    assert serve(FILE).headers["cache-control"] == "max-age=0, public"
    # A page of yesterday that asks for more finds what there is.
    assert serve(FILE.replace("/static/", "/static/~0123456789ab/")).status == 200


def test_a_changed_file_changes_the_addresses(tmp_path: Path, settings: Any) -> None:
    settings.STATICFILES_DIRS = [tmp_path]
    (tmp_path / "one.js").write_text("1")
    before = version_of()
    assert version_of() == before
    (tmp_path / "one.js").write_text("12")
    assert version_of() != before


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
