#pragma once
#include <mutex>
#include <unordered_map>

namespace graft::inline v1 {

class Value;

namespace detail {

/// Where long chains of Identity begin. Whoever asks of each value of a chain whether it is constant would walk the
/// chain once for each; remembered, the walks cost the chain once.
class IdentitySources {
 public:
  /// before(value): what the Identity that computes the value reads; nullptr if it is computed otherwise.
  const Value& find(const Value& value, const Value* (*before)(const Value&));

  /// After an Identity was rewired, or a node became one or ceased to be one.
  void forget() {
    if (!sources_.empty()) sources_.clear();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const Value*, const Value*> sources_;
};

}  // namespace detail
}  // namespace graft::inline v1
