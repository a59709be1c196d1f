#pragma once
#include <graft/lower/four_d/matmul.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>
#include <graft/vocabulary/near_conv.hpp>

namespace graft::inline v1 {
namespace detail {

/// A product of x with a constant matrix, as a convolution.
class ProductAsConv {
 public:
  explicit ProductAsConv(const Surgery& at) : at_(at) {}

  Verdict run() {
    const Node& node = at_.node;
    Value* const input = node.input(0);
    const std::optional<Tensor> matrix = node.input(1) != nullptr ? node.input(1)->constant() : std::nullopt;
    if (input == nullptr || !matrix || matrix->rank() != 2 || !is_float(matrix->dtype()))
      return Verdict::no("its second operand is not a constant matrix of floats");
    const Shape from = at_.shape(0);
    if (from.known() && (from.rank() < 2 || from.rank() > 4)) return Verdict::no("its data are not of rank 2 to 4");
    if (!vocabulary::has_elements(from) || matrix->size() == 0) return Verdict::no("it has no elements");
    if (Verdict reads = read_kernel(*matrix); !reads) return reads;
    Ints axes;
    if (from.known() && from.rank() == 2) axes = {0, 1};
    if (from.known() && from.rank() == 3) axes = {1};
    Value* data = input;
    if (!axes.empty()) data = &at_.op_with("Unsqueeze", *data, {{"axes", axes}}, {}, "unsqueeze");
    data = &at_.op("Transpose", {data}, {{"perm", {0, 3, 2, 1}}}, "transpose_before");
    data = &at_.op("Conv", {data, &at_.rewriter.constant(kernel_, node.input(1)->name()), bias_},
                   {{"kernel_shape", {1, 1}}}, "conv");
    data = &at_.op("Transpose", {data}, {{"perm", {0, 3, 2, 1}}}, "transpose_after");
    if (!axes.empty()) data = &at_.op_with("Squeeze", *data, {{"axes", axes}}, {}, "squeeze");
    return at_.rewriter.replace(*node.output(0), *data);
  }

 private:
  Verdict read_kernel(const Tensor& matrix) {
    const Node& node = at_.node;
    const bool is_gemm = node.is("Gemm");
    if (is_gemm && node.opset() < 7) return Verdict::no("Gemm broadcasts in another way before opset 7");
    if (is_gemm && node.attr<std::int64_t>("transA").value_or(0) != 0) return Verdict::no("it transposes its data");
    const bool is_transposed = is_gemm && node.attr<std::int64_t>("transB").value_or(0) != 0;
    const auto alpha = is_gemm ? static_cast<double>(node.attr<float>("alpha").value_or(1)) : 1.;
    std::vector<double> kernel = (is_transposed ? matrix : permuted(matrix, {1, 0})).to<double>();
    for (double& element : kernel) element *= alpha;
    const std::int64_t outputs = matrix.dims()[is_transposed ? 0 : 1], inputs = matrix.dims()[is_transposed ? 1 : 0];
    kernel_ = Tensor::of(matrix.dtype(), {outputs, inputs, 1, 1}, kernel);
    return is_gemm && node.input(2) != nullptr ? read_bias(*node.input(2), outputs) : Verdict::yes();
  }

  Verdict read_bias(Value& value, std::int64_t outputs) {
    const float beta = at_.node.attr<float>("beta").value_or(1);
    const std::optional<Tensor> constant = value.constant();
    if (!constant) {
      bias_ = &value;
      return beta == 1 && at_.shape(2).dims() == Dims{outputs}
                 ? Verdict::yes()
                 : Verdict::no("its bias is not constant, and not one element for each output");
    }
    const bool is_row = constant->rank() < 2 || (constant->rank() == 2 && constant->dims()[0] == 1);
    if (!is_row || (constant->size() != 1 && constant->size() != outputs))
      return Verdict::no("its bias is not one element for each output");
    std::vector<double> bias = constant->to<double>();
    if (constant->size() == 1) bias.assign(static_cast<std::size_t>(outputs), bias.front());
    for (double& element : bias) element *= static_cast<double>(beta);
    bias_ = &at_.rewriter.constant(Tensor::of(constant->dtype(), {outputs}, bias), value.name());
    return Verdict::yes();
  }

  const Surgery& at_;
  Tensor kernel_;
  Value* bias_ = nullptr;
};

}  // namespace detail

GRAFT_INLINE Pass matmul_to_transpose_conv_transpose() {
  return detail::surgery_of_nodes("matmul_to_transpose_conv_transpose", {"MatMul", "Gemm"},
                                  [](const detail::Surgery& at) { return detail::ProductAsConv(at).run(); });
}

}  // namespace graft::inline v1
