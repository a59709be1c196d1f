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

/// A need of a pass: a fact, or a minimal opset version.
struct Need {
  TypeKey type;      ///< the type of the fact
  std::string what;  ///< the name of the fact, for messages
  std::int64_t level = 0;
  std::function<bool(const Graph&, const Context&)> is_met{};
  /// The pass that provides it, for messages: "calibrate".
  std::string maker{};
  /// The pass that needs it. Pass sets it.
  std::string pass{};
};

/// A fact or opset that a pass provides for later needs.
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

/// A need for at least this version of the main domain.
Need needs_opset(int version);
Provision provides_opset(int version);

}  // namespace graft::inline v1
