// expect: the function around a pass takes (const Pass&, Graph&, Context&) and returns a Report
#include <graft/rewrite.hpp>

using namespace graft;

Pass timed(const Pass& inner) {
  return around(inner, [](Graph&, Context&) { return Report(); });
}
