// expect: a predicate that returns bool needs a text
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto w = cst<"w">;

bool holds(const Value&) { return true; }

constexpr auto p = where(predicate<holds>()(w));
