#include <graft/surgery/detail/raise_step.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

using namespace graft;
using Catch::Matchers::Contains;

namespace {

struct OneNode {
  Builder build{9};
  Value& x = build.input("x", DType::f32, {2});
  Node& node = build.node("Clip", {&x}, 1, {{"min", 0.0f}});
  raise::Step step{node, *schema::find("", "Clip", 9), *schema::find("", "Clip", 13), 13,
                   [this](Tensor tensor, std::string_view hint) -> Value& {
                     return build.graph().add_initializer(std::move(tensor), hint);
                   }};
};

}  // namespace

TEST_CASE("a refusal names the node, the operator's version, the target and the field") {
  OneNode one;
  CHECK_THROWS_WITH(one.step.refuse("it is wrong", "min"),
                    Contains("Clip-6 cannot be raised to opset 13: it is wrong") && Contains("min") &&
                        Contains(std::string(one.node.name())));
}

TEST_CASE("an input may lie beyond those that there are") {
  OneNode one;
  Value& bound = one.step.constant(Tensor::scalar(6.0f), "max");
  one.step.set_input(2, &bound);
  REQUIRE(one.node.input_count() == 3);
  CHECK(one.node.input(1) == nullptr);
  CHECK(one.node.input(2) == &bound);
}

TEST_CASE("an input that would close a cycle is refused") {
  OneNode one;
  CHECK_THROWS_WITH(one.step.set_input(1, one.node.output(0)), Contains("cycle"));
}
