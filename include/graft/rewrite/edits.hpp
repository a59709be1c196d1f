#pragma once
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The nodes and values that one rewrite touched. Some may be erased by now; some may appear twice.
struct Edits {
  std::vector<Node*> inserted;
  std::vector<Node*> changed;   // other inputs, attributes or output names
  std::vector<Value*> freed;    // lost a use

  bool empty() const { return inserted.empty() && changed.empty() && freed.empty(); }
  void clear();
};

}  // namespace graft::inline v1
