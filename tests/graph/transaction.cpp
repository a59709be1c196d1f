#include <graft/graph/transaction.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

using namespace graft;

TEST_CASE("a transaction that is not kept leaves no trace") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  b.output(b.op("Relu", {&x}), "y");
  Model model = b.build();
  const std::string before = model.serialize();
  {
    Transaction transaction(model.graph());
    model.graph().insert("Neg", {&x}, 1);
    model.set_opset(18);
    model.set_metadata("key", "value");
  }
  CHECK(model.serialize() == before);
}

TEST_CASE("restart takes back what was done so far, and goes on") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  b.output(b.op("Relu", {&x}), "y");
  Model model = b.build();
  Transaction transaction(model.graph());
  model.graph().insert("Neg", {&x}, 1);
  transaction.restart();
  model.graph().insert("Abs", {&x}, 1);
  transaction.keep();
  CHECK(model.graph().nodes().size() == 2);
  CHECK(model.graph().last_node()->is("Abs"));
}
