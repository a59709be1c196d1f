// expect: the function of a pass returns a Report, or nothing
#include <graft/rewrite.hpp>

using namespace graft;

Pass p = pass("p", [](Graph&, Context&) { return true; });
