#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/name_pattern.hpp>
#include <graft/quantize/calibrate/observers/from_extremes.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/run/static_options.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>

namespace graft::inline v1 {

/// How quantize() quantizes, and the options of that. DynamicOptions: weights beforehand, and activations as the model
/// runs, by quantize_dynamic(). BlockwiseOptions: weights alone, by quantize_weights_blockwise().
using QuantizationMode = std::variant<StaticOptions, DynamicOptions, BlockwiseOptions>;

using AutomaticQuantization [[deprecated("use StaticOptions")]] = StaticOptions;
struct [[deprecated("use StaticOptions with mix_forms = false")]] StaticQuantization : StaticOptions {
  StaticQuantization() { mix_forms = false; }
};
[[deprecated("use QuantizeOptions::is_static()")]] inline bool calibrates(const QuantizationMode& mode) {
  return std::holds_alternative<StaticOptions>(mode);
}

/// The options of quantize(), accurate by default.
struct QuantizeOptions {
  QuantizationMode mode{};

  std::vector<NamePattern> exclude{};  ///< nodes that stay in float
  /// Initializers that callers may override become constants, and stop being inputs.
  bool freeze_inputs = false;
  /// Make the target's fused operators of attention and of the operators around it: Target::fused_operators.
  bool fuse_transformers = true;
  /// Store the key-value caches of attention in 8 or 4 bits, by quantize_cache(): inputs and outputs of the model
  /// become integers. Attention with a cache is fused as for a model that only generates text,
  /// FusedOperators::generates. Without a value caches stay in float.
  std::optional<int> cache_bits{};

  /// Measure how near outputs come to float. Static quantization keeps what helps accuracy only where outputs come
  /// nearer to float than with min-max ranges alone, by more than the noise. If it is off, several methods of finding
  /// ranges, and candidates of your own, are still compared with each other.
  bool compare = true;
  /// At most so many samples judge candidates that were made without them; with 0 those of the calibration judge.
  std::size_t max_held_out = 64;
  /// Makes what runs the graphs; by default graft's Evaluator.
  std::optional<ExecutorFactory> make_executor{};

  /// The shortest way: static quantization with min-max ranges, and nothing else.
  static QuantizeOptions fast() {
    StaticOptions options;
    options.ranges = MinMax();
    options.correct_biases = options.equalize = options.smooth = options.zero_dead_channels = false;
    return {.mode = std::move(options), .compare = false};
  }

  bool is_static() const { return std::holds_alternative<StaticOptions>(mode); }
  /// The options of static quantization. Throws std::bad_variant_access in another mode.
  StaticOptions& static_options() { return std::get<StaticOptions>(mode); }
  const StaticOptions& static_options() const { return std::get<StaticOptions>(mode); }
};

}  // namespace graft::inline v1
