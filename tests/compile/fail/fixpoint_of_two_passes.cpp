// expect: fixpoint() takes rules, or one pass: first | second is one
#include <graft/rewrite.hpp>

using namespace graft;

Pass p(const Pass& first, const Pass& second) { return fixpoint(first, second); }
