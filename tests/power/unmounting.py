"""The end of a mount."""

import subprocess


def unmount(place: str) -> None:
    """End a mount, also if it is in use."""
    subprocess.run(["fusermount3", "-u", "-z", place], stderr=subprocess.DEVNULL, check=False)
