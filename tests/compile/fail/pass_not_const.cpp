// expect: a pass has name() and run(Graph&, Context&), both const; run returns a Report
#include <graft/rewrite.hpp>

using namespace graft;

struct Counting {
  std::string_view name() const { return "counting"; }
  Report run(Graph&, Context&) { return {}; }
};

Pass two(const Pass& first) { return first | Counting(); }
