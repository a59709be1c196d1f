#pragma once
#include <graft/graph/detail/store.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

#include <graft/config.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE OpId Store::intern(std::string_view domain, std::string_view op_type) {
  const OpId op = ops.intern(domain, op_type);
  for (std::size_t id = versions_by_op.size(); id <= ops.size(); ++id) {
    const OpName name = id == 0 ? OpName() : ops.name(static_cast<OpId>(id));
    versions_by_op.push_back(schema::versions(name.domain, name.op_type));
  }
  return op;
}

GRAFT_INLINE bool Store::may_have_bodies(OpId op) const {
  const std::span<const schema::Operator> versions = versions_of(op);
  return versions.empty() || versions.back().has_bodies();
}

GRAFT_INLINE void Store::note_suffix(std::string_view name) {
  std::size_t digits = 0;
  while (digits < name.size() && name[name.size() - 1 - digits] >= '0' && name[name.size() - 1 - digits] <= '9')
    ++digits;
  if (digits == 0 || digits > 18 || name.size() < digits + 2) return;
  if (name.substr(name.size() - digits - 2, 2) != "__") return;
  std::uint64_t number = 0;
  for (const char c : name.substr(name.size() - digits)) number = number * 10 + static_cast<std::uint64_t>(c - '0');
  suffix = std::max(suffix, number);
}

GRAFT_INLINE int Store::version_of(std::string_view domain) const {
  domain = canonical_domain(domain);
  for (const Import& import : imports)
    if (import.domain == domain) return import.version;
  return 0;
}

}  // namespace graft::inline v1::detail
