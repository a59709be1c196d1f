#include <graft/graph/made_by.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

using namespace graft;

TEST_CASE("what makes a value is found if it is of the operator and has the inputs") {
  Builder b(17);
  b.import("com.microsoft", 1);
  Value& x = b.input("x", DType::f32, {2});
  Value& clipped = b.op("Clip", {&x, nullptr, &x});
  Value& gelu = b.op("com.microsoft::Gelu", {&clipped});
  b.output(gelu, "y");
  const Model model = b.build();
  CHECK(made_by(clipped, "Clip") == clipped.producer());
  CHECK(made_by(gelu, "com.microsoft::Gelu") == gelu.producer());
  CHECK(made_by(gelu, "Gelu") == nullptr);
  CHECK(made_by(clipped, "Clip", 2) == nullptr);  // its second input is absent
  CHECK(made_by(clipped, "Clip", 0) == clipped.producer());
  CHECK(made_by(x, "Clip") == nullptr);
}
