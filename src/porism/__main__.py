"""``python -m porism`` is ``porism``."""

from porism.cli import main

if __name__ == "__main__":
    main()
