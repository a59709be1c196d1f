#include <graft/graph/attribute_proto.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/attribute.hpp>

using graft::Attribute;
using graft::DType;
using graft::Floats;
using graft::Ints;
using graft::Tensor;
using A = onnx::AttributeProto;

namespace {
const A& proto(const Attribute& attribute) { return attribute.proto(); }
}  // namespace

TEST_CASE("attributes are read as their kind") {
  CHECK(graft::read<std::int64_t>(proto({"a", -4})) == -4);
  CHECK(graft::read<bool>(proto({"a", 2})));
  CHECK(graft::read<DType>(proto({"to", 24})) == DType::f8e8m0);
  CHECK(graft::read<float>(proto({"a", 0.5f})) == 0.5f);
  CHECK(graft::read<std::string>(proto({"a", "x"})) == "x");
  CHECK(graft::read<Ints>(proto({"a", {1, 2}})) == Ints{1, 2});
  CHECK(graft::read<Floats>(proto({"a", {1.f, 2.f}})) == Floats{1.f, 2.f});
  CHECK(graft::read<std::vector<std::string>>(proto({"a", {"x", "y"}})) == std::vector<std::string>{"x", "y"});
  CHECK(graft::read<Tensor>(proto({"a", Tensor::scalar(3)})).item<int>() == 3);

  const Attribute ints("a", {1, 2}), text("a", "x");
  CHECK(graft::read<std::span<const std::int64_t>>(ints.proto()).data() == ints.proto().ints().data());
  CHECK(graft::read<std::string_view>(text.proto()).data() == text.proto().s().data());
  CHECK(graft::read<std::span<const float>>(proto({"a", Floats{}})).empty());
}

TEST_CASE("reading another kind is an error that names the attribute") {
  CHECK_THROWS_WITH(graft::read<std::int64_t>(proto({"axis", 1.f})), "attribute 'axis': expected int, is float");
  CHECK_THROWS_WITH(graft::read<Ints>(proto({"pads", 1})), "attribute 'pads': expected ints, is int");
  CHECK_THROWS_WITH(graft::read<float>(proto({"alpha", 1})), "attribute 'alpha': expected float, is int");
  CHECK_THROWS_WITH(graft::read<Tensor>(proto({"value", "x"})), "attribute 'value': expected tensor, is string");
  CHECK_THROWS_WITH(graft::read<std::int64_t>(A()), Catch::Contains("expected int, is undefined"));

  onnx::TensorProto broken;
  broken.set_data_type(onnx::TensorProto::FLOAT);
  CHECK_THROWS_WITH(graft::read<Tensor>(proto({"value", broken})), Catch::StartsWith("attribute 'value': float_data"));
}

TEST_CASE("the type of an attribute may be missing") {
  const auto untyped = [](A attribute) {
    attribute.clear_type();
    return attribute;
  };
  CHECK(graft::read<std::int64_t>(untyped(proto({"a", 0}))) == 0);
  CHECK(graft::read<float>(untyped(proto({"a", 2.f}))) == 2.f);
  CHECK(graft::read<std::string_view>(proto({"a", "x"})) == "x");
  CHECK(graft::read<Ints>(untyped(proto({"a", {1}}))) == Ints{1});
  CHECK(graft::read<Ints>(untyped(proto({"a", Ints{}}))).empty());
  CHECK(graft::kind(untyped(proto({"a", Tensor::scalar(1)}))) == A::TENSOR);
  CHECK(graft::kind(untyped(proto({"a", onnx::GraphProto()}))) == A::GRAPH);
  CHECK(graft::kind(untyped(proto({"a", {"x"}}))) == A::STRINGS);
  CHECK(graft::kind(untyped(proto({"a", Floats{1.f}}))) == A::FLOATS);
  CHECK(graft::kind(A()) == A::UNDEFINED);
  CHECK_THROWS_AS(graft::read<float>(untyped(proto({"a", 2}))), graft::Error);
}

TEST_CASE("every kind has a name") {
  for (int i = A::AttributeType_MIN + 1; i <= A::AttributeType_MAX; ++i) {
    CHECK(graft::to_string(static_cast<graft::AttributeKind>(i)) != "undefined");
  }
}

TEST_CASE("a reference to the caller's attribute has no value here") {
  A reference;
  reference.set_name("alpha");
  reference.set_type(A::FLOAT);
  reference.set_ref_attr_name("slope");
  CHECK(graft::is_reference(reference));
  CHECK_FALSE(graft::is_reference(proto({"alpha", 1.f})));
  CHECK_THROWS_WITH(graft::read<float>(reference), "attribute 'alpha': it refers to the caller's attribute 'slope'");
  CHECK(graft::same(reference, reference));
  A other = reference;
  other.set_ref_attr_name("gain");
  CHECK_FALSE(graft::same(reference, other));
  CHECK_FALSE(graft::same(reference, proto({"alpha", 0.f})));
}

TEST_CASE("attributes with equal values are the same") {
  onnx::GraphProto graph;
  graph.add_node()->set_op_type("Relu");
  const std::vector<Attribute> values{{"a", 1},
                                      {"a", 2},
                                      {"a", 1.f},
                                      {"a", 2.f},
                                      {"a", "1"},
                                      {"a", "2"},
                                      {"a", {1}},
                                      {"a", {1, 2}},
                                      {"a", {1.f}},
                                      {"a", {-1.f}},
                                      {"a", {"1"}},
                                      {"a", {"1", "2"}},
                                      {"a", Tensor::scalar(1)},
                                      {"a", Tensor::scalar(2)},
                                      {"a", Tensor::scalar(1.f)},
                                      {"a", Tensor::of({1}, {1})},
                                      {"a", onnx::GraphProto()},
                                      {"a", graph}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      INFO(i << " " << k);
      CHECK(graft::same(values[i].proto(), values[k].proto()) == (i == k));
    }
    A renamed = values[i].proto();
    renamed.set_name("b");
    renamed.set_doc_string("has no value");
    CHECK(graft::same(values[i].proto(), renamed));
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(graft::same(proto({"a", nan}), proto({"a", nan})));
  CHECK_FALSE(graft::same(proto({"a", 0.f}), proto({"a", -0.f})));
}

TEST_CASE("tensors are the same however they are stored") {
  onnx::TensorProto typed;
  typed.set_data_type(onnx::TensorProto::FLOAT);
  typed.add_dims(2);
  typed.add_float_data(1.f);
  typed.add_float_data(2.f);
  CHECK(graft::same(proto({"a", typed}), proto({"a", Tensor::of({2}, {1.f, 2.f})})));

  onnx::TensorProto text;
  text.set_data_type(onnx::TensorProto::STRING);
  text.add_dims(1);
  text.add_string_data("x");
  onnx::TensorProto other = text;
  CHECK(graft::same(proto({"a", text}), proto({"a", other})));
  other.set_string_data(0, "y");
  CHECK_FALSE(graft::same(proto({"a", text}), proto({"a", other})));

  onnx::TensorProto external;
  external.set_data_type(onnx::TensorProto::FLOAT);
  external.add_dims(2);
  external.set_data_location(onnx::TensorProto::EXTERNAL);
  external.add_external_data()->set_value("w.bin");
  other = external;
  CHECK(graft::same(proto({"a", external}), proto({"a", other})));
  CHECK_FALSE(graft::same(proto({"a", external}), proto({"a", typed})));
  other.mutable_external_data(0)->set_value("v.bin");
  CHECK_FALSE(graft::same(proto({"a", external}), proto({"a", other})));
}
