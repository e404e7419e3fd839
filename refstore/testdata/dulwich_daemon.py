"""Serves the bare repositories below a folder by dulwich, to readers and writers.

dulwich_daemon.py PORT FOLDER
"""

import os
import sys

from dulwich.repo import Repo
from dulwich.server import Backend, TCPGitServer


class Folder(Backend):
    """Opens the repository that a client names."""

    def __init__(self, root):
        self.root = root

    def open_repository(self, path):
        name = path.decode() if isinstance(path, bytes) else path
        return Repo(os.path.join(self.root, os.path.basename(name)))


TCPGitServer(Folder(sys.argv[2]), "127.0.0.1", int(sys.argv[1])).serve_forever()
