#pragma once
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/target/deferral.hpp>
#include <graft/quantize/target/target.hpp>

namespace graft::inline v1::detail {

/// The activation among these; nullptr if it is none.
Node* activation_at(const Use& use, const Target& target);

/// A pair of quantizers behind a tensor.
struct Pair {
  Value* value;
  QParams q;
  bool made_by_kernel;  ///< then Q is its only user
};

/// The q-params of pairs that are there or will be, and what follows from them.
class PairQParams {
 public:
  PairQParams(const Ranges& ranges, const Target& target, const ActivationDTypes& dtypes)
      : ranges_(ranges), target_(target), dtypes_(dtypes) {}

  /// Those of the pair that is there already, else those of the range.
  QParams of(const Value& value) const;

  /// And of what an integer kernel makes, reaching as far as it may where it does not saturate.
  QParams of_result(const Value& value) const;

  /// The QuantizeLinear that will stand behind a value.
  RowEnd end(const Value& value) const;

  /// The activations behind a kernel's output, one reading the other and nobody else, that vanish into the kernel: each
  /// would also if the QuantizeLinear stood right behind it.
  std::vector<const Node*> deferred_row(const Value& y) const;

  /// Where it was not observed, as on a graph that was not yet rewritten, what follows from how it is made, or the
  /// range of what it is moved to.
  Range range_of(const Value& value) const;

  /// What the kernel that makes a tensor must be able to reach; 0 if nothing.
  float unsaturated_up_to(const Value& value) const;

  const Ranges& ranges() const { return ranges_; }
  const ActivationDTypes& dtypes() const { return dtypes_; }

 private:
  QParams of(const Value& value, const Range& range) const;

  bool moves_values(const Node& node) const;

  const Ranges& ranges_;
  const Target& target_;
  const ActivationDTypes& dtypes_;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/detail/pair_qparams.ipp>
#endif
