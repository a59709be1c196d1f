#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include <graft/graph/value.hpp>
#include <graft/qonnx/datatype/data_type.hpp>

namespace graft::inline v1::qonnx {

/// The data types of a model's tensors, including those in bodies. A fact that passes propagate.
class DataTypes {
 public:
  static constexpr std::string_view fact_name = "data types", fact_maker = "infer_data_types";

  /// The type of the value; if none was set, that of its dtype: FLOAT16 for f16, FLOAT32 for others.
  DataType of(const Value& value) const;
  /// nullptr if none was set.
  const DataType* find(const Value& value) const;
  void set(const Value& value, const DataType& type) { by_value_.insert_or_assign(&value, type); }

  /// Called when a tensor of the main graph gets other values under the same name.
  void erase(std::string_view tensor);
  /// Called when a tensor of the main graph has the channels of several others. It gets their type, if they have the
  /// same one.
  void join(std::string_view tensor, std::span<const std::string> parts);

  std::size_t size() const { return by_value_.size(); }
  /// In no particular order.
  std::unordered_map<const Value*, DataType>::const_iterator begin() const { return by_value_.begin(); }
  std::unordered_map<const Value*, DataType>::const_iterator end() const { return by_value_.end(); }
  friend bool operator==(const DataTypes&, const DataTypes&) = default;

 private:
  const Value* named(std::string_view tensor) const;

  std::unordered_map<const Value*, DataType> by_value_;
};

}  // namespace graft::inline v1::qonnx
