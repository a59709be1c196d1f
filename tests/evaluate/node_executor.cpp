#include <graft/evaluate/node_executor.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/rewrite/context.hpp>

using namespace graft;

TEST_CASE("a Context takes the embedded executor; what it cannot run gives nothing") {
  Context context;
  context.executor = node_executor();
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2});
  const Node& neg = *build.op("Neg", {&in}).producer();
  const auto run = [&](const Node& node) {
    return context.executor(node, std::vector<Tensor>{Tensor::of<float>({2}, std::vector<float>{1, -2})});
  };
  const auto outputs = run(neg);
  REQUIRE(outputs);
  CHECK(outputs->at(0).to<float>() == std::vector<float>{-1, 2});
  CHECK_FALSE(run(*build.op("mine::Neg", {&in}).producer()));
}
