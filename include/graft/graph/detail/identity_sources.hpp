#pragma once
#include <mutex>
#include <unordered_map>
#include <vector>

namespace graft::inline v1 {
class Value;

namespace detail {

/// Where long chains of Identity begin. Whoever asks of each value of a chain whether it is constant would walk the
/// chain once for each; remembered, the walks cost the chain once.
class IdentitySources {
 public:
  /// before(value): what the Identity that computes the value reads; nullptr if it is computed otherwise.
  const Value& find(const Value& value, const Value* (*before)(const Value&)) {
    const std::lock_guard lock(mutex_);  // questions may come from several threads
    std::vector<const Value*> passed;
    const Value* source = &value;
    while (true) {
      if (const auto found = sources_.find(source); found != sources_.end()) {
        source = found->second;
        break;
      }
      const Value* const next = before(*source);
      if (next == nullptr) break;
      passed.push_back(source);
      source = next;
    }
    for (const Value* const one : passed) sources_.emplace(one, source);
    return *source;
  }

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
