#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::qonnx::detail {

/// Where the channels of an input are in the output: along an axis, each of them `repeats` times on end.
struct ChannelPlace {
  std::size_t axis = 0;
  std::size_t repeats = 1;
};

/// Of a node that brings the elements into another shape and leaves their order.
inline std::optional<ChannelPlace> place_after_reshape(const Shape& in, const Shape& out, std::size_t axis) {
  if (!in.known() || !out.known() || axis >= in.rank() || !in[axis].known()) return std::nullopt;
  const std::int64_t channels = in[axis].value();
  if (channels == 0) return std::nullopt;
  const auto product_before = [](const Shape& shape, std::size_t end) -> std::optional<std::int64_t> {
    std::int64_t result = 1;
    for (std::size_t i = 0; i < end; ++i) {
      if (!shape[i].known()) return std::nullopt;
      result *= shape[i].value();
    }
    return result;
  };
  bool is_same_so_far = true;
  for (std::size_t i = 0; i < out.rank(); ++i) {
    const auto before = product_before(in, axis), after = product_before(out, i);
    const bool starts_alike = before && after ? *before == *after : i == axis && is_same_so_far;
    if (starts_alike && out[i].known() && out[i].value() >= channels && out[i].value() % channels == 0)
      return ChannelPlace{i, static_cast<std::size_t>(out[i].value() / channels)};
    is_same_so_far = is_same_so_far && i < in.rank() && same_size(in[i], out[i]);
  }
  return std::nullopt;
}

/// Of a node that moves elements, or leaves some out; nullopt if channels get mixed, or that is not known.
inline std::optional<ChannelPlace> place_after(const Node& node, std::size_t axis) {
  const Value *const x = node.input(0), *const y = node.output(0);
  const Shape in = x->shape(), out = y->shape();
  const auto is_one_of = [&node](const auto& ops) {
    return std::find(ops.begin(), ops.end(), node.op_type()) != ops.end();
  };
  if (node.is("Transpose")) {
    if (!in.known() || axis >= in.rank()) return std::nullopt;
    const auto perm = node.attr<Ints>("perm");
    if (!perm) return ChannelPlace{in.rank() - 1 - axis};
    const auto place = std::find(perm->begin(), perm->end(), static_cast<std::int64_t>(axis));
    return place == perm->end() ? std::nullopt
                                : std::optional(ChannelPlace{static_cast<std::size_t>(place - perm->begin())});
  }
  constexpr std::array reshapes{std::string_view("Flatten"), std::string_view("Reshape"), std::string_view("Squeeze"),
                                std::string_view("Unsqueeze")};
  if (is_one_of(reshapes)) return place_after_reshape(in, out, axis);
  constexpr std::array orderly{std::string_view("Dropout"),   std::string_view("Expand"),
                               std::string_view("GlobalAveragePool"),
                               std::string_view("Identity"),  std::string_view("GlobalMaxPool"),
                               std::string_view("MaxPool"),   std::string_view("AveragePool"),
                               std::string_view("ReduceMax"), std::string_view("ReduceMean"),
                               std::string_view("ReduceMin"), std::string_view("Resize"),
                               std::string_view("Tile"),      std::string_view("Upsample")};
  const bool keeps_rank = in.known() && out.known() && in.rank() == out.rank() && axis < in.rank();
  if (!is_one_of(orderly) || !keeps_rank || !in[axis].known() || in[axis] != out[axis]) return std::nullopt;
  return ChannelPlace{axis};
}

}  // namespace graft::inline v1::qonnx::detail
