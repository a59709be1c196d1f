// expect: sweep_where() takes a condition, then rules
#include <graft/rewrite.hpp>

using namespace graft;

Pass p(const NodeCondition& condition) { return sweep_where(condition, op<"Relu">(val<"x">)); }
