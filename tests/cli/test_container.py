"""Files of the container image: health check, backups, configuration.

The image is healthy if the page is.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import tpserver
from tpserver.admin.offline import backup_directory
from tpserver.config import load

PLACE = Path(str(tpserver.__file__)).parent
IMAGE = (PLACE / "Containerfile").read_text()


def test_the_image_runs_a_configuration_with_backups_where_commands_find_them() -> None:
    """Commands without --config look where XDG_DATA_HOME says; the volumes are there, and belong to the server."""
    (command,) = re.findall(r"^CMD (\[.*\])$", IMAGE, re.MULTILINE)
    (source, place) = re.findall(r"^COPY (tpserver/\S+\.toml) (\S+)$", IMAGE, re.MULTILINE)[0]
    assert json.loads(command) == ["tpserver", "run", "--config", place]
    config = load(PLACE.parent / source)
    (data_home,) = re.findall(r"XDG_DATA_HOME=(\S+)", IMAGE)
    assert config.server.data == Path(data_home) / "tpserver"
    assert config.backup.every_hours > 0
    assert f"VOLUME {config.server.data}\n" in IMAGE
    assert f"-o tpserver -g tpserver {backup_directory(config)}\n" in IMAGE
    exposed = re.findall(r"^EXPOSE (.*)$", IMAGE, re.MULTILINE)[0].split()
    for section in (config.listen, config.web):
        assert (section.address, str(section.port) in exposed) == ("0.0.0.0", True)
    assert f"http://127.0.0.1:{config.web.port}/healthz" in IMAGE


def test_the_documented_words_keep_the_health_check_and_the_backups() -> None:
    """An image in the format of OCI has no health check."""
    assert re.search(r"^HEALTHCHECK ", IMAGE, re.MULTILINE)
    for text in (IMAGE, (PLACE / "HOSTING.md").read_text()):
        assert set(re.findall(r"podman build (.{15})", text)) == {"--format docker"}
        assert "-v tpserver-backups:/var/lib/tpserver/backups" in text
