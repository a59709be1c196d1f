#pragma once
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// "no kernel for com.microsoft::Attention of opset 1"
inline Error no_kernel(const Node& node, std::string_view kind = "kernel") {
  std::string op(node.domain());
  if (!op.empty()) op += "::";
  op += node.op_type();
  Error error("no " + std::string(kind) + " for " + op + " of opset " + std::to_string(node.opset()));
  return error.node(display_name(node)).code("no_kernel");
}

/// Converts any exception of f to an Error with the node's name.
template <class F>
void name_errors(const Node& node, const F& f) {
  const auto named = [&](Error error) { return error.node(display_name(node)); };
  try {
    f();
  } catch (const Error& error) {
    throw named(error);
  } catch (const std::bad_alloc&) {
    throw named(Error("there is not enough memory"));
  } catch (const std::length_error&) {
    throw named(Error("a size exceeds memory"));
  } catch (const std::exception& error) {
    throw named(Error(error.what()));
  }
}

inline void run_kernel(const Kernel& kernel, const Node& node, std::span<Tensor> inputs, std::span<Tensor> outputs,
                       const BodyRunner* bodies = nullptr, const ParallelFor* parallel = nullptr,
                       std::optional<Clamp>* clamp = nullptr) {
  name_errors(node, [&] {
    KernelContext context(node, inputs, outputs, bodies, parallel, clamp);
    kernel(context);
  });
}

}  // namespace graft::inline v1::standard_kernels::detail
