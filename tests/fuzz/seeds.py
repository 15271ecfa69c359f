# seeds.py DIR: small files of every format, one folder each, for the fuzzers to begin with.
import gzip, io, os, struct, sys
import numpy as np

home = sys.argv[1]


def put(kind, name, data):
    for folder in (kind, "door"):
        os.makedirs(f"{home}/{folder}", exist_ok=True)
        with open(f"{home}/{folder}/{kind}-{name}", "wb") as f:
            f.write(data)


def npy(x):
    b = io.BytesIO()
    np.save(b, x)
    return b.getvalue()


def npz(save, **arrays):
    b = io.BytesIO()
    save(b, **arrays)
    return b.getvalue()


x = np.arange(6.0).reshape(2, 3)
for k, t in enumerate(("<f8", ">f4", "<f2", "|u1", ">i8", "|b1")):
    put("npy", t[1:], npy(np.asarray(x.astype(t), order="CF"[k % 2])))
put("npy", "record", npy(np.zeros(2, dtype=[("a", "<f8"), ("b", "<i2", (2,)), ("t", "<U2")])))
put("npz", "stored", npz(np.savez, a=x, axis_0=np.arange(2.0), labels_1=np.array(["u", "v", "w"])))
put("npz", "packed", npz(np.savez_compressed, a=x, b=x))
put("csv", "plain", b"a,b\n1,2\n3,4\n")
put("csv", "names", b'"","x","y"\n"r1",1.5,NA\n"r2",,4\n')
put("csv", "comma", b"1,5;2\n3;4,25 # end\n")
put("mtx", "array", b"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n")
put("mtx", "sparse", b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 1\n3 2\n")
put("tns", "plain", b"# shape 2 2 2\n1 1 1 2.5\n2 2 1 -1\n")
put("tns", "head", b"3 2\n2 2 2\n1 1 1 2.5\n2 2 1 -1\n")
head = bytearray(352)
struct.pack_into("<i", head, 0, 348)
struct.pack_into("<8h", head, 40, 2, 2, 3, 1, 1, 1, 1, 1)
struct.pack_into("<hh", head, 70, 4, 16)
struct.pack_into("<8f", head, 76, 1, 2, 2, 1, 1, 1, 1, 1)
struct.pack_into("<3f", head, 108, 352, 2, 1)
head[344:348] = b"n+1\0"
put("nifti", "one", bytes(head) + bytes(12))
put("door", "gz", gzip.compress(npy(x)))
