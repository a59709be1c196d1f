#include <graft/quantize/target/product_forms.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/verify.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const Target& target = targets::ort_cpu_x64;
const Ranges ranges{{"x", {-1, 1}}, {"h", {-4, 4}}, {"r", {0, 4}}, {"y", {-9, 9}}, {"z", {-9, 9}}};

/// Quantized with pairs, except for this product.
Model quantized(const std::string& text, const std::string& product, ProductForm form, Context& context) {
  Model model = graph(text);
  context.facts.provide(ProductForms()).choose(product, form, "why");
  (inject_qdq(ranges, target, Placement::all_supported) | quantize_dynamic(target, {.tables = {}}) |
   quantize_weights_blockwise(target, {.weights = {.bits = 4}, .tables = {}}) |
   quantize_weights(Granularity::per_channel, target))
      .run(model, context);
  CHECK(verify(model).empty());
  return model;
}

}  // namespace

TEST_CASE("forms of products have the field's names", "[quantize]") {
  CHECK(to_string(ProductForm::in_float) == "float");
  CHECK(to_string(ProductForm::static_) == "static");
  CHECK(to_string(ProductForm::dynamic) == "dynamic");
  CHECK(to_string(ProductForm::weight_only) == "weight-only");
}

TEST_CASE("a product has the form that was chosen last", "[quantize]") {
  Model model = graph("x: f32[4,32]; y = MatMul(x, f32[32,8] 1)");
  Node& node = *model.graph().first_node();
  ProductForms forms;
  CHECK_FALSE(forms.holds(node));
  CHECK(forms.choose(node, ProductForm::dynamic, "first"));
  CHECK_FALSE(forms.choose(node, ProductForm::dynamic, "again"));
  CHECK(forms.is_dynamic(node));
  CHECK(forms.dynamic.reason(node) == "first");
  CHECK(forms.choose(node, ProductForm::weight_only, "why", 4));
  CHECK_FALSE(forms.is_dynamic(node));
  CHECK(forms.weight_bits(node) == 4);
  CHECK(forms.choose(node, ProductForm::weight_only, "why", 8));
  CHECK(forms.weight_bits(node) == 8);
  CHECK(forms.size() == 1);
  CHECK(forms.choose(node, ProductForm::static_, "why"));
  CHECK_FALSE(forms.choose(node, ProductForm::in_float, "why"));
  CHECK(forms.size() == 0);
}

TEST_CASE("the forms of products follow their nodes' names", "[quantize]") {
  Context context;
  ProductForms& forms = context.facts.provide(ProductForms());
  forms.choose("a", ProductForm::dynamic, "why");
  forms.choose("b", ProductForm::weight_only, "why");
  context.facts.node_renamed("a", "c");
  context.facts.node_copied("b", "d");
  const auto* const known = context.facts.find<ProductForms>();
  CHECK(known->dynamic.reasons.count("c") == 1);
  CHECK(known->weight_only.at(8).reasons.size() == 2);
  CHECK(known->size() == 3);
}

TEST_CASE("a product in a body is not the one of the same name in the main graph", "[quantize]") {
  const std::string text =
      "b: bool[]; x: f32[4,32]; w = f32[32,32] random; y = MatMul(x, w); z = If(b) "
      "{then_branch = { t = MatMul(x, w) }, else_branch = { e = Relu(x) }}; return y, z";
  Model model = graph(text);
  const std::vector<Graph*> scopes = with_bodies(model.graph());
  for (Graph* const scope : scopes)
    for (Node& node : scope->nodes())
      if (node.is("MatMul")) scope->rename(node, "same");
  for (const ProductForm form : {ProductForm::dynamic, ProductForm::weight_only}) {
    Model copy = model.clone();
    Context context;
    context.facts.provide(ProductForms()).choose("same", form, "why");
    (quantize_dynamic(target, {.tables = {}}) |
     quantize_weights_blockwise(target, {.weights = {.bits = 8}, .tables = {}}))
        .run(copy, context);
    CHECK(count(copy.graph(), "MatMul") == 0);
    std::size_t everywhere = 0;
    for (Graph* const scope : with_bodies(copy.graph())) everywhere += count(*scope, "MatMul");
    CHECK(everywhere == 1);
  }
}

TEST_CASE("placement leaves dynamic products alone, which alone are quantized as the model runs", "[quantize]") {
  const std::string text =
      "x: f32[4,32]; h = MatMul(x, f32[32,32] random); r = Relu(h); y = MatMul(r, f32[32,8] random)";
  Context context, none;
  const Model model = quantized(text, "y", ProductForm::dynamic, context);
  CHECK(count(model.graph(), "MatMulInteger") == 1);
  CHECK(count(model.graph(), "MatMul") == 1);
  CHECK(node_making(model, "y").is("Mul"));
  CHECK(context.facts.find<FloatOutcomes>()->find("y") == nullptr);
  CHECK_FALSE(context.facts.value_or_default<KeptInFloat>().reasons.contains("y"));
  CHECK(count(quantized(text, "none", ProductForm::dynamic, none).graph(), "MatMulInteger") == 0);
}

TEST_CASE("placement leaves weight-only products alone, which alone get weights in blocks, of their bits",
          "[quantize]") {
  const std::string text =
      "x: f32[4,32]; h = MatMul(x, f32[32,32] random); r = Relu(h); y = Gemm(r, f32[32,8] random, f32[8] 1)";
  Context context, none;
  const Model model = quantized(text, "y", ProductForm::weight_only, context);
  const Node& sum = node_making(model, "y");
  REQUIRE(sum.is("Add"));
  const Node& product = *sum.input(0)->producer();
  REQUIRE(product.is("com.microsoft::MatMulNBits"));
  CHECK(product.attr<std::int64_t>("bits") == 8);  // not the 4 of the options
  CHECK(product.attr<std::int64_t>("accuracy_level") == 4);
  CHECK(count(model.graph(), "MatMul") == 1);
  CHECK(context.facts.find<FloatOutcomes>()->find("y") == nullptr);
  CHECK(count(quantized(text, "none", ProductForm::weight_only, none).graph(), "com.microsoft::MatMulNBits") == 0);
}

TEST_CASE("of a dynamic Gemm behind a quantizer neither bias nor weight is quantized in its place", "[quantize]") {
  Context context;
  const Model model = quantized(
      "x: f32[4,32]; h = Gemm(x, f32[32,32] random, f32[32] 1); r = Relu(h); y = Gemm(r, f32[32,8] random, f32[8] 1)",
      "y", ProductForm::dynamic, context);
  CHECK(count(model.graph(), "Gemm") == 1);
  CHECK(count(model.graph(), "MatMulInteger") == 1);
  const Node& sum = node_making(model, "y");
  REQUIRE(sum.is("Add"));
  REQUIRE(sum.input(1)->constant());
  CHECK(sum.input(1)->constant()->dtype() == DType::f32);
}

TEST_CASE("the choices of products tell their bits, not the reasons", "[quantize]") {
  ProductForms forms, others;
  forms.choose("a", ProductForm::dynamic, "why");
  forms.choose("b", ProductForm::weight_only, "why", 4);
  others.choose("b", ProductForm::weight_only, "because", 4);
  others.choose("a", ProductForm::dynamic, "because");
  CHECK(forms.choices() == std::map<std::string, int>{{"a", 0}, {"b", 4}});
  CHECK(forms.choices() == others.choices());
  others.choose("b", ProductForm::weight_only, "because");
  CHECK(others.choices().at("b") == ProductForms::usual_bits);
}
