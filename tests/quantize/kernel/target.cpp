#include <graft/quantize/kernel/target.hpp>

#include <array>

#include <catch2/catch.hpp>

#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

constexpr std::array fused{FusedActivation{"Relu"}, FusedActivation{"my.domain::Act"}};
constexpr std::array dtypes{KernelDTypes{DType::i8, DType::i8}};
constexpr std::array kernels{IntegerKernel{"my.domain::Conv", dtypes}};
constexpr Target mine{.name = "mine", .activation = DType::i8, .kernels = kernels, .activations = fused};

}  // namespace

TEST_CASE("a user's target is a constant, with operators of any domain", "[quantize]") {
  STATIC_REQUIRE(mine.activations.size() == 2);
  Net net;
  net.builder.import("my.domain", 1);
  Value& y = net.op("my.domain::Conv", {net.x, &net.weight()}, "y");
  Value& a = net.op("my.domain::Act", {&y}, "a");
  Value& plain = net.op("Conv", {&a, &net.weight("w2")}, "plain");
  CHECK(integer_kernel(*y.producer(), mine) == &kernels[0]);
  CHECK(integer_kernel(*plain.producer(), mine) == nullptr);
  CHECK(fused_activation(*a.producer(), mine) == &fused[1]);
}

TEST_CASE("a target is taken with activations of another dtype", "[quantize]") {
  STATIC_REQUIRE(with_activations(mine, DType::u16).activation == DType::u16);
  CHECK(with_activations(mine, DType::i16).kernels.data() == mine.kernels.data());
  CHECK(kernels[0].takes(DType::i8));
  CHECK_FALSE(kernels[0].takes(DType::i16));
  for (const DType dtype : {DType::i32, DType::i4, DType::f32, DType::undefined})
    CHECK_THROWS_WITH(with_activations(mine, dtype),
                      "activation: activations are quantized to int8, uint8, int16, uint16 or f8e4m3fn");
}

TEST_CASE("quirks are named, and a target that states none has none", "[quantize]") {
  STATIC_REQUIRE(mine.quirks == QuirkSet<Quirk>());
  constexpr Target odd = [] {
    Target target = mine;
    target.quirks = {Quirk::does_not_simplify, Quirk::constant_qparams_only};
    return target;
  }();
  STATIC_REQUIRE(odd.has(Quirk::does_not_simplify));
  STATIC_REQUIRE(odd.has(Quirk::constant_qparams_only));
  STATIC_REQUIRE_FALSE(odd.has(Quirk::unshared_dequantizers));
  STATIC_REQUIRE(odd.quirks.without(Quirk::does_not_simplify) == QuirkSet{Quirk::constant_qparams_only});
  STATIC_REQUIRE(mine.quirks.with(Quirk::constant_qparams_only) == QuirkSet{Quirk::constant_qparams_only});
}
