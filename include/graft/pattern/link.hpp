#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/pattern/arg.hpp>
#include <graft/pattern/root_ops.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// A pattern against one model: its operator names as the model's OpIds, its arguments bound. Matching compares no
/// strings.
class Linked {
 public:
  /// `after`: the table of a replacement, which may read further arguments. Throws Error naming an argument that is
  /// not given.
  Linked(const RulePattern& pattern, Model& model, std::span<const Argument> arguments = {},
         const RulePattern& after = {})
      : pattern_(pattern) {
    for (const PatternNode& row : pattern.nodes) {
      const std::size_t first = ops_.size();
      if (row.step == Step::op || row.step == Step::chain) intern(row.op, model);
      rows_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(ops_.size() - first)});
    }
    RootOps roots = graft::root_ops(pattern);
    any_root_ = roots.any;
    for (const OpName& name : roots.names) root_ops_.push_back(model.op_id(name.domain, name.op_type));
    for (std::size_t slot = 0; slot < pattern.captures.size(); ++slot) {
      if (kind_of(pattern.captures[slot]) == Kind::arg) bind(slot, arguments, after);
    }
  }

  const RulePattern& pattern() const { return pattern_; }

  /// Whether an operator row, or the links of a chain row, may be this operator.
  bool accepts(std::size_t row, OpId op) const {
    const auto [first, count] = rows_[row];
    if (count == 0) return true;  // any_op
    for (std::size_t i = first; i < first + count; ++i) {
      if (ops_[i] == op) return true;
    }
    return false;
  }

  /// The operators at which the pattern can match, if not any.
  std::span<const OpId> root_ops() const { return root_ops_; }
  bool any_root() const { return any_root_; }
  bool may_be_root(OpId op) const {
    return any_root_ || std::find(root_ops_.begin(), root_ops_.end(), op) != root_ops_.end();
  }

  struct BoundArgument {
    std::size_t slot;
    std::shared_ptr<const void> value;
  };
  std::span<const BoundArgument> arguments() const { return arguments_; }

 private:
  struct Range {
    std::uint32_t first, count;
  };

  void intern(std::string_view names, Model& model) {
    while (!names.empty()) {
      const std::size_t bar = names.find('|');
      ops_.push_back(model.op_id(names.substr(0, bar)));
      names = bar == std::string_view::npos ? std::string_view() : names.substr(bar + 1);
    }
  }

  void bind(std::size_t slot, std::span<const Argument> arguments, const RulePattern& after) {
    const CaptureId id = pattern_.captures[slot];
    const auto given = std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.id == id; });
    if (given != arguments.end()) {
      arguments_.push_back({slot, given->value});
      return;
    }
    std::string wanted;
    const auto want = [&](std::string_view names, std::span<const std::int64_t> slots) {
      if (std::find(slots.begin(), slots.end(), static_cast<std::int64_t>(slot)) != slots.end()) wanted = names;
    };
    for (const CheckRow& check : pattern_.checks) want(check.arguments, check.slots);
    for (const PatternAttr& attr : after.attrs) want(attr.arguments, after.words.subspan(attr.word0, attr.word_count));
    std::replace(wanted.begin(), wanted.end(), '|', ' ');
    throw Error("'" + std::string(pattern_.name) + "' reads the argument '" + wanted +
                "', which is not given with that type");
  }

  RulePattern pattern_;
  std::vector<OpId> ops_;
  std::vector<Range> rows_;
  std::vector<OpId> root_ops_;
  bool any_root_ = false;
  std::vector<BoundArgument> arguments_;
};

}  // namespace graft::inline v1
