#pragma once
#include <graft/rewrite/detail/constant_pool.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/tensor_hash.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Value& ConstantPool::get(Graph& scope, Tensor tensor, std::string_view hint) {
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

}  // namespace graft::inline v1::detail
