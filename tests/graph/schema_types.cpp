#include <graft/graph/schema_types.hpp>

#include <cstdint>
#include <optional>

#include <catch2/catch.hpp>

#include <graft/graph/dtype.hpp>
#include <graft/graph/onnx.hpp>

using namespace graft;
using schema::AttributeType;

TEST_CASE("attribute types carry ONNX's numbers") {
  using Proto = onnx::AttributeProto;
  CHECK(static_cast<int>(AttributeType::float_) == Proto::FLOAT);
  CHECK(static_cast<int>(AttributeType::int_) == Proto::INT);
  CHECK(static_cast<int>(AttributeType::string) == Proto::STRING);
  CHECK(static_cast<int>(AttributeType::tensor) == Proto::TENSOR);
  CHECK(static_cast<int>(AttributeType::graph) == Proto::GRAPH);
  CHECK(static_cast<int>(AttributeType::floats) == Proto::FLOATS);
  CHECK(static_cast<int>(AttributeType::ints) == Proto::INTS);
  CHECK(static_cast<int>(AttributeType::strings) == Proto::STRINGS);
  CHECK(static_cast<int>(AttributeType::tensors) == Proto::TENSORS);
  CHECK(static_cast<int>(AttributeType::graphs) == Proto::GRAPHS);
  CHECK(static_cast<int>(AttributeType::sparse_tensor) == Proto::SPARSE_TENSOR);
  CHECK(static_cast<int>(AttributeType::sparse_tensors) == Proto::SPARSE_TENSORS);
  CHECK(static_cast<int>(AttributeType::type_proto) == Proto::TYPE_PROTO);
  CHECK(static_cast<int>(AttributeType::type_protos) == Proto::TYPE_PROTOS);
}

TEST_CASE("a set of types has dtypes, sequences and optionals") {
  const auto bit = [](DType dtype) { return std::uint32_t{1} << static_cast<int>(dtype); };
  const schema::TypeSet some{bit(DType::f32) | bit(DType::i64)};
  CHECK(some.contains(DType::f32));
  CHECK(some.contains(DType::i64));
  CHECK_FALSE(some.contains(DType::i32));
  CHECK_FALSE(some.sequences());
  CHECK_FALSE(some.optionals());
  CHECK(some.only() == std::nullopt);

  CHECK(schema::TypeSet{bit(DType::boolean)}.only() == DType::boolean);

  const schema::TypeSet sequences{1u << 30}, optionals{1u << 31};
  CHECK(sequences.sequences());
  CHECK_FALSE(sequences.optionals());
  CHECK(sequences.only() == std::nullopt);
  CHECK(optionals.optionals());
  CHECK_FALSE(optionals.sequences());
  CHECK(optionals.only() == std::nullopt);
}

TEST_CASE("a parameter may take any number of values") {
  using schema::Option, schema::Parameter;
  CHECK_FALSE(Parameter{"x", 0}.variadic());
  CHECK_FALSE(Parameter{"x", 0, Option::optional}.variadic());
  CHECK(Parameter{"x", 0, Option::variadic}.variadic());
  CHECK(Parameter{"x", 0, Option::heterogeneous}.variadic());
}

TEST_CASE("an operator accepts numbers of inputs and outputs within its bounds") {
  schema::Operator op{};
  op.min_inputs = 2;
  op.max_inputs = 3;
  op.min_outputs = 1;
  op.max_outputs = schema::Operator::unbounded;
  CHECK_FALSE(op.accepts_inputs(1));
  CHECK(op.accepts_inputs(2));
  CHECK(op.accepts_inputs(3));
  CHECK_FALSE(op.accepts_inputs(4));
  CHECK_FALSE(op.accepts_outputs(0));
  CHECK(op.accepts_outputs(1));
  CHECK(op.accepts_outputs(1000));
}
