#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/fact.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/type_key.hpp>

namespace graft::inline v1 {

/// What a pass needs before it can run: a fact, or an opset version of at least some level.
struct Need {
  TypeKey type;      ///< that of the fact
  std::string what;  ///< its name, for messages
  std::int64_t level = 0;
  std::function<bool(const Graph&, const Context&)> is_met{};
  /// The pass that provides it, for messages: "calibrate".
  std::string maker{};
  /// The pass that needs it. Pass sets it.
  std::string pass{};
};

/// What a pass provides for the needs of later ones.
struct Provision {
  TypeKey type;
  std::int64_t level = 0;

  bool serves(const Need& need) const { return type == need.type && level >= need.level; }
};

/// "opset 13"
inline std::string to_string(const Need& need) {
  return need.level == 0 ? need.what : need.what + " " + std::to_string(need.level);
}

template <Fact T>
Need needs_fact() {
  return {TypeKey::of<T>(),
          std::string(T::fact_name),
          0,
          [](const Graph&, const Context& context) { return context.facts.find<T>() != nullptr; },
          std::string(fact_maker<T>()),
          {}};
}
template <Fact T>
Provision provides_fact() {
  return {TypeKey::of<T>()};
}

/// At least this version of the main domain.
Need needs_opset(int version);
Provision provides_opset(int version);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/need.ipp>
#endif
