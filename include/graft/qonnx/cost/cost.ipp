#pragma once
#include <graft/qonnx/cost/cost.hpp>

#include <cmath>
#include <map>
#include <string>

#include <graft/config.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

inline double elements_of(const std::map<DataType, double>& counts) {
  double sum = 0;
  for (const auto& [type, count] : counts) sum += count;
  return sum;
}

inline double bits_of(const std::map<DataType, double>& counts) {
  double sum = 0;
  for (const auto& [type, count] : counts) sum += count * type.bits();
  return sum;
}

}  // namespace detail

GRAFT_INLINE double Cost::total_macs() const {
  double sum = 0;
  for (const auto& [types, count] : macs) sum += count;
  return sum;
}

GRAFT_INLINE double Cost::total_bops() const {
  double sum = 0;
  for (const auto& [types, count] : macs) sum += count * types.activation.bits() * types.weight.bits();
  return sum;
}

GRAFT_INLINE double Cost::weight_elements() const { return detail::elements_of(weights); }
GRAFT_INLINE double Cost::weight_bits() const { return detail::bits_of(weights); }
GRAFT_INLINE double Cost::output_elements() const { return detail::elements_of(outputs); }
GRAFT_INLINE double Cost::output_bits() const { return detail::bits_of(outputs); }

GRAFT_INLINE Cost& Cost::operator+=(const Cost& other) {
  for (const auto& [types, count] : other.macs) macs[types] += count;
  for (const auto& [type, count] : other.weights) weights[type] += count;
  for (const auto& [type, count] : other.outputs) outputs[type] += count;
  accumulated_bops += other.accumulated_bops;
  return *this;
}

GRAFT_INLINE std::map<std::string, double> to_map(const Cost& cost) {
  std::map<std::string, double> keys{
      {"total_macs", cost.total_macs()},           {"total_bops", cost.total_bops()},
      {"total_mem_w_bits", cost.weight_bits()},    {"total_mem_w_elems", cost.weight_elements()},
      {"total_mem_o_bits", cost.output_bits()},    {"total_mem_o_elems", cost.output_elements()}};
  for (const auto& [types, count] : cost.macs)
    keys["op_mac_" + to_string(types.activation) + "_" + to_string(types.weight)] = count;
  for (const auto& [type, count] : cost.weights) keys["mem_w_" + to_string(type)] = count;
  for (const auto& [type, count] : cost.outputs) keys["mem_o_" + to_string(type)] = count;
  return keys;
}

GRAFT_INLINE double accumulated_bops(double m, double n, double kernel, double activation_bits, double weight_bits) {
  const double terms = n * kernel;
  return m * terms * (activation_bits * weight_bits + activation_bits + weight_bits + std::log2(terms));
}

}  // namespace graft::inline v1::qonnx
