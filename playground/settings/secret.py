"""The secret key of a local playground: made once, kept under DATA_DIR, readable by its owner alone."""

import os
import secrets
from pathlib import Path


def stored_secret_key(data_dir: Path) -> str:
    """The key in `data_dir`; made when there is none. Processes that start together agree on one."""
    path = data_dir / "secret_key"
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"secret_key.{os.getpid()}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(48))
        try:
            # Unlike a rename, a link never replaces what another process was quicker to make.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()
