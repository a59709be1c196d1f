#pragma once
#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/names.hpp>

namespace graft::inline v1::detail {

/// Renames that happen all at once, so that two values may swap their names.
class SimultaneousRename {
 public:
  explicit SimultaneousRename(Graph& graph) : graph_(graph), scopes_(with_bodies(graph)) {}

  void add(Value& value, const std::string& to) {
    const std::string from(value.name());
    if (to.empty()) throw Error("the new name is empty").field(from);
    if (!values_.insert(&value).second) throw Error("is renamed twice").field(from);
    if (!names_.insert(to).second) throw Error("is the new name of two values").field(to);
    renames_.push_back({&value, from, to});
  }

  /// Makes what the graph hands out at these positions a copy of what stands there, and returns the copy.
  Value& copy_output(const std::vector<std::size_t>& positions) {
    Value& value = *graph_.output(positions.front());
    Value& copy = *graph_.insert("Identity", {&value}).output(0);
    if (value.type() != nullptr) graph_.declare_type(copy, *value.type());
    for (const std::size_t i : positions) graph_.set_output(i, copy);
    return copy;
  }

  /// How many values have another name now.
  std::size_t run() {
    for (const Rename& rename : renames_) {
      for (const Graph* const scope : scopes_) {
        const Value* const other = own_value(*scope, rename.to);
        if (other == nullptr || values_.count(other) != 0) continue;
        throw Error("cannot be renamed to '" + rename.to + "': the name is taken" +
                    (scope == &graph_ ? "" : " in a body"))
            .field(rename.from);
      }
    }
    std::size_t changes = 0;
    for (const Rename& rename : renames_)
      if (rename.value->name() != rename.to) graph_.rename(*rename.value, graph_.fresh_name(rename.from));
    for (const Rename& rename : renames_) {
      if (rename.from != rename.to) ++changes;
      graph_.rename(*rename.value, rename.to);
    }
    return changes;
  }

  /// What is known of the tensors goes with them. For when the edits stand.
  template <class Facts>
  void tell(Facts& facts) const {
    std::vector<std::string> between;
    for (const Rename& rename : renames_) {
      between.push_back(graph_.fresh_name(rename.from));
      facts.tensor_renamed(rename.from, between.back());
    }
    for (std::size_t i = 0; i < renames_.size(); ++i) facts.tensor_renamed(between[i], renames_[i].to);
  }

 private:
  struct Rename {
    Value* value;
    std::string from, to;
  };
  Graph& graph_;
  std::vector<Graph*> scopes_;
  std::vector<Rename> renames_;
  std::unordered_set<const Value*> values_;
  std::unordered_set<std::string> names_;
};

}  // namespace graft::inline v1::detail
