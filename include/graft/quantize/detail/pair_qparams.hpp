#pragma once
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>

namespace graft::inline v1::detail {

/// The activation among these kinds; nullptr if the node is none.
Node* activation_at(const Use& use, const Target& target);

/// A pair of quantizers behind a tensor.
struct Pair {
  Value* value;
  QParams q;
  bool made_by_kernel;  ///< then Q is the only reader of the tensor
};

/// The q-params of present and future pairs, and their consequences.
class PairQParams {
 public:
  PairQParams(const Ranges& ranges, const Target& target, const ActivationDTypes& dtypes)
      : ranges_(ranges), target_(target), dtypes_(dtypes) {}

  /// The q-params of the present pair, else those from the range.
  QParams of(const Value& value) const;

  /// The same for the output of an integer kernel: the range is that of its possible results, if the kernel does not
  /// saturate.
  QParams of_result(const Value& value) const;

  /// The future QuantizeLinear behind a value.
  RowEnd end(const Value& value) const;

  /// The activations behind a kernel's output, each the only reader of the one before, that the kernel absorbs. Each
  /// would also be absorbed if the QuantizeLinear followed it directly.
  std::vector<const Node*> deferred_row(const Value& y) const;

  /// The range of a tensor that was not observed, for example of a graph before rewriting. It follows from the
  /// producer, or from the tensor to which this one is moved.
  Range range_of(const Value& value) const;

  /// The magnitude that the producing kernel must be able to reach; 0 if there is no such need.
  float unsaturated_up_to(const Value& value) const;

  /// Whether results of kernels have pairs for readers in integers alone.
  bool pairs_on_inputs() const { return target_.has(Quirk::pairs_on_inputs); }

  const Ranges& ranges() const { return ranges_; }
  const ActivationDTypes& dtypes() const { return dtypes_; }
  DType dtype_of(const Value& value) const { return dtypes_.of(value, target_); }

 private:
  QParams of(const Value& value, const Range& range) const;

  bool moves_values(const Node& node) const;

  const Ranges& ranges_;
  const Target& target_;
  const ActivationDTypes& dtypes_;
};

}  // namespace graft::inline v1::detail
