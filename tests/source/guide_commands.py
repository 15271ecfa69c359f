"""guide_commands.py CREASE PAGE: every ```sh block of the page succeeds, in order and in one folder, and every line that is
quoted after it (indented by four blanks) is a line of what it printed."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

crease, page = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
blocks = re.findall(r"^```sh\n(.*?)^```\n((?:\n*(?:    [^\n]*\n))*)", pathlib.Path(page).read_text(), re.M | re.S)
if not any("crease " in code for code, _ in blocks):
    sys.exit(f"{page} has no command of crease")
with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    for pattern in ("problems/*.json", "data/*", "regression.awk"):
        for source in pathlib.Path("examples").glob(pattern):
            shutil.copy(source, work)
    (work / "bin").mkdir()
    (work / "bin/crease").symlink_to(crease)
    env = dict(os.environ, PATH=f"{work}/bin:/usr/bin:/bin")
    for code, quoted in blocks:
        run = subprocess.run(["bash", "-ec", code], cwd=work, env=env, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{page}: exit {run.returncode} of\n{code}{run.stderr}")
        printed = run.stdout.splitlines()
        for line in quoted.splitlines():
            if line.strip() and line[4:] not in printed:
                sys.exit(f"{page}: this is not printed: {line[4:]}\nbut\n{run.stdout}")
