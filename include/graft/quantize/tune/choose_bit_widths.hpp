#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// What bit widths cost.
enum class BitCost : std::uint8_t {
  /// Bit operations: the products of Conv, Gemm, MatMul and ConvTranspose by a constant weight, their second input,
  /// each times the bits of both factors. Floats have 32 bits. Without a discount for zeros, qonnx::Cost::total_bops()
  /// counts the same of a main graph, with three differences: tensors with a zero point other than 0 are floats to it,
  /// it adds products of two tensors that are not constant, and it has no ConvTranspose.
  operations,
  bytes,  ///< those of the same weights, without scales
};

/// How much all layers may cost together, those in float included.
struct BitBudget {
  BitCost cost = BitCost::operations;
  double at_most = 0;
  std::size_t samples = 16;  ///< number of samples, from the first; every fourth is held out
};

/// The result of choose_bit_widths().
struct ChosenBitWidths {
  static constexpr std::string_view fact_name = "chosen_bit_widths", fact_maker = "choose_bit_widths";

  struct Layer {
    std::string name, input;  ///< the node, and the tensor that is quantized for it
    int weight_bits = 8, activation_bits = 8;
  };
  std::vector<Layer> layers{};  ///< in the order of the graph
  /// Layers whose weights keep the bits that they have: those in float, those without a name, and those that another
  /// tool has quantized.
  std::vector<Layer> fixed{};
  BitBudget budget{};
  double cost = 0, fixed_cost = 0;  ///< of all layers, and of the fixed ones among them
  /// The noise of the outputs, as a share of their power, on the held-out samples: with these bits; with the best bits
  /// within the budget that are the same for all layers, infinity if there are none. These samples did not rank
  /// tensors, but they choose between the two, so that unseen samples may have somewhat more noise.
  double noise = 0, uniform_noise = 0;

  /// The forms, with the bits of weights.
  WeightForms weights(const WeightForms& forms) const;
};

/// "weights of 3 to 8 bits, activations of 4 to 8 bits: 1.9e+09 of 2e+09 bit operations, 1.1e+09 of these for 2 layers
/// with fixed bits, noise 0.012, 0.034 with uniform bits"
std::string to_string(const ChosenBitWidths& chosen);

/// The pass that chooses the bits of weights and of the activations that they are multiplied with, from 2 to 8, so that
/// all layers together cost no more than the budget. It measures for each tensor and each number of bits what the
/// outputs lose when this tensor alone is quantized. The ranking assumes that the noise of tensors is additive: a
/// knapsack finds the bits with the least sum. A tensor that several layers read has one number of bits. Weights have
/// at most the bits of forms, and activations at most 8, or those of override_activations(). A budget of bytes leaves
/// activations as they are. Layers in float count with the bits of floats, and notes name them.
///
/// Every fourth sample is held out. On these the chosen bits are compared with the same bits for all layers, as far as
/// the budget has room, and the better ones are kept.
///
/// quantize(forms): the passes from inject_qdq() to quantize_weights(). Provides ActivationDTypes, which inject_qdq()
/// reads, and the ChosenBitWidths, with the forms for the other passes. Does not change the graph. Needs what the
/// passes need. Runs samples on context.threads threads; the result does not depend on their number. Throws Error if
/// there is no sample, if the model has no layer, and if even the fewest bits cost too much.
Pass choose_bit_widths(std::function<Pass(const WeightForms&)> quantize, SampleSource samples, WeightForms forms,
                       const Target& target, BitBudget budget, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1
