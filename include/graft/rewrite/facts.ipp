#pragma once
#include <graft/rewrite/facts.hpp>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void Facts::follow(const detail::FactEdit& edit) {
  for (auto& [type, entry] : facts_)
    if (entry.held->concerns(edit)) own(entry).follow(edit);
}

GRAFT_INLINE void Facts::tensor_changed(std::string_view tensor) { follow(detail::TensorChanged{tensor}); }

GRAFT_INLINE void Facts::tensor_renamed(std::string_view from, std::string_view to) {
  follow(detail::TensorRenamed{from, to});
}

GRAFT_INLINE void Facts::tensor_joined(std::string_view tensor, std::span<const std::string> parts) {
  follow(detail::TensorJoined{tensor, parts});
}

GRAFT_INLINE void Facts::node_renamed(std::string_view from, std::string_view to) {
  follow(detail::NodeRenamed{from, to});
}

GRAFT_INLINE void Facts::node_copied(std::string_view from, std::string_view to) {
  follow(detail::NodeCopied{from, to});
}

GRAFT_INLINE void Facts::drop_unpreserved(const Preserved& preserved, std::uint64_t since, const std::string& pass) {
  for (auto entry = facts_.begin(); entry != facts_.end();) {
    const auto& [type, fact] = *entry;
    if (fact.provided > since || preserved.holds(type) || fact.held->is_decision()) {
      ++entry;
    } else {
      absent_.insert_or_assign(type, Absence{Absence::Why::dropped, pass});
      entry = facts_.erase(entry);
    }
  }
}

GRAFT_INLINE void Facts::expect(TypeKey type, const std::string& pass) {
  if (!facts_.contains(type)) absent_.try_emplace(type, Absence{Absence::Why::not_provided, pass});
}

GRAFT_INLINE const Facts::Absence* Facts::absence(TypeKey type) const {
  const auto entry = absent_.find(type);
  return entry == absent_.end() ? nullptr : &entry->second;
}

}  // namespace graft::inline v1
