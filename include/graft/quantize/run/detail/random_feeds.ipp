#pragma once
#include <graft/quantize/run/detail/random_feeds.hpp>

#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/extent_of_symbol.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/memory.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/range.hpp>

namespace graft::inline v1::detail {

/// The rows of the constant table that the value indexes; 2 where it indexes none.
inline std::int64_t index_count(const Value& value) {
  for (const Node& user : value.users()) {
    if (!user.is("Gather") || user.input(1) != &value || !user.input(0)->is_constant()) continue;
    const Shape shape = user.input(0)->shape();
    const auto place = infer::normalized(user.attr<std::int64_t>("axis").value_or(0), shape.rank());
    if (shape.known() && place && shape[*place].known()) return shape[*place].value();
  }
  return 2;
}

/// The least and the greatest value that an input is fed.
inline Range fed_range(const Value& input, const Ranges& ranges) {
  const DType dtype = input.dtype();
  if (dtype == DType::boolean) return {0, 1};
  if (is_integer(dtype) && bits(dtype) <= 8)
    return {static_cast<float>(lowest(dtype)), static_cast<float>(highest(dtype))};
  if (is_integer(dtype)) return {0, static_cast<float>(index_count(input) - 1)};
  const Range* const known = ranges.find(input.name());
  return known != nullptr ? *known : Range{-1, 1};
}

/// The extents of symbolic dims: those of plain names, and of the sums and products of these.
inline std::map<std::string, std::int64_t, std::less<>> symbolic_extents(const Graph& graph, std::int64_t open_extent) {
  std::map<std::string, std::int64_t, std::less<>> extents;
  const auto visit_symbols = [&](const auto& visit) {
    for (const Value* const input : graph.inputs()) {
      const Shape shape = input->shape();
      for (std::size_t axis = 0; shape.known() && axis < shape.rank(); ++axis)
        if (shape[axis].symbolic()) visit(std::string(shape[axis].symbol()), axis);
    }
  };
  const auto extent_of = [&](std::string_view name) {
    return extents.try_emplace(std::string(name), open_extent).first->second;
  };
  const auto is_plain = [](const std::string& symbol) {
    return !extent_of_symbol(symbol, [](std::string_view) { return std::int64_t{1}; });
  };
  visit_symbols([&](const std::string& symbol, std::size_t axis) {
    if (is_plain(symbol)) extents.try_emplace(symbol, axis == 0 ? 1 : open_extent);
  });
  visit_symbols([&](const std::string& symbol, std::size_t) {
    if (!extents.contains(symbol)) extents.emplace(symbol, extent_of_symbol(symbol, extent_of).value_or(open_extent));
  });
  return extents;
}

GRAFT_INLINE Feeds random_feeds(const Graph& graph, const Ranges& ranges, std::int64_t open_extent,
                                std::uint32_t seed) {
  std::mt19937 random(seed);  // its numbers are the same everywhere, those of the standard's distributions are not
  const auto extents = symbolic_extents(graph, open_extent);
  Feeds feeds;
  for (const Value* const input : graph.inputs()) {
    if (input->initializer() != nullptr) continue;
    const DType dtype = input->dtype();
    const Shape shape = input->shape();
    if (!shape.known() || bits(dtype) == 0 || is_complex(dtype))
      throw Error("has no random values: it is not a tensor of numbers of known rank").field(input->name());
    Dims dims;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      const Dim dim = shape[axis];
      std::int64_t extent = axis == 0 ? 1 : open_extent;
      if (dim.known()) extent = dim.value();
      if (dim.symbolic()) extent = extents.find(dim.symbol())->second;
      dims.push_back(extent);
    }
    const Range range = fed_range(*input, ranges);
    const double low = range.min, width = static_cast<double>(range.max) - low;
    const bool is_whole = is_integer(dtype) || dtype == DType::boolean;
    std::vector<double> values(allocated_bytes(DType::f64, dims) / sizeof(double));
    for (double& value : values) {
      const double unit = static_cast<double>(random() >> 8U) * 0x1p-24;
      value = is_whole ? low + std::floor(unit * (width + 1)) : low + unit * width;
    }
    feeds.emplace_back(std::string(input->name()), Tensor::of(dtype, std::move(dims), values));
  }
  return feeds;
}

}  // namespace graft::inline v1::detail
