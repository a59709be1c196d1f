#pragma once
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>

namespace graft::inline v1::standard_kernels {

/// Stacks slices of one tensor along a new first axis.
class Stack {
 public:
  bool empty() const { return dims_.empty(); }

  /// Throws Error for a slice whose type differs from the first, and if the machine's memory is full.
  void push(const Tensor& slice) {
    detail::element_size(slice);
    if (empty()) {
      dtype_ = slice.dtype();
      dims_ = slice.dims();
      dims_.insert(dims_.begin(), 0);
    }
    const Dims dims(dims_.begin() + 1, dims_.end());
    if (slice.dtype() != dtype_ || slice.dims() != dims)
      throw detail::failure({"slices ", slice, " and ", dtype_, dims});
    ++dims_[0];
    allocated_bytes(dtype_, dims_);
    bytes_.append(reinterpret_cast<const char*>(slice.bytes().data()), slice.bytes().size());
  }

  /// Adds slices of zeros up to this number.
  Tensor take(std::int64_t count) {
    dims_[0] = count;
    bytes_.resize(allocated_bytes(dtype_, dims_), '\0');
    return Tensor::own(dtype_, std::move(dims_), std::move(bytes_));
  }
  Tensor take() { return take(dims_[0]); }

 private:
  DType dtype_ = DType::undefined;
  Dims dims_;
  std::string bytes_;
};

/// The collected output of a loop without iterations: the type of the output, with 0 for the new axis and for unknown
/// extents.
inline Tensor nothing_stacked(const Value& output, std::size_t axis = 0) {
  const std::size_t rank = output.shape().known() ? output.shape().rank() : 0;
  Dims dims(std::max(rank, axis + 1), 0);
  for (std::size_t i = 0; i < rank; ++i)
    dims[i] = i != axis && output.shape()[i].known() ? output.shape()[i].value() : 0;
  return Tensor(output.dtype() == DType::undefined ? DType::f32 : output.dtype(), dims);
}

inline void if_then_else(KernelContext& ctx) {
  std::vector<Tensor> results = ctx.run_body(ctx.input(0).item<bool>() ? "then_branch" : "else_branch", {});
  if (results.size() < ctx.output_count()) throw detail::failure({"the branch has ", results.size(), " outputs"});
  for (std::size_t i = 0; i < ctx.output_count(); ++i) ctx.set_output(i, std::move(results[i]));
}

/// Inputs: trip count and condition, both optional, then the carried values. The body takes the iteration, the
/// condition and the carried values. It returns the condition, the carried values, and one slice of each collected
/// output.
inline void loop(KernelContext& ctx) {
  const std::int64_t trips =
      ctx.has_input(0) ? ctx.input(0).item<std::int64_t>() : std::numeric_limits<std::int64_t>::max();
  bool condition = ctx.has_input(1) ? ctx.input(1).item<bool>() : true;
  std::vector<Tensor> carried;
  for (std::size_t i = 2; i < ctx.input_count(); ++i) carried.push_back(ctx.take_input(i));
  if (ctx.output_count() < carried.size()) throw Error("fewer outputs than carried values");
  std::vector<Stack> collected(ctx.output_count() - carried.size());

  for (std::int64_t i = 0; i < trips && condition; ++i) {
    std::vector<Tensor> arguments{Tensor::scalar(i), Tensor::scalar(condition)};
    for (Tensor& value : carried) arguments.push_back(std::move(value));
    std::vector<Tensor> results = ctx.run_body("body", std::move(arguments));
    if (results.size() != 1 + ctx.output_count()) throw detail::failure({"the body has ", results.size(), " outputs"});
    condition = results[0].item<bool>();
    for (std::size_t k = 0; k < carried.size(); ++k) carried[k] = std::move(results[1 + k]);
    for (std::size_t k = 0; k < collected.size(); ++k) collected[k].push(results[1 + carried.size() + k]);
  }

  for (std::size_t k = 0; k < collected.size(); ++k) {
    const std::size_t output = carried.size() + k;
    ctx.set_output(output, collected[k].empty() ? nothing_stacked(*ctx.node().output(output)) : collected[k].take());
  }
  for (std::size_t k = 0; k < carried.size(); ++k) ctx.set_output(k, std::move(carried[k]));
}

inline void add_control(Kernels& kernels) { kernels.add("If", if_then_else).add("Loop", loop); }

}  // namespace graft::inline v1::standard_kernels
