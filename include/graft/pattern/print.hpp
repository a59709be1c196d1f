#pragma once
#include <cstddef>
#include <string>

#include <graft/pattern/front.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// The pattern in one line; several roots are joined by " and ".
std::string to_string(const RulePattern& pattern);

template <std::size_t N, std::size_t A, std::size_t W, class C>
std::string to_string(const Pattern<N, A, W, C>& p) {
  RulePattern view;
  view.nodes = p.nodes;
  view.attrs = p.attrs;
  view.words = p.words;
  return to_string(view);
}

}  // namespace graft::inline v1
