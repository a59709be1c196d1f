#include <graft/quantize/place/choose_forms_by_cost.hpp>

#include <array>
#include <string>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

constexpr std::array dtypes{KernelDTypes{DType::u8, DType::i8}};
/// Gives its result quantized, so that a static product takes a conversion behind it too.
constexpr std::array kernels{
    IntegerKernel{.op = "MatMul", .dtypes = dtypes, .in_float = {.call = 100}, .in_integers = {.call = 10}}};

/// The names of the products that are chosen, if a conversion takes 20.
std::string chosen(const std::string& text, float dynamic, const std::string& excluded = "none") {
  Target target{.name = "npu", .kernels = kernels, .dynamic_kernels = targets::ort_cpu_x64.dynamic_kernels};
  target.quantize = target.dequantize = {20};
  target.dynamic_quantize = {dynamic};
  Model model = graph(text);
  Context context;
  Ranges ranges;
  for (const Node& node : model.graph().nodes()) ranges.set(node.output(0)->name(), {-1, 1});
  ranges.set("x", {-1, 1});
  context.facts.provide(std::move(ranges));
  (exclude_nodes({excluded}) | choose_forms_by_cost(target)).run(model, context);
  CHECK(count(model.graph(), "MatMul") == model.graph().nodes().size());
  std::string names;
  for (const auto& [name, why] : context.facts.value_or_default<ProductForms>().reasons) names += name + " ";
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
