// expect: nodiscard
#include <graft/rewrite.hpp>

using namespace graft;

#pragma GCC diagnostic error "-Wunused-result"

void replace_all(Rewriter& rw, Value& old, Value& by) {
  rw.replace(old, by);
  if (!rw.accept()) return;
}
