#pragma once
#include <graft/transformer/detail/extents.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// The operand that gives the result of a product or elementwise operator its first extent, while the other operand has
/// none or 1 there; nullptr if unknown.
inline const Value* operand_of_first_axis(const Node& node) {
  const bool broadcasts = node.is("MatMul") || node.is("Add") || node.is("Sub") || node.is("Mul") || node.is("Div");
  if (!broadcasts || node.input(0) == nullptr || node.input(1) == nullptr) return nullptr;
  const std::size_t rank = node.output(0)->shape().rank();
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const Shape other = node.input(1 - i)->shape();
    if (rank < 3 || !other.known() || node.input(i)->shape().rank() != rank) continue;
    if (other.rank() < rank || other[0] == Dim(1)) return node.input(i);
  }
  return nullptr;
}

GRAFT_INLINE bool has_many(const Value& value) {
  const Value* source = &value;
  for (int steps = 0; source != nullptr && steps < 16; ++steps) {  // more than any attention has before it
    const Shape shape = source->shape();
    if (shape.rank() == 0) return false;
    if (shape[0].known()) return shape[0] != Dim(1);
    const Node* const node = source->producer();
    if (node == nullptr) return false;
    if (!node->is("Reshape")) {
      source = operand_of_first_axis(*node);
      continue;
    }
    // The first extent times the others is the number of the input's elements: a known number, times unknown extents.
    const Shape from = node->input(0) == nullptr ? Shape() : node->input(0)->shape();
    if (!from.known() || from.rank() == 0) return false;
    std::vector<Dim> others = infer::to_dims(shape), given = infer::to_dims(from);
    others.erase(others.begin());
    const Dim rest = infer::product(others);
    std::erase_if(given, [](const Dim& dim) { return !dim.known(); });
    const Dim known = infer::product(given);
    if (!rest.known() || rest == Dim(0) || !known.known() || known.value() % rest.value() != 0) return false;
    if (known != rest) return known.value() > rest.value();
    source = given.size() + 1 == from.rank() && !from[0].known() ? node->input(0) : nullptr;
  }
  return false;
}

inline void forget_unknown_extents(Value& value) {
  const Shape known = value.shape();
  std::vector<Dim> dims = infer::to_dims(known);
  if (std::none_of(dims.begin(), dims.end(), infer::is_made_up) || !value.type()->has_tensor_type()) return;
  std::replace_if(dims.begin(), dims.end(), infer::is_made_up, Dim());
  value.graph().set_type(value, tensor_type(value.dtype(), Shape(std::move(dims))));
}

GRAFT_INLINE void forget_unknown_extents(Graph& graph) {
  for (Graph* const scope : scopes_of(graph))
    for (Node& node : scope->nodes())
      for (Value& output : node.outputs()) forget_unknown_extents(output);
}

/// Infers the node again. Returns whether more is known of an output.
inline bool infer_anew(Rewriter& rewriter, Inference& inference, Node& node) {
  std::vector<onnx::TypeProto> before;
  for (Value& output : node.outputs()) {
    before.push_back(output.type() == nullptr ? onnx::TypeProto() : *output.type());
    forget_unknown_extents(output);
  }
  (void)inference.run(node);
  bool is_news = false;
  std::size_t i = 0;
  for (Value& output : node.outputs()) {
    const onnx::TypeProto& old = before[i++];
    const Shape known(old), inferred = output.shape();
    std::vector<Dim> dims = infer::to_dims(inferred);
    for (std::size_t axis = 0; axis < dims.size() && axis < known.rank(); ++axis)
      if (dims[axis] == Dim()) dims[axis] = known[axis];
    if (inferred.known() && (!known.known() || dims != infer::to_dims(known))) {
      rewriter.set_type(output, tensor_type(output.dtype(), Shape(std::move(dims))));
      is_news = true;
    } else if (known.known()) {
      output.graph().set_type(output, old);
    }
  }
  return is_news;
}

GRAFT_INLINE void infer_behind(Rewriter& rewriter, const Value& value) {
  Inference inference({.name_unknown = false});
  const auto is_first = [](const Node* a, const Node* b) { return a->before(*b); };
  std::set<Node*, decltype(is_first)> open(is_first);
  const auto reach_readers = [&](const Value& read) {
    for (Node& reader : read.users())
      if (&reader.graph() == &value.graph()) open.insert(&reader);
  };
  reach_readers(value);
  while (!open.empty()) {
    Node& node = **open.begin();
    open.erase(open.begin());
    const bool is_news = infer_anew(rewriter, inference, node);
    // The type may stay, while more elements become known.
    for (const Value& output : node.outputs())
      if (is_news || (output.dtype() == DType::i64 && output.shape().rank() <= 1)) reach_readers(output);
  }
}

}  // namespace graft::inline v1::detail
