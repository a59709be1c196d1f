#pragma once
#include <cstddef>
#include <span>
#include <string>

#include <Eigen/Core>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::detail {

/// Inputs and outputs of a Conv, Gemm or MatMul at some of its positions, as columns. The inputs of a Conv are its
/// windows, group after group, in the order of its weight: [groups * K, positions]. The outputs are [M, positions], or
/// some rows of these.
struct LayerColumns {
  Eigen::MatrixXf inputs{}, outputs{};
  std::string why_not{};  ///< why there are none, for the caller to set
};

/// For share_parts(). Throws Error if the bytes hold something else.
std::string to_bytes(const LayerColumns& columns);
void from_bytes(const std::string& bytes, LayerColumns& columns);

/// At up to so many positions, evenly spaced. x: the input of the node, y: its output, w: the dims of its weight, rows:
/// of the outputs. Throws Error if the dims do not belong together.
LayerColumns layer_columns(const Node& node, const Tensor& x, const Tensor& y, const Dims& w,
                           std::span<const std::size_t> rows, std::size_t max_positions);

}  // namespace graft::inline v1::detail
