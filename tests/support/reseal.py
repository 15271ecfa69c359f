"""reseal.py FOLDER...: the certificates of results are bound anew to their files, as one who edits a
result on purpose would do it; then only what the files say can show the edit."""
import hashlib
import json
import os
import sys


def stamp(path):
    with open(path, "rb") as f:
        text = f.read()
    return {"bytes": len(text), "hash": "sha256:" + hashlib.sha256(text).hexdigest()}


def reseal(folder, listed=None):
    """listed: the names to be listed; None: every plain file that is there"""
    path = os.path.join(folder, "certificate.json")
    with open(path) as f:
        document = json.load(f)
    if listed is None:
        listed = [os.path.relpath(os.path.join(d, name), folder)
                  for d, _, names in os.walk(folder) for name in names]
    document["files"] = {name: stamp(os.path.join(folder, name)) for name in sorted(listed)
                         if name != "certificate.json" and os.path.isfile(os.path.join(folder, name))}
    document.pop("seal", None)
    document["seal"] = "sha256:" + "0" * 64
    text = json.dumps(document, indent=1) + "\n"
    seal = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    head, tail = text.rsplit("sha256:" + "0" * 64, 1)
    with open(path, "w") as f:
        f.write(head + seal + tail)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        reseal(name)
