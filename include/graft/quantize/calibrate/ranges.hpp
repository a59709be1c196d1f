#pragma once
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/qdq/range.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The range of each tensor, by name. Sorted by name, so that results do not depend on the order of insertion. Throws
/// Error with the tensor's name for a range whose min is above its max, except for Range().
class Ranges {
 public:
  static constexpr std::string_view fact_name = "ranges", fact_maker = "calibrate";

  Ranges() = default;
  Ranges(std::initializer_list<std::pair<const std::string, Range>> ranges) {
    for (const auto& [name, range] : ranges) set(name, range);
  }

  /// nullptr if the tensor has no range.
  const Range* find(std::string_view name) const;
  /// Throws Error with the tensor's name if it has no range.
  const Range& at(std::string_view name) const;

  void set(std::string_view name, const Range& range) {
    by_name_.insert_or_assign(std::string(name), checked(name, range));
  }
  /// Widens the range of the tensor.
  void merge(std::string_view name, const Range& range) { by_name_[std::string(name)].merge(checked(name, range)); }
  void merge(const Ranges& others) {
    for (const auto& [name, range] : others) by_name_[name].merge(range);
  }
  void erase(std::string_view name);
  void rename(std::string_view from, std::string_view to);
  /// Sets the range of the tensor to the union of the ranges of all parts. Sets none if a part has no range.
  void join(std::string_view name, std::span<const std::string> parts);

  std::size_t size() const { return by_name_.size(); }
  bool empty() const { return by_name_.empty(); }
  std::map<std::string, Range, std::less<>>::const_iterator begin() const { return by_name_.begin(); }
  std::map<std::string, Range, std::less<>>::const_iterator end() const { return by_name_.end(); }
  friend bool operator==(const Ranges&, const Ranges&) = default;

 private:
  static const Range& checked(std::string_view name, const Range& range);

  std::map<std::string, Range, std::less<>> by_name_;
};

/// A range for the tensors that a pattern matches.
struct RangeOverride {
  NamePattern tensors;
  Range range;
};

/// The pass that overrides the ranges of tensors of the main graph. If several patterns match a tensor, the last one
/// decides. Its notes list the patterns that match no tensor. Throws Error with the pattern if its range has a min
/// above its max.
Pass override_ranges(std::vector<RangeOverride> overrides);

}  // namespace graft::inline v1
