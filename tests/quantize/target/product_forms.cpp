#include <graft/quantize/target/product_forms.hpp>

#include <string>

#include <catch2/catch.hpp>

#include <graft/graph/verify.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/place/in_float.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const Target& target = targets::ort_cpu_x64;
const Ranges ranges{{"x", {-1, 1}}, {"h", {-4, 4}}, {"r", {0, 4}}, {"y", {-9, 9}}, {"z", {-9, 9}}};

/// Quantized with pairs, but for these products, which are dynamic.
Model quantized(const std::string& text, ProductForms products, Context& context) {
  Model model = graph(text);
  context.facts.provide(std::move(products));
  (inject_qdq(ranges, target, Placement::all_supported) | quantize_dynamic(target, {.tables = {}}) |
   quantize_weights(Granularity::per_channel, target))
      .run(model, context);
  CHECK(verify(model).empty());
  return model;
}

}  // namespace

TEST_CASE("no product is dynamic unless the facts say so", "[quantize]") {
  Facts facts;
  CHECK(facts.value_or_default<ProductForms>().reasons.empty());
  facts.provide(ProductForms{{{{"a", "why"}}}});
  CHECK(facts.value_or_default<ProductForms>().reasons.at("a") == "why");
}

TEST_CASE("placement leaves dynamic products alone, which alone are quantized as the model runs", "[quantize]") {
  const std::string text =
      "x: f32[4,32]; h = MatMul(x, f32[32,32] random); r = Relu(h); y = MatMul(r, f32[32,8] random)";
  Context context, none;
  const Model model = quantized(text, {{{{"y", "why"}}}}, context);
  CHECK(count(model.graph(), "MatMulInteger") == 1);
  CHECK(count(model.graph(), "MatMul") == 1);
  CHECK(node_making(model, "y").is("Mul"));
  CHECK_FALSE(context.facts.find<InFloat>()->reasons.contains("y"));
  CHECK_FALSE(context.facts.value_or_default<KeptInFloat>().reasons.contains("y"));
  CHECK(count(quantized(text, {}, none).graph(), "MatMulInteger") == 0);
}

TEST_CASE("of a dynamic Gemm behind a quantizer neither bias nor weight is quantized in its place", "[quantize]") {
  Context context;
  const Model model = quantized(
      "x: f32[4,32]; h = Gemm(x, f32[32,32] random, f32[32] 1); r = Relu(h); y = Gemm(r, f32[32,8] random, f32[8] 1)",
      {{{{"y", "why"}}}}, context);
  CHECK(count(model.graph(), "Gemm") == 1);
  CHECK(count(model.graph(), "MatMulInteger") == 1);
  const Node& sum = node_making(model, "y");
  REQUIRE(sum.is("Add"));
  REQUIRE(sum.input(1)->constant());
  CHECK(sum.input(1)->constant()->dtype() == DType::f32);
}
