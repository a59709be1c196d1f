#include <graft/graph/copied_attributes.hpp>

#include <cstdint>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

using namespace graft;

TEST_CASE("attributes are copied by name, those that the node has") {
  Builder build(13);
  Value& x = build.input("x", DType::f32, {2, 3});
  const Attributes given{{"transB", std::int64_t{1}}, {"beta", 1.0f}, {"alpha", 2.0f}};
  const Node& gemm = *build.op("Gemm", {&x, &x}, given).producer();
  const Attributes copied = copied_attributes(gemm, {"alpha", "transA", "transB"});
  const Node& copy = *build.op("Gemm", {&x, &x}, copied).producer();
  CHECK(copied.size() == 2);
  CHECK(copy.attr<float>("alpha") == 2.0f);
  CHECK(copy.attr<std::int64_t>("transB") == 1);
  CHECK(copy.attribute("beta") == nullptr);
}
