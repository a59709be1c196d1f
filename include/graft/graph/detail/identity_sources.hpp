#pragma once
#include <mutex>
#include <unordered_map>

namespace graft::inline v1 {

class Value;

namespace detail {

/// A cache of the sources of Identity chains. Without it, asking each value of a long chain whether it is constant
/// would walk the chain each time.
class IdentitySources {
 public:
  /// before(value): the input of the Identity that computes the value; nullptr for other producers.
  const Value& find(const Value& value, const Value* (*before)(const Value&));

  /// Clears the cache. Call it after an edit that rewires an Identity, or that makes or unmakes one.
  void forget() {
    if (!sources_.empty()) sources_.clear();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const Value*, const Value*> sources_;
};

}  // namespace detail
}  // namespace graft::inline v1
