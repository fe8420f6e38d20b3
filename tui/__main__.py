"""``python -m tui`` is ``outbound``."""

from tui.cli import main

if __name__ == "__main__":
    main()
