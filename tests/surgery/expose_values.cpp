#include <graft/surgery/expose_values.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;
using Catch::Contains;

TEST_CASE("values whose names match are exposed", "[expose_values]") {
  Model model = graph("x: f32[2]; block1/out = Neg(x); block1/in = Abs(block1/out); block2/out = Exp(block1/in); "
                      "y = Neg(block2/out)");
  CHECK(expose_values({".*/out", "block1/in"}).run(model).changes == 3);
  CHECK(unsound(model).empty());
  std::string names;
  for (const onnx::ValueInfoProto& output : model.proto().graph().output()) names += output.name() + " ";
  CHECK(names == "y block1/out block1/in block2/out ");
  CHECK(to_string(model.proto().graph().output(1).type()) == "f32[2]");
  CHECK(expose_values({".*/out", "y"}).run(model).changes == 0);
}

TEST_CASE("a type that is not known is noted, a pattern of nothing is an error", "[expose_values]") {
  Model model = graph("x: f32[2]; h = own::Op(x); g = Neg(x); y = own::Op(h, g)");
  const Report report = expose_values({"h|g"}).run(model);
  CHECK(report.changes == 1);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Contains("'h' is no output"));
  CHECK_THAT(refusal(graph("x: f32[2]; y = Neg(x)"), expose_values({"x"})), Contains("x: matches no value"));
}
