#pragma once
#include <graft/surgery/surgeons.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/rewrite/near_names.hpp>
#include <graft/surgery/detail/surgeon_table.hpp>

namespace graft::inline v1 {

namespace detail {

inline std::vector<Surgeon> sorted_surgeons() {
  std::vector<Surgeon> all;
  for (const auto& group : {signature_surgeons(), operator_surgeons(), rank_surgeons(), own_surgeons()})
    all.insert(all.end(), group.begin(), group.end());
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::ranges::sort(all, [&](const Surgeon& a, const Surgeon& b) {
    return std::ranges::lexicographical_compare(a.name, b.name, {}, lower, lower);
  });
  return all;
}

}  // namespace detail

GRAFT_INLINE std::span<const Surgeon> surgeons() {
  static const std::vector<Surgeon> all = detail::sorted_surgeons();
  return all;
}

GRAFT_INLINE const Surgeon& surgeon_named(std::string_view name) {
  std::vector<std::string_view> names;
  std::string all;
  for (const Surgeon& one : surgeons()) {
    if (same_plain_name(one.name, name)) return one;
    names.push_back(one.name);
    all += (all.empty() ? "" : ", ") + std::string(one.name);
  }
  const std::string meant = did_you_mean(name, names);
  throw Error("there is no surgery '" + std::string(name) + "'" +
              (meant.empty() ? "; there are: " + all : meant));
}

GRAFT_INLINE Pass surgery(std::string_view name, const SurgeonArguments& arguments) {
  return surgeon_named(name).pass(arguments);
}

}  // namespace graft::inline v1
