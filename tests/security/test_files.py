"""Many files are an import's alone."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from playground import limits


def sent(files: int) -> Any:
    uploads = [SimpleUploadedFile(f"{number}.yaml", b"a: b") for number in range(files)]
    return Client().post("/accounts/login/", {"username": "ada", "password": "wrong", "file": uploads})


@pytest.mark.parametrize(("files", "status"), [(0, 200), (limits.OTHER_FILES, 200), (limits.OTHER_FILES + 1, 400)])
def test_a_login_with_files(exposed: None, files: int, status: int) -> None:
    assert sent(files).status_code == status
