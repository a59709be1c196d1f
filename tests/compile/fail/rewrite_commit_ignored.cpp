// expect: nodiscard
#include <graft/rewrite.hpp>

using namespace graft;

#pragma GCC diagnostic error "-Wunused-result"

void erase(Rewriter& rw, Node& node) {
  rw.erase(node);
  rw.accept();
}
