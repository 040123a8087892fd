"""`python -m deniable`, and the script `deniable`: so light that Ctrl-C is heeded while the rest is still loading."""

from __future__ import annotations

import sys

from deniable import interrupts

INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    with interrupts.watched():
        try:
            from deniable.cli.quick_start import begin

            begin()
            from deniable.cli.main import main as run

            interrupts.check()
        except BaseException as error:
            if not interrupts.ended_by(error):
                raise
            print(interrupts.farewell(), file=sys.stderr)
            sys.exit(INTERRUPTED)
        try:
            run()
        finally:
            # All is said: what is left is Python's own tidying up, which would end in a traceback of its own.
            interrupts.ignore()


if __name__ == "__main__":
    main()
