#!/usr/bin/env python3
"""Compares include/graft/graph/detail/schema_facts.hpp with the operator definitions of the Python packages.

With --write it writes the table. The packages are those of tests/requirements.txt.

The main domain is taken whole, up to NEWEST_OPSET, from onnx.defs; of com.microsoft, the operators of CONTRIB are taken
from onnxruntime, as is what it adds to the main domain. What those packages say in prose only is kept by hand below,
as are the operators of QONNX, of which no package has definitions.
"""

import difflib
import itertools
import pathlib
import re
import sys
import textwrap

import numpy
import onnx
import onnx.defs
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime_schemas

NEWEST_OPSET = 26
CONTRIB_DOMAIN = "com.microsoft"
CONTRIB = """
    Attention BiasGelu DequantizeLinear DynamicQuantizeLSTM DynamicQuantizeMatMul EmbedLayerNormalization FastGelu
    FusedConv FusedGemm FusedMatMul Gelu GroupNorm GroupQueryAttention MatMulIntegerToFloat MatMulNBits
    MultiHeadAttention NhwcMaxPool QAttention QGemm QLinearAdd QLinearAveragePool QLinearConcat QLinearConv
    QLinearGlobalAveragePool QLinearLeakyRelu QLinearMul QLinearReduceMean QLinearSigmoid QLinearSoftmax QLinearWhere
    QuantizeLinear QuickGelu RotaryEmbedding SkipLayerNormalization SkipSimplifiedLayerNormalization
""".split()

# What onnxruntime defines in the main domain.
CONTRIB_IN_MAIN = "SimplifiedLayerNormalization".split()

# What a later release of ONNX Runtime adds to these operators: the types of parameters that may differ from those of
# others, further inputs, and further attributes.
LATER_CONTRIB = {
    "GroupQueryAttention": {
        "types": {"T_CACHE": "float float16 bfloat16 uint8 int8 float8e4m3fn", "T_KV_SCALE": "float"},
        "parameters": dict.fromkeys("past_key past_value present_key present_value".split(), "T_CACHE"),
        "inputs": dict.fromkeys("k_scale v_scale".split(), "T_KV_SCALE"),
        "attributes": {"k_quant_type": "NONE", "v_quant_type": "NONE", "kv_cache_bit_width": 0},
    },
}

# What the package does not define yet. Version, operator, the version that it is like, and its further attributes:
WIDENED = [(25, "Attention", 24, {"left_window_size": -1, "right_window_size": -1})]
# Version, operator, inputs with their types, output, attributes as below:
NEWER = [
    (26, "BitCast", {"input": "all but strings"}, ("output", "all but strings to"), {"to": int}),
    (26, "CumProd", {"x": "numbers", "axis": "indices"}, ("y", "numbers"), {"exclusive": 0, "reverse": 0}),
]
NEWER_TYPES = {
    "numbers": "uint32 uint64 int32 int64 float16 float double bfloat16",
    "indices": "int32 int64",
    "all but strings": "uint8 uint16 uint32 uint64 int8 int16 int32 int64 bfloat16 float16 float double bool complex64 "
                       "complex128 float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz uint4 int4 float4e2m1 "
                       "float8e8m0 uint2 int2",
}
NEWER_TYPES["all but strings to"] = NEWER_TYPES["all but strings"]

# In each of these domains QONNX has the same operators.
QONNX_DOMAINS = "qonnx.custom_op.general onnx.brevitas finn.custom_op.general".split()
QUANTIZED = {"signed": 1, "narrow": 0}
REQUIRED_INT, REQUIRED_INTS = int, [int]
# (operator, version, inputs, attributes with their defaults, or with the type of one that must be given)
QONNX = [
    ("BipolarQuant", 1, "X scale", {}),
    ("FloatQuant", 1, "X scale exponent_bitwidth mantissa_bitwidth exponent_bias max_val",
     {"rounding_mode": "ROUND", "has_inf": 0, "has_nan": 0, "has_subnormal": 0, "saturation": 1, "signed": 1}),
    ("Im2Col", 1, "X",
     {"stride": REQUIRED_INTS, "kernel_size": REQUIRED_INTS, "input_shape": "", "pad_amount": [0, 0, 0, 0],
      "pad_value": 0, "depthwise": 0, "dilations": [1, 1]}),
    ("IntQuant", 1, "X scale zeropt bitwidth", QUANTIZED | {"rounding_mode": "ROUND"}),
    ("MaxPoolNHWC", 1, "X",
     {"kernel_shape": REQUIRED_INTS, "pads": REQUIRED_INTS, "strides": REQUIRED_INTS, "ceil_mode": 0}),
    ("MultiThreshold", 1, "X thresholds", {"out_dtype": "", "out_scale": 1.0, "out_bias": 0.0, "data_layout": ""}),
    ("Quant", 1, "X scale zeropt bitwidth", QUANTIZED | {"rounding_mode": "ROUND"}),
    ("QuantAvgPool2d", 1, "X",
     {"stride": REQUIRED_INT, "kernel": REQUIRED_INT, "ibits": REQUIRED_INT, "obits": REQUIRED_INT, "signed": 0,
      "data_layout": "NCHW"}),
    ("Trunc", 1, "X scale zeropt in_bitwidth out_bitwidth", {"rounding_mode": "FLOOR"}),
    ("Trunc", 2, "X scale zeropt in_bitwidth out_scale out_bitwidth", QUANTIZED | {"rounding_mode": "FLOOR"}),
    ("XnorPopcountMatMul", 1, "A B", {}),
]
QUANTIZERS = "BipolarQuant FloatQuant IntQuant Quant Trunc".split()
# These are ONNX's, of its opsets, but their channels are the last axis.
CHANNELS_LAST_DOMAIN = "qonnx.custom_op.channels_last"
CHANNELS_LAST = "BatchNormalization Conv MaxPool".split()

# Any two operands may be exchanged, unless the version broadcasts only its second operand.
COMMUTATIVE = "Add And BitwiseAnd BitwiseOr BitwiseXor Equal Max Mean Min Mul Or Sum Xor".split()
ONE_SIDED_BROADCAST = "broadcast"

# Two runs may differ; Dropout where it trains.
RANDOM = """
    Bernoulli Dropout Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike
""".split()

# Lists whose absence means a list of any length with this in every place.
FILLED = {
    "dilations": 1, "output_padding": 0, "pads": 0, "strides": 1,
    "directions": 0, "scan_input_axes": 0, "scan_input_directions": 0, "scan_output_axes": 0,
    "scan_output_directions": 0,
}

# Attributes that became an input of another name: operator, attribute, input.
RENAMED = [("Pad", "paddings", "pads"), ("Pad", "value", "constant_value"), ("TopK", "k", "K")]

DTYPES = {
    "bfloat16": "bf16", "bool": "boolean", "complex128": "c128", "complex64": "c64", "double": "f64", "float": "f32",
    "float16": "f16", "float4e2m1": "f4e2m1", "float8e4m3fn": "f8e4m3fn", "float8e4m3fnuz": "f8e4m3fnuz",
    "float8e5m2": "f8e5m2", "float8e5m2fnuz": "f8e5m2fnuz", "float8e8m0": "f8e8m0", "int16": "i16", "int2": "i2",
    "int32": "i32", "int4": "i4", "int64": "i64", "int8": "i8", "string": "string_", "uint16": "u16", "uint2": "u2",
    "uint32": "u32", "uint4": "u4", "uint64": "u64", "uint8": "u8",
}
# Bits of a TypeSet.
KINDS = {short: onnx.TensorProto.DataType.Value(name.upper()) for name, short in DTYPES.items()}
KINDS = dict(sorted(KINDS.items(), key=lambda kind: kind[1]), sequences=30, optionals=31)

KEYWORDS = {"float": "float_", "int": "int_"}

HEADER = pathlib.Path(__file__).parents[2] / "include/graft/graph/detail/schema_facts.hpp"


def schemas():
    """Sorted by domain, operator and version."""
    main = [s for s in onnx.defs.get_all_schemas_with_history() if s.domain == "" and s.since_version <= NEWEST_OPSET]
    main += [*newer({(s.name, s.since_version) for s in main}), *widened(main)]
    wanted = {(CONTRIB_DOMAIN, name) for name in CONTRIB} | {("", name) for name in CONTRIB_IN_MAIN}
    contrib = [s for s in onnxruntime_schemas.get_all_operator_schema() if (s.domain, s.name) in wanted]
    missing = wanted - {(s.domain, s.name) for s in contrib}
    assert not missing, f"onnxruntime does not define {missing}"
    contrib = [later(s) if s.name in LATER_CONTRIB else s for s in contrib]
    return sorted([*main, *contrib, *qonnx(), *channels_last(main)], key=lambda s: (s.domain, s.name, s.since_version))


def newer(defined):
    Formal = onnx.defs.OpSchema.FormalParameter
    for version, name, inputs, (output, result), attributes in NEWER:
        if (name, version) not in defined:
            yield onnx.defs.OpSchema(
                name, "", version, inputs=[Formal(*given) for given in inputs.items()],
                outputs=[Formal(output, result)],
                type_constraints=[(types, [f"tensor({text})" for text in NEWER_TYPES[types].split()], "")
                                  for types in dict.fromkeys([*inputs.values(), result])],
                attributes=[defined_attribute(*attribute) for attribute in attributes.items()],
            )


def widened(main):
    defined = {(s.name, s.since_version): s for s in main}
    for version, name, like, attributes in WIDENED:
        if (name, version) not in defined:
            before = defined[name, like]
            yield onnx.defs.OpSchema(
                name, "", version, inputs=before.inputs, outputs=before.outputs,
                type_constraints=[(t.type_param_str, t.allowed_type_strs, "") for t in before.type_constraints],
                attributes=[*before.attributes.values(), *(defined_attribute(*pair) for pair in attributes.items())],
            )


def later(schema):
    added, Schema = LATER_CONTRIB[schema.name], onnx.defs.OpSchema
    taken = {p.name: p for p in schema.inputs}
    if not added["inputs"].keys().isdisjoint(taken):
        return schema

    def formal(parameter):
        option = getattr(Schema.FormalParameterOption, parameter.option.name)
        return Schema.FormalParameter(parameter.name, added["parameters"].get(parameter.name, type_of(parameter)),
                                      param_option=option)

    optional = Schema.FormalParameterOption.Optional
    types = {name: [f"tensor({dtype})" for dtype in dtypes.split()] for name, dtypes in added["types"].items()}
    types |= {t.type_param_str: t.allowed_type_strs for t in schema.type_constraints}
    known = [Schema.Attribute(a.name, getattr(Schema.AttrType, a.type.name), required=a.required)
             if default_of(a) is None else Schema.Attribute(a.name, onnx.helper.make_attribute(a.name, default_of(a)))
             for a in schema.attributes.values()]
    return Schema(
        schema.name, schema.domain, schema.since_version,
        inputs=[*map(formal, schema.inputs),
                *(Schema.FormalParameter(*given, param_option=optional) for given in added["inputs"].items())],
        outputs=[formal(parameter) for parameter in schema.outputs],
        type_constraints=[(name, dtypes, "") for name, dtypes in types.items()],
        attributes=[*known, *(defined_attribute(*pair) for pair in added["attributes"].items())],
    )


def qonnx():
    """All of float32, except attributes, and parameters of quantizers, which may be integers too."""
    Formal = onnx.defs.OpSchema.FormalParameter
    integers = [f"tensor({sign}int{bits})" for sign in ("", "u") for bits in (2, 4, 8, 16, 32, 64)]
    for domain, (name, version, inputs, attributes) in itertools.product(QONNX_DOMAINS, QONNX):
        names = inputs.split()
        parameters = names[1:] if name in QUANTIZERS else []
        yield onnx.defs.OpSchema(
            name, domain, version,
            inputs=[Formal(each, f"T_{each}" if each in parameters else "T") for each in names],
            outputs=[Formal("Y", "T")],
            type_constraints=[("T", ["tensor(float)"], ""),
                              *((f"T_{each}", ["tensor(float)", *integers], "") for each in parameters)],
            attributes=[defined_attribute(*attribute) for attribute in attributes.items()],
        )


def defined_attribute(name, default):
    Attribute = onnx.defs.OpSchema.Attribute
    required = {int: "INT"}.get(default) if isinstance(default, type) else "INTS" if default == REQUIRED_INTS else None
    if required:
        return Attribute(name, getattr(onnx.defs.OpSchema.AttrType, required), required=True)
    return Attribute(name, onnx.helper.make_attribute(name, default))


def channels_last(main):
    """Of one output, and float32, as the package runs them."""
    for schema in main:
        if schema.name in CHANNELS_LAST:
            yield onnx.defs.OpSchema(
                schema.name, CHANNELS_LAST_DOMAIN, schema.since_version, inputs=schema.inputs,
                outputs=schema.outputs[:1], attributes=list(schema.attributes.values()),
                type_constraints=[(t.type_param_str, ["tensor(float)"], "") for t in schema.type_constraints
                                  if any(p.type_str == t.type_param_str for p in [*schema.inputs, schema.outputs[0]])],
            )


def quoted(text):
    assert re.fullmatch(r"[\w. -]*", text), text
    return f'"{text}"'


def number(value):
    """The shortest text that reads back as the same float32."""
    return f"{numpy.float32(value)!s}f" if isinstance(value, float) else str(value)


class Pool:
    """Lists laid end to end, equal ones once."""

    def __init__(self):
        self.first = {}
        self.size = 0

    def slice(self, entries):
        entries = tuple(entries)
        if not entries:
            return "{}"
        if entries not in self.first:
            self.first[entries] = self.size
            self.size += len(entries)
        return f"{{{self.first[entries]}, {len(entries)}}}"

    def lines(self):
        for entries, first in self.first.items():
            yield from wrapped(f"/* {first} */", *(entry + "," for entry in entries))


class Facts:
    def __init__(self):
        self.attributes, self.parameters, self.types = Pool(), Pool(), Pool()
        self.type_sets, self.int_lists = {}, {}
        self.operators = [self.operator(s) for s in schemas()]

    def operator(self, schema):
        groups = self.type_groups(schema)
        inputs = [self.parameter(p, groups) for p in schema.inputs]
        outputs = [self.parameter(p, groups) for p in schema.outputs]
        attributes = [self.attribute(schema.attributes[name]) for name in sorted(schema.attributes)]
        counts = (schema.min_input, schema.max_input, schema.min_output, schema.max_output)
        return (
            f"{{{quoted(schema.domain)}, {quoted(schema.name)}, {schema.since_version}, {flags(schema)}, "
            + ", ".join("unbounded" if count > 254 else str(count) for count in counts)
            + f", {self.parameters.slice(inputs)}, {self.parameters.slice(outputs)}"
            + f", {self.attributes.slice(attributes)}, {self.types.slice(groups.values())}}},"
        )

    def type_groups(self, schema):
        """{type variable or fixed type: name of its type set}, in the order of first use."""
        allowed = {t.type_param_str: t.allowed_type_strs for t in schema.type_constraints}
        groups = {}
        for parameter in itertools.chain(schema.inputs, schema.outputs):
            variable = type_of(parameter)
            groups[variable] = self.type_set(allowed.get(variable, [variable]))
        return groups

    def type_set(self, types):
        kinds = [kind_of(text) for text in types]
        names = sorted(set(kinds), key=list(KINDS).index)
        return self.type_sets.setdefault(" | ".join(names), f"{{t{len(self.type_sets)}}}")

    def parameter(self, parameter, groups):
        index = list(groups).index(type_of(parameter))
        option = parameter.option.name.lower()
        if option == "variadic" and not is_homogeneous(parameter):
            option = "heterogeneous"
        suffix = "" if option == "single" else f", {option}"
        return f"{{{quoted(parameter.name)}, {index}{suffix}}}"

    def attribute(self, attribute):
        kind = attribute.type.name.lower()
        default = default_of(attribute)
        if attribute.required:
            tail = ", required"
        elif default is None and kind == "ints" and attribute.name in FILLED:
            tail = f", filled, {FILLED[attribute.name]}"
        elif default is None:
            tail = ""
        elif kind == "string":
            tail = f", value, 0, {quoted(default.decode())}"
        elif kind == "strings":
            (element,) = set(default)
            tail = f", filled, 0, {quoted(element.decode())}"
        elif kind == "ints":
            label = self.int_lists.setdefault(tuple(default), f"ints_{len(self.int_lists)}")
            tail = f', value, {len(default)}, "", {label}'
        else:
            tail = f", value, {number(default)}"
        return f"{{{quoted(attribute.name)}, {KEYWORDS.get(kind, kind)}{tail}}}"


def kind_of(text):
    """What a type set says of a type: its dtype, or that it is a sequence or an optional."""
    wrapper, element = re.match(r"(\w+)\((?:\w+\()*(\w+)", text).groups()
    return {"optional": "optionals", "seq": "sequences"}.get(wrapper) or DTYPES[element]


def type_of(parameter):
    return parameter.type_str if hasattr(parameter, "type_str") else parameter.typeStr


def is_homogeneous(parameter):
    return parameter.is_homogeneous if hasattr(parameter, "is_homogeneous") else parameter.isHomogeneous


def default_of(attribute):
    """None where the definition states none."""
    proto = attribute.default_value if hasattr(attribute, "default_value") else None
    if proto is None:
        proto = onnx.AttributeProto.FromString(attribute._default_value)
    return onnx.helper.get_attribute_value(proto) if proto.name else None


def flags(schema):
    found = []
    if schema.domain == "" and schema.name in COMMUTATIVE and ONE_SIDED_BROADCAST not in schema.attributes:
        found.append("commutative")
    if schema.deprecated:
        found.append("deprecated")
    if schema.domain == "" and schema.name in RANDOM:
        found.append("random")
    if any(a.type.name in ("GRAPH", "GRAPHS") for a in schema.attributes.values()):
        found.append("bodies")
    return " | ".join(found) or "0"


def wrapped(*items):
    """Lines of at most 120 columns, broken between items only."""
    unbroken = " ".join(item.replace(" ", "\0") for item in items)
    lines = textwrap.wrap(
        unbroken, 120, initial_indent="  ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\0", " ") for line in lines]


def render():
    facts = Facts()
    lines = [
        "#pragma once",
        "// Written by tests/checks/schema_facts.py from the definitions of ONNX and ONNX Runtime, "
        "and its own of QONNX.",
        "#include <cstdint>",
        "",
        "#include <graft/graph/schema_types.hpp>",
        "",
        "namespace graft::inline v1::detail::schema_facts {",
        "",
        "using enum schema::AttributeType;",
        "using enum schema::Default;",
        "using enum schema::Option;",
        "inline constexpr std::uint8_t unbounded = schema::Operator::unbounded;",
        "",
        f"inline constexpr int newest_opset = {NEWEST_OPSET};",
        "",
        "enum : std::uint8_t { commutative = 1, deprecated = 2, random = 4, bodies = 8 };",
        "",
        "enum : std::uint32_t {",
        *wrapped(*(f"{kind} = 1u << {bit}," for kind, bit in KINDS.items())),
        "};",
        "",
        "enum : std::uint32_t {",
    ]
    for kinds, label in facts.type_sets.items():
        lines += wrapped(*f"{label[1:-1]} = {kinds},".split())
    lines += ["};", ""]
    for values, label in facts.int_lists.items():
        lines.append(f"inline constexpr std::int64_t {label}[] = {{{', '.join(map(str, values))}}};")
    lines += ["", "inline constexpr schema::TypeSet types[] = {", *facts.types.lines(), "};", ""]
    lines += ["inline constexpr schema::Parameter parameters[] = {", *facts.parameters.lines(), "};", ""]
    lines += ["inline constexpr schema::Attribute attributes[] = {", *facts.attributes.lines(), "};", ""]
    lines += ["// Sorted by domain, operator and version.", "inline constexpr schema::Operator operators[] = {"]
    for operator in facts.operators:
        lines += wrapped(operator)
    lines += ["};", "", "struct Renamed {", "  const char *op_type, *attribute, *input;", "};"]
    lines += ["inline constexpr Renamed renamed[] = {"]
    lines += [f"  {{{', '.join(map(quoted, names))}}}," for names in RENAMED]
    lines += ["};", "", "}  // namespace graft::inline v1::detail::schema_facts", ""]
    return "\n".join(lines)


def main():
    defined = render()
    if "--write" in sys.argv:
        HEADER.write_text(defined)
        return 0
    committed = HEADER.read_text().splitlines()
    differences = list(difflib.unified_diff(committed, defined.splitlines(), "committed", "defined", lineterm="", n=1))
    print("\n".join(differences[:100]) or f"{len(committed)} lines agree")
    if differences:
        print("run tests/checks/schema_facts.py --write")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
