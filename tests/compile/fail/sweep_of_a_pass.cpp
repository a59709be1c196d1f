// expect: sweep() takes rules
#include <graft/rewrite.hpp>

using namespace graft;

Pass p(const Pass& lowering) { return sweep(lowering); }
