#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/parallel.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/tune/detail/block_tape.hpp>
#include <graft/quantize/tune/detail/soft_weight.hpp>
#include <graft/quantize/weights/ranks.hpp>

namespace graft::inline v1::detail {

/// The parameters of a block that are learned.
struct LearnedBlock {
  std::vector<SoftWeight> weights{};
  std::vector<float> scales{};  ///< of the quantizers of the tape
  std::size_t steps = 0;        ///< number of steps that learned them

  /// The values that are parameters of the tape.
  std::vector<const Value*> parameters() const;
  /// With rounded weights.
  BlockPoint rounded() const;
};

/// Whether the scale of a quantizer is learned.
enum class StepRule : std::uint8_t { fixed, may_shrink, free };

/// A sample of a block: the inputs of its tape, in the quantized net so far, and the wanted output.
struct BlockSample {
  std::vector<Tensor> inputs;
  Tensor wanted;
};

/// For share_parts().
std::string to_bytes(const BlockSample& sample);
void from_bytes(std::string_view bytes, BlockSample& sample);

/// How a block is learned.
struct BlockSchedule {
  std::size_t steps = 0;
  std::uint32_t seed = 0;
  double drop = 0;  ///< of BlockTape::add_gradients()
  /// The share of the work that is done, 1 to end. The furthest rank decides.
  std::function<double(std::size_t step)> progress;
};

/// Learns which elements of weights are rounded up, the scales of weights and quantizers, and biases. It is stochastic
/// gradient descent with Adam (Kingma and Ba, 2015) on the squared error of the output: Nagel et al., Up or Down?
/// Adaptive Rounding for Post-Training Quantization (2020), section 3.2, over blocks as in Li et al., BRECQ (2021).
/// The share of an element is the rectified sigmoid clip(1.2 sigmoid(v) - 0.1, 0, 1). A regularizer draws it to 0 or 1,
/// more and more. The result depends on the seed, not on ranks and threads. Ranks share the samples of a step.
LearnedBlock learn_block(const BlockTape& tape, LearnedBlock block, const std::vector<StepRule>& rules,
                         const std::vector<BlockSample>& samples, const BlockSchedule& schedule, const Ranks& ranks,
                         const ParallelFor* parallel);

/// The squared error of the outputs as a share of their variance, with rounded weights.
double block_error(const BlockTape& tape, const LearnedBlock& block, const std::vector<BlockSample>& samples,
                   const Ranks& ranks, const ParallelFor* parallel);

}  // namespace graft::inline v1::detail
