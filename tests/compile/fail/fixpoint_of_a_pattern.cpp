// expect: fixpoint() takes rules, or one pass: first | second is one
#include <graft/rewrite.hpp>

using namespace graft;

constexpr auto relu = op<"Relu">(val<"x">);

Pass p = fixpoint(relu);
