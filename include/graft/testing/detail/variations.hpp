#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/testing/detail/specimen.hpp>

namespace graft::inline v1::detail {

/// A graph that differs from a base in one respect. A few graphs of each group suffice.
struct Variation {
  std::string name, group;
  onnx::ModelProto proto;
  double atol = 0;  // the least tolerance
};

/// Collects variations of a base.
class Variations {
 public:
  explicit Variations(const Specimen& base) : base_(&base), model_(base.copy()) {}

  /// The base, for reading only.
  const Graph& graph() const { return model_.graph(); }
  const onnx::ModelProto& base() const { return base_->proto(); }
  std::vector<Variation> take() { return std::move(all_); }

  /// edit(Graph&) makes the difference. Names of values are those in graph().
  template <class F>
  void add(std::string name, F&& edit, std::string_view group = {}) {
    Model model = base_->copy();
    edit(model.graph());
    all_.push_back({std::move(name), std::string(group), std::move(model.commit())});
  }
  /// The same, but types of values may change; only those of inputs stay.
  template <class F>
  void add_retyped(std::string name, F&& edit, std::string_view group = {}) {
    add(std::move(name), std::forward<F>(edit), group);
    onnx::GraphProto& graph = *all_.back().proto.mutable_graph();
    graph.clear_value_info();
    for (onnx::ValueInfoProto& output : *graph.mutable_output()) output.clear_type();
  }
  /// edit(ModelProto&) makes the difference. The outputs may differ by atol.
  template <class F>
  void add_written(std::string name, F&& edit, double atol = 0) {
    onnx::ModelProto proto = base_->proto();
    edit(proto);
    all_.push_back({std::move(name), {}, std::move(proto), atol});
  }

 private:
  const Specimen* base_;
  Model model_;
  std::vector<Variation> all_;
};

/// The node of a copy at the position of a node of the base.
inline Node& same_place(Graph& copy, const Node& original) {
  Node* at = copy.first_node();
  for (const Node* node = original.graph().first_node(); node != &original; node = node->next()) at = at->next();
  return *at;
}

}  // namespace graft::inline v1::detail
