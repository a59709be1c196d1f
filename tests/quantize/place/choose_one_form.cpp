#include <graft/quantize/place/choose_one_form.hpp>

#include <string>

#include <catch2/catch.hpp>

#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

std::string chosen(const Target& target, ProductForm form, const std::string& excluded = "none",
                   const std::string& rows = "64") {
  Model model = graph(
      "x: f32[1," + rows + ",256]; y = MatMul(x, f32[256,256] 1); z = MatMul(Relu(y), f32[256,48] 1); "
      "s = MatMul(y, Transpose(y) {perm=[0,2,1]}); return z, s");
  Context context;
  const Report report = (exclude_nodes({excluded}) | choose_one_form(target, form)).run(model, context);
  const auto forms = context.facts.value_or_default<ProductForms>();
  std::string names;
  for (const auto& [name, why] : forms.dynamic.reasons) names += name + " ";
  for (const auto& [bits, products] : forms.weight_only)
    for (const auto& [name, why] : products.reasons) names += name + std::to_string(bits) + " ";
  CHECK(report.steps[1].changes == forms.size());
  return names;
}

}  // namespace

TEST_CASE("every product by a constant is dynamic that gains more than its input takes to quantize", "[quantize]") {
  const ProductForm form = ProductForm::dynamic;
  CHECK(chosen(targets::ort_cpu_x64, form) == "y ");  // z is too small
  CHECK(chosen(targets::ort_cpu_x64, form, "y").empty());
  Target free = targets::ort_cpu_x64;
  free.dynamic_quantize = {};
  CHECK(chosen(free, form) == "y z ");
  free.dynamic_kernels = {};
  CHECK(chosen(free, form).empty());
}

TEST_CASE("every product by a constant is weight-only that gains over float", "[quantize]") {
  const ProductForm form = ProductForm::weight_only;
  CHECK(chosen(targets::ort_cpu_x64, form, "none", "4") == "y8 ");  // z is too small
  CHECK(chosen(targets::ort_cpu_x64, form, "y", "4").empty());
  CHECK(chosen(targets::ort_cpu_x64, form).empty());  // of so many rows
  Target lacking = targets::ort_cpu_x64;
  lacking.block_kernels = {};
  CHECK(chosen(lacking, form, "none", "4").empty());
  lacking = targets::ort_cpu_x64;
  lacking.block_costs = {};
  CHECK(chosen(lacking, form, "none", "4").empty());
}

TEST_CASE("what placement chooses is not chosen for it", "[quantize]") {
  CHECK_THROWS_WITH(choose_one_form(targets::ort_cpu_x64, ProductForm::static_),
                    "static: is for placement to choose");
}
