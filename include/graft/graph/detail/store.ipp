#pragma once
#include <graft/graph/detail/store.hpp>

#include <algorithm>
#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE bool Store::may_have_bodies(OpId op) {
  const auto i = static_cast<std::size_t>(op);
  if (i >= bodies_by_op.size()) bodies_by_op.resize(i + 1, Bodies::unknown);
  if (bodies_by_op[i] == Bodies::unknown) {
    const OpName& name = ops.name(op);
    const schema::Operator* const facts = schema::find(name.domain, name.op_type, schema::newest_opset);
    bodies_by_op[i] = facts != nullptr && !facts->has_bodies() ? Bodies::none : Bodies::possible;
  }
  return bodies_by_op[i] == Bodies::possible;
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
