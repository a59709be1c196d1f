#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/tensor.hpp>

/// The outputs of a model of one node, run by graft::Evaluator; an undefined tensor stands for an absent input. op is
/// "Conv" or "domain::Op", opset the version of its domain.
std::vector<graft::Tensor> run_op(int opset, std::string_view op, const std::vector<graft::Tensor>& inputs,
                                  const graft::Attributes& attributes = {}, std::size_t outputs = 1);

/// The only output.
inline graft::Tensor run(int opset, std::string_view op, const std::vector<graft::Tensor>& inputs,
                         const graft::Attributes& attributes = {}) {
  return run_op(opset, op, inputs, attributes).front();
}

/// f32 of rank 1.
graft::Tensor floats(std::vector<float> values);
/// i64 of rank 1.
graft::Tensor ints(std::vector<std::int64_t> values);
/// first, first + 1, ... as f32.
graft::Tensor counting(graft::Dims dims, float first = 0);

/// Whether dtype, dims and every element are those; floats within `tolerance`.
bool same(const graft::Tensor& actual, const graft::Tensor& expected, double tolerance = 1e-6);

/// What run() throws, or "" if nothing.
std::string failure_of(int opset, std::string_view op, const std::vector<graft::Tensor>& inputs,
                       const graft::Attributes& attributes = {});
