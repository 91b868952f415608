"""Limit the number of uploaded files. Only imports take many."""

from typing import Any

from django.core.exceptions import TooManyFilesSent
from django.core.files.uploadhandler import FileUploadHandler

from playground import limits
from playground.web.body_limit import takes_files


class FewFiles(FileUploadHandler):
    """The first upload handler: it counts the files. The other handlers store them."""

    count = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.count += 1
        path = "" if self.request is None else self.request.path
        if self.count > (limits.IMPORT_FILES if takes_files(path) else limits.OTHER_FILES):
            raise TooManyFilesSent

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
