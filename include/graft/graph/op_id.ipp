#pragma once
#include <graft/config.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1 {

GRAFT_INLINE OpId OpTable::intern(std::string_view domain, std::string_view op_type) {
  domain = canonical_domain(domain);
  OpId& recent = recent_[recent_place(op_type)];
  if (is(recent, domain, op_type)) return recent;
  return recent = intern_slowly(domain, op_type);
}

GRAFT_INLINE OpId OpTable::find(std::string_view domain, std::string_view op_type) const {
  domain = canonical_domain(domain);
  const OpId recent = recent_[recent_place(op_type)];
  if (is(recent, domain, op_type)) return recent;
  const auto found = ids_.find(std::string(domain).append("::").append(op_type));
  return found != ids_.end() ? found->second : OpId::none;
}

GRAFT_INLINE std::size_t OpTable::recent_place(std::string_view op_type) {
  return (op_type.size() * 5 + (op_type.empty() ? 0 : static_cast<unsigned char>(op_type[0]))) % 32;
}

GRAFT_INLINE bool OpTable::is(OpId id, std::string_view domain, std::string_view op_type) const {
  return id != OpId::none && name(id).op_type == op_type && name(id).domain == domain;
}

GRAFT_INLINE OpId OpTable::intern_slowly(std::string_view domain, std::string_view op_type) {
  key_.assign(domain).append("::").append(op_type);
  const auto [place, fresh] = ids_.try_emplace(key_, static_cast<OpId>(names_.size() + 1));
  if (fresh) {
    const std::string_view stored = place->first;
    names_.push_back({stored.substr(0, domain.size()), stored.substr(domain.size() + 2)});
  }
  return place->second;
}

}  // namespace graft::inline v1
