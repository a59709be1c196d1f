#include <graft/vocabulary/captures.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/pattern.hpp>

using namespace graft;

TEST_CASE("axes and pads are found as attributes and as inputs") {
  for (const int opset : {11, 13}) {
    Builder build(opset);
    Value& x = build.input("x", DType::f32, {1, 2, 1});
    Value& squeezed = opset < 13
                          ? build.op("Squeeze", {&x}, {{"axes", Ints{-1}}})
                          : build.op("Squeeze", {&x, &build.constant(Tensor::of<std::int64_t>({1}, {-1}), "axes")});
    const auto found = match(op<"Squeeze">(vocabulary::x).with(vocabulary::axes), squeezed);
    REQUIRE(found);
    CHECK(Ints(found[vocabulary::axes].begin(), found[vocabulary::axes].end()) == Ints{2});
  }
}
