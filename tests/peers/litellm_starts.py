"""LiteLLM's own command, imported once: python litellm_starts.py, in the environment that scripts/env litellm makes.

Each line that it reads, ``{"words": [...], "log": path}``, is a proxy of its own: a process that is forked from here
and runs ``litellm`` with these words. Its id is answered, and ``{"end": id}`` ends it. All of them end with this one.
"""

import json
import os
import signal
import sys
from importlib.metadata import version

import litellm.proxy.proxy_server  # noqa: F401  # seconds, once for all
from litellm.proxy.proxy_cli import run_server


def started(words: list[str], log: str) -> int:
    process = os.fork()
    if process:
        return process
    told = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(told, 1)
    os.dup2(told, 2)
    try:
        run_server(words, standalone_mode=False)
    finally:
        os._exit(1)


def end(process: int) -> None:
    os.kill(process, signal.SIGKILL)  # nothing of it is kept, and a graceful end waits for open streams
    os.waitpid(process, 0)


def main() -> None:
    running: set[int] = set()
    print(json.dumps({"version": version("litellm")}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "end" in asked:
            end(asked["end"])
            running.remove(asked["end"])
            print(json.dumps({"ended": asked["end"]}), flush=True)
        else:
            process = started(asked["words"], asked["log"])
            running.add(process)
            print(json.dumps({"process": process}), flush=True)
    for process in running:
        end(process)
    os._exit(0)  # what LiteLLM does when it ends takes seconds, and nothing of it is kept


if __name__ == "__main__":
    main()
