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
    versions_by_op.push_back(versions_of(id == 0 ? OpName() : ops.name(static_cast<OpId>(id))));
  }
  return op;
}

GRAFT_INLINE void Store::add_operators(const Operators& more) {
  const Operators before = operators;
  if (operators.add(more) == before) return;
  for (std::size_t id = 1; id < versions_by_op.size(); ++id)
    versions_by_op[id] = versions_of(ops.name(static_cast<OpId>(id)));
}

GRAFT_INLINE std::span<const schema::Operator> Store::versions_of(const OpName& name) const {
  if (const schema::Operator* const own = operators.schema(name.domain, name.op_type)) return {own, 1};
  return schema::versions(name.domain, name.op_type);
}

GRAFT_INLINE const schema::Operator* Store::find_schema(const OpName& name, int version) const {
  return schema::version_at(versions_of(name), version);
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
