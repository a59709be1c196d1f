#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// Builds attention from primitive operators, since opset 13. `dtype` is that of queries, keys and values.
class AttentionPrimitives {
 public:
  AttentionPrimitives(Rewriter& rewriter, DType dtype) : rewriter_(rewriter), dtype_(dtype) {}

  Value& op(std::string_view name, std::initializer_list<Value*> inputs, const Attributes& attributes = {}) {
    return rewriter_.op(name, inputs, attributes);
  }
  Value& ints(const Ints& values) { return rewriter_.ints(values); }
  /// Of rank 0: i64, or the dtype.
  Value& integer(std::int64_t value);
  Value& number(double value);
  /// The extent of an axis, i64 of rank 0.
  Value& extent(Value& x, std::size_t axis);
  /// 0 to count - 1; count is i64 of rank 0.
  Value& range(Value& count);
  Value& unsqueeze(Value& x, const Ints& axes) { return op("Unsqueeze", {&x, &ints(axes)}); }
  /// Columns [first, first + count) of the last axis.
  Value& columns(Value& x, std::int64_t first, std::int64_t count);

  /// [batch, steps, heads * size] to [batch, heads, steps, size], and back.
  Value& split_heads(Value& flat, std::int64_t heads);
  Value& join_heads(Value& heads, std::int64_t count);
  /// Repeats each head `times` times.
  Value& repeat_heads(Value& x, std::int64_t heads, std::int64_t times);
  Value& behind(Value* past, Value& added) {
    return past == nullptr ? added : op("Concat", {past, &added}, {{"axis", 2}});
  }

  /// scale * q k^T. In f16, where the product might overflow, q and k are scaled.
  Value& scores(Value& q, Value& k, double scale);
  Value& capped(Value& scores, double cap);
  /// The addend for a mask of integers, [batch, keys] or [batch, queries, keys]: `filter` where the mask is 0. A mask
  /// [batch] gives the ends of the keys k.
  Value& hidden_keys(Value& mask, Value& k, double filter);
  /// Whether a key is not after a query: bool[queries, keys]. `past` is the number of keys before the first query
  /// (nullptr: 0).
  Value& not_behind(Value& q, Value& k, Value* past);
  /// Replaces the scores of keys that a bool mask hides by `low`.
  Value& hidden(Value& scores, Value& seen, double low) { return op("Where", {&seen, &scores, &number(low)}); }
  /// `weighted`, with 0 for queries that see no key: `seen` is bool[..., queries, keys]. Since opset 18.
  Value& of_seeing(Value& weighted, Value& seen);
  /// softmax(scores) v
  Value& weighted(Value& scores, Value& v, DType precision = DType::undefined);

 private:
  Rewriter& rewriter_;
  DType dtype_;
};

}  // namespace graft::inline v1::detail
