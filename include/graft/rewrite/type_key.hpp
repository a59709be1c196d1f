#pragma once
#include <cstddef>
#include <functional>

namespace graft::inline v1 {

/// Distinguishes types at run time without RTTI, which a program may be compiled without. A shared object that hides
/// its symbols, or a plugin of a program that does, has keys of its own. The names of types are no keys: types that
/// are local to functions may share one.
class TypeKey {
 public:
  /// T may be incomplete.
  template <class T>
  static constexpr TypeKey of() {
    return TypeKey(&marked<T>);
  }

  friend constexpr bool operator==(TypeKey, TypeKey) = default;

  struct Hash {
    std::size_t operator()(TypeKey key) const { return std::hash<const void*>()(key.mark_); }
  };

 private:
  // Only the address counts. A constant might share its address with others (-fmerge-all-constants).
  template <class T>
  static inline char marked = 0;

  explicit constexpr TypeKey(const void* mark) : mark_(mark) {}

  const void* mark_;
};

}  // namespace graft::inline v1
