#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include <graft/graph/value.hpp>
#include <graft/qonnx/datatype/data_type.hpp>

namespace graft::inline v1::qonnx {

/// The data types of a model's tensors, those in its bodies included. A fact that passes hand on.
class DataTypes {
 public:
  static constexpr std::string_view fact_name = "data types", fact_maker = "infer_data_types";

  /// The type of the value; unless it was set, that of its dtype: FLOAT16 for f16, FLOAT32 for any other.
  DataType of(const Value& value) const;
  /// nullptr unless it was set.
  const DataType* find(const Value& value) const;
  void set(const Value& value, const DataType& type) { by_value_.insert_or_assign(&value, type); }

  /// A tensor of the main graph has other values under its name.
  void erase(std::string_view tensor);
  /// A tensor of the main graph has the channels of several others: their type, if they have one.
  void join(std::string_view tensor, std::span<const std::string> parts);

  std::size_t size() const { return by_value_.size(); }
  /// In no order.
  std::unordered_map<const Value*, DataType>::const_iterator begin() const { return by_value_.begin(); }
  std::unordered_map<const Value*, DataType>::const_iterator end() const { return by_value_.end(); }
  friend bool operator==(const DataTypes&, const DataTypes&) = default;

 private:
  const Value* named(std::string_view tensor) const;

  std::unordered_map<const Value*, DataType> by_value_;
};

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/datatype/data_types.ipp>
#endif
