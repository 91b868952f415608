"""The secret key of a local playground: generated once, and stored in DATA_DIR for its owner only."""

import os
import secrets
from pathlib import Path


def stored_secret_key(data_dir: Path) -> str:
    """Return the key in `data_dir`; generate it first if necessary. Concurrent processes get the same key."""
    path = data_dir / "secret_key"
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"secret_key.{os.getpid()}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(48))
        try:
            # Unlike a rename, a link never replaces the file of a faster process.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()
