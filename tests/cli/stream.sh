# Tensors of several slabs are converted part after part, in any order of their dimensions, to the same entries.
. "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
"$python" - <<'END' || exit 1
import numpy as np
t = (np.arange(2 * 1500 * 1700, dtype="f4") % np.float32(65536)).reshape(2, 1500, 1700)
np.save("t.npy", t)
np.save("fortran.npy", np.asfortranarray(t.astype("i4")))
try:
    import h5py
    with h5py.File("t.h5", "w") as f:
        f.create_dataset("x/packed", data=t, chunks=(1, 100, 1700), compression="gzip", compression_opts=1)
        d = f.create_dataset("whole", data=t)
        d.dims[1].label = "emission"
except ImportError:
    pass
END

# converts IN OUT FROM NAME OPTION...: OUT is the array NAME of numpy with its dimensions in the order FROM
converts() {
    local in=$1 to=$2 from=$3 member=$4
    shift 4
    run "$CREASE" convert "$in" "$to" "$@" --force
    [ $code -eq 0 ] && "$python" - "$to" "$from" "$member" <<'END'
import sys, numpy as np
path, order, member = sys.argv[1:]
wanted = np.load("t.npy").transpose([int(k) for k in order.split(",")])
if member == "-":
    found = np.load(path, mmap_mode="r")
    assert not found.flags.f_contiguous
else:
    import h5py
    d = h5py.File(path, "r")[member]
    assert d.chunks is None and d.id.get_offset() % 4096 == 0
    found = d[()]
assert found.dtype in (np.dtype("<f8"), np.dtype("<f4")), found.dtype
assert found.shape == wanted.shape and np.array_equal(found, wanted)
END
    judge $? "crease convert $in $to $*: $err"
}
converts t.npy a.npy 0,1,2 - --as f4
converts t.npy b.npy 2,0,1 - --transpose 2,0,1 --as f4
converts fortran.npy c.npy 1,2,0 - --transpose 1,2,0 --as f4
if [ -f t.h5 ]; then
    converts t.h5:/whole d.h5 0,1,2 data
    [ "$("$python" -c 'import h5py; print(h5py.File("d.h5")["data"].dims[1].label)')" = emission ]
    judge $? "the names of dimensions go along"
    converts t.h5:/x/packed e.npy 1,0,2 - --transpose 1,0,2 --as f4
    converts t.h5:/whole f.npy 0,1,2 - --as f4
    [ -f f.axes.json ]
    judge $? "names that the file cannot hold go beside it"
fi
run "$CREASE" convert t.npy m.npy --merge 0,1 --as f4 --json
[ $code -eq 0 ] && [ "$("$python" -c 'import numpy as np; print(np.load("m.npy", mmap_mode="r").shape)')" = "(3000, 1700)" ]
judge $? "dimensions are merged"

# An instance of several slabs is drawn as it is written.
run "$CREASE" generate cp --shape 2,1450,1450 --rank 2 --outliers 0.01 --seed 3 --out instance
[ $code -eq 0 ] && "$python" - <<'END'
import numpy as np
t, l, s, n = (np.load(f"instance/{k}.npy", mmap_mode="r") for k in ("tensor", "lowrank", "sparse", "noise"))
x = [np.load(f"instance/factor_{k}.npy") for k in (1, 2, 3)]
assert np.array_equal(t, l + s + n)
assert np.count_nonzero(s) == round(0.01 * t.size) and 0.9e-3 < n.std() < 1.1e-3
assert np.allclose(l[1], (x[1] * x[0][1]) @ x[2].T, rtol=0, atol=1e-12)
END
judge $? "the parts of a large instance: exit $code, $err"

# A full disk is refused before the first part.
ulimit -f 1000
run "$CREASE" convert t.npy large.npy
[ $code -eq 74 ] && grep -q "for which there is no room" <<<"$err" && [ ! -e large.npy ] && [ -z "$(find . -name '*.tmp')" ]
judge $? "a file beyond the limit is refused: exit $code, $err"
finish
