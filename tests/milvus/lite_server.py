"""A Milvus server of the tests' own: Milvus Lite in another process, to be killed, stopped and started again."""

import signal
import socket
import subprocess
import sys
import time


class Server:
    """A server on a free port of this machine; its data outlives it."""

    def __init__(self, folder):
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._process = None
        self.start()

    def start(self):
        command = [
            sys.executable,
            "-m",
            "milvus_lite",
            "server",
            "--data-dir",
            str(self._folder),
            "--host",
            "127.0.0.1",
        ]
        with (self._folder.parent / "server.log").open("ab") as log:
            self._process = subprocess.Popen([*command, "--port", str(self.port)], stdout=log, stderr=log)
        for _ in range(300):
            with socket.socket() as asked:
                if not asked.connect_ex(("127.0.0.1", self.port)):
                    return
            assert self._process.poll() is None, "the server ended"
            time.sleep(0.1)
        raise TimeoutError(self.url)

    def kill(self):
        self.thaw()
        self._process.kill()
        self._process.wait()

    def freeze(self):
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self._process.send_signal(signal.SIGCONT)
