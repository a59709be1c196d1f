// expect: after a pass come arguments of its rules: capture = value
#include <graft/rewrite.hpp>

using namespace graft;

Pass commuted(const Pass& inner) { return pass("commuted", inner, 6.f); }
