#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

/// An operator that no model has in integers on all targets of a set, and the facts that contradict each other.
struct TargetConflict {
  std::string op;    ///< "Softmax"
  std::string text;  ///< "ort-cpu-x64 computes it in integers, tensorrt does not"
};

/// The table of a runtime that differs from each of several targets by what the others do not take: the conjunction of
/// their conditions. A model that is quantized for it is one model for all of them; audit() each target by itself, as
/// what a runtime merely prefers may be lost.
///
/// - Kernels and activations that vanish are those of all targets, with the dtypes, attributes and forms that all take.
///   An operator that moves values keeps its kernel where the others take quantizers across it, and one without a
///   weight where it vanishes into kernels of the others.
/// - Activations have the dtype, of those that the targets state and int8 and uint8, that most operators with a weight
///   have on all targets; the earlier target decides between equals. Zero points are the strictest of them.
/// - Biases are int32 where a target has them so and none refuses it.
/// - Quirks that restrict are those of any target, others those of all.
/// - Costs are the mean of those of the targets: the expected time on all of them decides. The costs of each are scaled
///   so that a product of Conv in float takes as long as on the first, because tables may have other units. Where a
///   target computes an operator in float alone, it takes the same in float and in integers.
///
/// The target of one is that one. Copies share what their Targets refer to, which must not outlive them.
class JointTarget {
 public:
  /// The targets must outlive it. Throws Error if there is none, and if no operator with a weight has a kernel on all:
  /// it names the operator and what contradicts; the same for opsets.
  explicit JointTarget(std::vector<const Target*> parts);

  const Target& target() const { return *joint_; }
  std::span<const Target* const> parts() const { return parts_; }
  /// One for each operator that only some have a kernel for, in the order of the tables.
  const std::vector<TargetConflict>& conflicts() const { return conflicts_; }

 private:
  std::vector<const Target*> parts_;
  std::vector<TargetConflict> conflicts_{};
  std::shared_ptr<const Target> joint_{};
};

}  // namespace graft::inline v1
