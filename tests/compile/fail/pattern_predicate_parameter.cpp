// expect: takes a parameter of another type than its capture
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto conv = node<"conv">;

bool constant(const Value& value) { return value.is_constant(); }
constexpr auto is_constant = predicate<constant>("not constant");

constexpr auto p = where(is_constant(conv));
