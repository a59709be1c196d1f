#include <graft/quantize/detail/node_time.hpp>

#include <array>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

using namespace graft;

namespace {

constexpr std::array dtypes{KernelDTypes{DType::u8, DType::i8}};

IntegerKernel priced_conv() {
  IntegerKernel kernel{.op = "Conv", .dtypes = dtypes};
  kernel.in_float = {1000};
  kernel.in_integers = {100};
  return kernel;
}

double in_float(const IntegerKernel& kernel, const std::string& text) {
  const Model model = graph(text);
  return detail::time_in_float(*model.graph().first_node(), kernel);
}
double in_integers(const IntegerKernel& kernel, const std::string& text) {
  const Model model = graph(text);
  return detail::time_in_integers(*model.graph().first_node(), kernel);
}

const std::string wide = "x: f32[1,8,4,4]; w: f32[2,8,1,1]; y = Conv(x, w)";
const std::string over_image = "x: f32[1,3,4,4]; w: f32[2,3,1,1]; y = Conv(x, w)";
const std::string depthwise = "x: f32[1,8,4,4]; w: f32[8,1,1,1]; y = Conv(x, w) {group=8}";

}  // namespace

TEST_CASE("a convolution over few channels has a cost of its own, and one over an image another", "[quantize]") {
  IntegerKernel kernel = priced_conv();
  CHECK(in_float(kernel, depthwise) == 1000);
  CHECK(in_integers(kernel, over_image) == 100);
  kernel.few_channels = {.in_float = {2000}, .in_integers = {200}};
  CHECK(in_float(kernel, wide) == 1000);
  CHECK(in_float(kernel, depthwise) == 2000);
  CHECK(in_float(kernel, over_image) == 2000);
  CHECK(in_integers(kernel, over_image) == 200);
  kernel.first_layer = {.in_float = {3000}, .in_integers = {300}};
  CHECK(in_float(kernel, wide) == 1000);
  CHECK(in_float(kernel, depthwise) == 2000);
  CHECK(in_float(kernel, over_image) == 3000);
  CHECK(in_integers(kernel, depthwise) == 200);
  CHECK(in_integers(kernel, over_image) == 300);
}
