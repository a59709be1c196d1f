#pragma once
#include <graft/config.hpp>
#include <graft/graph/model.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass Pass::needs(Need need) const {
  Pass pass = altered();
  pass.add(std::move(need));
  return pass;
}

GRAFT_INLINE Pass Pass::provides(Provision provision) const {
  Pass pass = altered();
  pass.provisions_.push_back(provision);
  return pass;
}

GRAFT_INLINE Pass Pass::preserves(Preserved preserved) const {
  Pass pass = altered();
  pass.preserved_ = std::move(preserved);
  return pass;
}

GRAFT_INLINE Pass Pass::named(std::string name) const {
  Pass pass = altered();
  pass.name_ = std::move(name);
  return pass;
}

GRAFT_INLINE Report Pass::run(Model& model, Context& context) const { return run(model.graph(), context); }

GRAFT_INLINE Report Pass::run(Model& model) const {
  Context context;
  return run(model.graph(), context);
}

GRAFT_INLINE Pass Pass::altered() const {
  Pass pass = *this;
  pass.is_bare_ = false;
  return pass;
}

GRAFT_INLINE void Pass::add(Need need) {
  if (need.pass.empty()) need.pass = name_;
  needs_.push_back(std::move(need));
}

GRAFT_INLINE std::uint64_t detail::edit_count(const Graph& graph) { return graph.model().edit_count(); }

}  // namespace graft::inline v1
