#pragma once
#include <graft/simplify/pool.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/non_negative.hpp>
#include <graft/vocabulary/pads.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto kernel_shape = attr<"kernel_shape", Ints>;

inline constexpr auto ceil_mode = attr<"ceil_mode", std::int64_t>;

inline constexpr auto dilations = attr<"dilations", Ints>;

inline constexpr auto count_include_pad = attr<"count_include_pad", std::int64_t>;

/// Whether all windows overlap the input, and the pads are less than the kernel.
inline Verdict fits_kernel(const Ints& own, const Ints& more, const std::optional<Ints>& along, const Ints& kernel,
                           const std::optional<Ints>& apart) {
  const Ints sum = summed_pads(own, more, along).value_or(Ints());
  if (sum.size() != 2 * kernel.size()) return Verdict::no("its pads do not have the rank of its kernel");
  for (std::size_t i = 0; i < sum.size(); ++i)
    if (sum[i] >= kernel[i % kernel.size()]) return Verdict::no("the pads would reach the kernel's extent");
  if (apart && std::any_of(apart->begin(), apart->end(), [](std::int64_t step) { return step != 1; }))
    return Verdict::no("the window is dilated");
  return Verdict::yes();
}

inline bool counts_padding(const Ints& own, std::int64_t is_included) {
  return is_included != 0 || std::all_of(own.begin(), own.end(), [](std::int64_t pad) { return pad == 0; });
}

/// The value that a Pad fills with; nullopt if it is not constant.
inline std::optional<double> filling(const Node& pad) {
  if (pad.opset() < 11) return pad.attr<float>("value").value_or(0);
  const Value* const given = pad.input(2);
  if (given == nullptr) return 0;
  if (!given->is_constant()) return std::nullopt;
  try {
    const std::optional<Tensor> contents = given->constant();
    if (contents && contents->size() == 1) return contents->item<double>();
  } catch (const Error&) {
  }
  return std::nullopt;
}

inline double lowest_number(DType dtype) {
  if (is_integer(dtype)) return static_cast<double>(lowest(dtype));
  if (dtype == DType::f32) return std::numeric_limits<float>::lowest();
  return dtype == DType::f16 ? -65504 : -std::numeric_limits<double>::infinity();
}

inline Verdict fills_below(const Value& input, const Node& pad) {
  const std::optional<double> value = filling(pad);
  if (!value) return Verdict::no("the value that it pads with is not known");
  const bool is_lowest = *value <= lowest_number(input.dtype());
  return is_lowest || (*value <= 0 && is_non_negative(input))
             ? Verdict::yes()
             : Verdict::no("the padding may be the largest of a window");
}

inline bool has_no_indices(const Node& pool) { return pool.output_count() < 2 || pool.output(1)->use_count() == 0; }

inline constexpr auto within_kernel = predicate<fits_kernel>("");

inline constexpr auto pad_into_average_pool = rule<"pad-into-average-pool">(
    op<"AveragePool">(op<"Pad">(x).with(pads, opt(axes), mode == "constant", opt(pad_value == 0.f)).since(2))
        .with(own_pads, auto_pad, kernel_shape, count_include_pad, opt(ceil_mode == 0), opt(dilations))
        .as(outer)
        .since(7),
    where(explicit_pads(auto_pad, own_pads), spatial_pads(own_pads, pads, axes),
          within_kernel(own_pads, pads, axes, kernel_shape, dilations),
          predicate<counts_padding>("the pool does not count its own padding")(own_pads, count_include_pad)),
    outer(x).with(own_pads = call<summed_pads>(own_pads, pads, axes), auto_pad = "NOTSET", count_include_pad = 1));

inline constexpr auto pad_into_max_pool = rule<"pad-into-max-pool">(
    op<"MaxPool">(
        op<"Pad">(x, rest<>).with(pads, opt(axes), mode == "constant", opt(attr<"value", float>)).since(2).as(inner))
        .with(own_pads, auto_pad, kernel_shape, opt(ceil_mode == 0), opt(dilations))
        .as(outer),
    where(explicit_pads(auto_pad, own_pads), spatial_pads(own_pads, pads, axes),
          within_kernel(own_pads, pads, axes, kernel_shape, dilations), predicate<fills_below>("")(x, inner),
          predicate<has_no_indices>("its indices are used")(outer)),
    outer(x).with(own_pads = call<summed_pads>(own_pads, pads, axes), auto_pad = "NOTSET"));

}  // namespace rules

GRAFT_INLINE constinit const RuleView pad_into_average_pool = rules::pad_into_average_pool.view();

GRAFT_INLINE constinit const RuleView pad_into_max_pool = rules::pad_into_max_pool.view();

}  // namespace graft::inline v1
