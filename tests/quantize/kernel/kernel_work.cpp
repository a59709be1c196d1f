#include <graft/quantize/kernel/kernel_work.hpp>

#include <array>
#include <string>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

constexpr std::array dtypes{KernelDTypes{DType::u8, DType::i8}};
constexpr IntegerKernel weighted{.op = "Conv", .dtypes = dtypes};
constexpr IntegerKernel unweighted{.op = "MaxPool", .dtypes = dtypes, .form = KernelForm::elementwise};

KernelWork work_of(const std::string& text, const IntegerKernel& kernel) {
  const Model model = graph(text);
  return kernel_work(*model.graph().first_node(), kernel);
}

}  // namespace

TEST_CASE("the work of a node is that of its shapes", "[quantize]") {
  const KernelWork conv = work_of("x: f32[1,8,6,6]; w: f32[4,8,3,3]; y = Conv(x, w) {pads=[1,1,1,1]}", weighted);
  CHECK(conv.results == 4 * 36);
  CHECK(conv.elements == 8 * 36);
  CHECK(conv.products == 16 * 36 * 8 * 9);  // by 4 filters it takes as long as by 16
  CHECK(conv.pieces == 0);
  CHECK(conv.width == KernelWidth::usual);
  const KernelWork image = work_of("x: f32[1,3,6,6]; w: f32[4,3,1,1]; y = Conv(x, w)", weighted);
  CHECK(image.width == KernelWidth::first_layer);
  CHECK(image.pieces == 36);
  const KernelWork deep = work_of("x: f32[1,4,6,6]; w: f32[4,1,1,1]; y = Conv(x, w) {group=4}", weighted);
  CHECK(deep.width == KernelWidth::few_channels);
  CHECK(deep.products == 16 * 36);  // by 4 channels it takes as long as by 16
  const KernelWork pool = work_of("x: f32[1,2,4,4]; y = MaxPool(x) {kernel_shape=[4,4]}", unweighted);
  CHECK(pool.results == 2);
  CHECK(pool.elements == 32);
  CHECK(pool.products == 0);
  CHECK(pool.weights == 0);
}

TEST_CASE("of several groups, pieces are counted, and each group's few filters as 16", "[quantize]") {
  const KernelWork few = work_of("x: f32[1,8,5,5]; w: f32[8,2,3,3]; y = Conv(x, w) {group=4}", weighted);
  CHECK(few.width == KernelWidth::usual);
  CHECK(few.pieces == 9 * 4 * 9);  // of 9 places, 4 groups, 9 taps
  CHECK(few.products == 9 * 4 * 16 * 18);
  const KernelWork many = work_of("x: f32[1,8,5,5]; w: f32[64,4,1,1]; y = Conv(x, w) {group=2}", weighted);
  CHECK(many.pieces == 25 * 2);
  CHECK(many.products == 25 * 64 * 4);
  const KernelWork deep = work_of("x: f32[1,4,6,6]; w: f32[8,1,3,3]; y = Conv(x, w) {group=4}", weighted);
  CHECK(deep.width == KernelWidth::usual);  // two filters for each channel
  CHECK(deep.pieces == 16 * 4 * 9);
}

TEST_CASE("a first layer has a piece for each row of taps; one channel is a depthwise convolution", "[quantize]") {
  const KernelWork sound = work_of("x: f32[1,2,300]; w: f32[8,2,256]; y = Conv(x, w)", weighted);
  CHECK(sound.width == KernelWidth::first_layer);
  CHECK(sound.pieces == 45);
  const KernelWork image = work_of("x: f32[1,3,6,6]; w: f32[20,3,3,5]; y = Conv(x, w)", weighted);
  CHECK(image.pieces == 8 * 3);
  const KernelWork filtered = work_of("x: f32[1,1,1,300]; w: f32[1,1,1,256]; y = Conv(x, w)", weighted);
  CHECK(filtered.width == KernelWidth::few_channels);
  CHECK(filtered.products == 45 * 256 * 16);
}

TEST_CASE("columns of a matrix count as 16 at least", "[quantize]") {
  CHECK(work_of("x: f32[3,32]; w: f32[32,2]; y = MatMul(x, w)", weighted).products == 3 * 32 * 16);
  CHECK(work_of("x: f32[3,32]; w: f32[20,32]; y = Gemm(x, w) {transB=1}", weighted).products == 3 * 32 * 20);
}

TEST_CASE("rows of a matrix, and runs of operands that are broadcast, are pieces", "[quantize]") {
  CHECK(work_of("x: f32[2,3,32]; w: f32[32,5]; y = MatMul(x, w)", weighted).pieces == 2 * 3);
  constexpr IntegerKernel add{.op = "Add", .dtypes = dtypes, .form = KernelForm::elementwise, .operands = 2};
  const auto pieces = [&](const std::string& a, const std::string& b) {
    return work_of("a: f32" + a + "; b: f32" + b + "; y = Add(a, b)", add).pieces;
  };
  CHECK(pieces("[2,3,4]", "[2,3,4]") == 0);
  CHECK(pieces("[2,3,4]", "[1]") == 0);
  CHECK(pieces("[1,3,4]", "[3,4]") == 0);
  CHECK(pieces("[2,3,4]", "[4]") == 2 * 3);
  CHECK(pieces("[2,3,4]", "[2,3,1]") == 2 * 3);
  CHECK(pieces("[2,3,4,5]", "[3,1,1]") == 2 * 3);
  CHECK(pieces("[2,1,4]", "[2,3,1]") == 2 * 3);
}

TEST_CASE("of what copies a part of a tensor, the part is counted", "[quantize]") {
  constexpr IntegerKernel gather{.op = "Gather", .dtypes = dtypes, .form = KernelForm::passthrough};
  CHECK(work_of("x: f32[1000,8]; i: i64[2]; y = Gather(x, i)", gather).elements == 16);
  CHECK(float_work(*graph("x: f32[1000,8]; y = Shape(x)").graph().first_node()).elements == 2);
}

TEST_CASE("attention and recurrent operators have products, others elements", "[quantize]") {
  const auto of = [](const std::string& text) { return float_work(*graph(text).graph().first_node()); };
  const KernelWork attention =
      of("q: f32[1,6,32]; k: f32[1,10,32]; v: f32[1,10,32]; "
         "y = com.microsoft::MultiHeadAttention(q, k, v) {num_heads=4}");
  CHECK(attention.products == 2 * 6 * 10 * 32);
  const KernelWork lstm = of("x: f32[7,1,5]; y = LSTM(x, f32[1,12,5] 1, f32[1,12,3] 1) {hidden_size=3}");
  CHECK(lstm.products == 7 * 12 * (5 + 3));
  const KernelWork erf = of("x: f32[4,5]; y = Erf(x)");
  CHECK(erf.products == 0);
  CHECK(erf.elements == 20);
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
  CHECK(costs_of(kernel, KernelWidth::first_layer).in_float.call == 1);
  kernel.few_channels = {.in_float = {2}, .in_integers = {}};
  CHECK(costs_of(kernel, KernelWidth::first_layer).in_float.call == 2);
  CHECK(costs_of(kernel, KernelWidth::usual).in_float.call == 1);
  kernel.first_layer = {.in_float = {3}, .in_integers = {}};
  CHECK(costs_of(kernel, KernelWidth::first_layer).in_float.call == 3);
  CHECK(costs_of(kernel, KernelWidth::few_channels).in_float.call == 2);
  STATIC_REQUIRE(time_of(KernelWork{.elements = 2, .products = 8, .weights = 3, .pieces = 4}, {100, 10, 1, 1000, 5}) ==
                 3148);
}

TEST_CASE("a weight is a constant, or one behind quantizers alone", "[quantize]") {
  const auto weights = [](const std::string& weight) {
    const Model model = graph("opset 13; x: f32[2,8]; c: f32[8,4]; w = f32[8,4] random; s = f32[] 0.5; z = i8[] 0; "
                              "y = MatMul(x, " + weight + ")");
    return kernel_work(*model.graph().last_node(), weighted).weights;
  };
  CHECK(weights("w") == 32);
  CHECK(weights("DequantizeLinear(i8[8,4] random, s, z)") == 32);
  CHECK(weights("DequantizeLinear(QuantizeLinear(w, s, z), s, z)") == 32);
  CHECK(weights("c") == 0);
  CHECK(weights("DequantizeLinear(QuantizeLinear(c, s, z), s, z)") == 0);
}
