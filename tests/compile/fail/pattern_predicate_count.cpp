// expect: another number of captures than it has parameters
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto w = cst<"w">;

bool constant(const Value& value) { return value.is_constant(); }
constexpr auto is_constant = predicate<constant>("not constant");

constexpr auto p = where(is_constant(w, w));
