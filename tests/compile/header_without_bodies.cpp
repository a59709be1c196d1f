// expect: this header has no bodies: include an umbrella such as <graft/simplify.hpp> first, or define GRAFT_COMPILED
#include <graft/graph/model.hpp>
