// expect: stand among the operands
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto p = query<"q">(op<"Relu">(opt(rest<"more">)));
