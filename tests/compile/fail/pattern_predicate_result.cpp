// expect: a predicate returns bool or Verdict
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto w = cst<"w">;

int count(const Value&) { return 1; }

constexpr auto p = where(predicate<count>("")(w));
