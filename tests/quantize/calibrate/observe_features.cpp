#include <graft/quantize/calibrate/observe_features.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

const std::string products =
    "x: f32[B,2]; w: f32[2,2]; p = MatMul(x, f32[2,2] 1); q = Gemm(p, f32[2,2] 1) {transB=1}; "
    "r = Gemm(q, f32[2,2] 1) {transA=1}; s = MatMul(r, w); y = Add(MatMul(p, f32[2] 1), s)";

}  // namespace

TEST_CASE("features are observed before each MatMul and Gemm by a constant matrix", "[quantize]") {
  const Model model = graph(products);
  std::vector<std::string> names;
  for (const Value* const value : feature_inputs(model.graph())) names.emplace_back(value->name());
  CHECK(names == std::vector<std::string>{"x", "p"});
}

TEST_CASE("moments of features go to the passes behind", "[quantize]") {
  Model model = graph("x: f32[1,S,2]; y = MatMul(x, f32[2,1] {1, 1})");
  Context context;
  observe_feature_moments(std::vector<Feeds>{{{"x", Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4})}},
                                             {{"x", Tensor::of<float>({1, 1, 2}, {5, -9})}}})
      .run(model, context);
  const auto* const moments = context.facts.find<Statistics<FeatureMoments>>();
  REQUIRE(moments != nullptr);
  CHECK(moments->samples == 2);
  REQUIRE(moments->find("x") != nullptr);
  CHECK(moments->find("x")->mean(0) == 3);
  CHECK(moments->find("x")->features()[1].range == Range{-9, 4});
}
