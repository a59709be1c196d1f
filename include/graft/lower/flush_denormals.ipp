#pragma once
#include <graft/lower/flush_denormals.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/denormals.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether each reader of a value is linear in it, or normalizes by it.
inline bool is_weight(const Value& value) {
  constexpr std::array readers{"Add",
                               "Conv",
                               "ConvTranspose",
                               "DeformConv",
                               "Einsum",
                               "GRU",
                               "Gather",
                               "Gemm",
                               "GroupNormalization",
                               "InstanceNormalization",
                               "LSTM",
                               "LayerNormalization",
                               "MatMul",
                               "Mul",
                               "PRelu",
                               "RMSNormalization",
                               "RNN",
                               "SimplifiedLayerNormalization",
                               "Sub",
                               "Sum",
                               "com.microsoft::Attention",
                               "com.microsoft::BiasGelu",
                               "com.microsoft::EmbedLayerNormalization",
                               "com.microsoft::FastGelu",
                               "com.microsoft::FusedConv",
                               "com.microsoft::FusedGemm",
                               "com.microsoft::FusedMatMul",
                               "com.microsoft::MultiHeadAttention",
                               "com.microsoft::SkipLayerNormalization",
                               "com.microsoft::SkipSimplifiedLayerNormalization"};
  for (const Use& use : value.uses()) {
    if (use.is_graph_output()) continue;
    if (std::none_of(readers.begin(), readers.end(), [&](const char* op) { return use.user()->is(op); })) return false;
  }
  return true;
}

template <class Bits>
std::size_t flush(Tensor& tensor, Bits least_normal) {
  const auto bits_at = [](const std::byte* from) {
    Bits bits{};
    std::memcpy(&bits, from, sizeof bits);
    return bits;
  };
  const std::span<const std::byte> bytes = tensor.bytes();
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Bits))
    count += is_denormal(bits_at(bytes.data() + at), least_normal);
  if (count == 0) return 0;
  const std::span<std::byte> writable = tensor.mutable_bytes();
  for (std::size_t at = 0; at < writable.size(); at += sizeof(Bits))
    if (is_denormal(bits_at(writable.data() + at), least_normal)) std::memset(writable.data() + at, 0, sizeof(Bits));
  return count;
}

/// Returns the number of elements that became 0. If none did, the tensor keeps its bytes.
inline std::size_t flush(Tensor& tensor) {
  if (tensor.size() < 2) return 0;
  if (tensor.dtype() == DType::f32) return flush<std::uint32_t>(tensor, 1U << 23);
  if (tensor.dtype() == DType::bf16) return flush<std::uint16_t>(tensor, 1U << 7);
  if (tensor.dtype() == DType::f64) return flush<std::uint64_t>(tensor, std::uint64_t{1} << 52);
  return 0;
}

class DenormalFlush {
 public:
  explicit DenormalFlush(Graph& graph) : graph_(graph), model_(graph.model()) {}

  Report run() {
    for (Graph* const scope : scopes_of(graph_)) {
      for (Value* const value : scope->initializers()) {
        if (!value->is_constant() || !is_weight(*value)) continue;
        if (auto flushed = without_denormals(*value->initializer()))
          scope->set_initializer(*value, *std::move(flushed));
      }
      for (Node& node : scope->nodes()) {
        const onnx::AttributeProto* const held = node.is("Constant") ? node.attribute("value") : nullptr;
        if (held == nullptr || !held->has_t() || !is_weight(*node.output(0))) continue;
        if (auto flushed = without_denormals(held->t())) scope->set_attribute(node, {"value", *std::move(flushed)});
      }
    }
    Report report;
    report.changes = tensors_;
    if (tensors_ != 0)
      report.notes.push_back(std::to_string(elements_) + " denormal weights of " + std::to_string(tensors_) +
                             " tensors became 0");
    return report;
  }

 private:
  /// nullopt if no element is denormal, or if the tensor cannot be read.
  std::optional<Tensor> without_denormals(const onnx::TensorProto& proto) {
    try {
      Tensor tensor = read_tensor(proto, model_.external_data());
      const std::size_t flushed = flush(tensor);
      if (flushed == 0) return std::nullopt;
      elements_ += flushed;
      ++tensors_;
      return tensor;
    } catch (const UnreadableTensor&) {
      return std::nullopt;
    }
  }

  Graph& graph_;
  const Model& model_;
  std::size_t elements_ = 0, tensors_ = 0;
};

}  // namespace detail

GRAFT_INLINE Pass flush_denormals() {
  return pass("flush_denormals", [](Graph& graph, Context&) { return detail::DenormalFlush(graph).run(); })
      .preserves_all();
}

}  // namespace graft::inline v1
