#include <graft/quantize/place/choose_forms_by_cost.hpp>

#include <array>
#include <string>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

constexpr std::array dtypes{KernelDTypes{DType::u8, DType::i8}};
/// Gives its result quantized, so that a static product takes a conversion behind it too.
constexpr std::array kernels{
    IntegerKernel{.op = "MatMul", .dtypes = dtypes, .in_float = {.call = 100}, .in_integers = {.call = 10}}};

/// The names of the products that are chosen, if a conversion takes 20, and a weight-only one this; with their bits.
std::string chosen(const std::string& text, float dynamic, const std::string& excluded = "none",
                   float weight_only = 1000, int bits = 8) {
  const std::array block_costs{BlockCost{8, {weight_only}}};
  Target target{.name = "npu", .kernels = kernels, .dynamic_kernels = targets::ort_cpu_x64.dynamic_kernels};
  target.quantize = target.dequantize = {20};
  target.dynamic_quantize = {dynamic};
  target.block_kernels = targets::ort_cpu_x64.block_kernels;
  target.block_costs = block_costs;
  Model model = graph(text);
  Context context;
  Ranges ranges;
  for (const Node& node : model.graph().nodes()) ranges.set(node.output(0)->name(), {-1, 1});
  ranges.set("x", {-1, 1});
  context.facts.provide(std::move(ranges));
  (exclude_nodes({excluded}) | choose_forms_by_cost(target, bits)).run(model, context);
  CHECK(count(model.graph(), "MatMul") == model.graph().nodes().size());
  std::string names;
  const auto forms = context.facts.value_or_default<ProductForms>();
  for (const auto& [name, why] : forms.dynamic.reasons) names += name + " ";
  for (const auto& [width, products] : forms.weight_only)
    for (const auto& [name, why] : products.reasons) names += name + std::to_string(width) + " ";
  return names;
}

const std::string one = "x: f32[1,4]; a = MatMul(x, f32[4,4] 1)";
const std::string two = one + "; b = MatMul(x, f32[4,4] 2)";

}  // namespace

TEST_CASE("a product is dynamic where that takes less than a pair on either side", "[quantize]") {
  CHECK(chosen(one, 39) == "a ");
  CHECK(chosen(one, 41).empty());
}

TEST_CASE("a tensor is quantized once for all dynamic products that read it", "[quantize]") {
  CHECK(chosen(two, 59) == "a b ");  // beside 20 in front, and 20 behind each
  CHECK(chosen(two, 61).empty());
}

TEST_CASE("products that read each other's integers stay static", "[quantize]") {
  const std::string row = one + "; b = MatMul(a, f32[4,4] 2); c = MatMul(b, f32[4,4] 3)";
  CHECK(chosen(row, 13) == "a b c ");
  CHECK(chosen(row, 15).empty());  // 40 for all three between pairs
}

TEST_CASE("a product that gains less than it takes, or is excluded, is not dynamic", "[quantize]") {
  CHECK(chosen(two, 59, "a") == "");
  CHECK(chosen(two, 39, "a") == "b ");
}

TEST_CASE("a product is weight-only where that takes least time", "[quantize]") {
  CHECK(chosen(one, 39, "none", 50) == "a ");      // 49 dynamic
  CHECK(chosen(one, 39, "none", 48) == "a8 ");
  CHECK(chosen(one, 1000, "none", 51).empty());    // 50 between pairs
  CHECK(chosen(one, 1000, "none", 49) == "a8 ");
  CHECK(chosen(one, 1000, "none", 99, 4).empty());  // no kernel is known to take 4 bits
  CHECK(chosen(one, 1000, "a", 9).empty());
}

TEST_CASE("products that share the conversion of their input are weight-only for less than their shares",
          "[quantize]") {
  CHECK(chosen(two, 40, "none", 29) == "a8 b8 ");  // 58 against 60 in all
  CHECK(chosen(two, 40, "none", 31) == "a b ");
}
