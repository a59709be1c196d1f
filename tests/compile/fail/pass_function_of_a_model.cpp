// expect: the function of a pass takes (Graph&, Context&); other and mutable functions do not fit
#include <graft/rewrite.hpp>

using namespace graft;

Pass p = pass("p", [](Model&, Context&) {});
