# SPDX-License-Identifier: MIT
"""launch.py FD COMMAND...: runs it and writes {"cpu", "memory", "status"} of it to the file descriptor.

A process of its own, since a child counts what its parent had in memory when it was forked.
"""

import json
import os
import sys

pid = os.fork()
if pid == 0:
    os.close(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
said = {"cpu": usage.ru_utime + usage.ru_stime, "memory": 1024 * usage.ru_maxrss, "status": os.waitstatus_to_exitcode(status)}
os.write(int(sys.argv[1]), json.dumps(said).encode())
