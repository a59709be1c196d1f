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

/// A pattern linked to one model: operator names become the model's OpIds, and arguments are bound, so that matching
/// compares no strings.
class Linked {
 public:
  /// To match only: an operator that the model does not have matches nothing. `after`: the table of a replacement,
  /// which may read more arguments. Throws Error with the name of a missing argument.
  Linked(const RulePattern& pattern, const Model& model, std::span<const Argument> arguments = {},
         const RulePattern& after = {});
  /// To edit, too: adds the operators of the pattern to those of the model, because new nodes may have them.
  Linked(const RulePattern& pattern, Model& model, std::span<const Argument> arguments = {},
         const RulePattern& after = {});

  const RulePattern& pattern() const { return pattern_; }

  /// Whether an operator row, or the links of a chain row, can match this operator.
  bool accepts(std::size_t row, OpId op) const;

  /// The operators at which the pattern can match; empty: any.
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
