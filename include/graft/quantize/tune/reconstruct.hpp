#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/quantize/weights/ranks.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Options of reconstruct().
struct Reconstruction {
  std::size_t samples = 64;  ///< number of samples, from the first; every fourth decides what is kept
  /// The number of steps of gradient descent that learn each block of layers, after its layers, as 100; 0: none. They
  /// take minutes, and not every net gains.
  std::size_t block_steps = 0;
  double drop = 0;         ///< the share of activations in a block that a step leaves in float, in [0, 1]
  std::uint32_t seed = 0;  ///< of the order of samples in these steps, and of the choice of these activations
  /// The time limit for starting layers and steps. Blocks take at most half of it. If it ends the work, the result
  /// depends on the speed of the machine.
  double max_seconds = std::numeric_limits<double>::infinity();
  /// The limit for the moments of a layer's inputs, beyond which it stays as it is, and for their products with its
  /// outputs, beyond which these are learned in parts. Each part reads all samples. A layer needs up to eight times as
  /// much, beside its weight.
  std::size_t max_bytes = std::size_t{1} << 29;
  /// They share the samples, the output channels whose integers are searched, and the steps of blocks, where more than
  /// four gain nothing. Each holds the tensors of a block, of all samples.
  Ranks ranks{};
};

/// The result of reconstruct().
struct ReconstructedLayers {
  static constexpr std::string_view fact_name = "reconstructed_layers", fact_maker = "reconstruct";

  struct Layer {
    std::string name;
    /// The squared error of its outputs as a share of their variance, on held-out samples: as it was, and with the
    /// integers that were learned without these samples. If none are held out, it is that of all samples. The wanted
    /// outputs are those that it learns.
    double noise_before = 0, noise_after = 0;
    bool is_measured = false;  ///< false: its noise is unknown
    std::string why_not{};  ///< why it was not learned by itself; a block may have changed it. Empty if it was learned
  };
  std::vector<Layer> layers{};  ///< in the order of the graph

  struct Block {
    std::vector<std::string> layers{};
    /// The squared error of its output as a share of the variance, on held-out samples: with the integers of its layers
    /// alone, and with those that the block has learned.
    double noise_before = 0, noise_after = 0;
    bool is_complete = true;  ///< false if the time was over before its last step
    std::string why_not{};  ///< why it stays as its layers left it; empty if it was learned
  };
  std::vector<Block> blocks{};  ///< with Reconstruction::block_steps
  std::size_t held_out = 0;     ///< number of samples that no layer learned from before its noise was measured
  bool is_complete = true;      ///< false if the time was over before all layers and blocks were learned

  std::size_t learned() const;
  std::size_t learned_blocks() const;
};

/// "learned 52 of 53 layers, and 5 of 16 blocks: mean noise 0.012, before 0.064". The noise is that of the layers that
/// were measured.
std::string to_string(const ReconstructedLayers& result);

/// The pass that rounds the weights of a quantized model again, so that the outputs of each layer come near to those of
/// the float graph. It is for weights of few bits, where rounding to nearest loses too much.
///
/// Layers are Conv, Gemm and MatMul with a dequantized constant weight of at most 8 bits, and those of MatMulNBits, in
/// the order of the graph. The inputs of a layer are those of the quantized graph so far. The wanted outputs are
/// halfway between those of the float graph and those that the float weights give for these inputs; their mean is that
/// of the float graph. So each layer makes up for half of the errors of earlier layers. All of them would fit the
/// samples alone; with none of them, errors add up. The squared error of a layer is a quadratic form of its weights, as
/// in Nagel et al., Up or Down? Adaptive Rounding for Post-Training Quantization (2020), section 3. The integers come
/// from Frantar et al., GPTQ (2022), and coordinate descent on this form. Scales are searched with the integers: one
/// for each output channel, one for all if the weight has one, or one for each block, whose zero point stays. The bias
/// follows in closed form, where the layer can have one.
///
/// With block_steps, a block is learned when its layers are done: neighbouring layers between two places of the graph
/// where a single tensor goes on, such as a residual block, attention, or up to three layers of a chain. Gradient
/// descent brings the block's output near to that of the float graph. It learns which weights are rounded up and which
/// down, scales, and biases: the rectified sigmoid of AdaRound (Nagel et al.), over blocks as in Li et al., BRECQ
/// (2021), with the gradients of scales of Esser et al., Learned Step Size Quantization (2020). Scales of activations
/// are learned if all readers are layers of the block, and only a Relu or Clip stands behind the layer that computes
/// them. Other scales belong to operators that may need equal ones. `drop` is that of Wei et al., QDrop (2022). A block
/// stays as its layers left it if an operator has no gradient, or if its output is not nearer on held-out samples. A
/// MatMulNBits counts as a MatMul by float weights there, whatever its accuracy_level.
///
/// Every fourth sample is held out. They choose how far weights may move from the float weights, and a layer keeps its
/// old integers if the new ones are not better on them. If there are fewer than four samples, all do both. Layers with
/// shared weights stay as they are.
///
/// floats: the graph from which the quantized one was made, with the same names; it must outlive the pass. forms give
/// the bits of weights. The graph stays an ordinary quantized graph with the same nodes; a bias may be added. A run on
/// its result goes on from there. The result depends neither on the number of threads nor on that of ranks. Notes and
/// the ReconstructedLayers that it provides describe the layers and blocks. Throws Error if there is no sample, or if
/// `drop` is outside [0, 1].
Pass reconstruct(const Graph& floats, SampleSource samples, const WeightForms& forms, const Target& target,
                 Reconstruction options = {}, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1
