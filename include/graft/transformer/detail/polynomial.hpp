#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// The coefficients of 1, x, x^2 and x^3.
using Polynomial = std::array<double, 4>;

/// Products beyond x^3 have none.
inline std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) {
  Polynomial result{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (a[i] == 0 || b[j] == 0) continue;
      if (i + j >= result.size()) return std::nullopt;
      result[i + j] += a[i] * b[j];
    }
  }
  return result;
}

/// What a value is as a polynomial in x, if sums, products and powers of x and of constants of one element make it,
/// within so many nodes.
inline std::optional<Polynomial> polynomial_of(const Value& value, const Value& x, int& budget) {
  if (&value == &x) return Polynomial{0, 1, 0, 0};
  if (value.is_constant()) {
    const std::optional<Tensor> constant = value.constant();
    if (!constant || constant->size() != 1 || constant->rank() > 1) return std::nullopt;
    return Polynomial{constant->item<double>(), 0, 0, 0};
  }
  const Node* const node = value.producer();
  if (node == nullptr || --budget < 0 || node->input_count() != 2 || node->input(0) == nullptr ||
      node->input(1) == nullptr)
    return std::nullopt;
  const bool is_sum = node->is("Add") || node->is("Sub");
  if (!is_sum && !node->is("Mul") && !node->is("Div") && !node->is("Pow")) return std::nullopt;
  const std::optional<Polynomial> a = polynomial_of(*node->input(0), x, budget);
  const std::optional<Polynomial> b = a ? polynomial_of(*node->input(1), x, budget) : std::nullopt;
  if (!b) return std::nullopt;
  if (is_sum) {
    Polynomial sum = *a;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += node->is("Add") ? (*b)[i] : -(*b)[i];
    return sum;
  }
  if (node->is("Mul")) return product(*a, *b);
  if ((*b)[1] != 0 || (*b)[2] != 0 || (*b)[3] != 0) return std::nullopt;
  const double number = (*b)[0];
  if (node->is("Div")) return number != 0 ? product(*a, {1 / number, 0, 0, 0}) : std::nullopt;
  std::optional<Polynomial> power = number == 2 || number == 3 ? product(*a, *a) : std::nullopt;
  return power && number == 3 ? product(*power, *a) : power;
}

}  // namespace graft::inline v1::detail
