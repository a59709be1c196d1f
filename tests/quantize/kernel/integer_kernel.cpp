#include <graft/quantize/kernel/integer_kernel.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const IntegerKernel* integer_kernel_of(std::string_view op) {
  const auto is_it = [&](const IntegerKernel& kernel) { return kernel.op == op; };
  return &*std::ranges::find_if(targets::ort_cpu_x64.kernels, is_it);
}

}  // namespace

TEST_CASE("a target may list an operator twice, for opsets", "[quantize]") {
  std::array<IntegerKernel, 2> kernels{*integer_kernel_of("Add"), *integer_kernel_of("Add")};
  kernels[0].until = 12;
  kernels[1].since = 13;
  Target target = targets::ort_cpu_x64;
  target.kernels = kernels;
  for (const int opset : {11, 13, 17}) {
    const Model model = graph("opset " + std::to_string(opset) + "; x: f32[2]; y: f32[2]; z = Add(x, y)");
    CHECK(integer_kernel(node_making(model, "z"), target) == &kernels[opset < 13 ? 0 : 1]);
  }
}
