#include <graft/graph/non_default_attributes.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

using namespace graft;

namespace {

std::vector<std::string> names(const Value& result) {
  std::vector<std::string> all;
  for (const onnx::AttributeProto* const attribute : non_default_attributes(*result.producer()))
    all.push_back(attribute->name());
  return all;
}

}  // namespace

TEST_CASE("defaults of the graph's version do not count") {
  Builder older(12), newer(13);
  const Attributes attributes{{"axis", std::int64_t{1}}};
  CHECK(names(older.op("Softmax", {&older.input("x", DType::f32, {2, 3})}, attributes)).empty());
  CHECK(names(newer.op("Softmax", {&newer.input("x", DType::f32, {2, 3})}, attributes)) ==
        std::vector<std::string>{"axis"});
}

TEST_CASE("by name; all of an operator without a schema") {
  Builder build(13);
  Value& x = build.input("x", DType::f32, {2, 3});
  const Attributes attributes{{"transB", std::int64_t{1}}, {"beta", 1.0f}, {"alpha", 2.0f}};
  CHECK(names(build.op("Gemm", {&x, &x}, attributes)) == std::vector<std::string>{"alpha", "transB"});
  CHECK(names(build.op("test::Op", {&x}, attributes)) == std::vector<std::string>{"alpha", "beta", "transB"});
}
