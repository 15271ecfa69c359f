# rpca --foreground: the mask of what moves in a video against the truth and against its definition; refusals.
. "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1

# A textured still background in a light that drifts, squares that move, noise that differs by pixel, 8 bits.
$python - <<'PY'
import numpy as np
rng = np.random.default_rng(20261)
h, w, n = 30, 40, 60
t = np.arange(n)
back = 70 + 60 * np.add.outer(np.sin(np.arange(h) / 5), np.cos(np.arange(w) / 7)) / 2 + 12 * rng.normal(size=(h, w))
clip = back[:, :, None] * (1 + 0.05 * np.sin(t / 9)) + np.linspace(0, 8, w)[None, :, None] * np.sin(t / 4)
truth = np.zeros((h, w, n), bool)
for k, (y, size, speed, value) in enumerate([(4, 7, 1.1, 190), (17, 6, -1.6, 20), (22, 7, 2.1, 230)]):
    for j in t:
        x = int(round(12 * k + speed * j)) % (w + 2 * size) - size
        a, b = max(0, x), min(w, x + size)
        if a < b: clip[y:y + size, a:b, j], truth[y:y + size, a:b, j] = value, True
deviation = np.where(rng.random((h, w)) < 0.1, 7, 2)
clip = np.clip(np.round(clip + deviation[:, :, None] * rng.normal(size=clip.shape)), 0, 255)
np.save("clip.npy", clip.astype(np.uint8))
np.save("truth.npy", truth)
np.save("flat.npy", clip[:, :, 0])
holes = clip.copy()
holes[rng.random(clip.shape) < 0.05] = np.nan
holes[3, 5] = np.nan
np.save("holes.npy", holes)
PY

for case in "plain" "clean --clean median:5" "six --beyond 6 --rank 1" "whole --write all"; do
  set -- $case
  run "$CREASE" rpca clip.npy --foreground --quiet --out "$@"
  [ $code -eq 0 ] && [[ $out == *"foreground   "*" % of the entries"* ]]
  judge $? "$case: exit $code, $out $err"
  run "$CREASE" verify "$1"
  [ $code -eq 0 ] && [[ $out == VALID* ]]
  judge $? "verify $1: exit $code, $out $err"
done
run "$CREASE" rpca holes.npy --foreground --clean median:3 --missing nan --quiet --out holes
judge $code "missing entries: exit $code, $out $err"
run "$CREASE" report plain --out plain.html
judge $code "the page: exit $code, $err"
$python - <<'PY'
import json, numpy as np
clip, truth = np.load("clip.npy").astype(float), np.load("truth.npy")
def score(m, seen=True): return 2 * (m & truth & seen).sum() / ((m & seen).sum() + (truth & seen).sum())
def mask(folder): return np.load(folder + "/foreground.npy")
def by_definition(folder, beyond, data=clip):
    rest = np.abs(data - np.load(folder + "/lowrank.npy"))
    own = 1.4826 * np.sort(rest, axis=2)[:, :, rest.shape[2] // 2]  # of an even count the upper median
    return rest > beyond * np.maximum(own, np.sort(own.ravel())[own.size // 2])[:, :, None]
for folder, beyond in ("plain", 4), ("six", 6), ("whole", 4):
    got, j = mask(folder), json.load(open(folder + "/result.json"))
    assert set(np.unique(got)) == {0, 1} and got.shape == clip.shape
    assert ((got != 0) == by_definition(folder, beyond)).all(), folder
    about = j["details"]["foreground"]
    assert about["beyond"] == beyond and about["clean"] is None and abs(about["share"] - got.mean()) < 1e-12
    assert "foreground.npy" in j["files"]
assert json.load(open("clean/result.json"))["details"]["foreground"]["clean"] == "median:5"
assert json.load(open("plain/result.json"))["settings"]["merge"] == "0,1"
assert (mask("plain") == mask("whole")).all()
assert score(mask("plain") != 0) >= 0.85, score(mask("plain") != 0)
before = np.pad(mask("plain"), ((2, 2), (2, 2), (0, 0)), constant_values=np.nan)
around = np.lib.stride_tricks.sliding_window_view(before, (5, 5), axis=(0, 1))
assert (mask("clean") == (np.nanmean(around, axis=(-1, -2)) > 0.5)).all()
got = score(mask("holes") != 0, ~np.isnan(np.load("holes.npy")))
assert np.isfinite(mask("holes")).all() and got >= 0.8, got
PY
judge $? "masks"

run "$CREASE" rpca clip.npy --foreground --quiet --json
[ $code -eq 0 ] && [[ $out == *'"foreground": {'* ]]
judge $? "--json alone: exit $code, $err"
run "$CREASE" rpca clip.npy --foreground --dry-run --out x
[ $code -eq 0 ] && [[ $out == *foreground.npy* ]]
judge $? "--dry-run: exit $code, $out $err"
if command -v ffmpeg >/dev/null; then
  run "$CREASE" rpca clip.npy --foreground --format mp4 --quiet --out film
  [ $code -eq 0 ] && [ -s film/foreground.mp4 ] && [ -s film/lowrank.mp4 ]
  judge $? "--format mp4: exit $code, $err"
fi

expect_exit 65 "2 dimensions.*rows x columns x frames" rpca flat.npy --foreground --out x
expect_exit 64 "beyond 0 .*> 0" rpca clip.npy --foreground --beyond 0 --out x
expect_exit 64 "beyond -2 .*> 0" rpca clip.npy --foreground --beyond -2 --out x
expect_exit 64 "odd N" rpca clip.npy --foreground --clean median:4 --out x
expect_exit 64 "odd N" rpca clip.npy --foreground --clean mean:5 --out x
expect_exit 64 "beyond is of --foreground" rpca clip.npy --beyond 5 --out x
expect_exit 64 "clean is of --foreground" rpca clip.npy --clean median:5 --out x
expect_exit 64 "merges the axes 0,1" rpca clip.npy --foreground --merge 1,2 --out x
expect_exit 64 "foreground" rpca clip.npy --foreground --model tucker --out x

finish
