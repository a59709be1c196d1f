// expect: a pass that cannot be copied must be moved into a Pass
#include <graft/rewrite.hpp>

using namespace graft;

struct Counting {
  std::string_view name() const { return "counting"; }
  Report run(Graph&, Context&) const { return {}; }
  std::unique_ptr<int> count;
};

Pass p(const Counting& counting) { return counting; }
