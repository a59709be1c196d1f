// expect: the function of a pass takes (Graph&, Context&); it is no other object, and not mutable
#include <graft/rewrite.hpp>

using namespace graft;

Pass p = pass("p", [](Model&, Context&) {});
