#pragma once
#include <cstdint>
#include <limits>

#include <graft/graph/builtins.hpp>
#include <graft/graph/infer/contents.hpp>

/// Arithmetic on integers that may be symbols or unknown. Symbols stand for sizes, so they are not negative.
namespace graft::inline v1::infer {

constexpr Integer add(const Integer& a, const Integer& b) {
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  std::int64_t sum = 0;
  if (!a.known() || !b.known() || builtins::add_overflows(a.value(), b.value(), sum)) return {};
  return sum;
}

constexpr Integer subtract(const Integer& a, const Integer& b) {
  if (b.is(0)) return a;
  if (same_value(a, b)) return 0;
  std::int64_t difference = 0;
  if (!a.known() || !b.known() || builtins::subtract_overflows(a.value(), b.value(), difference)) return {};
  return difference;
}

constexpr Integer multiply(const Integer& a, const Integer& b) {
  if (a.is(0) || b.is(0)) return 0;
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  std::int64_t product = 0;
  if (!a.known() || !b.known() || builtins::multiply_overflows(a.value(), b.value(), product)) return {};
  return product;
}

/// Divides, rounding towards zero as Div of integers does.
constexpr Integer divide(const Integer& a, const Integer& b) {
  if (b.is(1)) return a;
  if (!a.known() || !b.known() || b.is(0)) return {};
  if (b.is(-1)) return subtract(0, a);
  return a.value() / b.value();
}

/// Mod with fmod = 0: the result has the sign of the divisor.
constexpr Integer floor_modulo(const Integer& a, const Integer& b) {
  if (!a.known() || !b.known() || b.is(0)) return {};
  if (b.is(-1)) return 0;
  const std::int64_t rest = a.value() % b.value();
  return rest != 0 && (rest < 0) != (b.value() < 0) ? rest + b.value() : rest;
}

/// Mod with fmod = 1: the result has the sign of the dividend.
constexpr Integer truncated_modulo(const Integer& a, const Integer& b) {
  if (!a.known() || !b.known() || b.is(0)) return {};
  return b.is(-1) ? 0 : a.value() % b.value();
}

constexpr Integer less(const Integer& a, const Integer& b) {
  if (a.known() && b.known()) return a.value() < b.value();
  if (same_value(a, b)) return 0;
  if (a.symbolic() && b.known() && b.value() <= 0) return 0;
  if (a.known() && a.value() < 0 && b.symbolic()) return 1;
  return {};
}

constexpr Integer equal(const Integer& a, const Integer& b) {
  if (a.known() && b.known()) return a.value() == b.value();
  if (same_value(a, b)) return 1;
  const bool apart = (a.symbolic() && b.known() && b.value() < 0) || (b.symbolic() && a.known() && a.value() < 0);
  return apart ? Integer(0) : Integer();
}

constexpr Integer logical_not(const Integer& a) { return a.known() ? Integer(a.value() == 0) : Integer(); }

constexpr Integer logical_and(const Integer& a, const Integer& b) {
  if (a.is(0) || b.is(0)) return 0;
  return a.known() && b.known() ? Integer(1) : Integer();
}

constexpr Integer logical_or(const Integer& a, const Integer& b) {
  return logical_not(logical_and(logical_not(a), logical_not(b)));
}

constexpr Integer smaller(const Integer& a, const Integer& b) {
  const Integer first = less(a, b);
  if (first.known()) return first.is(1) ? a : b;
  const Integer second = less(b, a);
  return second.known() ? (second.is(1) ? b : a) : Integer();
}

constexpr Integer larger(const Integer& a, const Integer& b) {
  const Integer first = less(a, b);
  if (first.known()) return first.is(1) ? b : a;
  const Integer second = less(b, a);
  return second.known() ? (second.is(1) ? a : b) : Integer();
}

constexpr Integer choose(const Integer& condition, const Integer& a, const Integer& b) {
  if (condition.known()) return condition.is(0) ? b : a;
  return same_value(a, b) ? a : Integer();
}

/// Whether inference follows the contents of tensors of this dtype.
constexpr bool is_followed(DType dtype) {
  return dtype == DType::i64 || dtype == DType::i32 || dtype == DType::boolean;
}

/// Casts an integer to such a dtype; unknown if it does not fit.
constexpr Integer cast(const Integer& a, DType to) {
  if (to == DType::boolean) return a.known() ? Integer(a.value() != 0) : Integer();
  if (!a.known() || to == DType::i64) return a;
  return a.value() >= lowest(to) && a.value() <= highest(to) ? a : Integer();
}

}  // namespace graft::inline v1::infer
