#include <graft/pattern/attr.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

struct Small {
  Builder build{13};
  Value& in = build.input("in", DType::f32, {2, 3, 4});
  Value& unranked = build.input("unranked", DType::f32);
};

bool says(const auto& match, std::string_view part) { return match.reason().find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an attribute is captured as the type of its declaration") {
  Small m;
  const auto leaky = match(op<"LeakyRelu">(x).with(alpha), m.build.op("LeakyRelu", {&m.in}, {{"alpha", 0.25f}}));
  REQUIRE(leaky);
  CHECK(leaky[alpha] == 0.25f);

  const auto transpose = match(op<"Transpose">(x).with(perm), m.build.op("Transpose", {&m.in}, {{"perm", {0, 2, 1}}}));
  REQUIRE(transpose);
  CHECK(Ints(transpose[perm].begin(), transpose[perm].end()) == Ints{0, 2, 1});

  constexpr auto to = attr<"to", DType>;
  CHECK(match(op<"Cast">(x).with(to), m.build.op("Cast", {&m.in}, {{"to", DType::i8}}))[to] == DType::i8);

  constexpr auto keepdims = attr<"keepdims", bool>;
  CHECK_FALSE(match(op<"ReduceMax">(x).with(keepdims), m.build.op("ReduceMax", {&m.in}, {{"keepdims", 0}}))[keepdims]);

  constexpr auto mode = attr<"mode", std::string_view>;
  Value& resized = m.build.op("Resize", {&m.in}, {{"mode", "linear"}});
  CHECK(match(op<"Resize">(x, rest<>).with(mode), resized)[mode] == "linear");

  constexpr auto value = attr<"value", Tensor>;
  Value& fill = m.build.op("ConstantOfShape", {&m.in}, {{"value", Tensor::of<float>({1}, {3})}});
  CHECK(match(op<"ConstantOfShape">(x).with(value), fill)[value].item<float>() == 3);

  constexpr auto scales = attr<"scales", Floats>;
  Value& upsample = m.build.op("Upsample", {&m.in}, {{"scales", Floats{1, 2}}});
  CHECK(match(op<"Upsample">(x).with(scales), upsample)[scales].size() == 2);
}

TEST_CASE("the default of the operator's version stands in for an absent attribute") {
  Small m;
  CHECK(match(op<"LeakyRelu">(x).with(alpha), m.build.op("LeakyRelu", {&m.in}))[alpha] == 0.01f);
  constexpr auto mode = attr<"mode", std::string_view>;
  CHECK(match(op<"Pad">(x, rest<>).with(mode), m.build.op("Pad", {&m.in}))[mode] == "constant");

  // Softmax counts from axis 1 before version 13, and from the last one since.
  Builder old(12);
  Value& in = old.input("in", DType::f32, {2, 3, 4});
  CHECK(match(op<"Softmax">(x).with(axis), old.op("Softmax", {&in}))[axis] == 1);
  CHECK(match(op<"Softmax">(x).with(axis), m.build.op("Softmax", {&m.in}))[axis] == 2);
}

TEST_CASE("a default per spatial axis takes its length from the rank") {
  Builder build(13);
  Value& in = build.input("in", DType::f32, {1, 3, 8, 8});
  Value& weight = build.constant(Tensor(DType::f32, {4, 3, 1, 1}), "weight");
  Value& made = build.op("Conv", {&in, &weight});
  constexpr auto pads = attr<"pads", Ints>;
  constexpr auto strides = attr<"strides", Ints>;
  const auto found = match(op<"Conv">(x, w).with(pads, strides), made);
  REQUIRE(found);
  CHECK(Ints(found[pads].begin(), found[pads].end()) == Ints{0, 0, 0, 0});
  CHECK(Ints(found[strides].begin(), found[strides].end()) == Ints{1, 1});

  Value& unranked = build.input("unranked", DType::f32);
  const auto refused = match(op<"Conv">(x, w).with(pads), build.op("Conv", {&unranked, &weight}));
  CHECK(refused.failure().why == Why::attribute_rank_unknown);
}

TEST_CASE("an attribute without a default must be there, unless it is optional") {
  Small m;
  Value& transpose = m.build.op("Transpose", {&m.in});
  const auto refused = match(op<"Transpose">(x).with(perm), transpose);
  CHECK_FALSE(refused);
  CHECK(says(refused, "perm of Transpose"));
  CHECK(says(refused, "is absent and has no default"));

  const auto absent = match(op<"Transpose">(x).with(opt(perm)), transpose);
  REQUIRE(absent);
  CHECK_FALSE(absent[perm].has_value());
  Value& given = m.build.op("Transpose", {&m.in}, {{"perm", {0, 2, 1}}});
  CHECK(match(op<"Transpose">(x).with(opt(perm)), given)[perm]->size() == 3);
}

TEST_CASE("an attribute of another type does not match") {
  Small m;
  Value& odd = m.build.op("Transpose", {&m.in}, {{"perm", 1}});
  const auto refused = match(op<"Transpose">(x).with(perm), odd);
  CHECK(refused.failure().why == Why::attribute_type);
  CHECK_FALSE(match(op<"Transpose">(x).with(opt(perm)), odd));
}

TEST_CASE("an attribute can be wanted to have a value, given or by default") {
  Small m;
  const auto flag = attr<"keepdims", std::int64_t>;
  Value& by_default = m.build.op("ReduceMax", {&m.in});
  Value& given = m.build.op("ReduceMax", {&m.in}, {{"keepdims", 0}});
  CHECK(match(op<"ReduceMax">(x).with(flag == 1), by_default));
  CHECK(match(op<"ReduceMax">(x).with(flag == 0), given));
  const auto refused = match(op<"ReduceMax">(x).with(flag == 0), by_default);
  CHECK_FALSE(refused);
  CHECK(says(refused, "expected keepdims=0"));

  Value& transpose = m.build.op("Transpose", {&m.in}, {{"perm", {0, 2, 1}}});
  CHECK(match(op<"Transpose">(x).with(perm == ints(0, 2, 1)), transpose));
  CHECK_FALSE(match(op<"Transpose">(x).with(perm == ints(0, 1, 2)), transpose));
  CHECK_FALSE(match(op<"Transpose">(x).with(perm == ints(0, 2)), transpose));
  CHECK(match(op<"LeakyRelu">(x).with(alpha == 0.01f), m.build.op("LeakyRelu", {&m.in})));
  constexpr auto mode = attr<"mode", std::string_view>;
  CHECK_FALSE(match(op<"Pad">(x).with(mode == "edge"), m.build.op("Pad", {&m.in})));
  CHECK(match(op<"Cast">(x).with(attr<"to", DType> == DType::u8), m.build.op("Cast", {&m.in}, {{"to", DType::u8}})));
}

TEST_CASE("an attribute captured twice has equal values, defaults included") {
  Small m;
  constexpr auto both = op<"LeakyRelu">(op<"LeakyRelu">(x).with(alpha)).with(alpha);
  const auto leaky = [&](Value& of, const Attributes& attributes) -> Value& {
    return m.build.op("LeakyRelu", {&of}, attributes);
  };
  CHECK(match(both, leaky(leaky(m.in, {}), {{"alpha", 0.01f}})));
  CHECK(match(both, leaky(leaky(m.in, {{"alpha", 0.5f}}), {{"alpha", 0.5f}})));
  const auto refused = match(both, leaky(leaky(m.in, {}), {{"alpha", 0.5f}}));
  CHECK_FALSE(refused);
  CHECK(refused.failure().why == Why::attribute_differs);
}

TEST_CASE("named tells two attributes of one name apart") {
  Small m;
  constexpr auto inner = perm.named<"inner">();
  Value& first = m.build.op("Transpose", {&m.in}, {{"perm", {0, 2, 1}}});
  Value& second = m.build.op("Transpose", {&first}, {{"perm", {2, 1, 0}}});
  const auto found = match(op<"Transpose">(op<"Transpose">(x).with(inner)).with(perm), second);
  REQUIRE(found);
  CHECK(found[inner][1] == 2);
  CHECK(found[perm][1] == 1);
  CHECK_FALSE(match(op<"Transpose">(op<"Transpose">(x).with(perm)).with(perm), second));
}

TEST_CASE("an axis is normalized by the rank before it is bound or compared") {
  Small m;
  Value& last = m.build.op("Softmax", {&m.in}, {{"axis", -1}});
  CHECK(match(op<"Softmax">(x).with(axis), last)[axis] == 2);
  CHECK(match(op<"Softmax">(x).with(axis == 2), last));
  CHECK(match(op<"Softmax">(x).with(axis == -1), last));
  CHECK_FALSE(match(op<"Softmax">(x).with(axis == 1), last));
  CHECK(match(op<"Softmax">(x).with(axis == -1), m.build.op("Softmax", {&m.in}, {{"axis", 2}})));

  Value& inner = m.build.op("Softmax", {&m.in}, {{"axis", 2}});
  Value& outer = m.build.op("Softmax", {&inner}, {{"axis", 0}});
  CHECK_FALSE(match(op<"Softmax">(op<"Softmax">(x).with(axis)).with(axis), outer));
}

TEST_CASE("a negative axis of an unknown rank is not bound") {
  Small m;
  Value& last = m.build.op("Softmax", {&m.unranked}, {{"axis", -1}});
  const auto refused = match(op<"Softmax">(x).with(axis), last);
  CHECK(refused.failure().why == Why::attribute_rank_unknown);
  CHECK(match(op<"Softmax">(x).with(axis == -1), last));
  CHECK_FALSE(match(op<"Softmax">(x).with(axis == 2), last));
  CHECK(match(op<"Softmax">(x).with(axis), m.build.op("Softmax", {&m.unranked}, {{"axis", 1}}))[axis] == 1);
}

TEST_CASE("an axis below minus the rank does not match") {
  Small m;
  const auto refused = match(op<"Softmax">(x).with(axis), m.build.op("Softmax", {&m.in}, {{"axis", -4}}));
  CHECK(refused.failure().why == Why::attribute_value);
  CHECK(says(refused, "out of range"));
}

TEST_CASE("the axes of Unsqueeze count in the rank of its output") {
  Builder build(12);
  Value& in = build.input("in", DType::f32, {2, 3});
  constexpr auto axes = attr<"axes", Axes>;
  const auto found = match(op<"Unsqueeze">(x).with(axes), build.op("Unsqueeze", {&in}, {{"axes", {0, -1}}}));
  REQUIRE(found);
  CHECK(Ints(found[axes].begin(), found[axes].end()) == Ints{0, 3});
}

TEST_CASE("the attribute of a function's caller is not known") {
  onnx::AttributeProto reference;
  reference.set_name("alpha");
  reference.set_type(onnx::AttributeProto::FLOAT);
  reference.set_ref_attr_name("slope");
  Small m;
  CHECK_FALSE(match(op<"LeakyRelu">(x).with(alpha), m.build.op("LeakyRelu", {&m.in}, {Attribute(reference)})));
}

namespace {

constexpr auto axes = param<"axes", Axes>;

}  // namespace

TEST_CASE("a param is the attribute of an old version and the constant input of a new one") {
  Builder old(12);
  Value& a = old.input("a", DType::f32, {1, 2, 1});
  const auto as_attribute = match(op<"Squeeze">(x).with(axes), old.op("Squeeze", {&a}, {{"axes", {0, -1}}}));
  REQUIRE(as_attribute);
  CHECK(Ints(as_attribute[axes].begin(), as_attribute[axes].end()) == Ints{0, 2});

  Small m;
  Value& positions = m.build.constant(Tensor::of<std::int64_t>({2}, {0, -1}), "positions");
  Value& squeezed = m.build.op("Squeeze", {&m.in, &positions});
  const auto as_input = match(op<"Squeeze">(x).with(axes), squeezed);
  REQUIRE(as_input);
  CHECK(Ints(as_input[axes].begin(), as_input[axes].end()) == Ints{0, 2});
  CHECK(match(op<"Squeeze">(x).with(axes == ints(0, 2)), squeezed));
}

TEST_CASE("the input that a param reads needs no operand, any other one does") {
  Small m;
  Value& positions = m.build.constant(Tensor::of<std::int64_t>({1}, {0}), "positions");
  Value& squeezed = m.build.op("Squeeze", {&m.in, &positions});
  CHECK_FALSE(match(op<"Squeeze">(x), squeezed));
  Value& low = m.build.constant(Tensor::scalar(0.0f), "low");
  Value& high = m.build.constant(Tensor::scalar(6.0f), "high");
  constexpr auto max = param<"max", float>;
  const auto refused = match(op<"Clip">(x).with(max), m.build.op("Clip", {&m.in, &low, &high}));
  CHECK(refused.failure().why == Why::extra_input);
  CHECK(match(op<"Clip">(x).with(max), m.build.op("Clip", {&m.in, nullptr, &high}))[max] == 6);
  CHECK(match(op<"Clip">(x).with(max, param<"min", float>), m.build.op("Clip", {&m.in, &low, &high})));
}

TEST_CASE("a param that is absent or not constant") {
  Small m;
  CHECK(match(op<"Squeeze">(x).with(axes), m.build.op("Squeeze", {&m.in})).failure().why == Why::attribute_absent);
  CHECK_FALSE(match(op<"Squeeze">(x).with(opt(axes)), m.build.op("Squeeze", {&m.in}))[axes].has_value());
  Value& positions = m.build.input("positions", DType::i64, {1});
  Value& squeezed = m.build.op("Squeeze", {&m.in, &positions});
  CHECK(match(op<"Squeeze">(x).with(axes), squeezed).failure().why == Why::attribute_not_constant);
  CHECK(match(op<"Squeeze">(x).with(opt(axes)), squeezed).failure().why == Why::attribute_not_constant);
}

TEST_CASE("a param or tensor attribute that cannot be read") {
  Small m;
  onnx::TensorProto bad;
  bad.set_name("bad");
  bad.set_data_type(77);
  std::vector<Value*> inputs{&m.in, &m.build.graph().add_initializer(bad)};
  const auto param = match(op<"Squeeze">(x).with(axes), m.build.graph().insert("Squeeze", inputs, 1));
  CHECK(param.failure().why == Why::attribute_unreadable);
  CHECK_THAT(param.reason(), Catch::Contains("axes of Squeeze") && Catch::Contains("cannot be read"));
  onnx::NodeProto constant;
  constant.set_op_type("Constant");
  constant.add_attribute()->set_name("value");
  constant.mutable_attribute(0)->set_type(onnx::AttributeProto::TENSOR);
  *constant.mutable_attribute(0)->mutable_t() = bad;
  Node& node = m.build.graph().insert(constant, {}, 1, nullptr);
  CHECK(match(op<"Constant">().with(attr<"value", Tensor>), node).failure().why == Why::attribute_unreadable);
}

TEST_CASE("a param that was renamed on becoming an input is found under both names") {
  constexpr auto fill = param<"constant_value", float>;
  Small m;
  Value& pads = m.build.constant(Tensor(DType::i64, {6}), "pads");
  Value& value = m.build.constant(Tensor::scalar(2.0f), "value");
  CHECK(match(op<"Pad">(x, any).with(fill), m.build.op("Pad", {&m.in, &pads, &value}))[fill] == 2);
  Builder old(10);
  Value& in = old.input("in", DType::f32, {1});
  Value& padded = old.op("Pad", {&in}, {{"pads", {0, 1}}, {"value", 3.0f}});
  CHECK(match(op<"Pad">(x).with(fill), padded)[fill] == 3);
}

TEST_CASE("a float attribute is compared with an int literal") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2});
  constexpr auto by_one = op<"LeakyRelu">(x).with(alpha == 1);
  CHECK(match(by_one, build.op("LeakyRelu", {&in}, {{"alpha", 1.0f}})));
  CHECK_FALSE(match(by_one, build.op("LeakyRelu", {&in}, {{"alpha", 0.5f}})));
}

TEST_CASE("any_attributes lets an operator have attributes that the pattern does not mention") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {1, 2, 4, 4});
  Value& weight = build.constant(Tensor(DType::f32, {2, 2, 1, 1}), "w");
  constexpr auto group = attr<"group", std::int64_t>;
  constexpr auto open = op<"Conv">(x, w).with(group == 1, any_attributes);
  constexpr auto bare = op<"Conv">(x, w).with(any_attributes);
  const auto closed_match = [&](const auto& p, const Attributes& attributes) {
    Node& node = *build.op("Conv", {&in, &weight}, attributes).producer();
    const auto asked = query<"conv">(p);  // outlives the table, which views it
    RulePattern table = asked;
    table.closed = true;
    const Linked linked(table, build.graph().model());
    Matcher matcher;
    return matcher.run(linked, node);
  };
  CHECK_FALSE(closed_match(op<"Conv">(x, w).with(group == 1), {{"strides", Ints{2, 2}}}));
  CHECK(closed_match(open, {{"strides", Ints{2, 2}}}));
  CHECK_FALSE(closed_match(open, {{"group", 2}}));
  CHECK(closed_match(bare, {{"strides", Ints{2, 2}}, {"auto_pad", "SAME_UPPER"}}));
}

TEST_CASE("an attribute of another type, or bound to another value, is reported with both") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2, 3});
  constexpr auto wrong = attr<"axis", float>;
  CHECK_THAT(match(op<"Softmax">(x).with(wrong), build.op("Softmax", {&in}, {{"axis", 1}})).reason(),
             Catch::StartsWith("axis of Softmax") && Catch::EndsWith(" is an int, expected a float"));
  Value& inner = build.op("Transpose", {&in}, {{"perm", Ints{1, 0}}});
  CHECK_THAT(match(op<"Transpose">(op<"Transpose">(x).with(perm)).with(perm),
                   build.op("Transpose", {&inner}, {{"perm", Ints{0, 1}}}))
                 .reason(),
             Catch::StartsWith("perm of Transpose") &&
                 Catch::EndsWith(" is [1,0], not what 'perm' was bound to before"));
}
