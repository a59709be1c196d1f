#!/usr/bin/env python3
"""Compares attention operators with what ONNX Runtime makes of them: graft's kernels, and graft's decompositions.

Usage: contrib_attention_test.py RUN_MODEL LOWER_MODEL

RUN_MODEL and LOWER_MODEL are the programs graft_run_model and graft_lower_model. Fails where an output is more than
1e-5 off, or 4e-3 in f16, where an operator is left, or where one of them is refused that ought to be taken. Rows that
hide all keys are compared with what the standard has, and the runtime with what its release is known to have.
"""

import itertools
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import sessions
from onnx import helper, numpy_helper

TOLERANCE, HALF_TOLERANCE = 1e-5, 4e-3
BATCH, STEPS, HEADS, GROUPS, SIZE = 2, 3, 4, 2, 16
HIDDEN = HEADS * SIZE
random = np.random.default_rng(0)


def floats(*dims):
    return random.standard_normal(dims).astype(np.float32)


class Case:
    """One node. Inputs are arrays by name, None where they are absent; dims named in `open` are symbols."""

    def __init__(self, name, op, inputs, outputs=1, lowered=True, rows=None, constants=(), **attributes):
        self.name, self.inputs, self.lowered, self.rows = f"{op} {name}", inputs, lowered, rows
        self.domain = "" if op == "Standard" else "com.microsoft"
        self.op = "Attention" if op == "Standard" else op
        self.outputs = [f"y{i}" for i in range(outputs)]
        self.attributes, self.constants = attributes, constants

    def model(self, symbolic):
        def dims(name, array):
            if not symbolic or name in ("weight", "bias", "total", "cosines", "sines"):
                return array.shape
            widths = array.ndim - 1 if array.ndim in (3, 4) and name not in MASKS else array.ndim
            return [f"{name}_{i}" if i < widths and not (i == 1 and array.ndim == 4) and i > 0 else
                    "batch" if i == 0 and extent == BATCH else extent for i, extent in enumerate(array.shape)]

        given = {name: array for name, array in self.inputs.items() if array is not None}
        infos = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), dims(name, array))
                 for name, array in given.items() if name not in self.constants]
        node = helper.make_node(self.op, [name if array is not None else "" for name, array in self.inputs.items()],
                                self.outputs, domain=self.domain, **self.attributes)
        dtype = helper.np_dtype_to_tensor_dtype(
            next(array.dtype for array in given.values() if array.dtype.kind == "f"))
        stored = helper.np_dtype_to_tensor_dtype(given["past_key"].dtype) if "past_key" in given else dtype
        results = [helper.make_tensor_value_info(name, stored if i in (1, 2) else dtype, None)
                   for i, name in enumerate(self.outputs)]
        for result in results:
            result.type.tensor_type.ClearField("shape")
        graph = helper.make_graph([node], "case", infos, results,
                                  [numpy_helper.from_array(given[name], name) for name in self.constants])
        opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def feeds(self):
        return {name: np.asarray(array) for name, array in self.inputs.items()
                if array is not None and name not in self.constants}


MASKS = ("mask", "added")
LOWEST = np.finfo(np.float32).min


def hiding(*dims):
    """To be added: some rows see nothing."""
    mask = np.where(random.random(dims) < 0.4, LOWEST, 0).astype(np.float32)
    mask[0, ..., 0, :] = LOWEST
    return mask


def attention():
    def inputs(mask=None, past=None, added=None, width=3 * HIDDEN, bias=True):
        return {"x": floats(BATCH, STEPS, 16), "weight": floats(16, width) * 0.3,
                "bias": floats(width) if bias else None, "mask": mask, "past": past, "added": added}

    def case(name, given, outputs=1, lowered=True, **attributes):
        return Case(name, "Attention", given, outputs, lowered, constants=("weight", "bias"), num_heads=HEADS,
                    **attributes)

    yield case("plain", inputs())
    yield case("scale", inputs(), scale=0.3)
    yield case("unidirectional", inputs(), unidirectional=1)
    yield case("sizes", inputs(width=2 * HIDDEN + 24), qkv_hidden_sizes=[HIDDEN, HIDDEN, 24])
    for dims in (BATCH, HEADS), (1, HEADS), (BATCH, 1), (1, 1):
        yield case(f"attention_bias {dims}", inputs(added=hiding(*dims, STEPS, STEPS)))
    masks = {"ends": np.array([2, 3], np.int32), "starts": np.array([3, 3, 1, 0], np.int32),
             "keys": np.array([[0, 1, 1], [0, 0, 0]], np.int32),
             "rows": random.integers(0, 2, (BATCH, STEPS, STEPS)).astype(np.int32)}
    for name, mask in masks.items():
        for attributes in {}, {"unidirectional": 1}, {"mask_filter_value": float(LOWEST)}:
            yield case(f"mask of {name} {attributes}", inputs(mask=mask), lowered=name != "starts", **attributes)
    for steps in 0, 4:
        past = floats(2, BATCH, HEADS, steps, SIZE)
        yield case(f"past of {steps}", inputs(past=past), outputs=2)
        yield case(f"past of {steps}, unidirectional", inputs(past=past), outputs=2, unidirectional=1)


def quantized():
    def case(name, scales=(), dtype=np.int8, zeros=1, mask=None, past=None, outputs=1, **attributes):
        # int8 ones of 7 bits: sums of wider ones saturate where there is no VNNI.
        lowest, highest, middle = (-64, 64, 0) if dtype == np.int8 else (0, 256, 128)
        inputs = {"x": random.integers(0, 256, (BATCH, STEPS, 16), np.uint8),
                  "weight": random.integers(lowest, highest, (16, 3 * HIDDEN), dtype),
                  "bias": floats(3 * HIDDEN), "scale": np.float32(0.02),
                  "weight_scale": np.asarray(random.random(scales) * 0.004 + 0.001, np.float32), "mask": mask,
                  "zero": np.uint8(131),
                  "weight_zero": np.asarray(random.integers(middle, middle + zeros, scales), dtype), "past": past}
        return Case(name, "QAttention", inputs, outputs, constants=("weight", "bias"), num_heads=HEADS, **attributes)

    for dtype in np.int8, np.uint8:
        for scales in (), (1,), (3 * HIDDEN,):
            yield case(f"{dtype.__name__}, scales {scales}", scales, dtype)
    yield case("zero points of columns", (3 * HIDDEN,), zeros=9)
    yield case("unidirectional", unidirectional=1)
    for mask in np.array([2, 3], np.int32), np.array([[0, 1, 1], [0, 0, 0]], np.int32):
        for attributes in {}, {"unidirectional": 1}, {"mask_filter_value": float(LOWEST)}:
            yield case(f"mask {mask.tolist()} {attributes}", mask=mask, **attributes)
    for attributes in {}, {"unidirectional": 1}:
        yield case(f"past {attributes}", past=floats(2, BATCH, HEADS, 4, SIZE), outputs=2, **attributes)


def multi_head():
    def inputs(keys=STEPS, bias=None, mask=None, added=None, past=None, value_size=SIZE, by_heads=False):
        key, value = floats(BATCH, keys, HIDDEN), floats(BATCH, keys, HEADS * value_size)
        if by_heads:
            key, value = floats(BATCH, HEADS, keys, SIZE), floats(BATCH, HEADS, keys, value_size)
        before = [None, None] if past is None else [floats(BATCH, HEADS, past, SIZE) for _ in range(2)]
        return {"query": floats(BATCH, STEPS, HIDDEN), "key": key, "value": value, "bias": bias, "mask": mask,
                "added": added, "past_key": before[0], "past_value": before[1]}

    def case(name, given, outputs=1, **attributes):
        return Case(name, "MultiHeadAttention", given, outputs, num_heads=HEADS, **attributes)

    yield case("plain", inputs())
    yield case("scale", inputs(), scale=0.3)
    yield case("other keys", inputs(5))
    yield case("bias", inputs(bias=floats(3 * HIDDEN)))
    yield case("other size of values", inputs(5, value_size=6))
    yield case("by heads", inputs(5, by_heads=True))
    yield case("unidirectional", inputs(), unidirectional=1)
    for dims in (BATCH, HEADS), (1, HEADS), (BATCH, 1), (1, 1):
        yield case(f"attention_bias {dims}", inputs(5, added=hiding(*dims, STEPS, 5)))
    yield case("mask of keys", inputs(mask=np.array([[0, 1, 1], [0, 0, 0]], np.int32)))
    yield case("mask of ends", inputs(mask=np.array([2, 3], np.int32)))
    for steps in 0, 4:
        yield case(f"past of {steps}", inputs(past=steps), outputs=3)
        yield case(f"past of {steps} and mask", inputs(past=steps, added=hiding(BATCH, 1, STEPS, STEPS + steps)),
                   outputs=3)
        yield case(f"past of {steps}, unidirectional", inputs(past=steps), outputs=3, unidirectional=1)


def group_query():
    def inputs(past, steps, batch=BATCH, lengths=None, packed=False, rotary=False, added=None):
        total = past + steps
        lengths = np.full(batch, total, np.int32) if lengths is None else np.array(lengths, np.int32)
        key, value = (floats(batch, steps, GROUPS * SIZE) for _ in range(2))
        width = (HEADS + 2 * GROUPS) * SIZE if packed else HIDDEN
        angles = np.outer(np.arange(16), 0.3 ** np.arange(SIZE // 2)).astype(np.float32)
        return {"query": floats(batch, steps, width), "key": None if packed else key,
                "value": None if packed else value, "past_key": floats(batch, GROUPS, past, SIZE),
                "past_value": floats(batch, GROUPS, past, SIZE), "lengths": lengths - 1,
                "total": np.array(total, np.int32), "cosines": np.cos(angles) if rotary else None,
                "sines": np.sin(angles) if rotary else None, "positions": None, "added": added}

    def case(name, given, **attributes):
        # What pads a batch means nothing.
        rows = [slice(int(length) + 1 if given["past_key"].shape[2] == 0 else None) for length in given["lengths"]]
        return Case(name, "GroupQueryAttention", given, 3, rows=rows, num_heads=HEADS, kv_num_heads=GROUPS,
                    **attributes)

    for past, steps, batch in (0, 3, 2), (4, 1, 2), (4, 3, 1), (0, 1, 2):
        name = f"{steps} behind {past}"
        yield case(name, inputs(past, steps, batch))
        yield case(f"{name}, scale", inputs(past, steps, batch), scale=0.3)
        yield case(f"{name}, packed", inputs(past, steps, batch, packed=True))
        for interleaved in 0, 1:
            yield case(f"{name}, rotary {interleaved}", inputs(past, steps, batch, rotary=True), do_rotary=1,
                       rotary_interleaved=interleaved)
        yield case(f"{name}, window", inputs(past, steps, batch), local_window_size=2)
        yield case(f"{name}, softcap", inputs(past, steps, batch), softcap=1.5)
        yield case(f"{name}, attention_bias", inputs(past, steps, batch, added=floats(batch, 1, steps, past + steps)))
    yield case("padded prompt", inputs(0, 4, lengths=[2, 4]))
    yield case("uneven past", inputs(5, 1, lengths=[3, 6]))
    yield case("uneven past, rotary", inputs(5, 1, lengths=[3, 6], rotary=True), do_rotary=1)


def integer_caches():
    """Where this release has the kernel."""
    if sessions.RELEASE < (1, 27):
        return
    for case in group_query():
        given = case.inputs
        if len(set(given["lengths"])) > 1:
            continue  # steps behind the shorter ones are not defined
        for bits, kind in itertools.product((8, 4), ("PER_TENSOR", "PER_CHANNEL")):
            past = given["past_key"].shape[:3]
            caches = {name: random.integers(-128, 128, (*past, SIZE)).astype(np.int8) if bits == 8 else
                      random.integers(0, 256, (*past, SIZE // 2)).astype(np.uint8)
                      for name in ("past_key", "past_value")}
            dims = (1, GROUPS, 1, SIZE) if kind == "PER_CHANNEL" else (1,)
            scales = {name: (0.5 + random.random(dims)).astype(np.float32) * 2 / (1 << (bits - 1))
                      for name in ("key_scale", "value_scale")}
            yield Case(f"{case.name} in {bits} bits, {kind}", case.op, given | caches | {"sink": None} | scales, 3,
                       rows=case.rows, lowered=False, k_quant_type=kind, v_quant_type=kind, kv_cache_bit_width=bits,
                       **case.attributes)


def halved(inputs):
    """The same in f16."""
    return {name: array.astype(np.float16) if array is not None and array.dtype == np.float32 else array
            for name, array in inputs.items()}


def standard():
    def inputs(mask=None, past=None, groups=HEADS, keys=STEPS, flat=False):
        before = [None, None] if past is None else [floats(BATCH, groups, past, SIZE) for _ in range(2)]
        q, k, v = (floats(BATCH, *dims, SIZE) for dims in ((HEADS, STEPS), (groups, keys), (groups, keys)))
        if flat:
            q, k, v = (x.transpose(0, 2, 1, 3).reshape(BATCH, x.shape[2], -1) for x in (q, k, v))
        return {"q": q, "k": k, "v": v, "mask": mask, "past_key": before[0], "past_value": before[1]}

    def case(name, given, outputs=1, **attributes):
        return Case(name, "Standard", given, outputs, **attributes)

    yield case("plain", inputs())
    yield case("scale", inputs(), scale=0.3)
    yield case("joined heads", inputs(flat=True), q_num_heads=HEADS, kv_num_heads=HEADS)
    yield case("joined groups", inputs(flat=True, groups=GROUPS), q_num_heads=HEADS, kv_num_heads=GROUPS)
    yield case("groups", inputs(groups=GROUPS))
    yield case("causal", inputs(), is_causal=1)
    yield case("softcap", inputs(), softcap=1.5)
    yield case("mask", inputs(hiding(BATCH, 1, STEPS, STEPS)))
    yield case("mask of rank 2", inputs(hiding(1, STEPS, STEPS)[0]))
    yield case("bool mask", inputs(np.array([[[[1, 0, 1]] * 3]] * BATCH, bool)))
    nothing = np.ones((1, 1, STEPS, STEPS), bool)
    nothing[..., 1, :] = False
    yield case("bool mask of a row that hides all", inputs(nothing))
    padded = np.zeros((BATCH, 1, STEPS, STEPS), np.float32)
    padded[..., 0] = LOWEST
    yield case("causal with padding", inputs(padded), is_causal=1)
    yield case("causal with a bool mask", inputs(padded == 0), is_causal=1)
    yield case("causal with a past", inputs(past=4), outputs=3, is_causal=1)
    yield case("f16", halved(inputs()))
    yield case("f16, bool mask of a row that hides all", halved(inputs(nothing)))
    yield case("f16, causal with a past", halved(inputs(past=4, groups=GROUPS)), outputs=3, is_causal=1)
    yield case("past", inputs(past=4, groups=GROUPS), outputs=3)
    yield case("past and mask", inputs(hiding(BATCH, 1, STEPS, 4 + STEPS), past=4, groups=GROUPS), outputs=3)


def of_hidden_rows(case):
    """Where the mask of the main domain's Attention hides all keys of a row; what the standard has there, and what this
    release has: it takes the lowest number for hidden, while the standard adds it."""
    mask, v = case.inputs.get("mask"), case.inputs.get("v")
    if case.domain or mask is None:
        return None
    if case.inputs["past_value"] is not None:
        v = np.concatenate([case.inputs["past_value"], v], 2)
    v = np.repeat(v, HEADS // v.shape[1], 1)
    keys = v.shape[2]
    visible = np.tri(STEPS, keys, keys - STEPS) if case.attributes.get("is_causal") else np.ones((STEPS, keys))
    shown = (mask if mask.dtype == bool else mask > LOWEST) & (visible > 0)
    average = visible / visible.sum(-1, keepdims=True) @ v
    return (np.broadcast_to(~shown.any(-1), (BATCH, HEADS, STEPS)), average * (mask.dtype != bool),
            np.broadcast_to(v.mean(2, keepdims=True) * (not sessions.HIDDEN_ROWS_ARE_ZERO), average.shape))


def ran(model, feeds, optimize=True):
    return sessions.session(model, optimize=optimize).run(None, feeds)


def evaluated(program, model, case, folder):
    """What graft's executor makes of it."""
    for i, array in enumerate(case.feeds().values()):
        (folder / f"input_{i}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    done = subprocess.run([program, model, folder], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return [numpy_helper.to_array(onnx.load_tensor(folder / f"graft_{i}.pb")) for i in range(len(case.outputs))]


def lowered(program, model, case, folder):
    """What the runtime makes of its decomposition; nothing if it is left, as it is to be."""
    result = folder / "lowered.onnx"
    done = subprocess.run([program, "decompose_attentions", model, result], stderr=subprocess.PIPE, text=True,
                          check=False)
    if not case.lowered and "nothing changed" in done.stderr:
        return None
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    if any("Attention" in node.op_type or node.domain for node in onnx.load(result).graph.node):
        raise RuntimeError("an operator is left")
    return ran(str(result), case.feeds())


def complaint(expected, actual, case):
    """What is wrong; nothing if all is well."""
    for i, (theirs, ours) in enumerate(zip(expected, actual)):
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            return f"output {i} is {ours.dtype}{ours.shape} instead of {theirs.dtype}{theirs.shape}"
        pairs = [(ours, theirs)]
        hidden = of_hidden_rows(case)
        if hidden and i == 0:
            rows, standard, of_release = hidden
            pairs = [(ours[~rows], theirs[~rows]), (ours[rows], standard[rows]), (theirs[rows], of_release[rows])]
        if case.rows and i == 0:
            pairs = [(ours[b, rows], theirs[b, rows]) for b, rows in enumerate(case.rows)]
        worst = max(float(np.max(np.abs(one - other), initial=0)) for one, other in pairs)
        if not worst <= (HALF_TOLERANCE if theirs.dtype == np.float16 else TOLERANCE):
            return f"output {i} is {worst:.1e} off"
    return None


def check(case, symbolic, what, program):
    """What is wrong; nothing if all is well."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / "given.onnx"
        onnx.save(case.model(symbolic), model)
        try:
            actual = what(program, model, case, folder)
            return None if actual is None else complaint(ran(str(model), case.feeds()), actual, case)
        except Exception as error:  # the runtime's own exceptions have no common base
            return (str(error) or "failed").splitlines()[0]


def main():
    run_model, lower_model = sys.argv[1:3]
    failed = count = 0
    evaluations = [(False, evaluated, run_model)]
    everything = [*evaluations, (False, lowered, lower_model), (True, lowered, lower_model)]
    cases = [(case, everything) for case in [*attention(), *multi_head(), *group_query(), *standard()]]
    for case, checks in [*cases, *((case, evaluations) for case in [*quantized(), *integer_caches()])]:
        for symbolic, what, program in checks:
            count += 1
            wrong = check(case, symbolic, what, program)
            if wrong:
                failed += 1
                print(f"FAILED  {case.name} {what.__name__}{', with symbols' if symbolic else ''}: {wrong}")
    print(f"{count} compared, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
