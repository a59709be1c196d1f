#include <graft/quantize/prepare/longer_branches.hpp>

#include <string>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

/// The first operand of the sum, behind the pass.
std::string first_operand(const std::string& sum) {
  Model model = graph(
      "x: f32[1,2,4,4]; w = f32[2,2,1,1] random; c = Relu(x); l = Conv(Relu(Conv(c, w)), w); s = Conv(c, w); "
      "a = Relu(Conv(c, w)); two = Conv(c, w); n = Neg(two); y = " + sum);
  longer_branches_first().run(model);
  return std::string(node_making(model, "y").input(0)->name());
}

}  // namespace

TEST_CASE("of a sum of two convolutions the farther one comes first", "[quantize]") {
  CHECK(first_operand("Add(s, l)") == "l");
  CHECK(first_operand("Add(l, s)") == "l");
  CHECK(first_operand("Add(s, a)") == "a");
  CHECK(first_operand("Add(a, s)") == "a");
}

TEST_CASE("a sum that broadcasts its second operand alone keeps its order", "[quantize]") {
  Model model = graph(
      "opset 6; x: f32[1,2,4,4]; w = f32[2,2,1,1] random; l = Conv(Relu(Conv(x, w)), w); s = Conv(x, w); "
      "y = Add(s, l)");
  CHECK(longer_branches_first().run(model).changes == 0);
}

TEST_CASE("other operands stay in their order", "[quantize]") {
  CHECK(first_operand("Add(c, l)") == "c");
  CHECK(first_operand("Add(two, l)") == "two");
  CHECK(first_operand("Sub(s, l)") == "s");
  CHECK(first_operand("Add(s, two)") == "s");
}
