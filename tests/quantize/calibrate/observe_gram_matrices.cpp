#include <graft/quantize/calibrate/observe_gram_matrices.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("Gram matrices are of what products multiply by constants, each once", "[quantize]") {
  Model model = graph("opset 13; w = f32[2,2] {1, 0, 0, 2}; x: f32[2,2]; a = MatMul(x, w); b = Gemm(x, w); "
                      "c = MatMul(a, b); d = Gemm(c, w) {transA=1}; return d");
  std::vector<std::string> names;
  for (const Value* const value : product_inputs(model.graph())) names.emplace_back(value->name());
  CHECK(names == std::vector<std::string>{"x"});
  Context context;
  const std::vector<Feeds> samples{{{"x", Tensor::of<float>({2, 2}, {1, 2, 3, 4})}},
                                   {{"x", Tensor::of<float>({2, 2}, {1, 0, 0, 0})}}};
  observe_gram_matrices(samples).run(model, context);
  const auto* const found = context.facts.find<Statistics<GramMatrix>>();
  REQUIRE(found != nullptr);
  CHECK(found->samples == 2);
  CHECK(found->find("x")->sums() == std::vector<double>{11, 14, 14, 20});
}
