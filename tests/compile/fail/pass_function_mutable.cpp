// expect: the function of a pass takes (Graph&, Context&); other and mutable functions do not fit
#include <graft/rewrite.hpp>

using namespace graft;

Pass p = pass("p", [runs = 0](Graph&, Context&) mutable { ++runs; });
