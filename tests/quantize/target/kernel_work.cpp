#include <graft/quantize/target/kernel_work.hpp>

#include <array>
#include <string>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

constexpr std::array dtypes{KernelDTypes{DType::u8, DType::i8}};
constexpr IntegerKernel weighted{.op = "Conv", .dtypes = dtypes};
constexpr IntegerKernel unweighted{.op = "MaxPool", .dtypes = dtypes, .form = KernelForm::one_dtype};

KernelWork work_of(const std::string& text, const IntegerKernel& kernel) {
  const Model model = graph(text);
  return kernel_work(*model.graph().first_node(), kernel);
}

}  // namespace

TEST_CASE("the work of a node is that of its shapes", "[quantize]") {
  const KernelWork conv = work_of("x: f32[1,8,6,6]; w: f32[4,8,3,3]; y = Conv(x, w) {pads=[1,1,1,1]}", weighted);
  CHECK(conv.results == 4 * 36);
  CHECK(conv.elements == 8 * 36);
  CHECK(conv.products == 4 * 36 * 8 * 9);
  CHECK(conv.width == KernelWidth::usual);
  const KernelWork image = work_of("x: f32[1,3,6,6]; w: f32[4,3,1,1]; y = Conv(x, w)", weighted);
  CHECK(image.width == KernelWidth::image);
  const KernelWork deep = work_of("x: f32[1,4,6,6]; w: f32[4,1,1,1]; y = Conv(x, w) {group=4}", weighted);
  CHECK(deep.width == KernelWidth::narrow);
  CHECK(deep.products == 4 * 36);
  const KernelWork pool = work_of("x: f32[1,2,4,4]; y = MaxPool(x) {kernel_shape=[4,4]}", unweighted);
  CHECK(pool.results == 2);
  CHECK(pool.elements == 32);
  CHECK(pool.products == 0);
  CHECK(pool.weights == 0);
}

TEST_CASE("a weight is counted that is stored", "[quantize]") {
  CHECK(work_of("x: f32[1,4]; w: f32[4,8]; y = MatMul(x, w)", weighted).weights == 0);
  CHECK(work_of("x: f32[1,4]; y = MatMul(x, f32[4,8] 1)", weighted).weights == 32);
  const Model model = graph("x: f32[1,4]; w = DequantizeLinear(i8[4,8] 1, f32[] 1, i8[] 0); y = MatMul(x, w)");
  CHECK(kernel_work(node_making(model, "y"), weighted).weights == 32);
}

TEST_CASE("a kernel's costs are the most particular that it has", "[quantize]") {
  IntegerKernel kernel = weighted;
  kernel.in_float = {1};
  CHECK(costs_of(kernel, KernelWidth::image).in_float.call == 1);
  kernel.narrow = {.in_float = {2}, .in_integers = {}};
  CHECK(costs_of(kernel, KernelWidth::image).in_float.call == 2);
  CHECK(costs_of(kernel, KernelWidth::usual).in_float.call == 1);
  kernel.image = {.in_float = {3}, .in_integers = {}};
  CHECK(costs_of(kernel, KernelWidth::image).in_float.call == 3);
  CHECK(costs_of(kernel, KernelWidth::narrow).in_float.call == 2);
  STATIC_REQUIRE(time_of(KernelWork{.elements = 2, .products = 8, .weights = 3}, {100, 10, 1, 1000}) == 3128);
}
