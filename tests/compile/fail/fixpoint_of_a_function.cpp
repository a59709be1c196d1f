// expect: a function is not a pass: pass(name, function) makes one of it
#include <graft/rewrite.hpp>

using namespace graft;

Pass p = fixpoint([](Graph&, Context&) {});
