#pragma once
#include <graft/surgery/surgeons.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/surgery/detail/surgeon_table.hpp>

namespace graft::inline v1 {

namespace detail {

inline std::string in_lower_case(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// How many letters are to insert, to erase or to replace.
inline std::size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// Whether who wrote one may have meant the other; both in lower case.
inline bool is_near_name(std::string_view written, std::string_view meant) {
  const std::size_t shorter = std::min(written.size(), meant.size());
  if (shorter >= 4 && (written.find(meant) != written.npos || meant.find(written) != meant.npos)) return true;
  return letters_apart(written, meant) <= std::max<std::size_t>(2, meant.size() / 4);
}

inline std::vector<Surgeon> sorted_surgeons() {
  std::vector<Surgeon> all;
  for (const auto& group : {signature_surgeons(), operator_surgeons(), rank_surgeons(), own_surgeons()})
    all.insert(all.end(), group.begin(), group.end());
  std::sort(all.begin(), all.end(), [](const Surgeon& a, const Surgeon& b) {
    return in_lower_case(a.name) < in_lower_case(b.name);
  });
  return all;
}

}  // namespace detail

GRAFT_INLINE std::span<const Surgeon> surgeons() {
  static const std::vector<Surgeon> all = detail::sorted_surgeons();
  return all;
}

GRAFT_INLINE const Surgeon& surgeon_named(std::string_view name) {
  const std::string wanted = detail::in_lower_case(name);
  std::string near, all;
  for (const Surgeon& one : surgeons()) {
    const std::string other = detail::in_lower_case(one.name);
    if (other == wanted) return one;
    if (detail::is_near_name(wanted, other)) near += (near.empty() ? "" : ", ") + std::string(one.name);
    all += (all.empty() ? "" : ", ") + std::string(one.name);
  }
  throw Error("there is no surgery '" + std::string(name) + "'; there " +
              (near.empty() ? "are: " + all : "is, under a name near to it: " + near));
}

GRAFT_INLINE Pass surgery(std::string_view name, const SurgeonArguments& arguments) {
  return surgeon_named(name).pass(arguments);
}

}  // namespace graft::inline v1
