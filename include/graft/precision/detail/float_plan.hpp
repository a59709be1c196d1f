#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/min_cut.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/value.hpp>
#include <graft/precision/detail/float_types.hpp>

namespace graft::inline v1::detail {

struct FloatPlanOptions {
  bool keep_io = true;
  std::int64_t cast_cost = 0;
  /// The reason why a node is not converted; empty if nothing speaks against it.
  std::function<std::string_view(const Node&)> why_kept{};
  /// The same for a constant that a body or the main graph returns. `result` is the node's output, nullptr for the main
  /// graph.
  std::function<std::string_view(const Value& constant, const Value* result)> why_returned{};
};

/// Chooses the dtype of each float value of a model, and the dtype that each reader takes.
///
/// A vertex of a cut stands for the floats of a node, or for one state, input or output of a node with bodies together
/// with its places in the bodies. Vertices on the source's side are converted. A vertex on the sink's side pays what it
/// would have saved, and an edge across pays the Cast. Stored constants have no vertex: they are written as each reader
/// needs them. The bodies of a node that stays stay as well.
class FloatPlan {
 public:
  FloatPlan(Model& model, const FloatConversion& conversion, const FloatPlanOptions& options);

  const std::vector<Graph*>& scopes() const { return scopes_; }
  /// Whether the value is converted. Precondition: it is not stored, and conversion.converts(value).
  bool converts(const Value& value) const { return is_converted(made_, &value); }
  /// Whether the reader takes the converted dtype.
  bool converts(const Use& use) const { return is_converted(wanted_, &use); }
  /// Whether the node computes in the converted dtype.
  bool converts(const Node& node) const { return is_converted(nodes_, &node); }
  std::size_t converted_nodes() const;
  /// The number of nodes of floats that stay, by reason.
  const std::map<std::string_view, std::size_t>& kept() const { return kept_; }

 private:
  using Vertex = MinCut::Vertex;

  template <class T>
  bool is_converted(const std::unordered_map<const T*, Vertex>& vertices, const T* of) const {
    const auto found = vertices.find(of);
    return found != vertices.end() && side_[found->second];
  }
  void add(Graph& scope, bool is_main);
  void add(Node& node);
  void add_bodies(Node& node);
  void add_casts(const Value& value);
  void want(Use& use, Vertex vertex);
  void make(const Value& value, Vertex vertex);
  std::string_view why_kept(const Node& node) const;
  std::string_view why_returned(const Value& value, const Value* result) const;
  bool permits(const Value& value) const;
  bool is_apart(const Node& node, std::string_view parameter) const;
  bool can_convert(const Node& node) const;
  std::int64_t gain(const Node& node) const;
  bool follows(const Node& node, const schema::Parameter* parameter, const Value& value) const;

  FloatConversion conversion_;
  const FloatPlanOptions* options_;
  std::vector<Graph*> scopes_;
  MinCut cut_;
  std::unordered_map<const Value*, Vertex> made_;
  std::unordered_map<const Use*, Vertex> wanted_;
  std::unordered_map<const Node*, Vertex> nodes_;
  std::vector<const Value*> values_;  // with readers, in order
  std::unordered_map<const Graph*, std::string_view> kept_bodies_;
  std::map<std::string_view, std::size_t> kept_;
  std::vector<bool> side_;
};

}  // namespace graft::inline v1::detail
