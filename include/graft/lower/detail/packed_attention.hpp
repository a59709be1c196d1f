#pragma once
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/attention_node.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

inline Verdict is_packed_attention(const Node& node) {
  if (Verdict computable = is_computable(node, 1); !computable) return computable;
  for (std::size_t i = 1; i < 4; ++i)
    if (node.input(i) == nullptr) return Verdict::no("it lacks an input");
  const DType lengths = node.input(3)->dtype();
  if (lengths != DType::i32 && lengths != DType::i64) return Verdict::no("its lengths are not known to be integers");
  return integer_of(node, "num_heads") > 0 ? Verdict::yes() : Verdict::no("it lacks num_heads");
}

/// Puts the parts of a PackedAttention in a graph.
struct PackedAttention {
  Rewriter& rewriter;
  const Node& node;

  Value& op(std::string_view name, std::initializer_list<Value*> inputs, const Attributes& attributes = {}) const {
    return rewriter.op(name, inputs, attributes);
  }
  Value& ints(const Ints& values) const { return rewriter.ints(values); }
  std::int64_t heads() const { return integer_of(node, "num_heads"); }

  /// Query, key or value, its axes turned and then reshaped.
  Value& turned(std::size_t input, const Ints& perm, const Ints& shape) const {
    return op("Reshape", {&op("Transpose", {node.input(input)}, {{"perm", perm}}), &ints(shape)});
  }
  Value& lengths(DType dtype) const {
    Value& given = *node.input(3);
    return given.dtype() == dtype ? given : op("Cast", {&given}, {{"to", dtype}});
  }
  /// Where each sequence begins, and where it ends.
  Value& starts(Value& lengths) const { return op("Slice", {&lengths, &ints({0}), &ints({-1}), &ints({0})}); }
  Value& ends(Value& lengths) const {
    return op("Slice", {&lengths, &ints({1}), &ints({std::numeric_limits<std::int64_t>::max()}), &ints({0})});
  }

  /// The attributes of the operators of com.microsoft.
  Attributes attributes() const {
    Attributes all{{"num_heads", heads()}};
    if (const auto scale = node.attr<float>("scale")) all.push_back({"scale", *scale});
    return all;
  }
};

/// The pass of a rule for PackedAttention, under a name.
inline Pass on_packed_attentions(std::string name, const Pass& rule) {
  return around(on_typed_graph("rule", rule),
                [](const Pass& inner, Graph& graph, Context& context) {
                  Report report = inner.run(graph, context);
                  if (report.changes != 0) graph.model().drop_unused_opset("custom");
                  return report;
                })
      .named(std::move(name));
}

}  // namespace graft::inline v1::detail
