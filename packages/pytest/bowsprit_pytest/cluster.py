"""Starts the program ``bowsprit`` and stops it. Nothing is downloaded, and nothing but Python is needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Sequence


class BowspritError(RuntimeError):
    """The program is not there, or did not start; the message says why and what to do."""


class Cluster:
    """A running cluster. ``with`` stops it at the end of its block."""

    def __init__(self, process: subprocess.Popen, folder: Path):
        self._process = process
        self._folder = folder
        #: The path of a kubeconfig with an administrator's credentials.
        self.kubeconfig = str(folder / "kubeconfig")

    def environment(self) -> dict[str, str]:
        """The environment of this process with the cluster in ``KUBECONFIG``: for a program that the test starts."""
        return {**os.environ, "KUBECONFIG": self.kubeconfig}

    def stop(self) -> None:
        """Stops the cluster and removes its kubeconfig; a second call does nothing."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start(nodes: int = 1, parts: str | None = None, flags: Sequence[str] = (), timeout: float = 60) -> Cluster:
    """Starts a cluster in memory on a free port; gives it when it answers.

    ``parts`` says what runs, of ``server,controllers,scheduler,nodes`` (all of them when None); ``flags`` are further
    flags of ``bowsprit up``; ``timeout`` is in seconds.
    """
    program = find()
    folder = Path(tempfile.mkdtemp(prefix="bowsprit-"))
    words = [program, "up", "--ephemeral", "--port", "0", "--until-stdin-ends", "--kubeconfig", str(folder / "kubeconfig")]
    words += ["--nodes", str(nodes), *([] if parts is None else ["--parts", parts]), *flags]
    try:
        with open(folder / "log", "wb") as log:
            process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise BowspritError(f"{program} cannot be started: {error}") from error
    cluster = Cluster(process, folder)
    deadline = time.monotonic() + timeout
    try:
        while not os.path.exists(cluster.kubeconfig):
            said = lambda: (folder / "log").read_text(errors="replace").strip()  # noqa: E731
            if process.poll() is not None:
                raise BowspritError(f"bowsprit ended with {process.returncode} before it was ready: {said()}")
            if time.monotonic() > deadline:
                raise BowspritError(f"bowsprit was not ready after {timeout:g} seconds: {said()}")
            time.sleep(0.005)
    except BaseException:
        process.kill()
        cluster.stop()
        raise
    return cluster


def find() -> str:
    """The program: what ``BOWSPRIT`` names, that of the ``node_modules`` here or above, or the one on the PATH."""
    named = os.environ.get("BOWSPRIT")
    if named:
        return named
    here = Path.cwd()
    for folder in (here, *here.parents):
        found = shutil.which("bowsprit", path=str(folder / "node_modules" / ".bin"))
        if found is not None:
            return found
    found = shutil.which("bowsprit")
    if found is None:
        raise BowspritError(
            "bowsprit was not found in node_modules here or above, nor on the PATH: "
            "npm install --save-dev bowsprit, or name the program in the environment variable BOWSPRIT"
        )
    return found
