#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/new_shapes.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// A parameter that is an attribute of an operator, or an input since some version.
struct Parameter {
  std::string_view name;
  Ints values;
};

/// The result of a new node with these parameters, as the opset requires; inputs are in this order, after the first.
Value& node_with(Rewriter& rewriter, std::string_view op_type, Value& input, const std::vector<Parameter>& parameters,
                 Attributes attributes, std::string_view hint);

/// One node under a surgery that changes shapes.
struct Surgery {
  Shape shape(std::size_t input) const;
  /// No if the first input, the data, is known to have another rank.
  Verdict reads_rank_4() const;

  /// A parameter, which is an attribute or an input; nullopt if it is absent or not constant.
  std::optional<Ints> given(std::string_view parameter) const;
  bool is_absent(std::string_view parameter) const;
  /// Sets a parameter of this node alone.
  void give(std::string_view parameter, const Ints& values) const;
  void give(std::size_t input, Tensor constant) const;

  /// A new node before this one. Its name begins with this node's name.
  Value& op(std::string_view op_type, std::vector<Value*> inputs, const Attributes& attributes,
            std::string_view suffix) const;
  /// The same with parameters; see node_with().
  Value& op_with(std::string_view op_type, Value& input, const std::vector<Parameter>& parameters,
                 Attributes attributes, std::string_view suffix) const;

  Node& node;
  Rewriter& rewriter;
  const NewShapes& shapes;

 private:
  std::string hint(std::string_view suffix) const;
  schema::Place place_of(std::string_view parameter) const;
};

/// Changes one node. No: the reason why the node stays.
using NodeSurgery = std::function<Verdict(const Surgery&)>;

/// The pass that applies it to all nodes of these operators, in the main graph and in bodies, and updates shapes.
Pass surgery_of_nodes(std::string name, std::vector<std::string_view> op_types, NodeSurgery surgery);

}  // namespace graft::inline v1::detail
