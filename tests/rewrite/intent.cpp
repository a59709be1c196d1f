#include <graft/rewrite/intent.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

TEST_CASE("a rule declares what it may change, and nothing by itself") {
  static constexpr auto plain = rule<"plain">(op<"Relu">(x), op<"Tanh">(x));
  CHECK(plain.view().intent.values.empty());
  CHECK_FALSE(plain.view().intent.shapes);
  CHECK_FALSE(plain.view().intent.signature);
  static constexpr auto bold = plain.changes_values("a bit").changes_shapes().changes_signature();
  CHECK(bold.view().intent.values == "a bit");
  CHECK(bold.view().intent.shapes);
  CHECK(bold.view().intent.signature);
}

TEST_CASE("a declared change of shape is let through") {
  static constexpr auto flat = rule<"flat">(op<"Relu">(x), op<"Flatten">(x).with(attr<"axis", std::int64_t> = 0));
  static constexpr auto declared = flat.changes_shapes();
  for (const bool declares : {false, true}) {
    Small m;
    Model model = m.finish(m.op("Neg", {&m.op("Relu", {&m.in})}));
    infer_shapes(model.graph());
    const Pass pass = declares ? sweep(declared) : sweep(flat);
    CHECK(pass.run(model).changes == (declares ? 1u : 0u));
  }
}
