#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/datatype/tensor_range.hpp>
#include <graft/qonnx/detail/constants.hpp>
#include <graft/qonnx/detail/elementwise.hpp>

namespace graft::inline v1::qonnx::detail {

/// The range of a constant; for integers, the step is 1.
inline TensorRange range_of(const Tensor& tensor) {
  const std::vector<double> values = tensor.to<double>();
  if (values.empty()) return {};
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  const bool are_integers =
      std::all_of(values.begin(), values.end(), [](double value) { return std::nearbyint(value) == value; });
  return TensorRange::of(*min, *max, are_integers ? std::vector<double>{1} : std::vector<double>());
}

/// The range of all values of that dtype.
inline TensorRange range_by_dtype(const Value& value) {
  if (value.dtype() == DType::boolean) return TensorRange::of(0, 1, {1});
  if (!graft::is_integer(value.dtype()) || value.dtype() == DType::u64) return {};
  return TensorRange::of(static_cast<double>(lowest(value.dtype())), static_cast<double>(highest(value.dtype())), {1});
}

/// The ranges that are known so far.
class KnownRanges {
 public:
  explicit KnownRanges(Graph& graph) : constants_(graph) {}

  Constants& constants() { return constants_; }

  const TensorRange* find(const Value& value) const {
    const auto place = ranges_.find(&value);
    return place == ranges_.end() ? nullptr : &place->second;
  }
  /// The set range, or that of the constant, or of the dtype.
  TensorRange range(const Value* value) {
    if (value == nullptr) return {};
    if (const TensorRange* const known = find(*value)) return *known;
    if (const std::optional<Tensor> constant = constants_.find(value)) return range_of(*constant);
    return range_by_dtype(*value);
  }
  void set(const Value& value, TensorRange range) { ranges_.insert_or_assign(&value, std::move(range)); }

  std::unordered_map<const Value*, TensorRange> release() { return std::move(ranges_); }

 private:
  Constants constants_;
  std::unordered_map<const Value*, TensorRange> ranges_;
};

}  // namespace graft::inline v1::qonnx::detail
