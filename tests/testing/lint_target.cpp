#include <graft/testing/lint_target.hpp>

#include <array>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>

using namespace graft;

namespace {

constexpr std::array weighted{KernelDTypes{DType::i8, DType::i8}};

/// A target of one kernel.
TestResult linted(IntegerKernel kernel, Target target = {.name = "npu", .activation = DType::i8}) {
  const std::array kernels{kernel};
  target.kernels = kernels;
  return lint(target);
}

}  // namespace

TEST_CASE("the targets that come with graft hold together") {
  for (const Target* const target : targets::all) CHECK(lint(*target));
}

TEST_CASE("a kernel for dtypes that the target does not quantize to is reported") {
  CHECK(linted({.op = "Conv", .dtypes = weighted}));
  CHECK(linted({.op = "Conv", .dtypes = weighted}, {.name = "npu"}).message() ==
        "'npu': its dtypes of Conv are not those that it quantizes to, u8 with weights of i8\n");
  CHECK(linted({.op = "Conv", .dtypes = weighted}, {.name = "npu", .activation = DType::i8, .weight = DType::u8})
            .message() == "'npu': its dtypes of Conv are not those that it quantizes to, i8 with weights of u8\n");
  CHECK(linted({.op = "Add", .dtypes = weighted, .form = KernelForm::elementwise}, {.name = "npu"}).message() ==
        "'npu': its dtypes of Add are not those that it quantizes to, u8\n");
}

TEST_CASE("operators that ONNX does not have, costs below 0 and bits that are none are reported") {
  const KernelCosts negative{.in_integers = {.product = -1}};
  CHECK(linted({.op = "Conv", .dtypes = weighted, .few_channels = negative}).message() ==
        "'npu': the cost of Conv of few channels is negative\n");
  CHECK_FALSE(linted({.op = "Conv", .dtypes = weighted, .guard_cost = {.element = -1}}));
  CHECK_FALSE(linted({.op = "Conv", .dtypes = weighted, .float_input_cost = {.element = -1}}));
  constexpr std::array activations{FusedActivation{"HardSwich"}, FusedActivation{"mine::Swish"}};
  const Target target{.name = "npu", .activation = DType::i8, .weight_bits = 9, .quantize = {.element = -1},
                      .activations = activations};
  CHECK(linted({.op = "Konv", .dtypes = weighted, .in_integers = {.call = -1}}, target).message() ==
        "'npu': the cost of a QuantizeLinear is negative\n"
        "'npu': weight_bits is not from 2 to 8\n"
        "'npu': ONNX has no operator Konv\n"
        "'npu': the cost of Konv in integers is negative\n"
        "'npu': ONNX has no operator HardSwich\n");
}

TEST_CASE("kernels whose operator has no weight, or no such input, are reported, and a target without kernels") {
  CHECK(linted({.op = "Add", .dtypes = weighted}).message() ==
        "'npu': Add is not an operator with a weight: these are Conv, ConvTranspose, Gemm, MatMul and "
        "normalizations\n");
  CHECK(linted({.op = "mine::Product", .dtypes = weighted}));
  CHECK(linted({.op = "Relu", .dtypes = weighted, .form = KernelForm::elementwise, .operands = 2}).message() ==
        "'npu': Relu has no input 1\n");
  CHECK(linted({.op = "Concat", .dtypes = weighted, .form = KernelForm::elementwise, .operands = all_operands}));
  CHECK(lint(Target{.name = "npu"}).message() == "'npu': there are no kernels, so that nothing will be quantized\n");
}

TEST_CASE("zero points that contradict the dtypes are reported") {
  const IntegerKernel conv{.op = "Conv", .dtypes = weighted};
  CHECK(linted(conv, {.name = "npu", .activation = DType::i8, .zero_points = ZeroPoints::zero}));
  constexpr std::array both{KernelDTypes{DType::i8, DType::i8}, KernelDTypes{DType::u8, DType::i8}};
  CHECK(linted({.op = "Conv", .dtypes = both}, {.name = "npu", .zero_points = ZeroPoints::zero}).message() ==
        "'npu': zero points are 0, but activations are u8, which has no negative values\n");
  constexpr std::array redundant{FusedActivation{"Relu", Fuses::when_redundant}};
  const Target fusing{
      .name = "npu", .activation = DType::i8, .zero_points = ZeroPoints::zero, .activations = redundant};
  CHECK(linted(conv, fusing).message() ==
        "'npu': Relu vanishes if the zero point is the lowest value, but zero points are 0\n");

  const Target either{.name = "npu", .activation = DType::i8, .zero_points = ZeroPoints::zero_either_sign};
  CHECK(linted(conv, either).message() == "'npu': activations have either sign, but Conv does not take both\n");
  constexpr std::array given{DType::i8, DType::u8};
  CHECK(linted({.op = "Conv", .dtypes = both}, either).message() ==
        "'npu': activations have either sign, but Conv does not give both\n");
  CHECK(linted({.op = "Conv", .dtypes = both, .output_dtypes = given}, either));
  CHECK(linted({.op = "MaxPool", .dtypes = both, .form = KernelForm::passthrough}, either));
  IntegerKernel add{
      .op = "Add", .dtypes = both, .form = KernelForm::elementwise, .operands = 2, .output_dtypes = given};
  CHECK(linted(add, either).message() == "'npu': activations have either sign, but Add does not mix both\n");
  add.quirks = {KernelQuirk::mixes_dtypes};
  CHECK(linted(add, either));
}

TEST_CASE("quirks that contradict the kernel are reported") {
  CHECK(linted({.op = "Conv", .dtypes = weighted, .quirks = {KernelQuirk::float_beside_quantizers}}).message() ==
        "'npu': Conv has float_beside_quantizers without float_output\n");
  CHECK(linted({.op = "Add",
                .dtypes = weighted,
                .form = KernelForm::elementwise,
                .since = 14,
                .until = 13,
                .quirks = {KernelQuirk::merges_with_add, KernelQuirk::requantizes}})
            .message() ==
        "'npu': Add is served in no version of the opset\n"
        "'npu': Add has one of quirks_of_weights, but no weight\n");
}
