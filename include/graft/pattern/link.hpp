#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/arg.hpp>
#include <graft/pattern/root_ops.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// A pattern against one model: its operator names as the model's OpIds, its arguments bound. Matching compares no
/// strings.
class Linked {
 public:
  /// To match only: an operator that the model does not have matches nothing. `after`: the table of a
  /// replacement, which may read further arguments. Throws Error naming an argument that is not given.
  Linked(const RulePattern& pattern, const Model& model, std::span<const Argument> arguments = {},
         const RulePattern& after = {});
  /// To edit as well: adds the operators of the pattern to those of the model, since later nodes may be of them.
  Linked(const RulePattern& pattern, Model& model, std::span<const Argument> arguments = {},
         const RulePattern& after = {});

  const RulePattern& pattern() const { return pattern_; }

  /// Whether an operator row, or the links of a chain row, may be this operator.
  bool accepts(std::size_t row, OpId op) const;

  /// The operators at which the pattern can match, if not any.
  std::span<const OpId> root_ops() const { return root_ops_; }
  bool any_root() const { return any_root_; }
  bool may_be_root(OpId op) const;

  struct BoundArgument {
    std::size_t slot;
    std::shared_ptr<const void> value;
  };
  std::span<const BoundArgument> arguments() const { return arguments_; }

 private:
  struct Range {
    std::uint32_t first, count;
  };

  void bind(std::size_t slot, std::span<const Argument> arguments, const RulePattern& after);

  RulePattern pattern_;
  std::vector<OpId> ops_;
  std::vector<Range> rows_;
  std::vector<OpId> root_ops_;
  bool any_root_ = false;
  std::vector<BoundArgument> arguments_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/pattern/link.ipp>
#endif
