#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <graft/rewrite/registry.hpp>

namespace graft::inline v1 {

/// Whether a runtime itself fuses the primitives of an operator when it loads a model.
enum class AtLoad : std::uint8_t {
  left,             ///< it keeps the primitives
  sometimes_fused,  ///< it fuses some spellings
  fused,            ///< it fuses every spelling that graft knows
};

/// An operator that a runtime has a kernel for, and that replaces several primitives.
struct FusedOperator {
  std::string_view op;  ///< "LayerNormalization", "com.microsoft::BiasGelu"
  AtLoad at_load = AtLoad::left;
};

/// The fused operators for which a runtime has kernels.
struct FusedOperators {
  std::string_view runtime;
  std::span<const FusedOperator> operators;
  /// Models only generate text: tokens after a past come one at a time or in one batch, and the results for queries
  /// that see no key, such as padding, do not matter. Masks have a column for each key.
  bool generates = false;

  constexpr const FusedOperator* find(std::string_view op) const {
    const auto found = std::find_if(operators.begin(), operators.end(),
                                    [&](const FusedOperator& fused) { return fused.op == op; });
    return found == operators.end() ? nullptr : &*found;
  }
  constexpr bool contains(std::string_view op) const { return find(op) != nullptr; }
};

namespace detail {

inline constexpr std::array ort_cpu_fused_operators{
    FusedOperator{"LayerNormalization", AtLoad::sometimes_fused},
    FusedOperator{"RMSNormalization", AtLoad::sometimes_fused},
    FusedOperator{"com.microsoft::SkipLayerNormalization", AtLoad::sometimes_fused},
    FusedOperator{"com.microsoft::SkipSimplifiedLayerNormalization"},
    FusedOperator{"com.microsoft::EmbedLayerNormalization"},
    FusedOperator{"com.microsoft::Gelu", AtLoad::sometimes_fused},  // not x * (0.5 * (1 + Erf))
    FusedOperator{"com.microsoft::BiasGelu", AtLoad::sometimes_fused},
    FusedOperator{"com.microsoft::FastGelu"},
    FusedOperator{"com.microsoft::QuickGelu", AtLoad::sometimes_fused},  // not of f16
    FusedOperator{"com.microsoft::RotaryEmbedding"},
    FusedOperator{"com.microsoft::Attention", AtLoad::sometimes_fused},
    FusedOperator{"com.microsoft::MultiHeadAttention"},
    FusedOperator{"com.microsoft::GroupQueryAttention"},
};

inline constexpr std::array onnx_fused_operators{
    FusedOperator{"LayerNormalization"}, FusedOperator{"RMSNormalization"}, FusedOperator{"Gelu"},
    FusedOperator{"RotaryEmbedding"},    FusedOperator{"Attention"},
};

}  // namespace detail

namespace fused_operators {

/// ONNX Runtime's CPU execution provider, as measured on 1.24. It also runs SimplifiedLayerNormalization of the main
/// domain, which is not an operator of the standard: onnx.checker rejects it. The runtime itself makes it, while
/// loading, from x / Sqrt(ReduceMean(Pow(x, 2)) + epsilon) in f32.
inline constexpr FusedOperators ort_cpu{"ort-cpu", detail::ort_cpu_fused_operators};

/// The same for models that only generate text, so that GroupQueryAttention serves any of them with a cache: its kernel
/// rejects several tokens in several batches after a past.
inline constexpr FusedOperators ort_cpu_generation{"ort-cpu-generation", detail::ort_cpu_fused_operators, true};

/// Operators of the main domain, for runtimes of the standard: LayerNormalization since opset 17, Gelu since 20,
/// RMSNormalization, RotaryEmbedding and Attention since 23. Attention caps scores before it masks them, as corrected
/// in onnx 1.23; ONNX Runtime does so since 1.28.
inline constexpr FusedOperators onnx{"onnx", detail::onnx_fused_operators};

/// The tables by runtime name.
inline Registry<FusedOperators> tables() {
  Registry<FusedOperators> all("runtime");
  for (const FusedOperators& one : {ort_cpu, ort_cpu_generation, onnx}) all.add(std::string(one.runtime), one);
  return all;
}

}  // namespace fused_operators
}  // namespace graft::inline v1
