#include <graft/graph/schema.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/dtype.hpp>
#include <graft/graph/onnx.hpp>

using namespace graft;
using schema::AttributeType;
using schema::Default;
using schema::Option;
using schema::Place;

namespace {

const schema::Operator& op(std::string_view name, int opset, std::string_view domain = "") {
  const schema::Operator* found = schema::find(domain, name, opset);
  INFO(name << " at opset " << opset);
  REQUIRE(found != nullptr);
  return *found;
}

const schema::Attribute& attribute(std::string_view name, int opset, std::string_view attribute) {
  const schema::Attribute* found = op(name, opset).attribute(attribute);
  INFO(name << "." << attribute << " at opset " << opset);
  REQUIRE(found != nullptr);
  return *found;
}

template <class T>
std::optional<T> default_of(std::string_view name, int opset, std::string_view attribute_name) {
  return attribute(name, opset, attribute_name).default_as<T>();
}

onnx::AttributeProto proto(AttributeType type) {
  onnx::AttributeProto made;
  made.set_type(static_cast<onnx::AttributeProto::AttributeType>(type));
  return made;
}

onnx::AttributeProto proto(const std::vector<std::int64_t>& values) {
  onnx::AttributeProto made = proto(AttributeType::ints);
  for (const std::int64_t value : values) made.add_ints(value);
  return made;
}

onnx::AttributeProto proto(std::int64_t value) {
  onnx::AttributeProto made = proto(AttributeType::int_);
  made.set_i(value);
  return made;
}

onnx::AttributeProto proto(float value) {
  onnx::AttributeProto made = proto(AttributeType::float_);
  made.set_f(value);
  return made;
}

onnx::AttributeProto proto(const char* value) {
  onnx::AttributeProto made = proto(AttributeType::string);
  made.set_s(value);
  return made;
}

constexpr Place attribute_place(std::size_t index) { return {Place::Kind::attribute, index}; }
constexpr Place input_place(std::size_t index) { return {Place::Kind::input, index}; }

// Looked up by the compiler: the table needs no set-up.
static_assert(schema::find("", "Softmax", 12)->attribute("axis")->default_as<std::int64_t>() == 1);
static_assert(schema::find("", "Softmax", 13)->attribute("axis")->default_as<std::int64_t>() == -1);

}  // namespace

TEST_CASE("an opset means the newest version of an operator that is not newer") {
  CHECK(op("Conv", 1).since_version == 1);
  CHECK(op("Conv", 10).since_version == 1);
  CHECK(op("Conv", 11).since_version == 11);
  CHECK(op("Conv", 21).since_version == 11);
  CHECK(op("Conv", 22).since_version == 22);
  CHECK(op("Conv", 1000).since_version == 22);
  CHECK(op("Abs", 1).since_version == 1);
  CHECK(op("SkipSimplifiedLayerNormalization", 1, "com.microsoft").since_version == 1);
}

TEST_CASE("operators that are unknown or not there yet are not found") {
  CHECK(schema::find("", "Gelu", 19) == nullptr);
  CHECK(schema::find("", "Gelu", 20) != nullptr);
  CHECK(schema::find("", "Conv", 0) == nullptr);
  CHECK(schema::find("", "Con", 13) == nullptr);
  CHECK(schema::find("", "Convx", 13) == nullptr);
  CHECK(schema::find("", "", 13) == nullptr);
  CHECK(schema::find("", "zzz", 13) == nullptr);
  CHECK(schema::find("custom", "Conv", 13) == nullptr);
  CHECK(schema::find("com.microsoft", "Conv", 1) == nullptr);
  CHECK(schema::find("zzz", "SkipSimplifiedLayerNormalization", 1) == nullptr);
  CHECK(schema::find("", "FusedConv", 13) == nullptr);
}

TEST_CASE("ai.onnx is the main domain") {
  CHECK(schema::find("ai.onnx", "Relu", 13) == schema::find("", "Relu", 13));
  CHECK(op("Relu", 13, "ai.onnx").domain().empty());
  CHECK(op("QuantizeLinear", 1, "com.microsoft").domain() == "com.microsoft");
}

TEST_CASE("attribute defaults belong to an operator version") {
  CHECK(default_of<std::int64_t>("Softmax", 12, "axis") == 1);
  CHECK(default_of<std::int64_t>("Softmax", 13, "axis") == -1);
  CHECK(default_of<std::int64_t>("Flatten", 9, "axis") == 1);
  CHECK(default_of<std::int64_t>("Gather", 13, "axis") == 0);
  CHECK(default_of<std::int64_t>("Concat", 3, "axis") == std::nullopt);
  CHECK_FALSE(attribute("Concat", 3, "axis").required());
  CHECK(attribute("Concat", 4, "axis").required());
  CHECK(attribute("Concat", 4, "axis").type == AttributeType::int_);
  CHECK(default_of<std::int64_t>("QuantizeLinear", 13, "axis") == 1);
  CHECK(op("QuantizeLinear", 10).attribute("axis") == nullptr);
  CHECK(default_of<std::int64_t>("LayerNormalization", 17, "axis") == -1);
  CHECK(default_of<std::int64_t>("Cast", 19, "saturate") == 1);
  CHECK(default_of<std::int64_t>("BatchNormalization", 14, "training_mode") == 0);
  CHECK(op("BatchNormalization", 9).attribute("training_mode") == nullptr);
  CHECK(default_of<float>("BatchNormalization", 9, "epsilon") == 1e-5f);
  CHECK(default_of<float>("LeakyRelu", 6, "alpha") == 0.01f);
  CHECK(default_of<float>("HardSigmoid", 6, "alpha") == 0.2f);
  CHECK(default_of<float>("HardSigmoid", 6, "beta") == 0.5f);
  CHECK(default_of<float>("Selu", 1, "alpha") == 1.6732f);
  CHECK(default_of<float>("Selu", 6, "alpha") == 1.67326319217681884765625f);
  CHECK(default_of<float>("Clip", 6, "max") == std::numeric_limits<float>::max());
  CHECK(default_of<float>("Gemm", 13, "alpha") == 1.0f);
  CHECK(default_of<float>("Gemm", 13, "beta") == 1.0f);
  CHECK(default_of<std::int64_t>("Gemm", 13, "transA") == 0);
  CHECK(default_of<std::int64_t>("Gemm", 13, "transB") == 0);
  CHECK(default_of<std::string_view>("Pad", 13, "mode") == "constant");
  CHECK(default_of<std::string_view>("Conv", 11, "auto_pad") == "NOTSET");
  CHECK(default_of<std::int64_t>("Conv", 11, "group") == 1);
  CHECK(default_of<std::string_view>("Resize", 11, "coordinate_transformation_mode") == "half_pixel");
  CHECK(op("Resize", 10).attribute("coordinate_transformation_mode") == nullptr);
  CHECK(default_of<std::string_view>("Gelu", 20, "approximate") == "none");
  CHECK(op("QLinearLeakyRelu", 1, "com.microsoft").attribute("alpha")->default_as<float>() == 0.01f);
  CHECK(op("QLinearConcat", 1, "com.microsoft").attribute("axis")->required());
}

TEST_CASE("a default is read as its own type or not at all") {
  CHECK(default_of<int>("Flatten", 9, "axis") == 1);
  CHECK(default_of<bool>("Gemm", 13, "transA") == false);
  CHECK(default_of<double>("HardSigmoid", 6, "beta") == 0.5);
  CHECK(default_of<float>("Flatten", 9, "axis") == std::nullopt);
  CHECK(default_of<std::int64_t>("LeakyRelu", 6, "alpha") == std::nullopt);
  CHECK(default_of<std::string_view>("Flatten", 9, "axis") == std::nullopt);
  CHECK(default_of<std::string>("Pad", 13, "mode") == "constant");
  const std::vector<std::int64_t> axes{0, 2, 3};
  CHECK(default_of<std::vector<std::int64_t>>("MeanVarianceNormalization", 13, "axes") == axes);
  const auto span = default_of<std::span<const std::int64_t>>("MeanVarianceNormalization", 13, "axes");
  REQUIRE(span.has_value());
  CHECK(std::ranges::equal(*span, axes));
  CHECK_FALSE(default_of<std::span<const float>>("MeanVarianceNormalization", 13, "axes").has_value());
  CHECK_FALSE(default_of<std::vector<std::int64_t>>("Conv", 11, "strides").has_value());
  CHECK_FALSE(default_of<std::vector<std::int64_t>>("Transpose", 13, "perm").has_value());
}

TEST_CASE("an attribute may say what its absence says") {
  CHECK(attribute("Softmax", 12, "axis").is_default(proto(std::int64_t{1})));
  CHECK_FALSE(attribute("Softmax", 12, "axis").is_default(proto(std::int64_t{-1})));
  CHECK_FALSE(attribute("Softmax", 12, "axis").is_default(proto(1.0f)));
  CHECK(attribute("LeakyRelu", 6, "alpha").is_default(proto(0.01f)));
  CHECK_FALSE(attribute("LeakyRelu", 6, "alpha").is_default(proto(0.010001f)));
  CHECK(attribute("Pad", 2, "value").is_default(proto(0.0f)));
  CHECK_FALSE(attribute("Pad", 2, "value").is_default(proto(-0.0f)));
  CHECK(attribute("Pad", 13, "mode").is_default(proto("constant")));
  CHECK_FALSE(attribute("Pad", 13, "mode").is_default(proto("edge")));
  CHECK_FALSE(attribute("Concat", 13, "axis").is_default(proto(std::int64_t{0})));
  CHECK_FALSE(attribute("Transpose", 13, "perm").is_default(proto(std::vector<std::int64_t>{1, 0})));
}

TEST_CASE("strides, dilations and pads have a default along every axis") {
  for (const std::string_view name : {"strides", "dilations"}) {
    CHECK(attribute("Conv", 11, name).kind == Default::filled);
    CHECK(attribute("Conv", 11, name).is_default(proto({1, 1})));
    CHECK(attribute("Conv", 11, name).is_default(proto({1, 1, 1})));
    CHECK_FALSE(attribute("Conv", 11, name).is_default(proto({1, 2})));
  }
  CHECK(attribute("MaxPool", 12, "pads").is_default(proto({0, 0, 0, 0})));
  CHECK_FALSE(attribute("MaxPool", 12, "pads").is_default(proto({0, 0, 0, 1})));
  CHECK(attribute("ConvTranspose", 11, "output_padding").is_default(proto({0, 0})));
  CHECK(attribute("Pad", 2, "pads").required());
  CHECK(attribute("MeanVarianceNormalization", 13, "axes").is_default(proto({0, 2, 3})));
  CHECK_FALSE(attribute("MeanVarianceNormalization", 13, "axes").is_default(proto({0, 2})));
  CHECK_FALSE(attribute("MeanVarianceNormalization", 13, "axes").is_default(proto({0, 1, 3})));
  onnx::AttributeProto activations = proto(AttributeType::strings);
  activations.add_strings("Tanh");
  activations.add_strings("Tanh");
  CHECK(attribute("RNN", 14, "activations").is_default(activations));
  activations.set_strings(1, "Relu");
  CHECK_FALSE(attribute("RNN", 14, "activations").is_default(activations));
}

TEST_CASE("two versions may agree on a default") {
  const auto same = [](std::string_view name, std::string_view attribute_name, int a, int b) {
    return attribute(name, a, attribute_name).same_default(attribute(name, b, attribute_name));
  };
  CHECK_FALSE(same("Softmax", "axis", 12, 13));
  CHECK(same("Softmax", "axis", 1, 11));
  CHECK_FALSE(same("Concat", "axis", 1, 4));
  CHECK(same("Concat", "axis", 4, 13));
  CHECK_FALSE(same("Selu", "alpha", 1, 6));
  CHECK_FALSE(same("GRU", "direction", 1, 3));
  CHECK(same("GRU", "direction", 3, 14));
  CHECK(same("Conv", "strides", 1, 11));
  CHECK(attribute("Conv", 11, "strides").fill() == 1);
  CHECK(attribute("Conv", 11, "pads").fill() == 0);
  CHECK_FALSE(attribute("Conv", 11, "strides").same_default(attribute("Conv", 11, "pads")));
  CHECK(same("MeanVarianceNormalization", "axes", 9, 13));
  CHECK_FALSE(attribute("LeakyRelu", 6, "alpha").same_default(attribute("LpPool", 1, "p")));
  CHECK_FALSE(attribute("Gemm", 7, "alpha").same_default(attribute("Gemm", 7, "transA")));
}

TEST_CASE("a parameter is an attribute, then an input") {
  const auto place = [](std::string_view name, int opset, std::string_view parameter) {
    return schema::parameter(op(name, opset), parameter);
  };
  CHECK(place("Squeeze", 11, "axes") == attribute_place(0));
  CHECK(place("Squeeze", 13, "axes") == input_place(1));
  CHECK(place("Unsqueeze", 13, "axes") == input_place(1));
  CHECK(place("Clip", 10, "min").kind == Place::Kind::attribute);
  CHECK(place("Clip", 11, "min") == input_place(1));
  CHECK(place("Clip", 11, "max") == input_place(2));
  CHECK(place("Pad", 10, "pads").kind == Place::Kind::attribute);
  CHECK(place("Pad", 11, "pads") == input_place(1));
  CHECK(place("Pad", 11, "axes") == Place{});
  CHECK(place("Pad", 18, "axes") == input_place(3));
  CHECK(place("ReduceSum", 12, "axes").kind == Place::Kind::attribute);
  CHECK(place("ReduceSum", 13, "axes") == input_place(1));
  CHECK(place("ReduceMean", 17, "axes").kind == Place::Kind::attribute);
  CHECK(place("ReduceMean", 18, "axes") == input_place(1));
  CHECK(place("Slice", 9, "starts").kind == Place::Kind::attribute);
  CHECK(place("Slice", 10, "steps") == input_place(4));
  CHECK(place("Split", 12, "split").kind == Place::Kind::attribute);
  CHECK(place("Split", 13, "split") == input_place(1));
  CHECK(place("Split", 13, "num_outputs") == Place{});
  CHECK(place("Split", 18, "num_outputs").kind == Place::Kind::attribute);
  CHECK(place("Dropout", 11, "ratio").kind == Place::Kind::attribute);
  CHECK(place("Dropout", 12, "ratio") == input_place(1));
  CHECK(place("Dropout", 12, "training_mode") == input_place(2));
  CHECK(place("Reshape", 1, "shape").kind == Place::Kind::attribute);
  CHECK(place("Reshape", 5, "shape") == input_place(1));
  CHECK(place("Upsample", 7, "scales").kind == Place::Kind::attribute);
  CHECK(place("Upsample", 9, "scales") == input_place(1));
  CHECK(place("DFT", 17, "axis").kind == Place::Kind::attribute);
  CHECK(place("DFT", 20, "axis") == input_place(2));

  const schema::Operator& slice = op("Slice", 9);
  CHECK(slice.attributes()[place("Slice", 9, "starts").index].name() == "starts");
}

TEST_CASE("a parameter that was renamed answers to both names") {
  for (const std::string_view name : {"value", "constant_value"}) {
    const Place before = schema::parameter(op("Pad", 2), name);
    REQUIRE(before.kind == Place::Kind::attribute);
    CHECK(op("Pad", 2).attributes()[before.index].name() == "value");
    CHECK(schema::parameter(op("Pad", 11), name) == input_place(2));
  }
  for (const std::string_view name : {"k", "K"}) {
    CHECK(schema::parameter(op("TopK", 1), name).kind == Place::Kind::attribute);
    CHECK(schema::parameter(op("TopK", 10), name) == input_place(1));
  }
  CHECK(schema::parameter(op("Pad", 1), "pads").kind == Place::Kind::attribute);
  CHECK(schema::parameter(op("Constant", 13), "constant_value") == Place{});
}

TEST_CASE("operators say how many inputs and outputs they take, and which may be absent") {
  const schema::Operator& conv = op("Conv", 11);
  CHECK_FALSE(conv.accepts_inputs(1));
  CHECK(conv.accepts_inputs(2));
  CHECK(conv.accepts_inputs(3));
  CHECK_FALSE(conv.accepts_inputs(4));
  CHECK(conv.input(1)->option == Option::single);
  CHECK(conv.input(2)->option == Option::optional);
  CHECK(conv.input(3) == nullptr);
  CHECK(conv.input_index("B") == 2);
  CHECK(conv.input_index("b") == std::nullopt);

  const schema::Operator& concat = op("Concat", 13);
  CHECK_FALSE(concat.accepts_inputs(0));
  CHECK(concat.accepts_inputs(1000));
  CHECK(concat.input(999) == concat.input(0));
  CHECK(concat.input(0)->option == Option::variadic);

  const schema::Operator& loop = op("Loop", 13);
  CHECK(loop.input(0)->option == Option::optional);
  CHECK(loop.input(7)->option == Option::heterogeneous);
  CHECK(loop.output(7)->option == Option::heterogeneous);

  const schema::Operator& norm = op("BatchNormalization", 9);
  CHECK(norm.accepts_outputs(1));
  CHECK(norm.accepts_outputs(5));
  CHECK_FALSE(norm.accepts_outputs(6));
  CHECK(norm.outputs()[0].name() == "Y");
  CHECK(norm.output(4)->option == Option::optional);

  CHECK(op("Split", 13).accepts_outputs(300));
  CHECK_FALSE(op("Constant", 13).accepts_inputs(1));
  CHECK(op("Constant", 13).input(0) == nullptr);
}

TEST_CASE("inputs and outputs of one type group are of one type") {
  const schema::Operator& conv = op("Conv", 11);
  CHECK(conv.input(0)->type == conv.input(1)->type);
  CHECK(conv.input(0)->type == conv.output(0)->type);
  CHECK(conv.type(*conv.output(0)).contains(DType::f32));
  CHECK_FALSE(conv.type(*conv.output(0)).contains(DType::bf16));
  CHECK(op("Conv", 22).types()[0].contains(DType::bf16));
  CHECK_FALSE(conv.types()[0].contains(DType::u8));
  CHECK_FALSE(conv.types()[0].contains(DType::undefined));
  CHECK_FALSE(conv.types()[0].contains(DType{1000}));
  CHECK_FALSE(conv.types()[0].contains(DType{33}));
  CHECK(conv.types()[0].only() == std::nullopt);

  const schema::Operator& quantize = op("QuantizeLinear", 13);
  CHECK(quantize.output(0)->type == quantize.input(2)->type);
  CHECK(quantize.output(0)->type != quantize.input(0)->type);
  CHECK(quantize.type(*quantize.output(0)).contains(DType::i8));
  CHECK_FALSE(quantize.type(*quantize.output(0)).contains(DType::i4));
  const schema::Operator& newer = op("QuantizeLinear", 25);
  CHECK(newer.type(*newer.output(0)).contains(DType::i4));
  CHECK(newer.type(*newer.output(0)).contains(DType::i2));
  CHECK(newer.type(*newer.output(0)).contains(DType::f8e5m2fnuz));

  const schema::Operator& shape = op("Shape", 13);
  CHECK(shape.type(*shape.output(0)).only() == DType::i64);
  CHECK(op("Equal", 13).type(*op("Equal", 13).output(0)).only() == DType::boolean);

  const schema::Operator& reshape = op("Reshape", 13);
  CHECK(reshape.type(*reshape.input(1)).only() == DType::i64);
  CHECK(reshape.type(*reshape.input(0)).contains(DType::string));

  const schema::TypeSet identity = op("Identity", 16).types()[0];
  CHECK(identity.sequences());
  CHECK(identity.optionals());
  CHECK(identity.contains(DType::c128));
  CHECK_FALSE(conv.types()[0].sequences());
  CHECK_FALSE(conv.types()[0].optionals());
  const schema::Operator& sequence = op("SequenceEmpty", 11);
  CHECK(sequence.type(*sequence.output(0)).sequences());
  CHECK(sequence.type(*sequence.output(0)).only() == std::nullopt);

  const schema::Operator& fused = op("QLinearConv", 1, "com.microsoft");
  CHECK(fused.type(*fused.input(8)).only() == DType::i32);
  CHECK(fused.type(*fused.input(1)).only() == DType::f32);
  CHECK(fused.output(0)->type == fused.input(7)->type);
}

TEST_CASE("operators say whether they are commutative") {
  for (const std::string_view name : {"Add", "Mul", "And", "Or", "Xor", "Equal", "Max", "Min", "Sum", "Mean"}) {
    INFO(name);
    CHECK(op(name, 13).commutative());
  }
  CHECK(op("BitwiseXor", 18).commutative());
  for (const std::string_view name : {"Sub", "Div", "Pow", "MatMul", "Concat", "Less", "PRelu", "Where"}) {
    INFO(name);
    CHECK_FALSE(op(name, 13).commutative());
  }
  // Until opset 7 only the second operand is broadcast.
  CHECK_FALSE(op("Add", 6).commutative());
  CHECK(op("Add", 7).commutative());
}

TEST_CASE("operators say whether they are random, deprecated, or hold bodies") {
  for (const std::string_view name : {"RandomNormal", "RandomUniformLike", "Multinomial", "Dropout"}) {
    INFO(name);
    CHECK_FALSE(op(name, 13).deterministic());
  }
  CHECK_FALSE(op("Bernoulli", 15).deterministic());
  CHECK(op("Conv", 13).deterministic());
  CHECK(op("If", 13).deterministic());

  CHECK_FALSE(op("Upsample", 9).deprecated());
  CHECK(op("Upsample", 10).deprecated());
  CHECK(op("Upsample", 13).deprecated());
  CHECK(op("Scatter", 11).deprecated());
  CHECK(op("GroupNormalization", 18).deprecated());
  CHECK_FALSE(op("GroupNormalization", 21).deprecated());

  for (const std::string_view name : {"If", "Loop", "Scan"}) CHECK(op(name, 13).has_bodies());
  CHECK(op("SequenceMap", 17).has_bodies());
  CHECK_FALSE(op("Conv", 13).has_bodies());
  CHECK(attribute("If", 13, "then_branch").type == AttributeType::graph);
}

TEST_CASE("every row of the schema table is sound and found") {
  const std::span<const schema::Operator> all = detail::schema_facts::operators;
  const auto key = [](const schema::Operator& row) {
    return std::make_tuple(row.domain(), row.op_type(), row.since_version);
  };
  CHECK(std::ranges::adjacent_find(all, std::ranges::greater_equal{}, key) == all.end());
  for (const schema::Operator& row : all) {
    INFO(row.domain() << "::" << row.op_type() << " " << int{row.since_version});
    CHECK(schema::find(row.domain(), row.op_type(), row.since_version) == &row);
    CHECK(row.since_version <= schema::newest_opset);
    CHECK(row.min_inputs <= row.max_inputs);
    CHECK(row.min_outputs <= row.max_outputs);
    CHECK((row.max_inputs == schema::Operator::unbounded) == (!row.inputs().empty() && row.inputs().back().variadic()));
    if (row.max_inputs != schema::Operator::unbounded) CHECK(row.max_inputs == row.inputs().size());
    for (const auto& parameters : {row.inputs(), row.outputs()}) {
      for (const schema::Parameter& parameter : parameters) {
        REQUIRE(parameter.type < row.types().size());
        CHECK(row.type(parameter).bits != 0);
        CHECK((!parameter.variadic() || &parameter == &parameters.back()));
      }
    }
    const auto name = [](const schema::Attribute& one) { return one.name(); };
    CHECK(std::ranges::adjacent_find(row.attributes(), std::ranges::greater_equal{}, name) == row.attributes().end());
    for (const schema::Attribute& one : row.attributes()) CHECK(row.attribute(one.name()) == &one);
  }
}

TEST_CASE("the versions of an operator are found once, and the one of an opset among them") {
  const std::span<const schema::Operator> relu = schema::versions("", "Relu");
  REQUIRE(relu.size() > 2);
  for (const schema::Operator& version : relu) CHECK(version.op_type() == "Relu");
  CHECK(std::ranges::is_sorted(relu, {}, &schema::Operator::since_version));
  CHECK(schema::versions("ai.onnx", "Relu").data() == relu.data());
  CHECK(schema::versions("", "Rel").empty());
  CHECK(schema::versions("nowhere", "Relu").empty());
  for (int opset = 0; opset <= schema::newest_opset + 1; ++opset)
    CHECK(schema::version_at(relu, opset) == schema::find("", "Relu", opset));
  CHECK(schema::version_at(relu, 0) == nullptr);
  CHECK(schema::version_at({}, 17) == nullptr);
}
