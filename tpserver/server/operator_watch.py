"""Messages to the operator about urgent problems, and scheduled backups."""

from __future__ import annotations

import time
from functools import partial

from tpserver.admin.backup_schedule import BackupSchedule
from tpserver.admin.offline import backup_directory
from tpserver.admin.operator_notices import DiskWatch, OperatorNotices, begin_running
from tpserver.config import BackupConfig
from tpserver.games.hall.registry import GameRegistry
from tpserver.server.process import Process
from tpserver.server.shutdown import Stage


class OperatorWatch:
    """Notifies the operator of crashes, suspended games, full disks and failed backups."""

    def __init__(self, process: Process) -> None:
        notices = process.config.notices
        self._process = process
        self.notices = OperatorNotices(process.reactor, notices.operator, process.config.server.name)
        self._backups: BackupSchedule | None = None
        self._scheduled: BackupConfig | None = None
        self.tell = self.notices.tell
        process.shutdown.add(Stage.CHECKS, self._stop_backups)
        process.shutdown.add(Stage.OPERATOR_MAIL, self.notices.stop)

    def start(self, registry: GameRegistry) -> None:
        """Begin to notify the operator, if addresses are configured."""
        config, tell, store, node = self._process.config, self.tell, registry.store, registry.node
        if not config.notices.operator:
            return
        from tpserver.admin.doctor import FREE_BYTES

        if begin_running(config.server.data, time.time(), self._process.launch.number):
            held = [row.name for row in registry.directory.rows() if row.state == "held"]
            text = "The server before did not stop as it was asked to; this one has taken its place. The log says more."
            tell("crash", "started after a crash", f"{text} Held games: {', '.join(held[:10]) or 'none'}.")
        if node is not None and node.went_back:
            tell("database", "the database has gone back", node.went_back)
        places = [config.server.data, backup_directory(config)]
        if store.file is not None and store.file.parent not in places:
            places.append(store.file.parent)

        def low(place: object, free: int) -> None:
            tell(f"disk {place}", "the disk is almost full", f"{free / 1e9:.1f} GB are free at {place}.")

        self._process.start(Stage.CHECKS, DiskWatch(self._process.reactor, places, 4 * FREE_BYTES, low))

    def schedule_backups(self) -> None:
        """Schedule backups by the present configuration, in place of an earlier one."""
        config, command = self._process.config, self._process.launch.backup_command
        if config.backup == self._scheduled:
            return
        self._scheduled = config.backup
        self._stop_backups()
        if config.backup.every_hours and command:
            directory, seconds = backup_directory(config), 3600 * config.backup.every_hours
            failed = partial(self.tell, "backup", "a backup has failed")
            self._backups = BackupSchedule(self._process.reactor, command, directory, seconds, time.time, failed)
            self._backups.start()

    def _stop_backups(self) -> None:
        if self._backups is not None:
            self._backups.stop()
            self._backups = None
