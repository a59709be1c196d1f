#pragma once
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <graft/graph/model.hpp>
#include <graft/graph/tensor_hash.hpp>

namespace graft::inline v1::detail {

/// Fresh constants by their contents, so that equal ones of a scope are one. An entry that was erased or taken back is
/// found out when it is met.
template <class = void>
class ConstantPool {
 public:
  Value& get(Graph& scope, Tensor tensor, std::string_view hint) {
    const std::uint64_t key = mixed(hash(tensor), reinterpret_cast<std::uintptr_t>(&scope));
    auto [place, end] = constants_.equal_range(key);
    while (place != end) {
      Value& value = *place->second;
      if (value.erased() || value.is_graph_input()) {
        place = constants_.erase(place);
        continue;
      }
      if (value.constant()->same_bytes(tensor)) return value;
      ++place;
    }
    Value& value = scope.add_initializer(std::move(tensor), hint);
    constants_.emplace(key, &value);
    return value;
  }

 private:
  std::unordered_multimap<std::uint64_t, Value*> constants_;
};

}  // namespace graft::inline v1::detail
