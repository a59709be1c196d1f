#pragma once
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/build.hpp>

#include "support/he_weights.hpp"

/// An encoder with attention as an exporter traces it, with random weights. Batch and length are symbols, and every
/// split into heads computes its shape. LayerNormalization and Gelu consist of primitives; constants are nodes. Inputs:
/// i64[batch, length], word numbers below 100, and i64[batch, length], a mask with 1 for present words.
class ExportedTransformer {
 public:
  static constexpr std::int64_t words = 100, longest = 64, features = 32, heads = 4;

  explicit ExportedTransformer(int opset)
      : b_(opset, "transformer"), words_(b_.input("input_ids", graft::DType::i64, {"batch", "length"})),
        present_(b_.input("attention_mask", graft::DType::i64, {"batch", "length"})) {}

  graft::Model build(int layers) {
    graft::Value* x = &embed();
    graft::Value& mask = masked();
    for (int i = 0; i < layers; ++i) x = &layer(*x, mask);
    b_.output(*x, "last_hidden_state");
    return b_.build();
  }

 private:
  /// f32[batch, length, features], as for all functions below.
  graft::Value& embed() {
    graft::Value& length = b_.op("Unsqueeze", {&extent(words_, 1), &ints({0})});
    graft::Ints numbers(longest);
    std::iota(numbers.begin(), numbers.end(), 0);
    graft::Value& places = constant(graft::Tensor::of({1, longest}, numbers));
    graft::Value& taken = b_.op("Slice", {&places, &ints({0}), &length, &ints({1}), &ints({1})});
    graft::Value& word = b_.op("Gather", {&weight({words, features}, 6), &words_});
    return normalize(b_.op("Add", {&word, &b_.op("Gather", {&weight({longest, features}, 6), &taken})}));
  }
  /// 0 for a word, or nearly -inf for an absent one: f32[batch, 1, 1, length].
  graft::Value& masked() {
    graft::Value& raised = b_.op("Unsqueeze", {&b_.op("Unsqueeze", {&present_, &ints({1})}), &ints({2})});
    graft::Value& absent = b_.op("Sub", {&number(1), &b_.op("Cast", {&raised}, {{"to", graft::DType::f32}})});
    return b_.op("Mul", {&absent, &number(-3.4028235e38f)});
  }

  graft::Value& layer(graft::Value& x, graft::Value& mask) {
    graft::Value& attended = normalize(b_.op("Add", {&attention(x, mask), &x}));
    graft::Value& inner = gelu(linear(attended, features, 4 * features));
    return normalize(b_.op("Add", {&linear(inner, 4 * features, features), &attended}));
  }
  graft::Value& attention(graft::Value& x, graft::Value& mask) {
    graft::Value &query = head(x), &key = head(x), &value = head(x);
    graft::Value& turned = b_.op("Transpose", {&key}, {{"perm", {0, 1, 3, 2}}});
    graft::Value& root = number(std::sqrt(static_cast<float>(features / heads)));
    graft::Value& scores = b_.op("Div", {&b_.op("MatMul", {&query, &turned}), &root});
    graft::Value& chosen = b_.op("Softmax", {&b_.op("Add", {&scores, &mask})}, {{"axis", -1}});
    graft::Value& mixed = b_.op("Transpose", {&b_.op("MatMul", {&chosen, &value})}, {{"perm", {0, 2, 1, 3}}});
    return linear(reshape(mixed, {&extent(mixed, 0), &extent(mixed, 1)}, {features}), features, features);
  }
  /// f32[batch, heads, length, features / heads]
  graft::Value& head(graft::Value& x) {
    graft::Value& all = linear(x, features, features);
    graft::Value& apart = reshape(all, {&extent(all, 0), &extent(all, 1)}, {heads, features / heads});
    return b_.op("Transpose", {&apart}, {{"perm", {0, 2, 1, 3}}});
  }
  graft::Value& linear(graft::Value& x, std::int64_t in, std::int64_t out) {
    return b_.op("Add", {&weight({out}, 6), &b_.op("MatMul", {&x, &weight({in, out}, in)})});
  }
  graft::Value& normalize(graft::Value& x) {
    graft::Value& apart = b_.op("Sub", {&x, &mean(x)});
    graft::Value& variance = mean(b_.op("Pow", {&apart, &number(2)}));
    graft::Value& deviation = b_.op("Sqrt", {&b_.op("Add", {&variance, &number(1e-5f)})});
    graft::Value& scaled = b_.op("Mul", {&b_.op("Div", {&apart, &deviation}), &weight({features}, 6)});
    return b_.op("Add", {&scaled, &weight({features}, 6)});
  }
  graft::Value& mean(graft::Value& x) {
    if (b_.graph().opset() < 18) return b_.op("ReduceMean", {&x}, {{"axes", {-1}}});
    return b_.op("ReduceMean", {&x, &ints({-1})});
  }
  graft::Value& gelu(graft::Value& x) {
    graft::Value& erf = b_.op("Erf", {&b_.op("Div", {&x, &number(std::sqrt(2.f))})});
    return b_.op("Mul", {&b_.op("Mul", {&x, &b_.op("Add", {&erf, &number(1)})}), &number(0.5f)});
  }

  /// One extent of x, i64[].
  graft::Value& extent(graft::Value& x, std::int64_t axis) {
    graft::Value& shape = b_.op("Shape", {&x});
    return b_.op("Gather", {&shape, &node(graft::Tensor::scalar(axis))}, {{"axis", 0}});
  }
  graft::Value& reshape(graft::Value& x, std::initializer_list<graft::Value*> extents,
                        std::initializer_list<std::int64_t> numbers) {
    std::vector<graft::Value*> parts;
    for (graft::Value* const extent : extents) parts.push_back(&b_.op("Unsqueeze", {extent, &ints({0})}));
    for (const std::int64_t number : numbers) parts.push_back(&ints({number}));
    graft::Node& joined = parts.size() == 3
                              ? b_.node("Concat", {parts[0], parts[1], parts[2]}, 1, {{"axis", 0}})
                              : b_.node("Concat", {parts[0], parts[1], parts[2], parts[3]}, 1, {{"axis", 0}});
    return b_.op("Reshape", {&x, joined.output(0)});
  }

  graft::Value& number(float value) { return node(graft::Tensor::scalar(value)); }
  graft::Value& ints(const graft::Ints& values) {
    return node(graft::Tensor::of({static_cast<std::int64_t>(values.size())}, values));
  }
  graft::Value& node(graft::Tensor value) { return b_.op("Constant", {}, {{"value", std::move(value)}}); }
  graft::Value& weight(const graft::Dims& dims, std::int64_t fan_in) { return constant(weights_.tensor(dims, fan_in)); }
  graft::Value& constant(graft::Tensor tensor) {
    return b_.constant(std::move(tensor), "weight_" + std::to_string(count_++));
  }

  graft::Builder b_;
  graft::Value &words_, &present_;
  HeWeights weights_;
  int count_ = 0;
};

/// 24 layers, about 2,700 nodes.
inline graft::Model exported_transformer(int opset = 17, int layers = 24) {
  return ExportedTransformer(opset).build(layers);
}
