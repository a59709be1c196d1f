#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx/datatype/data_types.hpp>
#include <graft/rewrite/facts.hpp>

using namespace graft;
using qonnx::DataType;
using qonnx::DataTypes;

namespace {

Model model() {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  Value& h = b.input("h", DType::f16, {2});
  b.output(b.op("Relu", {&x}), "y");
  b.output(b.op("Relu", {&h}), "z");
  return b.build();
}

}  // namespace

TEST_CASE("a value without a data type has that of its dtype", "[qonnx]") {
  Model m = model();
  const DataTypes types;
  CHECK(types.of(*m.graph().find("x")) == DataType::float32());
  CHECK(types.of(*m.graph().find("z")) == DataType::float16());
  CHECK(types.find(*m.graph().find("x")) == nullptr);
}

TEST_CASE("data types follow tensors as facts do", "[qonnx]") {
  Model m = model();
  Value &x = *m.graph().find("x"), &y = *m.graph().find("y"), &z = *m.graph().find("z");
  DataTypes types;
  types.set(x, DataType::integer(4));
  types.set(y, DataType::integer(4));
  Facts facts;
  facts.provide(types);

  m.graph().rename(y, "renamed");
  CHECK(facts.find<DataTypes>()->of(y) == DataType::integer(4));
  facts.tensor_joined("z", std::vector<std::string>{"x", "renamed"});
  CHECK(facts.find<DataTypes>()->of(z) == DataType::integer(4));
  facts.tensor_changed("renamed");
  CHECK(facts.find<DataTypes>()->find(y) == nullptr);
  CHECK(facts.find<DataTypes>()->size() == 2);
  CHECK(types.size() == 2);  // a copy is another fact
}

TEST_CASE("tensors of different types have none when they are joined", "[qonnx]") {
  Model m = model();
  DataTypes types;
  types.set(*m.graph().find("x"), DataType::integer(4));
  types.set(*m.graph().find("y"), DataType::integer(5));
  types.join("z", std::vector<std::string>{"x", "y"});
  CHECK(types.find(*m.graph().find("z")) == nullptr);
}
