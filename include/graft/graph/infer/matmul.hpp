#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

namespace graft::inline v1::infer {

/// The shape of numpy.matmul(a, b); nullopt if the operands do not fit.
inline std::optional<Shape> matmul_shape(const Shape& a, const Shape& b) {
  if (!a.known() || !b.known()) return Shape();
  if (a.rank() == 0 || b.rank() == 0) return std::nullopt;
  std::vector<Dim> left = to_dims(a), right = to_dims(b);
  if (a.rank() == 1) left.insert(left.begin(), Dim(1));
  if (b.rank() == 1) right.push_back(Dim(1));
  if (!unify(left.back(), right[right.size() - 2])) return std::nullopt;
  const Dim rows = left[left.size() - 2], columns = right.back();
  left.resize(left.size() - 2);
  right.resize(right.size() - 2);
  const auto batch = broadcast(Shape(std::move(left)), Shape(std::move(right)));
  if (!batch) return std::nullopt;
  std::vector<Dim> out = to_dims(*batch);
  if (a.rank() > 1) out.push_back(rows);
  if (b.rank() > 1) out.push_back(columns);
  return Shape(std::move(out));
}

inline Verdict multiply_matrices(InferContext& c, std::size_t a, std::size_t b) {
  const auto shape = matmul_shape(c.shape(a), c.shape(b));
  if (!shape) return Verdict::no("the matrices do not fit");
  c.set_shape(0, *shape);
  return Verdict::yes();
}

/// MatMul, MatMulInteger.
inline Verdict matmul(InferContext& c) { return multiply_matrices(c, 0, 1); }

/// QLinearMatMul: a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point.
inline Verdict qlinear_matmul(InferContext& c) { return multiply_matrices(c, 0, 3); }

/// A product of A [M, K] or, transposed, [K, M], and B [K, N] or, transposed, [N, K].
inline Verdict multiply_2d(InferContext& c, std::size_t a_input, std::size_t b_input) {
  const Shape a = c.shape(a_input), b = c.shape(b_input);
  if ((a.known() && a.rank() != 2) || (b.known() && b.rank() != 2)) return Verdict::no("Gemm takes matrices");
  const bool turn_a = c.attr("transA", 0) != 0, turn_b = c.attr("transB", 0) != 0;
  const Dim rows = a.known() ? a[turn_a ? 1 : 0] : Dim(), depth = a.known() ? a[turn_a ? 0 : 1] : Dim();
  const Dim columns = b.known() ? b[turn_b ? 0 : 1] : Dim(), other_depth = b.known() ? b[turn_b ? 1 : 0] : Dim();
  if (!unify(depth, other_depth)) return Verdict::no("the matrices do not fit");
  c.set_shape(0, {rows, columns});
  return Verdict::yes();
}

inline Verdict gemm(InferContext& c) { return multiply_2d(c, 0, 1); }

/// Det. Reduces the matrices in the last two axes.
inline Verdict determinant(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  if (x.rank() < 2 || !unify(x[x.rank() - 1], x[x.rank() - 2])) return Verdict::no("the matrices are not square");
  std::vector<Dim> out = to_dims(x);
  out.resize(out.size() - 2);
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
