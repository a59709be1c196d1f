#pragma once
#include <graft/surgery/zero_out_input.hpp>

#include <optional>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/names.hpp>
#include <graft/surgery/detail/retyping.hpp>

namespace graft::inline v1 {

namespace detail {

/// Nothing if the value is of no type that has zeros, or it is not known.
inline std::optional<Tensor> zeros_like(const Value& value) {
  const Shape shape = value.shape();
  const DType dtype = value.dtype();
  if (!shape.known() || dtype == DType::undefined || dtype == DType::string) return std::nullopt;
  Dims dims;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) dims.push_back(shape[axis].known() ? shape[axis].value() : 1);
  std::string bytes(byte_count(dtype, dims), '\0');
  return Tensor::own(dtype, std::move(dims), std::move(bytes));
}

}  // namespace detail

GRAFT_INLINE Pass zero_out_input(std::string node, std::size_t input) {
  return pass("zero_out_input", [name = std::move(node), input](Graph& graph, Context& context) {
    Report report;
    Node& target = detail::node_called(with_bodies(graph), name);
    Graph& scope = target.graph();
    const auto decline = [&](const std::string& why) {
      report.notes.push_back("input " + std::to_string(input) + " of '" + name + "' stays: " + why);
      return report;
    };
    if (target.input(input) == nullptr) return decline("the node is not given it");
    detail::Retyping types(graph, context);
    std::optional<Tensor> zeros = detail::zeros_like(*target.input(input));
    if (!zeros) return decline("its dtype or its rank is not known, or it holds strings");
    Transaction transaction(graph);
    Node& constant = scope.insert("Constant", {}, 1, {{"value", *std::move(zeros)}}, &target);
    const std::vector<Graph*> scopes = with_bodies(graph);
    scope.rename(constant, detail::free_node_name(scope, scopes, name + "_zero"));
    scope.rename(*constant.output(0), detail::free_name(scope, scopes, name + "_zero_output_0"));
    const Tensor value = *constant.output(0)->constant();
    scope.set_type(*constant.output(0), tensor_type(value.dtype(), Shape(value.dims())));
    if (!scope.set_input(target, input, constant.output(0))) throw Error("would close a cycle").node(name);
    if (const std::string problem = types.run(); !problem.empty()) return decline(problem);
    transaction.keep();
    report.changes = 1;
    return report;
  });
}

}  // namespace graft::inline v1
