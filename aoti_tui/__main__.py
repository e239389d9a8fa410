"""``python -m aoti_tui``."""

from aoti_tui.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
