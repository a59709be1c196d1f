#include <graft/quantize/kernel/carried_pairs.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// The names of the results to which the pair of d is carried wrongly.
std::string carried(const std::string& behind, Fault fault, int opset = 21, const std::string& q = "f32[] 0.1, i8[] 0",
                    const std::string& target = "ort-cpu-x64@1.27") {
  Model model = graph("opset " + std::to_string(opset) + "; x: f32[1,8,4]; c: bool[]; q = QuantizeLinear(x, " + q +
                      "); d = DequantizeLinear(q, " + q + "); " + behind);
  std::string names;
  for (const CarriedPair& pair :
       pairs_carried_wrongly(*model.graph().find("d")->producer(), targets::named(target))) {
    CHECK(pair.fault == fault);
    names += std::string(pair.moved->name()) + " ";
  }
  return names;
}

const std::string moved = "t = Transpose(d) {perm=[0,2,1]}; ";

}  // namespace

TEST_CASE("pairs of int8 fail where one reader of what is moved does not quantize", "[quantize]") {
  const auto of = [](const std::string& behind, auto... more) { return carried(behind, Fault::carried_int8, more...); };
  CHECK(of(moved + "y = Neg(t)") == "t ");
  CHECK(of(moved) == "t ");
  CHECK(of(moved + "u = Identity(t); y = Neg(u)") == "t ");
  CHECK(of("e = Identity(d); " + std::string("t = Squeeze(e, i64[1] 0); y = Neg(t); z = Abs(d)")) == "t ");
  CHECK(of(moved + "y = Neg(t); u = Unsqueeze(d, i64[1] 0); z = Abs(u)").size() == 4);
  CHECK(of(moved + "y = Neg(t); z = Abs(t)").empty());
  CHECK(of(moved + "u = Identity(t); y = QuantizeLinear(u, f32[] 0.1, i8[] 0)").empty());
  CHECK(of("y = Neg(d)").empty());
  CHECK(of(moved + "y = Neg(t)", 20).empty());
  CHECK(of(moved + "y = Neg(t)", 21, "f32[] 0.1, u8[] 0").empty());
  CHECK(of(moved + "y = Neg(t)", 21, "f32[] 0.1, i8[] 0", "ort-cpu-arm64@1.27").empty());
  CHECK(of(moved + "y = Neg(t)", 21, "f32[] 0.1, i8[] 0", "onednn").empty());
}

TEST_CASE("pairs fail where a body reads what is moved", "[quantize]") {
  const auto of = [](const std::string& behind, const std::string& target = "ort-cpu-arm64") {
    return carried(behind, Fault::carried_into_body, 17, "f32[] 0.1, u8[] 0", target);
  };
  const auto read = [](const std::string& value) {
    return "y = If(c) {then_branch={ n = Neg(" + value + ") }, else_branch={ a = Abs(" + value + ") }}";
  };
  CHECK(of(moved + read("t")) == "t ");
  CHECK(of(moved + "z = Exp(t); " + read("t"), "ort-cpu-x64@1.32") == "t ");
  CHECK(of(moved + "u = Reshape(t, i64[2] {4, 8}); " + read("u")) == "u ");
  CHECK(of(moved + "r = QuantizeLinear(t, f32[] 0.1, u8[] 0); " + read("t")).empty());
  CHECK(of(moved + "z = Neg(t); " + read("d")).empty());
  CHECK(of(moved + read("t"), "onednn").empty());
}
