#pragma once
#include <algorithm>
#include <vector>

#include <graft/rewrite/fact.hpp>
#include <graft/rewrite/type_key.hpp>

namespace graft::inline v1 {

/// The facts that stay true when a pass changes the graph: none, some, or all.
class Preserved {
 public:
  Preserved() = default;
  template <Fact... T>
  static Preserved of() {
    Preserved preserved;
    preserved.types_ = {TypeKey::of<T>()...};
    return preserved;
  }
  static Preserved all() {
    Preserved preserved;
    preserved.all_ = true;
    return preserved;
  }

  bool holds(TypeKey type) const { return all_ || std::ranges::find(types_, type) != types_.end(); }

 private:
  bool all_ = false;
  std::vector<TypeKey> types_;
};

}  // namespace graft::inline v1
