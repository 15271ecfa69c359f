#!/usr/bin/python3
"""Do JSON files conform to a JSON Schema? schema.py SCHEMA FILE... prints those that do not; knows
the words that the schemas in docs use and no others."""
import json, re, sys

schema = None  # the one that "$ref" refers to
types = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(v, t):
    if t in ("number", "integer"):
        real = isinstance(v, (int, float)) and not isinstance(v, bool)
        return real and (t == "number" or v == int(v))
    return isinstance(v, types[t])


def any_type(v, t):
    return any(is_type(v, one) for one in (t if isinstance(t, list) else [t]))


def same(a, b):  # JSON knows true from 1
    return type(a) is type(b) and a == b or is_type(a, "number") and is_type(b, "number") and a == b


known = {"$ref", "$schema", "$defs", "title", "description", "type", "const", "enum", "oneOf",
         "anyOf", "properties", "required", "additionalProperties", "items", "minItems",
         "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
         "pattern", "minProperties"}


def fits(v, s):
    assert set(s) <= known, set(s) - known
    if "$ref" in s and not fits(v, schema["$defs"][s["$ref"].split("/")[-1]]): return False
    if "type" in s and not any_type(v, s["type"]): return False
    if "const" in s and not same(v, s["const"]): return False
    if "enum" in s and not any(same(v, c) for c in s["enum"]): return False
    if "oneOf" in s and sum(fits(v, c) for c in s["oneOf"]) != 1: return False
    if "anyOf" in s and not any(fits(v, c) for c in s["anyOf"]): return False
    if isinstance(v, str) and "pattern" in s and not re.search(s["pattern"], v): return False
    if is_type(v, "number"):
        if "minimum" in s and not v >= s["minimum"]: return False
        if "maximum" in s and not v <= s["maximum"]: return False
        if "exclusiveMinimum" in s and not v > s["exclusiveMinimum"]: return False
        if "exclusiveMaximum" in s and not v < s["exclusiveMaximum"]: return False
    if isinstance(v, list):
        if not s.get("minItems", 0) <= len(v) <= s.get("maxItems", len(v)): return False
        if "items" in s and not all(fits(w, s["items"]) for w in v): return False
    if isinstance(v, dict):
        if len(v) < s.get("minProperties", 0): return False
        if any(k not in v for k in s.get("required", [])): return False
        for k, w in v.items():
            rule = s.get("properties", {}).get(k, s.get("additionalProperties", True))
            if rule is False or isinstance(rule, dict) and not fits(w, rule): return False
    return True


if __name__ == "__main__":
    schema = json.load(open(sys.argv[1]))
    bad = [p for p in sys.argv[2:] if not fits(json.load(open(p)), schema)]
    print(*bad, sep="\n")
    sys.exit(bool(bad))
