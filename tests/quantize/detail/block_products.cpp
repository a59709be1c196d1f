#include <graft/quantize/detail/block_products.hpp>

#include <array>
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("a weight-only product gains less where its bias takes an Add, and nothing of a transposed input",
          "[quantize]") {
  const std::array dtypes{KernelDTypes{DType::u8, DType::i8}};
  const std::array kernels{IntegerKernel{.op = "Gemm", .dtypes = dtypes, .in_float = {.call = 100}},
                           IntegerKernel{.op = "Add", .dtypes = dtypes, .in_float = {.call = 30}}};
  const std::array block_costs{BlockCost{8, {60}}};
  Target target{.name = "npu", .kernels = kernels};
  target.block_kernels = targets::ort_cpu_x64.block_kernels;
  target.block_costs = block_costs;
  Model model = graph("x: f32[4,4]; w = f32[4,4] random; a = Gemm(x, w); b = Gemm(x, w, f32[4] 1); "
                      "c = Gemm(x, w) {transA=1}; return a, b, c");
  std::map<std::string, double> gains;
  for (const detail::BlockProduct& product : detail::block_products(model.graph(), target, {}, 8))
    gains.emplace(product.node->name(), product.gain);
  CHECK(gains == std::map<std::string, double>{{"a", 40}, {"b", 10}});
}
