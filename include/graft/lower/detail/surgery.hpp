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

/// What is an attribute of an operator, or since some version an input.
struct Parameter {
  std::string_view name;
  Ints values;
};

/// The result of a new node that takes these as the opset wants it; as inputs in this order, behind the first.
Value& node_with(Rewriter& rewriter, std::string_view op_type, Value& input, const std::vector<Parameter>& parameters,
                 Attributes attributes, std::string_view hint);

/// One node under a surgery that changes shapes.
struct Surgery {
  Shape shape(std::size_t input) const;
  /// No if the data, its first input, are known to be of another rank.
  Verdict reads_rank_4() const;

  /// What is an attribute, or since some version an input; nullopt if it is absent, or not constant.
  std::optional<Ints> given(std::string_view parameter) const;
  bool is_absent(std::string_view parameter) const;
  /// Gives it again, to this node alone.
  void give(std::string_view parameter, const Ints& values) const;
  void give(std::size_t input, Tensor constant) const;

  /// New nodes in front of this one. Their names begin with its own.
  Value& op(std::string_view op_type, std::vector<Value*> inputs, const Attributes& attributes,
            std::string_view suffix) const;
  /// One that takes parameters; see node_with().
  Value& op_with(std::string_view op_type, Value& input, const std::vector<Parameter>& parameters,
                 Attributes attributes, std::string_view suffix) const;

  Node& node;
  Rewriter& rewriter;
  const NewShapes& shapes;

 private:
  std::string hint(std::string_view suffix) const;
  schema::Place place_of(std::string_view parameter) const;
};

/// What a surgery does to one node. No: why it stays as it was.
using NodeSurgery = std::function<Verdict(const Surgery&)>;

/// The pass that does it to the nodes of these operators, in the main graph and in bodies. Shapes follow.
Pass surgery_of_nodes(std::string name, std::vector<std::string_view> op_types, NodeSurgery surgery);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/lower/detail/surgery.ipp>
#endif
