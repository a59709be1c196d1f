#pragma once
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1::detail {

/// Where a block is evaluated: its parameters (weights and biases), and the scales of its quantizers.
struct BlockPoint {
  std::vector<Tensor> parameters;
  std::vector<float> scales;
};

/// Sums over samples. A parameter that the output does not depend on has no elements.
struct BlockGradients {
  std::vector<std::vector<float>> parameters;
  std::vector<double> scales;

  void add(const BlockGradients& more);
};

/// For share_parts().
std::string to_bytes(const BlockGradients& gradients);
void from_bytes(std::string_view bytes, BlockGradients& gradients);

/// The nodes of a block that depend on its parameters, in the order of the graph, and the gradients of the squared
/// error of its output. A pair of quantizers is one step: it rounds in the forward direction, and passes gradients
/// straight through where it does not saturate. Its scale has the gradient of Esser et al., Learned Step Size
/// Quantization (2020), equation 3. A MatMulNBits is a MatMul by a float weight [K, N], for which its codes stand among
/// the parameters. It does not round activations.
class BlockTape {
 public:
  /// A pair of quantizers.
  struct Quantizer {
    Node* dequantize;
    float scale, zero_point, lowest, highest;  ///< in the graph; the last three are integers
  };

  /// nodes: consecutive ones of the graph. parameters: values that they read.
  BlockTape(std::span<Node* const> nodes, const Value& output, std::span<const Value* const> parameters);

  /// No if a gradient is missing, or the output does not depend on the parameters.
  const Verdict& verdict() const { return verdict_; }
  /// The values that must be given, beside parameters.
  const std::vector<const Value*>& inputs() const { return inputs_; }
  const std::vector<Quantizer>& quantizers() const { return quantizers_; }

  /// The size of all tensors of a sample, which live until its output is known. Gradients are as large again.
  std::size_t working_bytes(const std::vector<Tensor>& inputs, const BlockPoint& point) const;
  Tensor output(const std::vector<Tensor>& inputs, const BlockPoint& point) const;
  /// Adds the gradients of the sum of (output - wanted)^2. drop: the share of elements that quantizers leave as they
  /// are, as in Wei et al., QDrop (2022), section 3.3.
  void add_gradients(const std::vector<Tensor>& inputs, const Tensor& wanted, const BlockPoint& point, double drop,
                     std::mt19937& random, BlockGradients& gradients) const;

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// A node, or a pair. Its tensors are numbered.
  struct Step {
    const Node* node;
    std::vector<std::size_t> inputs{}, outputs{};
    std::vector<bool> wanted{};  // gradients of inputs
    std::size_t quantizer = none;
  };
  /// For each quantizer, which elements it left as they were; empty: none.
  using Dropped = std::vector<std::vector<bool>>;

  Verdict record(std::span<Node* const> nodes, const Value& output);
  void prune();
  std::vector<Tensor> run(const std::vector<Tensor>& inputs, const BlockPoint& point, double drop,
                          std::mt19937* random, Dropped& dropped) const;

  Model product_;  // a MatMul
  std::vector<const Value*> parameters_, inputs_;
  std::vector<Tensor> constants_;  // at their numbers; others are undefined
  std::vector<std::size_t> input_numbers_;  // parameters have the first ones
  std::vector<Quantizer> quantizers_;
  std::vector<Step> steps_;
  std::size_t output_ = none;
  Verdict verdict_ = Verdict::yes();
};

}  // namespace graft::inline v1::detail
