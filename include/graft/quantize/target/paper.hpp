#pragma once
// The published algorithm of fusion-aware placement, which defers Q past four activations whatever the runtime.
#include <array>

#include <graft/graph/dtype.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr std::array paper_activations{FusedActivation{"Relu"}, FusedActivation{"LeakyRelu"},
                                              FusedActivation{"Clip"}, FusedActivation{"HardSwish"}};
inline constexpr std::array paper_dtypes{KernelDTypes{DType::u8, DType::i8}, KernelDTypes{DType::i8, DType::i8}};
inline constexpr std::array paper_kernels{IntegerKernel{"Conv", paper_dtypes}};

}  // namespace detail

namespace targets {

inline constexpr Target paper{
    .name = "paper",
    .activation = DType::u8,
    .kernels = detail::paper_kernels,
    .activations = detail::paper_activations,
    .quirks = {Quirk::keeps_tables_in_float},
};

}  // namespace targets
}  // namespace graft::inline v1
