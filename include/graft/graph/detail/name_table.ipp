#pragma once
#include <graft/graph/detail/name_table.hpp>

#include <functional>

#include <graft/config.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

namespace detail {

GRAFT_INLINE NameTable::Hash NameTable::hash(std::string_view name) {
  // The finalizer of SplitMix64: some bits of the standard library's string hash may be weak.
  std::uint64_t h = std::hash<std::string_view>{}(name);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  return static_cast<Hash>(h >> 32);
}

GRAFT_INLINE Value* NameTable::find(std::string_view name) const { return find(name, hash(name)); }

GRAFT_INLINE Value* NameTable::guess(Hash hash) const {
  const Slot& slot = slots_[home(hash)];
  return slot.hash == hash ? slot.value : nullptr;
}

}  // namespace detail

}  // namespace graft::inline v1
