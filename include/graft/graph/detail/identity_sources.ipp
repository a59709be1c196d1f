#pragma once
#include <graft/graph/detail/identity_sources.hpp>

#include <vector>

#include <graft/config.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

namespace detail {

GRAFT_INLINE const Value& IdentitySources::find(const Value& value, const Value* (*before)(const Value&)) {
  const std::lock_guard lock(mutex_);  // several threads may ask
  std::vector<const Value*> passed;
  const Value* source = &value;
  while (true) {
    if (const auto found = sources_.find(source); found != sources_.end()) {
      source = found->second;
      break;
    }
    const Value* const next = before(*source);
    if (next == nullptr) break;
    passed.push_back(source);
    source = next;
  }
  for (const Value* const one : passed) sources_.emplace(one, source);
  return *source;
}

}  // namespace detail

}  // namespace graft::inline v1
