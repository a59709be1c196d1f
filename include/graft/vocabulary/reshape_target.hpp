#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1::vocabulary {

/// What a Reshape's target says of the shape of its input, as constants can say it.
struct ReshapeTarget {
  Ints numbers{};
  bool copies = false;  ///< a 0 stands for an extent of the input

  /// nullopt if more than one element is left open, or if a 0 would be taken for another thing than it is.
  static std::optional<ReshapeTarget> of(const Shape& from, const std::vector<Integer>& target, bool zero_is_meant) {
    ReshapeTarget result;
    bool infers = false, has_zero = false;
    for (std::size_t i = 0; i < target.size(); ++i) {
      const Integer& element = target[i];
      if (element.known() && element.value() != -1) {
        has_zero = has_zero || element.is(0);
        result.numbers.push_back(element.value());
      } else if (element.symbolic() && i < from.rank() && same_size(from[i], element.dim())) {
        result.copies = true;
        result.numbers.push_back(0);
      } else {
        if (infers) return std::nullopt;
        infers = true;
        result.numbers.push_back(-1);
      }
    }
    const bool is_mixed = zero_is_meant ? result.copies || infers : false;
    return has_zero && is_mixed ? std::nullopt : std::optional(std::move(result));
  }
};

}  // namespace graft::inline v1::vocabulary
