#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>

namespace graft::inline v1 {

/// What a pass needs before it can run: a thing, for some of a certain level, as an opset version.
struct Need {
  std::string what;
  std::int64_t level = 0;
  /// Whether it is there, whoever made it.
  std::function<bool(const Graph&, const Context&)> is_met{};
  /// What makes it, for the message: "calibrate".
  std::string maker{};
  /// The pass that needs it; set by Pass.
  std::string pass{};
};

/// What a pass makes, for the needs of later ones.
struct Made {
  std::string what;
  std::int64_t level = 0;

  bool serves(const Need& need) const { return what == need.what && level >= need.level; }
};

inline std::string to_string(const Need& need) {
  return need.level == 0 ? need.what : need.what + " " + std::to_string(need.level);
}

/// A fact of type T, which passes call `what`.
template <class T>
Need needs_fact(std::string what, std::string maker = {}) {
  return {std::move(what), 0, [](const Graph&, const Context& context) { return context.facts.find<T>() != nullptr; },
          std::move(maker), {}};
}

/// At least this version of the main domain.
Need needs_opset(int version);
inline Made makes_opset(int version) { return {"opset", version}; }

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/need.ipp>
#endif
