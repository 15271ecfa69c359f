#!/usr/bin/python3
"""Problem files for the reader: lines "take JSON" for documents that use every field of the schema,
and "refuse JSON" for each of them with one value replaced by another of a kind that the schema
refuses there. Exits 1, naming them, when a field of the schema is in no document."""
import copy, json, os, sys

sys.path.insert(0, os.path.dirname(__file__))
sys.dont_write_bytecode = True
import schema as checker

checker.schema = schema = json.load(open("docs/problem.schema.json"))
entries = {kind: {next(iter(o["properties"])): next(iter(o["properties"].values()))
                  for o in schema["$defs"][kind]["oneOf"] if "properties" in o}
           for kind in ("regularizer", "set", "map", "coupling")}

square = [[1, 2], [3, 4]]
by_hand = {  # where the schema alone does not say what fits a block of 2 x 2
    "groups": [3, 1], "weights": 1, "a": 3, "b": 1, "height": 2, "lambda": 0.5, "lambda1": 0.5, "lambda2": 0.5,
    "delta": 1.5, "trace": 1, "q": 0.5, "gamma": 3, "theta": 1,
    "k": 1, "p": 1.5, "radius": 1, "low": -1, "high": 1, "lower": "-inf", "upper": [[1, "inf"], [1, 1]],
    "alpha": 2, "regularizer": "l1:1", "inner": "simplex:1", "scale": 2, "shift": square,
    "parts": [{"set": {"simplex": {"radius": 1}}, "shape": [2, 1]}, {"set": "nonneg", "shape": 2}],
}


def block(name="x", shape=(2, 2), **more):
    return {"name": name, "shape": list(shape), **more}


def document(**more):
    return {"crease": 1, "blocks": [block()], **more}


def sample(name, entry):
    arrays = {"weighted-l1": "lambda", "permutahedron": "a"}
    if "properties" not in entry: return square
    fields = {k: square if arrays.get(name) == k else by_hand[k] for k in entry["properties"]}
    if name == "box-hyperplane": fields.update(lower=-1, upper=square)
    return fields


def with_x(**more):
    return {"crease": 1, "blocks": [block("x", (3,)), block("y", (2,)), block("M"), block("U"),
                                    block("N", (2, 1)), block("P", (3, 1)), block("C", (1, 1)), block("V", (2, 1))],
            "options": {"method": "auto"}, **more}


maps = [2, [1, 2, 3], {"sum": {"maps": [{"zero": {}}, 1]}}, {"identity": {"scale": -2}}, {"diagonal": [1, 2, 3]},
        {"dense": [[1, 2, 3]]}, {"mask": [1, 0, 1]}, {"selection": [2, 0]},
        {"csr": {"rows": 2, "cols": 3, "start": [0, 2, 3], "col": [0, 2, 1], "value": [1, 2, 3]}},
        {"finite-difference": {"axis": 0}}, {"sum": {"maps": [1, {"identity": {}}], "scale": [1, 2]}},
        {"composition": {"outer": [1, 0], "inner": {"finite-difference": {}}, "between": 2}},
        {"scaled": {"scale": 2, "map": [1, 2, 3]}}, {"transposed": {"map": square + [[5, 6]], "shape": 2}},
        {"stack": {"maps": [1, [1, 2, 3]]}}, {"side-by-side": {"maps": [1, [1, 2]], "shapes": [1, [2]]}},
        {"gradient": {}}, {"kronecker": {"left": [[1], [2]], "right": [[1, 2, 3]]}},
        {"low-rank": {"u": [[1], [2]], "v": [[1], [2], [3]]}}, {"dct": {}},
        {"composition": {"outer": {"wavelet": {"levels": 1}}, "inner": {"finite-difference": {}}}},
        {"circular-convolution": {"kernel": [1, 2], "origin": [1]}}, {"convolution": {"kernel": [1, 2, 1, 0]}}]
predictor = {"terms": {"y": 1}, "rhs": [1, 2]}
couplings = [{name: predictor} for name in ("least_squares", "cauchy", "welsch", "geman", "tukey")] + [
    {"logistic": {"terms": {"y": 1}, "labels": [1, -1]}}, {"huber": {**predictor, "delta": 1.5}},
    {"lp_loss": {**predictor, "p": 1.5}}, {"quantile": {**predictor, "tau": 0.5, "delta": 0.1, "weights": [1, 2]}},
    {"polynomial": {**predictor, "coefficients": [1, 2]}}, {"squared_hinge": {"terms": {"y": 1}, "labels": [1, -1]}},
    {"poisson": {"terms": {"y": 1}, "counts": [1, 2]}},
    {"poisson_identity": {"terms": {"y": 1}, "counts": [1, 2], "offset": 5}},
    {"softmax": {"terms": {"M": 1}, "labels": [1, 0], "classes": 2}}, {"norm_power": {"a": "y", "power": 3, "d": [1, 2]}},
    {"quadratic": {"Q": {"y,y": [[1, 0], [0, 2]]}, "q": {"y": [5, 7]}}},
    {"squared_distance": {"a": "M", "b": "U", "d": square, "weight": 2}},
    {"multilinear": {"tensor": [[1, 0], [0, 0], [0, 2]], "blocks": ["x", "y"], "weight": 2}},
    {"matrix_factorization": {"x": "N", "y": "P", "target": 1}},
    {"matrix_factorization": {"x": "N", "y": "V", "z": "M"}},
    {"cp": {"factors": ["N", "P"], "rank": 1, "target": 1, "ridge": 0.1}},
    {"cp": {"factors": ["N", "V"], "rank": 1, "z": "M"}},
    {"tucker": {"factors": ["N", "P"], "core": "C", "target": [[1, 1, 1], [1, 1, 1]]}},
    {"tucker": {"factors": ["N", "V"], "core": "C", "z": "M"}},
    {"sum": {"terms": [{"squared_distance": {"a": "y"}}]}}]


def options():
    rules = schema["properties"]["options"]["properties"]
    return {k: r["enum"][0] if "enum" in r else 1 for k, r in rules.items()}


def documents():
    """Each with the path below which its values are replaced."""
    yield (), {**document(options=options()), "$schema": "s", "description": "d",
           "blocks": [block(start=square, regularizer="l1:1", set="simplex:1")]}
    yield ("blocks", 0, "start"), document(blocks=[block(start=0.5)])
    for kind, key in (("regularizer", "regularizer"), ("set", "set")):
        for name, entry in entries[kind].items():
            shape = (4,) if name == "tv1d" else (2, 2)
            yield ("blocks", 0, key), document(
                blocks=[block(shape=shape, **{key: {name: sample(name, entry)}})])
    for of in maps: yield ("constraint", "maps", "x"), with_x(constraint={"maps": {"x": of}})
    yield ("constraint",), with_x(constraint={"maps": {"M": 1}, "rhs": square, "shape": [2, 2], "multiplier": square})
    yield ("constraint",), with_x(constraint=[{"maps": {"M": 1, "U": 1}, "rhs": square, "multiplier": 1},
                                              {"maps": {"U": 2, "x": [[1, 0, 0]] * 4}}])
    for f in couplings: yield ("smooth",), with_x(smooth=[f])


def places(value, path=()):
    """Every value of the document, of a list its first."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for k, v in inside: yield from places(v, path + (k,))


def replaced(value, path, other):
    if not path: return other
    value = copy.copy(value)
    value[path[0]] = replaced(value[path[0]], path[1:], other)
    return value


def names(rule, seen):
    """The fields of objects that a schema has anywhere."""
    for k, v in rule.get("properties", {}).items():
        seen.add(k)
        names(v, seen)
    for word in ("oneOf", "anyOf"):
        for one in rule.get(word, []): names(one, seen)
    for word in ("items", "additionalProperties"):
        if isinstance(rule.get(word), dict): names(rule[word], seen)
    return seen


wanted = names(schema, set())
for rule in schema["$defs"].values(): names(rule, wanted)
for below, d in documents():
    assert checker.fits(d, schema), json.dumps(d)
    print("take", json.dumps(d))
    for path in places(d):
        wanted -= set(path)
        if path[:len(below)] != below: continue
        for other in ("1", True, None, 7, -0.5, [], [1], {}):
            wrong = replaced(d, path, other)
            if not checker.fits(wrong, schema): print("refuse", json.dumps(wrong))
if wanted: sys.exit("in no document: %s" % sorted(wanted))
