#include <graft/quantize/audit/expected_time.hpp>

#include <array>

#include <catch2/catch.hpp>

#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

constexpr std::array dtypes{KernelDTypes{DType::u8, DType::i8}};
constexpr std::array kernels{IntegerKernel{.op = "Conv",
                                           .dtypes = dtypes,
                                           .in_float = {.call = 100, .product = 4},
                                           .in_integers = {.call = 100, .product = 1}}};
constexpr Target target{
    .name = "npu", .kernels = kernels, .quantize = {.element = 2}, .dequantize = {.element = 3}};

constexpr const char* text = "x: f32[1,2,4,4]; y = Conv(x, f32[2,2,1,1] 1)";  // 64 products

}  // namespace

TEST_CASE("a float graph is expected to take what its kernels take in float", "[quantize]") {
  Model model = graph(text);
  const ExpectedTime time = expected_time(model.graph(), audit(model.graph(), target), target);
  CHECK(time.in_float == Approx(100 + 64 * 4));
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
  CHECK(time.in_float == Approx(100 + 64 * 4));
  CHECK(time.quantized == Approx(100 + 64 + 32 * 2 + 32 * 3));
  CHECK(ExpectedTime().speedup() == 1);
}
