#pragma once
#include <any>
#include <typeindex>
#include <unordered_map>
#include <utility>

namespace graft::inline v1 {

/// What passes of one run tell each other, one fact of each type: value ranges, the quantized weights.
class Facts {
 public:
  /// Replaces the fact of that type, if there is one.
  template <class T>
  T& provide(T fact) {
    std::any& place = facts_[typeid(T)];
    place = std::move(fact);
    return *std::any_cast<T>(&place);
  }
  /// nullptr if nobody has provided it.
  template <class T>
  T* find() {
    const auto found = facts_.find(typeid(T));
    return found == facts_.end() ? nullptr : std::any_cast<T>(&found->second);
  }
  template <class T>
  const T* find() const {
    return const_cast<Facts*>(this)->find<T>();
  }
  template <class T>
  void withdraw() {
    facts_.erase(typeid(T));
  }

 private:
  std::unordered_map<std::type_index, std::any> facts_;
};

}  // namespace graft::inline v1
