#pragma once
#include <span>
#include <string_view>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/rewrite/registry.hpp>

namespace graft::inline v1 {

/// The operators that a runtime computes in one float type.
struct FloatKernels {
  /// Whether it computes the operators that `exceptions` does not list.
  bool others = true;
  /// "Conv", "com.microsoft::Gelu"
  std::span<const std::string_view> exceptions{};

  bool compute(const Node& node) const;
};

/// A runtime, with the operators that it computes in 16-bit floats. ONNX's type constraints hold besides. A target is
/// constexpr: the data of its spans and views must outlive it and every pass with it.
struct FloatTarget {
  std::string_view name;
  FloatKernels f16{}, bf16{};

  /// Whether the runtime loads and computes the node if its floats have this dtype. All runtimes compute float32.
  bool computes(const Node& node, DType dtype) const;
};

namespace float_targets {

/// What ONNX permits.
inline constexpr FloatTarget onnx{"onnx"};

namespace detail {

inline constexpr std::string_view ort_cpu_lacks_f16[] = {
    "Attention", "DequantizeLinear", "EyeLike", "QuantizeLinear", "ScatterElements", "ScatterND"};
inline constexpr std::string_view ort_cpu_has_bf16[] = {
    "Cast",    "CastLike", "Concat", "ConstantOfShape", "Flatten", "Gather", "GatherElements", "GatherND", "Identity",
    "IsInf",   "IsNaN",    "Reshape", "ScatterElements", "ScatterND", "Shape", "Sign", "Slice", "Split",
    "Squeeze", "Transpose", "Unsqueeze"};

inline constexpr std::string_view tensorrt_lacks_halves[] = {"ConstantOfShape"};

}  // namespace detail

/// The CPU provider of ONNX Runtime. It inserts Casts around float16 operators without a kernel, but not around
/// bfloat16 operators. Between quantizers with float16 scales it computes in floats, not in integers, and release 1.24
/// truncates where it should round. The lists were measured with that release.
inline constexpr FloatTarget ort_cpu{"ort-cpu", {true, detail::ort_cpu_lacks_f16}, {false, detail::ort_cpu_has_bf16}};

/// TensorRT, which takes the types of the graph, those of scales among them. The list is that of its ONNX parser's
/// documentation; nothing was run on a GPU.
inline constexpr FloatTarget tensorrt{
    "tensorrt", {true, detail::tensorrt_lacks_halves}, {true, detail::tensorrt_lacks_halves}};

/// All of them by name.
Registry<FloatTarget> all();

}  // namespace float_targets

}  // namespace graft::inline v1
