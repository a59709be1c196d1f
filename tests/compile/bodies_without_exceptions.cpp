// expect: the bodies of graft need exceptions: define GRAFT_COMPILED, and compile only the bodies with exceptions
#include <graft/graph.hpp>
