#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <graft/graph/builtins.hpp>
#include <graft/graph/detail/identity_sources.hpp>

namespace graft::inline v1 {

class Value;

namespace detail {

/// The values of one scope by name: open addressing over pointers. A slot has the hash beside the pointer, which saves
/// reading nearly every value with another name. At most two thirds of the slots are full, and no more are allocated
/// than asked for. In a large graph the table is in no cache, so a lookup should cost one miss.
class NameTable {
 public:
  using Hash = std::uint32_t;
  static Hash hash(std::string_view name);

  void reserve(std::size_t count);
  Value* find(std::string_view name) const;
  Value* find(std::string_view name, Hash hash) const;
  /// Inserts the value. Returns the value that has the name already and stays; nullptr if the new one was inserted.
  Value* insert(Value& value);
  Value* insert(Value& value, Hash hash);
  void erase(const Value& value);
  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

  /// Fetches the slot of a name before its lookup: in a large graph it is in no cache.
  void prefetch(Hash hash) const { builtins::prefetch(&slots_[home(hash)]); }
  /// The first value that may have the name, without reading it; nullptr if its slot holds another.
  Value* guess(Hash hash) const;

 private:
  struct Slot {
    Value* value = nullptr;
    Hash hash = 0;
  };

  std::size_t home(Hash hash) const { return static_cast<std::size_t>(hash * std::uint64_t{slots_.size()} >> 32); }
  std::size_t next(std::size_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }
  void grow(std::size_t slots);

  std::vector<Slot> slots_ = std::vector<Slot>(4);
  std::size_t size_ = 0;
};

}  // namespace detail
}  // namespace graft::inline v1
