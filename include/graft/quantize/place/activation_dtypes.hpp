#pragma once
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/name_pattern.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

namespace detail {

/// The version of ONNX that quantizes to the dtype first.
constexpr int since_opset(DType dtype) { return bits(dtype) == 16 ? 21 : dtype == DType::f8e4m3fn ? 19 : 10; }

}  // namespace detail

/// The form that the tensors which a pattern matches are quantized to.
struct ActivationOverride {
  NamePattern tensors;
  std::optional<DType> dtype{};  ///< that of the target if it is absent
  std::optional<int> bits{};     ///< of the integers, 2 to 8; all of the dtype if they are absent
};

/// The tensors that have a dtype or a number of bits of their own. override_activations() provides them, inject_qdq()
/// reads them.
struct ActivationDTypes {
  static constexpr std::string_view fact_name = "activation_dtypes";
  static constexpr bool is_decision = true;

  std::map<std::string, DType, std::less<>> by_name{};
  std::map<std::string, int, std::less<>> bits{};  ///< fewer than the dtype has

  /// nullopt if the tensor has none of its own.
  std::optional<DType> own(const Value& value) const;
  DType of(const Value& value, const Target& target) const { return own(value).value_or(target.activation); }
  /// nullopt if the tensor has all of its dtype.
  std::optional<int> bits_of(const Value& value) const;
  /// The target, with the dtype of this tensor.
  Target target_of(const Value& value, const Target& target) const {
    return with_activations(target, of(value, target));
  }

  void rename(std::string_view from, std::string_view to);
  /// The tensor gets the dtype and the bits that all parts have; none if they differ, or one has none of its own.
  void join(std::string_view name, std::span<const std::string> parts);
};

/// The pass after which inject_qdq() quantizes tensors of the main graph to another dtype than the target's: int8,
/// uint8, or int16 and uint16, which need opset 21; or to fewer bits than the dtype has, by a Clip of the integers,
/// which needs opset 12. Of several patterns that match a tensor the last decides. What merely moves a tensor keeps its
/// dtype. An operator whose kernel does not take it stays in float between its quantizers; audit() reports it. The
/// Report's notes list the patterns that match no tensor. Throws Error for other dtypes and bits.
Pass override_activations(std::vector<ActivationOverride> overrides);

}  // namespace graft::inline v1
