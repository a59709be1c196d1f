#pragma once
#include <graft/qonnx/convert/detail/check_quantizer.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/shape.hpp>
#include <graft/qonnx/detail/parameters.hpp>
#include <graft/qonnx/ops/kernels/quant.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE std::optional<std::vector<Tensor>> constant_parameters(const Node& quantizer, std::string& why) {
  std::vector<Tensor> numbers;
  for (std::size_t i = 1; i < quantizer.input_count(); ++i) {
    std::optional<Tensor> constant = quantizer.input(i)->constant();
    if (!constant || constant->dtype() != DType::f32 || constant->size() == 0) {
      why = "its parameter '" + std::string(quantizer.input(i)->name()) + "' is not a constant of float32";
      return std::nullopt;
    }
    numbers.push_back(*std::move(constant));
  }
  return numbers;
}

/// Whether a parameter broadcasts to x without changing its shape; unknown extents count as fitting.
inline bool check_broadcast(const Shape& parameter, std::string_view what, const Shape& x, std::string& why) {
  if (!parameter.known() || !x.known()) return true;
  const auto no = [&](std::string_view reason) {
    why = "its " + std::string(what) + " of shape " + graft::to_string(parameter) + " " + std::string(reason);
    return false;
  };
  if (parameter.rank() > x.rank()) return no("has more axes than its input");
  for (std::size_t i = 0; i < parameter.rank(); ++i) {
    const Dim own = parameter[i], other = x[x.rank() - parameter.rank() + i];
    if (own.known() && own.value() != 1 && other.known() && own.value() != other.value())
      return no("does not broadcast to its input");
  }
  return true;
}

enum class ParameterKind { scale, any_number, bits, field_bits };

struct QuantizerParameter {
  std::string_view name;
  ParameterKind kind;
};

/// The parameters after x, in order.
inline std::span<const QuantizerParameter> parameters_of(const Node& quantizer) {
  using enum ParameterKind;
  static constexpr QuantizerParameter quant[] = {{"scale", scale}, {"zero point", any_number}, {"bit width", bits}};
  static constexpr QuantizerParameter trunc_1[] = {
      {"scale", scale}, {"zero point", any_number}, {"input bit width", bits}, {"output bit width", bits}};
  static constexpr QuantizerParameter trunc_2[] = {{"scale", scale},
                                                   {"zero point", any_number},
                                                   {"input bit width", bits},
                                                   {"output scale", scale},
                                                   {"output bit width", bits}};
  static constexpr QuantizerParameter float_quant[] = {{"scale", scale},
                                                       {"exponent bit width", field_bits},
                                                       {"mantissa bit width", field_bits},
                                                       {"exponent bias", any_number},
                                                       {"largest value", any_number}};
  if (is_bipolar_quant(quantizer)) return std::span(quant).first(1);
  if (is_op(quantizer, "FloatQuant")) return float_quant;
  if (is_op(quantizer, "Trunc"))
    return trunc_version(quantizer) == 1 ? std::span<const QuantizerParameter>(trunc_1) : trunc_2;
  return quant;
}

/// The reason why a number is not valid for the parameter; "" if it is.
inline std::string why_not(float number, const QuantizerParameter& parameter) {
  using enum ParameterKind;
  if (parameter.kind == scale && (!(number > 0) || !std::isfinite(number)))
    return "its " + std::string(parameter.name) + " is not positive and finite";
  if (parameter.kind == bits && !(number >= 1)) return shortest_decimal(number) + " bits are not a bit width";
  if (parameter.kind == field_bits && !(number >= 0))
    return shortest_decimal(number) + " is not a valid " + std::string(parameter.name);
  return "";
}

GRAFT_INLINE bool check_quantizer(const Node& quantizer, std::string& why) {
  const auto no = [&](std::string reason) {
    why = std::move(reason);
    return false;
  };
  const std::span<const QuantizerParameter> parameters = parameters_of(quantizer);
  if (quantizer.input_count() != parameters.size() + 1 || quantizer.output_count() != 1)
    return no("it has too many or too few inputs or outputs");
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Value* const parameter = quantizer.input(i + 1);
    if (parameter == nullptr || quantizer.input(0) == nullptr) return no("an input is absent");
    const std::optional<Tensor> constant = parameter->constant();
    const Shape shape = constant ? Shape(std::span(constant->dims())) : parameter->shape();
    if (!check_broadcast(shape, parameters[i].name, quantizer.input(0)->shape(), why)) return false;
    if (!constant) continue;
    const std::optional<Tensor> numbers = float_parameter(*constant);
    if (!numbers)
      return no("its " + std::string(parameters[i].name) + " is " + std::string(graft::to_string(constant->dtype())) +
                ", neither float32 nor an integer");
    for (const float number : numbers->data<float>())
      if (std::string reason = why_not(number, parameters[i]); !reason.empty()) return no(std::move(reason));
  }
  return true;
}

GRAFT_INLINE bool check_float_quantizer(const Node& quantizer, std::string& why) {
  if (!check_quantizer(quantizer, why)) return false;
  for (std::size_t i = 1; i < quantizer.input_count(); ++i) {
    const std::optional<Tensor> constant = quantizer.input(i)->constant();
    if (!constant || constant->dtype() == DType::f32) continue;
    why = "its parameters are not all float32";
    return false;
  }
  return true;
}

}  // namespace graft::inline v1::qonnx::detail
