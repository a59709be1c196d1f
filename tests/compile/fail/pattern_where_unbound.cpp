// expect: where(...) uses a capture that the pattern to look for does not bind
// expect: Capture<'w'>
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto w = cst<"w">;

bool constant(const Value& value) { return value.is_constant(); }
constexpr auto is_constant = predicate<constant>("not constant");

constexpr auto p = query<"q">(op<"Relu">(x), where(is_constant(w)));
