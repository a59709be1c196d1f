#pragma once
#include <graft/rewrite/detail/near_names.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <graft/config.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::string plain_name(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') text += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) text += c;
  }
  return text;
}

/// The edit distance: the number of letters to insert, erase or replace.
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

/// The edit distance of two plain names; nullopt if they are too different.
inline std::optional<std::size_t> nearness(std::string_view written, std::string_view meant) {
  const std::size_t shorter = std::min(written.size(), meant.size()), apart = letters_apart(written, meant);
  if (apart < shorter && apart <= std::max<std::size_t>(2, meant.size() / 4)) return apart;
  const bool is_part = written.find(meant) != written.npos || meant.find(written) != meant.npos;
  return shorter >= 4 && is_part ? std::optional(apart) : std::nullopt;
}

GRAFT_INLINE std::vector<std::string_view> near_names(std::string_view written,
                                                      std::span<const std::string_view> names) {
  const std::string plain = plain_name(written);
  std::vector<std::pair<std::size_t, std::string_view>> found;
  for (const std::string_view name : names)
    if (const auto apart = nearness(plain, plain_name(name))) found.emplace_back(*apart, name);
  std::ranges::stable_sort(found, {}, &std::pair<std::size_t, std::string_view>::first);
  std::vector<std::string_view> nearest;
  for (const auto& [apart, name] : found)
    if (nearest.size() < 3 && std::ranges::find(nearest, name) == nearest.end()) nearest.push_back(name);
  return nearest;
}

}  // namespace graft::inline v1::detail
