"""Runs a command from a small process, because Linux counts the parent's memory as the child's.

  run.py SECONDS COMMAND...

Prints JSON: exit code, seconds, peak resident bytes, and the last lines of the command's output and errors. Kills a
command that takes longer than SECONDS.
"""

import json
import os
import signal
import sys
import tempfile
import time


def main():
    limit, command = float(sys.argv[1]), sys.argv[2:]
    output, errors = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
    start = time.perf_counter()
    child = os.posix_spawn(
        command[0], command, os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, output.fileno(), 1), (os.POSIX_SPAWN_DUP2, errors.fileno(), 2)],
    )
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, limit)
    _, status, usage = os.wait4(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    seconds = time.perf_counter() - start

    def last(file):
        file.seek(0)
        lines = file.read().strip().splitlines()
        return lines[-1] if lines else ""

    code = os.waitstatus_to_exitcode(status)
    print(json.dumps({"code": code, "seconds": seconds, "peak": usage.ru_maxrss * 1024, "output": last(output),
                      "error": last(errors)}))


if __name__ == "__main__":
    main()
