"""Files of other programs against what they were made of. Run by libraries.sh in an empty folder."""
import json, os, resource, shutil, signal, subprocess, sys, time
import numpy as np

program = os.path.abspath(sys.argv[1])
rng = np.random.RandomState(7)
passed = failed = 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED", what)


def crease(*words, **more):
    return subprocess.run([program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=120, **more)


def reads(path, wanted, *options, says="", near=0):
    """path is read as this array; its notice has these words."""
    wanted = np.asarray(wanted, float)
    run = crease("convert", "--force", path, "out.npy", *options)
    got = np.load("out.npy") if run.returncode == 0 else None
    good = (got is not None and got.shape == wanted.shape and says in run.stderr
            and np.array_equal(np.isnan(got), np.isnan(wanted))
            and np.nanmax(np.abs(got - wanted)) <= near)
    check(good, f"{path}: exit {run.returncode}, {run.stderr.strip()} {None if got is None else got.shape}")


def refuses(path, *says, code=65):
    begun = time.time()
    run = crease("convert", "--force", path, "refused.npy")
    check(run.returncode == code and all(s in run.stderr for s in says) and time.time() - begun < 40
          and run.stderr.count("\n") == 1, f"{path}: exit {run.returncode}, {run.stderr.strip()}")


def axes_of(path):
    run = crease("info", "--json", path)
    return json.loads(run.stdout)["array"]["axes"] if run.returncode == 0 else run.stderr


def has(tool, named=None):
    """Is it there, and, where other programs have its name, the one that says so?"""
    told = subprocess.run([tool, "-version"], capture_output=True, text=True).stdout if named and shutil.which(tool) else ""
    if shutil.which(tool) and (not named or named in told):
        return True
    print(f"libraries: there is no {tool} here; its part is left out")
    return False


x = rng.randn(5, 4, 3)
image = rng.randint(0, 256, (6, 5)).astype("u1")
colours = rng.randint(0, 256, (6, 5, 3)).astype("u1")
gray = (colours / 255.0) @ [0.299, 0.587, 0.114]
film = rng.randint(0, 256, (6, 8, 12)).astype("u1")
open("probe", "w").write("1")


def builds(name):
    """Has this build what the format needs?"""
    return "this build has no" not in crease("info", "probe", "--read-as", name).stderr


def hdf5():
    import h5py
    big = rng.randn(300, 50, 7)
    with h5py.File("x.h5", "w") as f:
        f.create_dataset("g/x", data=x, chunks=(2, 3, 2), compression="gzip", shuffle=True)
    reads("x.h5", x)
    reads("x.h5:/g/x", x)
    reads("x.h5:g/x", x)
    refuses("x.h5:/g/y", "no array /g/y", "/g/x (5 x 4 x 3)", code=66)
    with h5py.File("big.h5", "w") as f:
        f.create_dataset("rows", data=big, chunks=(7, 50, 7), compression="gzip", fletcher32=True)
        f.create_dataset("across", data=big, chunks=(300, 3, 2), compression="gzip")
        f.create_dataset("lzf", data=big, compression="lzf")
        f["late"] = big
        f["late"].attrs["units"] = "V"
    for name in ("rows", "across", "late"):
        reads(f"big.h5:{name}", big)
    refuses("big.h5:lzf", "lzf", "h5repack")
    refuses("big.h5", "holds 4 arrays", "/rows (300 x 50 x 7)", code=64)
    for kind in ("i1", "u1", ">i2", "<u2", ">i4", "u4", "i8", "f2", ">f4", "f8", "bool"):
        a = (rng.randint(0, 2, (3, 4)) if kind == "bool" else rng.randint(-100 * (kind[-2] != "u"), 100, (3, 4)))
        with h5py.File("kind.h5", "w") as f:
            f["a"] = a.astype(kind)
        reads("kind.h5", a)
    with h5py.File("scaled.h5", "w") as f:
        d = f.create_dataset("t", data=np.array([[1, 2, -99], [3, -98, 5]], "i2"))
        d.attrs.update(scale_factor=0.5, add_offset=10.0, _FillValue=np.int16(-99), missing_value=np.int16(-98))
        f["lat"], f["who"] = np.array([10.0, 20.0]), np.array(["a", "µ", "cc"], dtype=h5py.string_dtype())
        f["lat"].make_scale("lat"), f["who"].make_scale()
        f["lat"].attrs["units"] = "degrees_north"
        d.dims[0].attach_scale(f["lat"]), d.dims[1].attach_scale(f["who"])
    reads("scaled.h5", [[10.5, 11, np.nan], [11.5, np.nan, 12.5]], says="2 entries are marked as missing")
    a = axes_of("scaled.h5")
    check("degrees_north" in json.dumps(a) and "lat" in json.dumps(a) and "cc" in json.dumps(a), f"axes {a}")
    with h5py.File("fixed.h5", "w") as f:
        d = f.create_dataset("t", data=np.ones(3))
        f["s"] = np.array([b"ab", b"c", b"def"])
        f["s"].make_scale("word"), d.dims[0].attach_scale(f["s"])
    check("def" in json.dumps(axes_of("fixed.h5")), f"words of fixed length {axes_of('fixed.h5')}")
    with h5py.File("odd.h5", "w") as f:
        f["c"], f["s"], f["zero"], f["empty"] = x + 1j, "text", 3.0, np.zeros((0, 4))
        f.create_dataset("ten", data=np.ones([1] * 10))
        f["link"], f["out"] = h5py.SoftLink("/nowhere"), h5py.ExternalLink("x.h5", "/g/x")
    for inner, says in (("c", "compound"), ("s", "text"), ("zero", "dimensions"), ("ten", "dimensions"),
                        ("link", "no array"), ("out", "no array")):
        refuses(f"odd.h5:{inner}", says, code=66 if says == "no array" else 65)
    check(crease("convert", "odd.h5:empty", "e.npy").returncode == 65, "an empty array")
    layout = h5py.VirtualLayout(shape=(5, 4, 3), dtype="f8")
    layout[:] = h5py.VirtualSource("x.h5", "g/x", shape=(5, 4, 3))
    with h5py.File("virtual.h5", "w") as f:
        f.create_virtual_dataset("v", layout)
    refuses("virtual.h5", "in other files")
    with h5py.File("bomb.h5", "w") as f:
        f.create_dataset("zeros", shape=(1 << 20, 1 << 20), chunks=(1024, 1024), compression="gzip", dtype="f8")
    refuses("bomb.h5", "more than 1000 times")
    with h5py.File("deep.h5", "w") as f:
        g = f
        for k in range(60):
            g = g.create_group(f"g{k}")
        g["x"] = x
        g["again"] = f["/"]
    check(crease("info", "deep.h5").returncode in (0, 65), "a loop of groups")
    with h5py.File("v73.mat", "w", userblock_size=512) as f:
        def put(name, a, kind="double"):
            f[name] = a
            f[name].attrs["MATLAB_class"] = np.bytes_(kind)
        put("x", x.transpose(2, 1, 0))
        put("s/y", x[0].T)
        put("word", np.array([[97], [98]], "u2"), "char")
        put("none", np.array([0, 5], "u8"))
        f["none"].attrs["MATLAB_empty"] = np.uint8(1)
        f.create_group("sp").attrs["MATLAB_sparse"] = np.uint64(3)
    with open("v73.mat", "r+b") as f:
        f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM")
    reads("v73.mat:x", x, says="MATLAB prints")
    reads("v73.mat:s.y", x[0])
    refuses("v73.mat:word", "char")
    refuses("v73.mat:none", "empty")
    refuses("v73.mat:sp", "sparse")


def netcdf():
    if not has("ncgen"):
        return
    with open("n.cdl", "w") as f:
        f.write("""netcdf n { dimensions: time = 2 ; x = 3 ; variables: double time(time) ; time:units = "days" ;
short t(time, x) ; t:scale_factor = 0.1 ; t:_FillValue = -1s ; data: time = 1, 2.5 ; t = 1, 2, _, 4, 5, 6 ; }""")
    subprocess.run(["ncgen", "-k", "nc4", "-o", "n.nc", "n.cdl"], check=True)
    reads("n.nc", 0.1 * np.array([[1, 2, np.nan], [4, 5, 6]]), near=1e-15)
    a = json.dumps(axes_of("n.nc"))
    check('"days"' in a and "2.5" in a and '"x"' in a, f"axes of netCDF {a}")


def mat():
    import scipy.io, scipy.sparse
    scipy.io.savemat("v5.mat", {"x": x, "rate": 3.0})
    scipy.io.savemat("v7.mat", {"x": x}, do_compression=True)
    scipy.io.savemat("v4.mat", {"y": x[0]}, format="4")
    reads("v5.mat", x)
    reads("v7.mat", x)
    reads("v4.mat", x[0])
    many = {"x": x, "s": {"z": x[1], "t": {"u": x[2]}}, "c": np.array([1, "a"], dtype=object), "w": "hello",
            "z": x + 1j, "p": scipy.sparse.csc_matrix(np.triu(x[0]) * (x[0] > 0)), "b": np.array([[True, False]]),
            "none": np.zeros((0, 3))}
    many.update({k: rng.randint(0, 100, (2, 3)).astype(k) for k in ("int8", "uint8", "int16", "uint16", "int32", "uint32",
                                                                    "int64", "uint64", "float32")})
    scipy.io.savemat("many.mat", many, do_compression=True)
    for name in ("x", "b", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32"):
        reads(f"many.mat:{name}", many[name])
    reads("many.mat:s.z", x[1])
    reads("many.mat:s.t.u", x[2])
    reads("many.mat:p", many["p"].toarray())
    for name, says in (("c", "cell"), ("s", "struct"), ("w", "char"), ("z", "complex"), ("none", "dimensions")):
        refuses(f"many.mat:{name}", says)
    refuses("many.mat", "arrays; name one", code=64)
    refuses("many.mat:q", "no array q", code=66)
    whole = open("v7.mat", "rb").read()
    for k in range(136, len(whole), 41):  # a bit anywhere in what is packed, or its end missing
        open("flip.mat", "wb").write(whole[:k] + bytes([whole[k] ^ 4]) + whole[k + 1:])
        refuses("flip.mat", "damaged")
    if has("octave-cli"):
        subprocess.run(["octave-cli", "-q", "--no-init-file", "--eval",
                        "x = reshape(1:24, 2, 3, 4); for v = {'-v6', '-v7', '-v4'} name = ['o' v{1} '.mat']; "
                        "if strcmp(v{1}, '-v4') x = x(:, :, 1); end; save(v{1}, name, 'x'); end"],
                       check=False, capture_output=True)
        o = np.arange(1, 25).reshape((2, 3, 4), order="F")
        reads("o-v6.mat", o)
        reads("o-v7.mat", o)
        reads("o-v4.mat", o[:, :, 0])
        crease("convert", "--force", "v5.mat:x", "back.mat")
        run = subprocess.run(["octave-cli", "-q", "--no-init-file", "--eval",
                              "a = load('back.mat').data; b = load('v5.mat').x; printf('%d', isequal(a, b))"],
                             capture_output=True, text=True)
        check(run.stdout == "1", f"Octave reads what is written: {run.stdout}")


def pnm(path, a):
    with open(path, "wb") as f:
        f.write(b"P%d\n# made here\n%d %d\n%d\n" % (6 if a.ndim == 3 else 5, a.shape[1], a.shape[0],
                                                    65535 if a.dtype.itemsize == 2 else 255))
        f.write(a.astype(">u2").tobytes() if a.dtype.itemsize == 2 else a.tobytes())


def images():
    deep = rng.randint(0, 65536, (6, 5)).astype("u2")
    pnm("g.pgm", image), pnm("c.ppm", colours), pnm("d.pgm", deep)
    reads("g.pgm", image / 255)
    reads("d.pgm", deep / 65535)
    reads("c.ppm", gray, says="made gray", near=1e-15)
    reads("c.ppm", colours / 255, "--colour")
    open("t.pgm", "w").write("P2\n3 2 # text\n9\n0 1 2\n3 4 9\n")
    reads("t.pgm", np.array([[0, 1, 2], [3, 4, 9]]) / 9)
    open("bits.pbm", "wb").write(b"P4\n10 2\n\xaa\x80\xff\x00")
    reads("bits.pbm", 1 - np.unpackbits(np.array([[0xAA, 0x80], [0xFF, 0]], "u1"), axis=1)[:, :10])
    os.mkdir("frames")
    for k in range(12):
        pnm(f"frames/f{k}.pgm", film[:, :, k])
        pnm(f"frames/n_{k:04d}.pgm", film[:, :, k])
    reads("frames/f*.pgm", film / 255)
    reads("frames/f%d.pgm", film / 255)
    reads("frames/n_%04d.pgm", film / 255)
    reads("frames/f?.pgm", film[:, :, :10] / 255)
    reads("frames/f*.pgm", film[:, :, 2:11:3] / 255, "--frames", "2:11:3")
    refuses("frames/q*.pgm", "no file matches", code=66)
    pnm("frames/f12.pgm", image)
    refuses("frames/f*.pgm", "f12.pgm has 6 x 5 pixels", "6 x 8")
    os.remove("frames/f12.pgm")
    open("huge.pgm", "wb").write(b"P5 60000 60000 255\n" + b"x" * 1000)
    refuses("huge.pgm", "pixels")
    if builds("png") and has("convert", named="ImageMagick"):
        subprocess.run(["convert", "g.pgm", "g.png"], check=True)
        subprocess.run(["convert", "c.ppm", "c.png"], check=True)
        subprocess.run(["convert", "c.ppm", "-alpha", "set", "-channel", "A", "-evaluate", "set", "40%", "a.png"], check=True)
        subprocess.run(["convert", "c.ppm", "-interlace", "PNG", "i.png"], check=True)
        subprocess.run(["convert", "g.pgm", "-depth", "8", "-define", "png:color-type=3", "p.png"], check=True)
        subprocess.run(["convert", "d.pgm", "-depth", "16", "d.png"], check=True)
        reads("g.png", image / 255)
        reads("d.png", deep / 65535)
        reads("p.png", image / 255, near=1e-15)
        for name in ("c.png", "a.png", "i.png"):
            reads(name, colours / 255, "--colour")
        subprocess.run(["convert", "c.ppm", "j.jpg"], check=True)
        check("JPEG" in crease("info", "j.jpg", "--read-as", "png").stderr, "JPEG is named")


def tiff():
    import tifffile
    pages = np.moveaxis(film, 2, 0).copy()
    plain = dict(photometric="minisblack")
    for kind, scale in (("u1", 255), ("u2", 65535), (">u2", 65535), ("f4", 0), (">f8", 0), ("i2", 0), ("u4", 0)):
        a = pages.astype(kind) if scale != 65535 else (pages.astype("u2") * 257).astype(kind)
        tifffile.imwrite("k.tif", a, byteorder=kind[0] if kind[0] == ">" else "<", **plain)
        reads("k.tif", film / 255 if scale else film)
    tifffile.imwrite("tile.tif", pages, tile=(16, 16), compression="deflate", **plain)
    tifffile.imwrite("strip.tif", pages, rowsperstrip=2, compression="deflate", predictor=True, **plain)
    tifffile.imwrite("big.tif", pages, bigtiff=True, **plain)
    for name in ("tile.tif", "strip.tif", "big.tif"):
        reads(name, film / 255)
    reads("big.tif", film[:, :, 1:9:4] / 255, "--frames", "1:9:4")
    q = pages.reshape(2, 3, 2, 6, 8)
    tifffile.imwrite("ij.tif", q, imagej=True, metadata={"axes": "TZCYX"})
    tifffile.imwrite("q.ome.tif", q, ome=True, metadata={"axes": "TZCYX"}, **plain)
    tifffile.imwrite("r.ome.tif", q, ome=True, metadata={"axes": "CTZYX"}, **plain)
    reads("ij.tif", q.transpose(3, 4, 2, 1, 0) / 255)
    reads("q.ome.tif", q.transpose(3, 4, 2, 1, 0) / 255)
    reads("r.ome.tif", q.transpose(3, 4, 2, 1, 0) / 255)
    check("channel" in json.dumps(axes_of("ij.tif")), "the axes of ImageJ")
    tifffile.imwrite("rgb.tif", colours, photometric="rgb")
    tifffile.imwrite("rgbp.tif", colours.transpose(2, 0, 1), photometric="rgb", planarconfig="separate")
    for name in ("rgb.tif", "rgbp.tif"):
        reads(name, colours / 255, "--colour")
        reads(name, gray, says="made gray", near=1e-15)
    tifffile.imwrite("white.tif", image, photometric="miniswhite")
    reads("white.tif", 1 - image / 255)
    for k in range(3):
        tifffile.imwrite(f"frames/t{k}.tif", pages[k], **plain)
    reads("frames/t*.tif", film[:, :, :3] / 255)
    if has("convert", named="ImageMagick"):
        subprocess.run(["convert", "g.pgm", "g.pgm", "-compress", "lzw", "l.tif"], check=True)
        reads("l.tif", np.dstack([image, image]) / 255)
        subprocess.run(["convert", "c.ppm", "-compress", "jpeg", "j.tif"], check=True, capture_output=True)
        refuses("j.tif", "JPEG")


def video():
    if not has("ffmpeg"):
        return

    def make(out, *options, source=("-i", "frames/f%d.pgm")):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-nostdin", *source, *options, out], check=True)

    make("f.mkv", "-c:v", "ffv1", "-pix_fmt", "gray")
    reads("f.mkv", film / 255)
    reads("f.mkv", film[:, :, 1:10:4] / 255, "--frames", "1:10:4")
    reads("f.mkv", film[:, :, 11:] / 255, "--frames", "11:")
    a = json.dumps(axes_of("f.mkv"))
    check('"time"' in a and '"s"' in a and "0.04" in a, f"times of frames {a[:200]}")
    make("d.mkv", "-c:v", "ffv1", "-pix_fmt", "gray10le")
    run = crease("info", "--json", "d.mkv")
    check('"scale": 65535' in run.stdout.replace("65535.0", "65535"), f"10 bits {run.stdout[:300]}{run.stderr}")
    for k in range(3):
        pnm(f"frames/c{k}.ppm", np.roll(colours, k, 0))
    make("c.mkv", "-c:v", "ffv1", "-pix_fmt", "bgr0", source=("-i", "frames/c%d.ppm"))
    reads("c.mkv", np.stack([np.roll(colours, k, 0) for k in range(3)], 3) / 255, "--colour")
    make("t.mp4", "-pix_fmt", "yuv420p", source=("-f", "lavfi", "-i", "testsrc=size=64x48:rate=30000/1001:duration=0.5"))
    for options, shape in (((), (48, 64, 15)), (("--size", "32x20"), (20, 32, 15)), (("--colour",), (48, 64, 3, 15))):
        run = crease("convert", "--force", "t.mp4", "out.npy", *options)
        check(run.returncode == 0 and np.load("out.npy").shape == shape, f"mp4 {options} {run.stderr}")
    make("turn.mp4", "-c", "copy", "-metadata:s:v", "rotate=90", source=("-i", "t.mp4"))
    run = crease("convert", "--force", "turn.mp4", "out.npy")
    check(run.returncode == 0 and np.load("out.npy").shape == (64, 48, 15), f"a turned video {run.stderr}")
    with open("list.mp4", "w") as f:  # a list of other files is no video
        f.write("#EXTM3U\n#EXTINF:1,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n")
    check(crease("info", "list.mp4").returncode == 65, "a playlist named .mp4")
    open("half.mp4", "wb").write(open("t.mp4", "rb").read()[:1500])
    check(crease("info", "half.mp4").returncode == 65, "half a video")
    check(crease("info", "t.mp4", "--frames", "100:").returncode == 64, "frames that are not there")
    check("install it" in crease("info", "t.mp4", env={"PATH": "/nowhere"}).stderr, "no ffmpeg")
    odd = film[:5, :7]
    np.save("odd.npy", odd / 255)
    for out, shape in (("w.mp4", (6, 8, 12)), ("w.gif", (5, 7, 12))):
        crease("convert", "--force", "odd.npy", out)
        crease("convert", "--force", out, "out.npy")
        got = np.load("out.npy")
        check(got.shape == shape and abs(got[:5, :7] - odd / 255).mean() < 0.1, f"{out} {got.shape}")


def limits():
    """Ctrl-C while a video is decoded ends the program and ffmpeg at once."""
    if not shutil.which("ffmpeg"):
        return
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-nostdin", "-f", "lavfi", "-i", "testsrc=size=640x480:rate=25:duration=8",
                    "-pix_fmt", "yuv420p", "long.mp4"], check=True)
    p = subprocess.Popen([program, "info", "long.mp4"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.4)
    begun = time.time()
    p.send_signal(signal.SIGINT)
    p.communicate()
    check(p.returncode != 0 and time.time() - begun < 2, f"Ctrl-C: {p.returncode} after {time.time() - begun:.2f} s")


for part, needs in ((hdf5, "h5"), (netcdf, "h5"), (mat, "mat"), (images, "pgm"), (tiff, "tiff"), (video, "mp4"),
                    (limits, "mp4")):
    if not builds(needs):
        print(f"libraries: this build has no {needs}; that part is left out")
        continue
    try:
        part()
    except ImportError as e:
        print(f"libraries: {e}; that part is left out")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
