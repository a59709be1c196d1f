#include <graft/quantize/audit/expected_time.hpp>

#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/detail/node_time.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

constexpr std::array dtypes{KernelDTypes{DType::u8, DType::i8}};
constexpr std::array kernels{IntegerKernel{.op = "Conv",
                                           .dtypes = dtypes,
                                           .in_float = {.call = 100, .product = 4},
                                           .in_integers = {.call = 100, .product = 1}}};
constexpr Target target{.name = "npu", .kernels = kernels, .quantize = {.element = 2}, .dequantize = {.element = 3}};

constexpr const char* text = "x: f32[1,2,4,4]; y = Conv(x, f32[16,2,1,1] 1)";  // 512 products

}  // namespace

TEST_CASE("a float graph is expected to take what its kernels take in float", "[quantize]") {
  Model model = graph(text);
  const ExpectedTime time = expected_time(model.graph(), audit(model.graph(), target), target);
  CHECK(time.in_float == Approx(100 + 512 * 4));
  CHECK(time.quantized == Approx(time.in_float));
  CHECK(time.speedup() == 1);
}

TEST_CASE("a quantized graph is expected to take what its integer kernels and the conversions at its ends take",
          "[quantize]") {
  Model model = graph(text);
  const Ranges ranges{{"x", {0, 1}}, {"y", {0, 2}}};
  (inject_qdq(ranges, target) | quantize_weights(Granularity::per_tensor, target)).run(model);
  const Audit found = audit(model.graph(), target);
  REQUIRE(found.fused() == 1);
  const ExpectedTime time = expected_time(model.graph(), found, target);
  CHECK(time.in_float == Approx(100 + 512 * 4));
  CHECK(time.quantized == Approx(100 + 512 + 32 * 2 + 256 * 3));
  CHECK(ExpectedTime().speedup() == 1);
}

TEST_CASE("a product whose input is quantized as the model runs takes that, and its integer kernel", "[quantize]") {
  const Target& x64 = targets::ort_cpu_x64;
  Model model = graph("x: f32[4,16]; a = MatMul(x, f32[16,16] random); b = MatMul(x, f32[16,8] random)");
  const ExpectedTime floats = expected_time(model.graph(), {}, x64);
  const auto in_integers = [&](const char* name) {
    const Node& node = *model.graph().find(name)->producer();
    return detail::time_in_integers(node, *integer_kernel(node, x64));
  };
  const double products = in_integers("a") + in_integers("b");
  quantize_dynamic(x64).run(model);
  const ExpectedTime time = expected_time(model.graph(), {}, x64);
  CHECK(time.in_float == Approx(floats.in_float));
  CHECK(time.quantized ==
        Approx(products + double{x64.dynamic_quantize.call} + 64 * double{x64.dynamic_quantize.element}));
}

TEST_CASE("what makes the operand of a pool decides what it takes in integers", "[quantize]") {
  const Target& x64 = targets::ort_cpu_x64;
  const auto quantized = [&](const std::string& before) {
    Model model = graph(
        "x: f32[1,4,8,8]; s = f32[] 0.02; z = u8[] 128; "
        "w = DequantizeLinear(i8[4,4,1,1] 1, f32[] 0.01, i8[] 0); "
        "q = DequantizeLinear(QuantizeLinear(" +
        before +
        ", s, z), s, z); "
        "y = DequantizeLinear(QuantizeLinear(MaxPool(q) {kernel_shape=[3,3]}, s, z), s, z)");
    const Audit found = audit(model.graph(), x64);
    CHECK(found.of("MaxPool").fused() == 1);
    Target even = x64;
    std::vector<IntegerKernel> own_kernels(x64.kernels.begin(), x64.kernels.end());
    for (IntegerKernel& kernel : own_kernels) kernel.float_input_cost = {};
    even.kernels = own_kernels;
    return expected_time(model.graph(), found, x64).quantized - expected_time(model.graph(), found, even).quantized;
  };
  CHECK(quantized("x") == Approx(4 * 36 * 9 * 2.8));
  CHECK(quantized("Conv(DequantizeLinear(QuantizeLinear(x, s, z), s, z), w)") == Approx(0).margin(1e-6));
}

TEST_CASE("a product by a weight in blocks takes what the target states for its bits", "[quantize]") {
  const Target& x64 = targets::ort_cpu_x64;
  Model model = graph("x: f32[4,32]; a = MatMul(x, f32[32,64] random)");
  const ExpectedTime floats = expected_time(model.graph(), {}, x64);
  quantize_weights_blockwise(x64, {.weights = {.bits = 8}}).run(model);
  const ExpectedTime time = expected_time(model.graph(), {}, x64);
  CHECK(time.in_float == Approx(floats.in_float));
  const KernelWork work{.elements = 4 * 64, .products = 4 * 64 * 32, .weights = 32 * 64};
  CHECK(time.quantized == Approx(time_of(work, x64.block_costs[1].cost)));
}

TEST_CASE("a product by a weight in blocks whose cost the target does not state counts as in float", "[quantize]") {
  const Target& x64 = targets::ort_cpu_x64;
  for (const BlockwiseOptions& options : {BlockwiseOptions{.weights = {.bits = 8, .block_size = 64}},
                                          BlockwiseOptions{.weights = {.bits = 8}, .accuracy_level = 1}}) {
    Model model = graph("x: f32[4,64]; a = MatMul(x, f32[64,64] random)");
    const ExpectedTime floats = expected_time(model.graph(), {}, x64);
    quantize_weights_blockwise(x64, options).run(model);
    REQUIRE(model.graph().find("a")->producer()->is("com.microsoft::MatMulNBits"));
    const ExpectedTime time = expected_time(model.graph(), {}, x64);
    CHECK(time.in_float == Approx(floats.in_float));
    CHECK(time.quantized == Approx(floats.in_float));
  }
}

TEST_CASE("what quantizes behind a kernel that gives floats takes its time", "[quantize]") {
  Target x64 = targets::ort_cpu_x64;
  x64.float_costs = {};
  x64.other = {};
  Model model = graph(R"(
      x: f32[4,16]; s = f32[] 0.02; z = u8[] 128; w = DequantizeLinear(i8[16,16] 1, f32[] 0.01, i8[] 0)
      m = MatMul(DequantizeLinear(QuantizeLinear(x, s, z), s, z), w)
      n = LayerNormalization(m, f32[16] 1)
      y = MatMul(DequantizeLinear(QuantizeLinear(n, s, z), s, z), w))");
  const Audit found = audit(model.graph(), x64).of("MatMul");
  REQUIRE(found.fused() == 2);
  REQUIRE(found.findings[0].float_result);
  double wanted = 0;
  for (const Node& node : model.graph().nodes()) {
    if (node.is("MatMul")) wanted += detail::time_in_integers(node, *integer_kernel(node, x64));
    if (node.is("QuantizeLinear")) wanted += detail::time_of(*node.input(0), x64.quantize);
  }
  CHECK(expected_time(model.graph(), found, x64).quantized == Approx(wanted));
}

TEST_CASE("an operator without an integer kernel takes as long quantized as in float", "[quantize]") {
  static constexpr std::array others{FloatCost{"Erf", {.call = 10, .element = 3}}};
  Target with_others = target;
  with_others.float_costs = others;
  with_others.other = {.call = 5, .element = 1};
  Model model = graph("x: f32[1,2,4,4]; c = Conv(x, f32[2,2,1,1] 1); y = Tanh(Erf(c)); z = Identity(y)");
  const double erf = 10 + 32 * 3, tanh = 5 + 32;
  const ExpectedTime without = expected_time(model.graph(), audit(model.graph(), target), target);
  const ExpectedTime floats = expected_time(model.graph(), audit(model.graph(), with_others), with_others);
  CHECK(floats.in_float == Approx(without.in_float + erf + tanh));
  const Ranges ranges{{"x", {0, 1}}, {"c", {0, 2}}};
  (inject_qdq(ranges, with_others) | quantize_weights(Granularity::per_tensor, with_others)).run(model);
  const ExpectedTime bare = expected_time(model.graph(), audit(model.graph(), target), target);
  const ExpectedTime time = expected_time(model.graph(), audit(model.graph(), with_others), with_others);
  CHECK(time.in_float == Approx(floats.in_float));
  CHECK(time.quantized == Approx(bare.quantized + erf + tanh));
}
