#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/clamp.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Runs the body that a node holds under the attribute: takes the body's inputs, returns its outputs.
using BodyRunner = std::function<std::vector<Tensor>(std::string_view attribute, std::vector<Tensor> inputs)>;

/// One execution of one node, as its kernel sees it. A kernel reads inputs and attributes, and sets every output that
/// the node has. It throws Error for bad input; the evaluator adds the node and the operator.
class KernelContext {
 public:
  /// An absent input is a Tensor of DType::undefined. The spans must outlive the context.
  KernelContext(const Node& node, std::span<Tensor> inputs, std::span<Tensor> outputs,
                const BodyRunner* bodies = nullptr, const ParallelFor* parallel = nullptr,
                std::optional<Clamp>* clamp = nullptr);

  const Node& node() const { return *node_; }
  int opset() const { return node_->opset(); }

  std::size_t input_count() const { return inputs_.size(); }
  bool has_input(std::size_t i) const { return i < inputs_.size() && inputs_[i].dtype() != DType::undefined; }
  /// Throws Error if it is absent.
  const Tensor& input(std::size_t i) const;
  /// nullptr if it is absent.
  const Tensor* optional_input(std::size_t i) const { return has_input(i) ? &inputs_[i] : nullptr; }
  /// Moves the input out. If this was its last use, mutable_data() of the result does not copy.
  Tensor take_input(std::size_t i);
  std::span<const Tensor> inputs() const { return inputs_; }

  std::size_t output_count() const { return outputs_.size(); }
  /// Whether the node names this output. Others may be left unset.
  bool has_output(std::size_t i) const { return i < outputs_.size() && !node_->output(i)->name().empty(); }
  void set_output(std::size_t i, Tensor tensor) {
    if (i < outputs_.size()) outputs_[i] = std::move(tensor);
  }

  /// The attribute, or the default in the node's operator version. Throws Error if there is neither.
  template <class T>
  T attr(std::string_view name) const {
    if (std::optional<T> value = node_->attr<T>(name)) return *std::move(value);
    detail::raise(Error("the attribute is required").field(name));
  }
  template <class T>
  std::optional<T> optional_attr(std::string_view name) const {
    return node_->attr<T>(name);
  }
  /// For operators whose schema graft may not know at the node's version.
  template <class T>
  T attr_or(std::string_view name, T fallback) const {
    return node_->attr<T>(name).value_or(std::move(fallback));
  }

  /// Throws Error if the node has no body under the attribute, or there is no runner for bodies.
  std::vector<Tensor> run_body(std::string_view attribute, std::vector<Tensor> inputs) const;

  /// Runs parts of the kernel in parallel; nullptr if there are no threads. The bits of the outputs must not depend on
  /// it.
  const ParallelFor* parallel() const { return parallel_; }

  /// The bounds to which the only reader of the first output, a Relu or Clip, would clamp it. A kernel of f32 may take
  /// them: then it must clamp the output itself, and the reader is skipped. Other kernels can ignore them.
  Clamp take_clamp() {
    return clamp_ == nullptr ? Clamp() : std::exchange(*clamp_, std::nullopt).value_or(Clamp());
  }

 private:
  const Node* node_;
  std::span<Tensor> inputs_;
  std::span<Tensor> outputs_;
  const BodyRunner* bodies_;
  const ParallelFor* parallel_;
  std::optional<Clamp>* clamp_;
};

}  // namespace graft::inline v1
