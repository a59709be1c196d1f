#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// nullptr if the graph has no such value.
inline const Value* resolve(const ValueRef& ref, const Graph& graph) {
  return ref.value() != nullptr ? ref.value() : graph.find(ref.name());
}

inline Error no_such_value(const ValueRef& ref, const Graph& graph) {
  std::string inputs;
  for (const Value* const input : graph.inputs()) {
    if (inputs.size() > 200) break;
    inputs.append(inputs.empty() ? "; its inputs are '" : ", '").append(input->name()).append("'");
  }
  return Error("the graph computes no such value" + inputs).field(ref.name());
}

inline Fetches outputs_of(const Graph& graph) {
  Fetches fetches;
  for (const Value* output : graph.outputs()) fetches.emplace_back(output);
  return fetches;
}

/// The values that an executor's observe() shows, kept; borrowed tensors are copied.
template <class E>
std::vector<Tensor> run_observed(const E& executor, const Feeds& feeds, const Fetches& fetches) {
  std::vector<Tensor> results(fetches.size());
  executor.observe(feeds, fetches, [&](std::size_t fetch, const Tensor& tensor) { results[fetch] = tensor; });
  for (Tensor& result : results) {
    if (result.borrows()) result.mutable_bytes();  // copies
  }
  return results;
}

/// Throws Error unless a tensor has the known type of the input. Other values are not checked: their declared type may
/// be wrong, and the nodes that compute them do not check it either.
inline void check_feed(const Value& value, const Tensor& tensor) {
  if (!value.is_graph_input()) return;
  bool fits = value.dtype() == DType::undefined || value.dtype() == tensor.dtype();
  if (const Shape shape = value.shape(); shape.known()) {
    fits = fits && shape.rank() == tensor.rank();
    for (std::size_t axis = 0; fits && axis < shape.rank(); ++axis) {
      fits = !shape[axis].known() || shape[axis].value() == tensor.dims()[axis];
    }
  }
  if (fits) return;
  const std::string wanted = std::string(to_string(value.dtype())) + to_string(value.shape());
  throw failure({"fed with ", tensor, ", expected ", std::string_view(wanted)}).field(value.name());
}

}  // namespace graft::inline v1::standard_kernels::detail
