#pragma once
#include <graft/qonnx/datatype/data_types.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE const DataType* DataTypes::find(const Value& value) const {
  const auto place = by_value_.find(&value);
  return place == by_value_.end() ? nullptr : &place->second;
}

GRAFT_INLINE DataType DataTypes::of(const Value& value) const {
  if (const DataType* const known = find(value)) return *known;
  return value.dtype() == DType::f16 ? DataType::float16() : DataType();
}

GRAFT_INLINE const Value* DataTypes::named(std::string_view tensor) const {
  for (const auto& [value, type] : by_value_)
    if (!value->erased() && value->name() == tensor && value->graph().parent() == nullptr) return value;
  return nullptr;
}

GRAFT_INLINE void DataTypes::erase(std::string_view tensor) { by_value_.erase(named(tensor)); }

GRAFT_INLINE void DataTypes::join(std::string_view tensor, std::span<const std::string> parts) {
  const Value* part = nullptr;
  for (const std::string& name : parts) {
    const Value* const other = named(name);
    if (other == nullptr || (part != nullptr && of(*other) != of(*part))) return;
    part = other;
  }
  if (part == nullptr) return;
  if (const Value* const joined = part->graph().find(tensor)) set(*joined, of(*part));
}

}  // namespace graft::inline v1::qonnx
