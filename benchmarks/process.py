"""Time and peak memory of a process."""

import os
import subprocess
import sys
import time


def run(command):
    """Seconds of the clock, and the resources that a process used; ends the program if the process fails."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return time.perf_counter() - start, usage


def measured(command):
    """Seconds and peak resident bytes of a process. If the caller uses more memory, Linux counts that instead."""
    seconds, usage = run(command)
    return seconds, usage.ru_maxrss * 1024


def measured_apart(command):
    """The same for callers that use much memory."""
    script = [sys.executable, "-S", __file__, *map(str, command)]
    seconds, peak = subprocess.run(script, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), int(peak)


if __name__ == "__main__":
    print(*measured(sys.argv[1:]))
