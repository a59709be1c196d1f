#pragma once
#include <graft/precision/float_options.hpp>

#include <graft/config.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr std::string_view kept_in_float32[] = {
    // Normalizations square and sum, unless their stash_type says that they do so in float32.
    "InstanceNormalization", "LRN", "LpNormalization", "MeanVarianceNormalization",
    "com.microsoft::EmbedLayerNormalization", "com.microsoft::GroupNorm", "com.microsoft::SkipLayerNormalization",
    "com.microsoft::SkipSimplifiedLayerNormalization", "SimplifiedLayerNormalization",
    // Exponentials and logarithms.
    "Cosh", "Exp", "Log", "LogSoftmax", "NegativeLogLikelihoodLoss", "ReduceLogSum", "ReduceLogSumExp", "Sinh",
    "Softmax", "SoftmaxCrossEntropyLoss", "Softplus",
    // Squares and products.
    "GlobalLpPool", "LpPool", "ReduceL2", "ReduceProd", "ReduceSumSquare",
    // Quotients of small numbers.
    "Reciprocal", "Tan",
    // Running sums and signals.
    "CumSum", "DFT", "MelWeightMatrix", "Range", "STFT",
    // Coordinates.
    "AffineGrid", "DeformConv", "MaxRoiPool", "RoiAlign",
    // Random numbers.
    "Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
};

}  // namespace detail

GRAFT_INLINE std::span<const std::string_view> operators_kept_in_float32() { return detail::kept_in_float32; }

}  // namespace graft::inline v1
