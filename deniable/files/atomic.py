"""Files that appear whole or not at all, and not over another file unless asked."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from deniable import interrupts
from deniable.errors import FileError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def file_exists(path: Path, asked: Path | None = None) -> FileError:
    """The error for a file in the way, or for one that goes with the file that was asked for.

    >>> print(file_exists(Path("r.schema.json"), Path("r.csv")))
    r.schema.json, which goes with r.csv, exists already; choose another name, or overwrite it with force=True.
    """
    which = "{path}" if asked is None else "{path}, which goes with {asked},"
    parameters = {"path": str(path)} | ({} if asked is None else {"asked": str(asked)})
    return FileError(
        "file_exists", f"{which} exists already; choose another name, or overwrite it with force=True.", **parameters
    )


@contextlib.contextmanager
def replacing(path: Path, force: bool, private: bool = False) -> Iterator[Path]:
    """A temporary path beside `path`, moved there at the end if nothing went wrong, else removed. `private`: readable by its owner only."""
    if path.exists() and not force:
        raise file_exists(path)
    if not path.parent.is_dir():
        raise FileError("no_folder", "The folder {folder} does not exist.", folder=str(path.parent))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise FileError("cannot_write", "{path} cannot be written: {reason}.", path=str(path), reason=error.strerror) from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes files private; a result that is for others too gets the permissions any new file would have.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o600 if private else 0o666 & ~umask)
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        interrupts.check()
        temporary.replace(path)
        interrupts.wrote(path)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise FileError(
            "cannot_write", "{path} cannot be written: {reason}.", path=str(path), reason=os.strerror(error.errno)
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


def refuse_same(output: Path, *inputs: Path) -> None:
    """Refuse an output that is one of the inputs, forced or not."""
    for given in inputs:
        if output.exists() and given.exists() and output.resolve() == given.resolve():
            raise FileError("same_file", "{path} is an input; choose another name for the output.", path=str(output))


def write_text(path: Path, text: str, force: bool, private: bool = False) -> None:
    """Write a text file whole or not at all. `private`: readable by its owner only."""
    with replacing(path, force, private) as temporary:
        temporary.write_text(text, encoding="utf-8")
