#pragma once
#include <array>

#include <graft/graph/dtype.hpp>
#include <graft/quantize/kernel/target.hpp>

/// A runtime that takes int8 with zero points of 0 only, as accelerators do.
namespace symmetric {

using namespace graft;

inline constexpr std::array weighted{KernelDTypes{DType::i8, DType::i8}};
inline constexpr std::array alone{KernelDTypes{DType::i8}};
inline constexpr std::array kernels{
    IntegerKernel{.op = "Conv", .dtypes = weighted, .quirks = {KernelQuirk::symmetric_weight}},
    IntegerKernel{.op = "ConvTranspose",
                  .dtypes = weighted,
                  .quirks = {KernelQuirk::symmetric_weight, KernelQuirk::zero_point_zero}},
    IntegerKernel{.op = "Add", .dtypes = alone, .form = KernelForm::elementwise, .operands = 2},
    IntegerKernel{.op = "MaxPool", .dtypes = alone, .form = KernelForm::passthrough},
};
inline constexpr std::array activations{FusedActivation{"Relu"}};
inline constexpr Target target{
    .name = "symmetric",
    .activation = DType::i8,
    .zero_points = ZeroPoints::zero,
    .bias = BiasForm::float32,
    .kernels = kernels,
    .activations = activations,
};

}  // namespace symmetric
