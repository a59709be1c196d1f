#pragma once
#include <graft/lower/packed_attention.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/attention_node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace detail {

inline Verdict is_packed_attention(const Node& node) {
  if (Verdict computable = is_computable(node, 1); !computable) return computable;
  for (std::size_t i = 1; i < 4; ++i)
    if (node.input(i) == nullptr) return Verdict::no("it lacks an input");
  const DType lengths = node.input(3)->dtype();
  if (lengths != DType::i32 && lengths != DType::i64) return Verdict::no("its lengths are not known to be integers");
  return integer_of(node, "num_heads") > 0 ? Verdict::yes() : Verdict::no("it lacks num_heads");
}

/// Builds a graph for a PackedAttention.
struct PackedAttention {
  Rewriter& rewriter;
  const Node& node;

  Value& op(std::string_view name, std::initializer_list<Value*> inputs, const Attributes& attributes = {}) const {
    return rewriter.op(name, inputs, attributes);
  }
  Value& ints(const Ints& values) const { return rewriter.ints(values); }
  std::int64_t heads() const { return integer_of(node, "num_heads"); }

  /// Query, key or value, transposed and then reshaped.
  Value& turned(std::size_t input, const Ints& perm, const Ints& shape) const {
    return op("Reshape", {&op("Transpose", {node.input(input)}, {{"perm", perm}}), &ints(shape)});
  }
  Value& lengths(DType dtype) const {
    Value& given = *node.input(3);
    return given.dtype() == dtype ? given : op("Cast", {&given}, {{"to", dtype}});
  }
  /// The start and the end of each sequence.
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

inline Verdict has_one_batch(const Node& node) {
  const Dim batch = dim_of(*node.input(0), 0);
  return batch.known() && batch.value() == 1 ? Verdict::yes() : Verdict::no("its batch is not known to be 1");
}

/// Token offsets of PackedMultiHeadAttention, int32 [sequences, longest]: the place of each token in the padded batch,
/// then the places of padding.
inline Value& token_offsets(const PackedAttention& attention, Value& cumulative_lengths) {
  using Inputs = std::initializer_list<Value*>;
  const auto op = [&](std::string_view name, Inputs inputs, const Attributes& attributes = {}) {
    return &attention.op(name, inputs, attributes);
  };
  const auto number = [&](std::int32_t n) { return &attention.rewriter.constant(Tensor::scalar(n), "number"); };
  Value* const starts = &attention.starts(cumulative_lengths);
  Value* const lengths = op("Sub", {&attention.ends(cumulative_lengths), starts});
  Value* const longest = op("ReduceMax", {lengths}, {{"keepdims", 0}});
  Value* const sequences = op("Cast", {op("Size", {starts})}, {{"to", DType::i32}});
  Value* const column = op("Range", {number(0), longest, number(1)});
  Value* const row = op("Unsqueeze", {op("Range", {number(0), sequences, number(1)}), &attention.ints({1})});
  Value* const places = op("Add", {op("Mul", {row, longest}), column});
  Value* const is_token = op("Less", {column, op("Unsqueeze", {lengths, &attention.ints({1})})});
  Value* const tokens = op("Reshape", {is_token, &attention.ints({-1})});
  Value* const padding = op("Not", {tokens});
  Value* const order =
      op("Concat", {op("Compress", {places, tokens}), op("Compress", {places, padding})}, {{"axis", 0}});
  return *op("Reshape", {order, op("Shape", {places})});
}

}  // namespace detail

namespace rules {

inline constexpr auto packed_attention_to_packed_mha = rule<"packed-attention-to-packed-mha">(
    op<"custom::PackedAttention">(rest<>).with(any_attributes).as(outer),
    where(predicate<detail::is_packed_attention>("")(outer), predicate<detail::has_one_batch>("")(outer)),
    [](const auto& m, Rewriter& rewriter) {
      const detail::PackedAttention attention{rewriter, m[outer]};
      const auto tokens = [&](std::size_t input) { return &attention.turned(input, {2, 0, 1, 3}, {0, -1}); };
      Value& lengths = attention.lengths(DType::i32);
      Value& seen =
          attention.op("com.microsoft::PackedMultiHeadAttention",
                       {tokens(0), tokens(1), tokens(2), nullptr, &detail::token_offsets(attention, lengths), &lengths},
                       attention.attributes());
      Value& by_head = attention.op("Reshape", {&seen, &attention.ints({0, 1, attention.heads(), -1})});
      return rewriter.replace(*m[outer].output(0), attention.op("Transpose", {&by_head}, {{"perm", Ints{1, 0, 2, 3}}}));
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView packed_attention_to_packed_mha =
    rules::packed_attention_to_packed_mha.view();

GRAFT_INLINE Pass packed_attentions_to_packed_mhas() {
  return detail::on_packed_attentions("packed_attentions_to_packed_mhas", sweep(packed_attention_to_packed_mha));
}

namespace detail {

/// The body of the loop, which adds one sequence. It reads outer values by name.
class SequenceBody {
 public:
  explicit SequenceBody(const PackedAttention& attention) : attention_(attention) { graph_.set_name("sequence"); }

  onnx::GraphProto take(Value& starts, Value& ends, std::initializer_list<Value*> operands) {
    const onnx::TypeProto counter = tensor_type(DType::i64, Shape(std::vector<Dim>()));
    const onnx::TypeProto flag = tensor_type(DType::boolean, Shape(std::vector<Dim>()));
    const onnx::TypeProto sequences = tensor_type(attention_.node.input(2)->dtype());
    const std::string sequence = input("sequence", counter);
    const std::string goes_on = input("goes_on", flag);
    const std::string joined = input("joined", sequences);
    const std::string index = node("Unsqueeze", {sequence, name(attention_.ints({0}))}, "index");
    const std::string start = node("Gather", {name(starts), index}, "start");
    const std::string end = node("Gather", {name(ends), index}, "end");
    const std::string axis = name(attention_.ints({1}));
    std::vector<std::string> parts;
    for (Value* const operand : operands) parts.push_back(node("Slice", {name(*operand), start, end, axis}, "part"));
    const std::string seen = node("com.microsoft::MultiHeadAttention", parts, "seen", attention_.attributes());
    output(node("Identity", {goes_on}, "still_goes_on"), flag);
    output(node("Concat", {joined, seen}, "longer", {{"axis", 1}}), sequences);
    return std::move(graph_);
  }

 private:
  static std::string name(const Value& value) { return std::string(value.name()); }
  static void describe(onnx::ValueInfoProto& info, std::string_view name, onnx::TypeProto type) {
    info.set_name(std::string(name));
    *info.mutable_type() = std::move(type);
  }
  std::string fresh(std::string_view hint) const { return attention_.rewriter.graph().fresh_name(hint); }
  std::string input(std::string_view hint, const onnx::TypeProto& type) {
    std::string name = fresh(hint);
    describe(*graph_.add_input(), name, type);
    return name;
  }
  void output(std::string_view name, const onnx::TypeProto& type) { describe(*graph_.add_output(), name, type); }
  std::string node(std::string_view op, const std::vector<std::string>& inputs, std::string_view hint,
                   const Attributes& attributes = {}) {
    onnx::NodeProto& made = *graph_.add_node();
    const OpName name = OpName::parse(op);
    made.set_op_type(std::string(name.op_type));
    made.set_domain(std::string(name.domain));
    for (const std::string& input : inputs) made.add_input(input);
    made.add_output(fresh(hint));
    for (const Attribute& attribute : attributes) *made.add_attribute() = attribute.proto();
    return made.output(0);
  }

  const PackedAttention& attention_;
  onnx::GraphProto graph_;
};

}  // namespace detail

namespace rules {

inline constexpr auto packed_attention_to_loop = rule<"packed-attention-to-loop">(
    op<"custom::PackedAttention">(rest<>).with(any_attributes).as(outer),
    where(predicate<detail::is_packed_attention>("")(outer)), [](const auto& m, Rewriter& rewriter) {
      const detail::PackedAttention attention{rewriter, m[outer]};
      const auto side_by_side = [&](std::size_t input) -> Value& {
        return attention.turned(input, {0, 2, 1, 3}, {0, 0, -1});
      };
      Value &query = side_by_side(0), &key = side_by_side(1), &value = side_by_side(2);
      Value& lengths = attention.lengths(DType::i64);
      Value &firsts = attention.starts(lengths), &lasts = attention.ends(lengths);
      Value& none = attention.op("Slice", {&value, &attention.ints({0}), &attention.ints({0}), &attention.ints({1})});
      detail::SequenceBody body(attention);
      Value& joined = attention.op("Loop", {&attention.op("Size", {&firsts}), nullptr, &none},
                                   {{"body", body.take(firsts, lasts, {&query, &key, &value})}});
      return rewriter.replace(*m[outer].output(0),
                              attention.op("Reshape", {&joined, &attention.ints({0, 0, attention.heads(), -1})}));
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView packed_attention_to_loop = rules::packed_attention_to_loop.view();

GRAFT_INLINE Pass packed_attentions_to_loops() {
  return detail::on_packed_attentions("packed_attentions_to_loops", sweep(packed_attention_to_loop));
}

}  // namespace graft::inline v1
