#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/testing/random.hpp>

/// The inputs that a caller must feed.
inline std::vector<const graft::Value*> required_inputs(const graft::Graph& graph) {
  std::vector<const graft::Value*> inputs;
  for (const graft::Value* const input : graph.inputs())
    if (input->initializer() == nullptr) inputs.push_back(input);
  return inputs;
}

/// The dims of a shape of known rank. Symbolic dims take their size from `sizes`. Other symbols follow from these by
/// graft::extent_of_symbol(), else they are 1, like unknown dims.
inline graft::Dims closed_dims(const graft::Shape& shape, const std::map<std::string, std::int64_t>& sizes) {
  const auto extent_of = [&](std::string_view name) {
    const auto given = sizes.find(std::string(name));
    return given != sizes.end() ? given->second : 1;
  };
  graft::Dims dims;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const std::string symbol(shape[axis].symbol());
    if (shape[axis].known()) dims.push_back(shape[axis].value());
    else if (sizes.contains(symbol)) dims.push_back(sizes.at(symbol));
    else dims.push_back(graft::extent_of_symbol(symbol, extent_of).value_or(1));
  }
  return dims;
}

/// Random feeds: floats in [-1, 1); 0 and 1 for integers of more than 8 bits, which may be indices. The dims are those
/// of closed_dims().
inline graft::Feeds random_feeds(const graft::Graph& graph, const std::map<std::string, std::int64_t>& sizes,
                                 graft::Random& random) {
  graft::Feeds feeds;
  for (const graft::Value* const input : required_inputs(graph)) {
    const graft::Dims dims = closed_dims(input->shape(), sizes);
    const graft::DType dtype = input->dtype();
    const bool is_index = graft::is_integer(dtype) && graft::bits(dtype) > 8;
    const graft::Interval range = is_index ? graft::Interval{0, 1} : graft::usual_interval(dtype);
    try {
      feeds.emplace_back(std::string(input->name()), graft::random_tensor(dtype, dims, random, range));
    } catch (const graft::Error& error) {
      throw graft::Error("the input '" + std::string(input->name()) + "' is " + graft::to_string(dtype, dims) + ": " +
                         error.message());
    }
  }
  return feeds;
}
