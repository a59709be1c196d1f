// expect: where(...) uses a capture that is a list here
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto w = cst<"w">;

bool constant(const Value& value) { return value.is_constant(); }
constexpr auto is_constant = predicate<constant>("not constant");

constexpr auto p = query<"q">(op<"Concat">(each(w)), where(is_constant(w)));
