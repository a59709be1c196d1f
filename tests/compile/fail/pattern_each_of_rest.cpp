// expect: each(...) makes plain lists
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto p = op<"Concat">(each(op<"Max">(rest<"more">)));
