#pragma once
#include <graft/transformer/detail/unknown_extents.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

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

/// Whether more follows for an output than was known.
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
  Inference inference({.custom = rewriter.context().shape_functions, .name_unknown = false});
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
    // More may follow for the elements of an extent whose type stays.
    for (const Value& output : node.outputs())
      if (is_news || (output.dtype() == DType::i64 && output.shape().rank() <= 1)) reach_readers(output);
  }
}

}  // namespace graft::inline v1::detail
