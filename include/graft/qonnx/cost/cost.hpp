#pragma once
#include <compare>
#include <map>
#include <string>

#include <graft/config.hpp>
#include <graft/qonnx/datatype/data_type.hpp>

namespace graft::inline v1::qonnx {

/// The data types of the two operands of a product.
struct Operands {
  DataType activation, weight;

  friend auto operator<=>(const Operands&, const Operands&) = default;
};

/// The cost of an inference: multiplications with their additions (MACs), and elements of weights and outputs, by data
/// type.
struct Cost {
  std::map<Operands, double> macs{};
  std::map<DataType, double> weights{}, outputs{};
  /// Eq. 5 of the QONNX paper, summed over the output elements; see accumulated_bops().
  double accumulated_bops = 0;

  double total_macs() const;
  /// Bit operations as QONNX counts them: MACs * bits of the activation * bits of the weight.
  double total_bops() const;
  double weight_elements() const;
  double weight_bits() const;
  double output_elements() const;
  double output_bits() const;

  Cost& operator+=(const Cost& other);
  friend bool operator==(const Cost&, const Cost&) = default;
};

/// The cost under the keys of QONNX's tool: op_mac_<activation>_<weight>, mem_w_<weight>, mem_o_<output>, total_macs,
/// total_bops, total_mem_w_bits, total_mem_w_elems, total_mem_o_bits, total_mem_o_elems.
std::map<std::string, double> to_map(const Cost& cost);

/// Eq. 5 of the QONNX paper: the bit operations of one output pixel of a convolution. It has m output channels, n input
/// channels and kernels of k * k = kernel elements; activations have ba bits and weights bw. Includes the bit
/// operations of an accumulator that is wide enough: m n k^2 (ba bw + ba + bw + log2(n k^2)).
double accumulated_bops(double m, double n, double kernel, double activation_bits, double weight_bits);

}  // namespace graft::inline v1::qonnx
