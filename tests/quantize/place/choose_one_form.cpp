#include <graft/quantize/place/choose_one_form.hpp>

#include <string>

#include <catch2/catch.hpp>

#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

std::string chosen(const Target& target, const std::string& excluded = "none") {
  Model model = graph(
      "x: f32[1,64,256]; y = MatMul(x, f32[256,256] 1); z = MatMul(Relu(y), f32[256,8] 1); "
      "s = MatMul(y, Transpose(y) {perm=[0,2,1]}); return z, s");
  Context context;
  const Report report = (exclude_nodes({excluded}) | choose_one_form(target)).run(model, context);
  std::string names;
  for (const auto& [name, why] : context.facts.value_or_default<ProductForms>().reasons) names += name + " ";
  CHECK(report.steps[1].changes == context.facts.value_or_default<ProductForms>().reasons.size());
  return names;
}

}  // namespace

TEST_CASE("every product by a constant is dynamic that gains more than its input takes to quantize", "[quantize]") {
  CHECK(chosen(targets::ort_cpu_x64) == "y ");  // z is too small
  CHECK(chosen(targets::ort_cpu_x64, "y").empty());
  Target free = targets::ort_cpu_x64;
  free.dynamic_quantize = {};
  CHECK(chosen(free) == "y z ");
  free.dynamic_kernels = {};
  CHECK(chosen(free).empty());
}
