#pragma once
#include <algorithm>
#include <typeindex>
#include <vector>

#include <graft/rewrite/fact.hpp>

namespace graft::inline v1 {

/// The facts that stay true when a pass changes the graph: none, some, or all.
class Preserved {
 public:
  Preserved() = default;
  template <Fact... T>
  static Preserved of() {
    Preserved preserved;
    preserved.types_ = {std::type_index(typeid(T))...};
    return preserved;
  }
  static Preserved all() {
    Preserved preserved;
    preserved.all_ = true;
    return preserved;
  }

  bool holds(std::type_index type) const { return all_ || std::ranges::find(types_, type) != types_.end(); }

 private:
  bool all_ = false;
  std::vector<std::type_index> types_;
};

}  // namespace graft::inline v1
