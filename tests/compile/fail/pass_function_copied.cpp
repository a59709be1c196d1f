// expect: a function that cannot be copied must be moved into its pass
#include <graft/rewrite.hpp>

using namespace graft;

Pass p(std::unique_ptr<int> owned) {
  const auto function = [owned = std::move(owned)](Graph&, Context&) {};
  return pass("p", function);
}
