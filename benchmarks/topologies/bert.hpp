#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/build.hpp>

#include "support/he_weights.hpp"

/// The parts of a text encoder as exporters write it at opset 17, with random weights. Input: i64[batch, tokens], word
/// numbers below 1000.
class Encoder {
 public:
  static constexpr std::int64_t words = 1000, features = 384, heads = 12;

  Encoder(std::string_view name, std::int64_t tokens)
      : b_(17, name), tokens_(tokens), input_(b_.input("tokens", graft::DType::i64, {"batch", tokens})) {}

  /// f32[batch, tokens, features], as for all functions below.
  graft::Value& embed() {
    graft::Value& word = b_.op("Gather", {&weight({words, features}, 6), &input_});
    return normalize(b_.op("Add", {&word, &weight({1, tokens_, features}, 6)}));
  }
  /// Vaswani et al., Attention Is All You Need (2017), with Gelu.
  graft::Value& layer(graft::Value& x) {
    graft::Value& attended = normalize(b_.op("Add", {&attention(x), &x}));
    graft::Value& inner = gelu(linear(attended, features, 4 * features));
    return normalize(b_.op("Add", {&linear(inner, 4 * features, features), &attended}));
  }
  /// The scores of the classes from the first token, f32[batch, classes], as the model's output.
  void classify(graft::Value& x, std::int64_t classes) {
    graft::Value& first = b_.op("Gather", {&x, &constant(graft::Tensor::scalar<std::int64_t>(0))}, {{"axis", 1}});
    graft::Value& pooled = b_.op("Tanh", {&gemm(first, features)});
    b_.output(gemm(pooled, classes), "logits");
  }

  graft::Model build() { return b_.build(); }

 private:
  graft::Value& attention(graft::Value& x) {
    const auto head = [&](const graft::Ints& order) -> graft::Value& {
      graft::Value& apart = reshape(linear(x, features, features), {0, 0, heads, features / heads});
      return b_.op("Transpose", {&apart}, {{"perm", order}});
    };
    graft::Value &query = head({0, 2, 1, 3}), &key = head({0, 2, 3, 1}), &value = head({0, 2, 1, 3});
    graft::Value& root = number(std::sqrt(static_cast<float>(features / heads)));
    graft::Value& scores = b_.op("Div", {&b_.op("MatMul", {&query, &key}), &root});
    graft::Value& mixed = b_.op("MatMul", {&b_.op("Softmax", {&scores}, {{"axis", -1}}), &value});
    graft::Value& joined = b_.op("Transpose", {&mixed}, {{"perm", {0, 2, 1, 3}}});
    return linear(reshape(joined, {0, 0, features}), features, features);
  }

  graft::Value& linear(graft::Value& x, std::int64_t in, std::int64_t out) {
    return b_.op("Add", {&weight({out}, 6), &b_.op("MatMul", {&x, &weight({in, out}, in)})});
  }
  graft::Value& gemm(graft::Value& x, std::int64_t out) {
    return b_.op("Gemm", {&x, &weight({out, features}, features), &weight({out}, 6)}, {{"transB", 1}});
  }
  /// Scales are in [0.5, 1.5).
  graft::Value& normalize(graft::Value& x) {
    graft::Tensor scale = weights_.tensor({features}, 24);
    for (float& factor : scale.mutable_data<float>()) factor += 1;
    graft::Value& factors = constant(std::move(scale));
    return b_.op("LayerNormalization", {&x, &factors, &weight({features}, 24)}, {{"epsilon", 1e-12f}});
  }
  graft::Value& gelu(graft::Value& x) {
    graft::Value& erf = b_.op("Erf", {&b_.op("Div", {&x, &number(std::sqrt(2.f))})});
    graft::Value& doubled = b_.op("Mul", {&x, &b_.op("Add", {&erf, &number(1)})});
    return b_.op("Mul", {&doubled, &number(0.5f)});
  }
  graft::Value& reshape(graft::Value& x, const std::vector<std::int64_t>& dims) {
    const auto rank = static_cast<std::int64_t>(dims.size());
    return b_.op("Reshape", {&x, &constant(graft::Tensor::of({rank}, dims))});
  }

  graft::Value& number(float value) { return constant(graft::Tensor::scalar(value)); }
  graft::Value& weight(const graft::Dims& dims, std::int64_t fan_in) { return constant(weights_.tensor(dims, fan_in)); }
  graft::Value& constant(graft::Tensor tensor) {
    return b_.constant(std::move(tensor), "constant_" + std::to_string(constants_++));
  }

  graft::Builder b_;
  std::int64_t tokens_;
  graft::Value& input_;
  HeWeights weights_;
  int constants_ = 0;
};

/// A small BERT: four layers of 384 features. Devlin et al., BERT (2018).
inline graft::Model bert(std::int64_t tokens) {
  Encoder net("bert", tokens);
  graft::Value* x = &net.embed();
  for (int i = 0; i < 4; ++i) x = &net.layer(*x);
  net.classify(*x, 100);
  return net.build();
}
