#pragma once
#include <cstddef>
#include <functional>

namespace graft::inline v1 {

/// Identifies a type at run time without RTTI, which a program may disable. A shared object with hidden symbols, or a
/// plugin of a program with hidden symbols, has separate keys. Type names would not do: types local to functions may
/// share one.
class TypeKey {
 public:
  /// The key of a type, which may be incomplete.
  template <class T>
  static constexpr TypeKey of() {
    return TypeKey(&marked<T>);
  }

  friend constexpr bool operator==(TypeKey, TypeKey) = default;

  struct Hash {
    std::size_t operator()(TypeKey key) const { return std::hash<const void*>()(key.mark_); }
  };

 private:
  // Only the address counts. The variable is not constant, because -fmerge-all-constants could merge constants.
  template <class T>
  static inline char marked = 0;

  explicit constexpr TypeKey(const void* mark) : mark_(mark) {}

  const void* mark_;
};

}  // namespace graft::inline v1
