#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/node_time.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/kernel/condition.hpp>
#include <graft/quantize/kernel/integer_form.hpp>

// The checks of the table that are about a node and its operands.
namespace graft::inline v1::detail::checks {

inline Verdict fails_if(bool failed, std::string_view text) { return failed ? Verdict::no(text) : Verdict::yes(); }

inline bool is_quantizer(const Node& node) { return is_quantize(node) || is_dequantize(node); }

inline std::string quoted(const Value& value) { return "'" + std::string(value.name()) + "'"; }

inline Verdict no_result(const KernelView& v) { return fails_if(!has_result(v.node), "it has no result"); }
inline Verdict no_kernel(const KernelView&) { return Verdict::no(no_kernel_text); }

inline Verdict outputs(const KernelView& v) {
  const bool is_asked = !v.moves_values() || v.is_planned();
  return fails_if(is_asked && v.node.output_count() > 1 && !v.node.is("Split"), "it has several results");
}

inline Verdict opset(const KernelView& v) {
  const auto version = static_cast<double>(v.node.opset());
  return Verdict::no({"the runtime has no integer kernel for it in opset {}", {}, {version}, 1});
}
inline Verdict older_opset(const KernelView& v) { return v.node.opset() < v.kernel.since ? opset(v) : Verdict::yes(); }
inline Verdict newer_opset(const KernelView& v) { return v.node.opset() > v.kernel.until ? opset(v) : Verdict::yes(); }

inline Verdict constant(const KernelView& v) {
  const bool is_planned = v.stage == ConditionStage::planned;
  if (!is_planned && !v.moves_values() && (v.target.has(Quirk::does_not_simplify) || v.takes_quantizer_behind()))
    return Verdict::yes();
  for (std::size_t i = 0; i < v.operands().size(); ++i) {
    const Node* const dequantize = is_planned ? nullptr : v.operands()[i];
    const Value* const source = dequantize != nullptr ? dequantize->input(0) : v.node.input(v.first_operand() + i);
    if (source == nullptr || !source->is_constant()) return Verdict::yes();
  }
  // Indices of a quantized table.
  for (std::size_t i = v.operand_end(); !is_planned && i < v.node.input_count(); ++i)
    if (v.node.input(i) != nullptr && !v.node.input(i)->is_constant()) return Verdict::yes();
  return Verdict::no("its inputs are constant: the runtime computes it when it loads the model");
}

inline Verdict shared_qparams(const KernelView&) { return Verdict::no("its operands would have to share q-params"); }

/// Of the operands, and of the weight if there is one, the first that fails: check(value).
template <class Check>
Verdict each_tensor(const KernelView& v, Check check) {
  const std::size_t end = v.is_weighted() ? 2 : v.operand_end();
  for (std::size_t i = v.first_operand(); i < end; ++i)
    if (const Verdict verdict = check(v.node.input(i)); !verdict) return verdict;
  return Verdict::yes();
}
inline Verdict missing_input(const KernelView& v) {
  return each_tensor(v, [](const Value* value) { return fails_if(value == nullptr, "an input is missing"); });
}
inline Verdict constant_input_alone(const KernelView& v) {
  return fails_if(v.node.input(0)->is_constant(), "its input is constant");
}
/// Unknown dtypes are taken for float32.
inline Verdict not_float32(const KernelView& v) {
  return each_tensor(v, [](const Value* value) {
    const DType dtype = value->dtype();
    return fails_if(dtype != DType::f32 && dtype != DType::undefined && is_known(dtype), "it is not float32");
  });
}

/// Whether it makes floats of the integers of an operator that quantizes as it runs: a product with the scale that
/// DynamicQuantizeLinear found, or of the cast sums. Runtimes fuse these with the operator.
inline Verdict rescales_integers(const KernelView& v) {
  if (!v.node.is("Mul")) return Verdict::yes();
  for (const Value* const operand : v.node.inputs()) {
    if (operand == nullptr) continue;
    const Node* const cast = made_by(*operand, "Cast");
    const Node* const producer = (cast != nullptr ? *cast->input(0) : *operand).producer();
    if (producer != nullptr && is_integer_form(*producer))
      return Verdict::no("it rescales what was computed on integers");
  }
  return Verdict::yes();
}

inline bool is_overridable(const Value& value) { return value.initializer() != nullptr && !value.is_constant(); }
inline Verdict overridable_input(const KernelView& v) {
  return each_tensor(v, [](const Value* value) {
    return fails_if(is_overridable(*value), "an input of it is one that the caller may override");
  });
}
inline Verdict merges_constants(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::merges_constants)) return Verdict::yes();
  return each_tensor(v, [](const Value* value) {
    return fails_if(value->is_constant(), "the runtime merges its constant into the operator in front of it");
  });
}
/// In front of its pair, and of what quantizers pass.
inline Verdict not_behind_conv(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::behind_conv)) return Verdict::yes();
  const Value* x = v.node.input(0);
  while (x != nullptr && x->producer() != nullptr &&
         (is_quantizer(*x->producer()) || lets_quantizers_pass(*x->producer(), v.target)))
    x = passing_tensor(*x->producer());
  return fails_if(x == nullptr || made_by(*x, "Conv") == nullptr, "no Conv makes its input, which would gain");
}
inline Verdict not_finite(const KernelView& v) {
  return each_tensor(v, [](const Value* value) {
    const std::optional<Tensor> constant = value->constant();
    const bool is_float = constant && constant->dtype() == DType::f32;
    return fails_if(is_float && !extent_of(constant->data<float>()).finite, "an input of it is not finite");
  });
}

/// Whether the kernel of this operator alone gains more than the conversions take that it would need, by the target's
/// costs.
inline bool pays_alone(const KernelView& v) {
  if (!missing_input(v)) return true;
  double gain = time_in_float(v.node, v.kernel) - time_in_integers(v.node, v.kernel);
  for (std::size_t i = 0; i < v.operands().size(); ++i) {
    const Value* const operand = v.node.input(v.first_operand() + i);
    if (v.operands()[i] == nullptr && operand != nullptr && !operand->is_constant())
      gain -= conversion_time(*operand, v.target.quantize, v.target);
  }
  for (const OutputChain& chain : v.results())
    if (!v.is_quantized(chain) && !v.gives_float(chain))
      gain -= conversion_time(*chain.last, v.target.dequantize, v.target);
  return gain > 0;
}
inline Verdict no_dq_input(const KernelView& v) {
  if (!v.is_float()) return Verdict::yes();
  const auto place = std::find(v.operands().begin(), v.operands().end(), nullptr);
  const Value* const operand = v.node.input(v.first_operand() + static_cast<std::size_t>(place - v.operands().begin()));
  return v.no((operand != nullptr ? quoted(*operand) : "an input") + " is not dequantized");
}
inline Verdict no_dq_input_alone(const KernelView& v) {
  return v.is_float() && !pays_alone(v) ? no_dq_input(v) : Verdict::yes();
}

inline Verdict dynamic_qparams(const KernelView& v) {
  for (const Node* const dequantize : v.dequantizers())
    if (!takes_qparams(*dequantize, v.target)) return Verdict::no("the q-params of an input are not constant");
  return Verdict::yes();
}
inline Verdict shared_dequantizer(const KernelView& v) {
  if (!v.target.has(Quirk::unshared_dequantizers)) return Verdict::yes();
  for (const Node* const dequantize : v.dequantizers())
    if (dequantize->output(0)->use_count() != 1) return v.no(quoted(*dequantize->output(0)) + " has other users");
  return Verdict::yes();
}

/// Whether the scale of an operand or result is a list.
inline bool is_list(const Node* quantizer) {
  const std::optional<Tensor> scale = quantizer != nullptr ? constant_input(*quantizer, 1) : std::nullopt;
  return scale && scale->rank() != 0;
}
/// Of a quantized tensor that is moved, nothing asks.
inline bool asks_for_scalars(const KernelView& v) { return !v.moves_values() || v.is_planned(); }
inline Verdict refused_input_list(const KernelView& v) {
  return fails_if(
      v.kernel.has(KernelQuirk::refuses_lists) && asks_for_scalars(v) && std::ranges::any_of(v.operands(), is_list),
      "the scale of its input is not a scalar: the runtime refuses it");
}
inline Verdict any_list(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::lists_in_float) || !asks_for_scalars(v)) return Verdict::yes();
  const bool has_list = std::ranges::any_of(v.operands(), is_list) ||
                        (!v.is_planned() && v.is_quantized(v.result()) && is_list(v.result().user));
  return fails_if(has_list, "a scale of it is not a scalar");
}
inline Verdict input_scales(const KernelView& v) {
  for (const Node* const operand : v.operands())
    if (const std::optional<Tensor> scale = operand != nullptr ? constant_input(*operand, 1) : std::nullopt;
        scale && scale->size() != 1)
      return Verdict::no(
          {"its input has {} scales: the kernel takes one and fails", {}, {static_cast<double>(scale->size())}, 1});
  return Verdict::yes();
}
inline Verdict joined_qparams(const KernelView& v) {
  return fails_if(v.has_joined_qparams(), "parts of its input have different q-params");
}

/// The zero point of a dequantizer, 0 if it states none; nullopt if it is computed.
inline std::optional<std::int64_t> stated_zero_point(const Node& dequantize) {
  if (dequantize.input(2) == nullptr) return 0;
  const std::optional<Tensor> given = constant_input(dequantize, 2);
  return given && given->size() == 1 ? std::optional(given->to<std::int64_t>()[0]) : std::nullopt;
}

/// Whether a tensor has the zero point 0 when it is quantized as the target needs it.
inline bool will_have_zero_point_zero(const Value& x, const Target& target) {
  if (target.zero_points != ZeroPoints::free) return true;
  return is_unsigned_integer(target.activation) && (made_by(x, "Relu") != nullptr || made_by(x, "Sigmoid") != nullptr);
}
inline Verdict input_zero_point(const KernelView& v) {
  if (v.target.zero_points == ZeroPoints::free && !v.kernel.has(KernelQuirk::zero_point_zero)) return Verdict::yes();
  for (std::size_t i = 0; i < v.operands().size(); ++i) {
    const Node* const dequantize = v.operands()[i];
    if (dequantize != nullptr ? stated_zero_point(*dequantize) == 0
                              : will_have_zero_point_zero(*v.node.input(v.first_operand() + i), v.target))
      continue;
    return Verdict::no(dequantize != nullptr ? "the zero point of its input is not 0"
                                             : "the zero point of its input would not be 0");
  }
  return Verdict::yes();
}

inline Verdict no_kernel_for(const KernelView& v, DType dtype) {
  if (v.kernel.takes(dtype)) return Verdict::yes();
  return Verdict::no({"there is no integer kernel for {name}", {}, {}, 0, to_string(dtype)});
}

inline bool is_pointwise(const Value& weight) {
  const Shape shape = weight.shape();
  for (std::size_t axis = 2; axis < shape.rank(); ++axis)
    if (!shape[axis].known() || shape[axis].value() != 1) return false;
  return true;
}
inline bool is_in_blocks(const KernelView& v) {
  return v.weight() != nullptr && v.weight()->attribute("block_size") != nullptr;
}
inline bool fits(const LackedDTypes& entry, const KernelView& v, DType weight) {
  using Weight = LackedDTypes::Weight;
  const bool is_alike = (entry.activation == DType::undefined || entry.activation == v.dtype()) &&
                        (entry.weight == DType::undefined || entry.weight == weight);
  if (!is_alike || entry.form == Weight::any) return is_alike && !is_in_blocks(v);
  return is_in_blocks(v) && (entry.form == Weight::blocks || is_pointwise(*v.weight()->input(0)));
}
/// What the kernel lacks of the dtypes of operands and weight; nullptr if it takes them, or has no entry for them.
inline const LackedDTypes* lacked_dtypes(const KernelView& v) {
  if (v.kernel.lacks_dtypes.empty() || v.operands().empty() || v.operands().front() == nullptr) return nullptr;
  const DType weight = v.weight() != nullptr ? quantized_dtype(*v.weight()) : DType::i8;
  const bool takes = v.is_weighted() ? v.kernel.takes(v.dtype(), weight) : v.kernel.takes(v.dtype());
  if (takes && !is_in_blocks(v)) return nullptr;
  const auto& known = v.kernel.lacks_dtypes;
  const auto found = std::ranges::find_if(known, [&](const LackedDTypes& entry) { return fits(entry, v, weight); });
  return found != known.end() ? &*found : nullptr;
}
/// Of what moves values: its q-params go on behind it, and must be known there.
inline Verdict moved_qparams(const KernelView& v) {
  const Verdict no = Verdict::no("its input has no constant q-params of a whole tensor");
  if (!v.is_planned()) return v.is_quantized_early() || v.moved_qparams() ? Verdict::yes() : no;
  for (const Node* const operand : v.operands())
    if (operand != nullptr && !qparams_of(*operand)) return no;
  return Verdict::yes();
}
/// Of runtimes that move another dtype in float alone, and take away quantizers alike: placement keeps them apart.
inline Verdict moved_dtype(const KernelView& v) {
  if (!v.is_planned() && v.stage != ConditionStage::placed && lacked_dtypes(v) != nullptr) return Verdict::yes();
  if (!v.is_planned() && v.stage != ConditionStage::placed)
    return no_kernel_for(v,
                         v.is_quantized_early() ? dtype_before(*v.result().user, v.target) : v.moved_qparams()->dtype);
  if (v.stage == ConditionStage::placed && bits(v.target.activation) != 8) return Verdict::yes();
  const Verdict verdict = no_kernel_for(v, dtype_seen(v.target));
  if (!verdict || v.stage != ConditionStage::planned) return verdict;
  for (const Node* const operand : v.operands())
    if (const std::optional<QParams> q = operand != nullptr ? qparams_of(*operand) : std::nullopt;
        q && !v.kernel.takes(q->dtype))
      return no_kernel_for(v, q->dtype);
  return Verdict::yes();
}

/// Of those that take any number.
inline Verdict further_operands(const KernelView& v) {
  return fails_if(v.kernel.has(KernelQuirk::exact_operands) && v.node.input_count() > v.operand_end(),
                  "its integer kernel takes fewer operands");
}

inline Verdict dtypes_differ(const KernelView& v) {
  for (const Node* const operand : v.operands()) {
    const DType dtype = dtype_behind(*operand, v.target);
    if (dtype == v.dtype() || (v.kernel.has(KernelQuirk::mixes_dtypes) && v.kernel.takes(dtype))) continue;
    return v.no("its inputs are " + std::string(to_string(v.dtype())) + " and " + std::string(to_string(dtype)));
  }
  return Verdict::yes();
}

/// Weights are quantized later than pairs are placed.
inline Verdict lacked_dtypes(const KernelView& v, Lacking then, std::string_view what) {
  const bool is_asked = v.stage == ConditionStage::placed ? !v.is_weighted() : !v.is_float();
  const LackedDTypes* const found = is_asked ? lacked_dtypes(v) : nullptr;
  if (found == nullptr || found->then != then) return Verdict::yes();
  const std::string weight =
      v.weight() != nullptr ? " with weights of " + std::string(to_string(quantized_dtype(*v.weight()))) : "";
  return v.no("its kernel takes no " + std::string(to_string(v.dtype())) + weight +
              (is_in_blocks(v) ? " in blocks" : "") + std::string(what));
}
inline Verdict dtypes_refused(const KernelView& v) {
  return lacked_dtypes(v, Lacking::refused, ": the runtime refuses the model");
}
inline Verdict dtypes_left_out(const KernelView& v) {
  return lacked_dtypes(v, Lacking::left_out, ": the backend leaves it out");
}
inline Verdict dtypes_miscomputed(const KernelView& v) {
  return lacked_dtypes(v, Lacking::miscomputed, ": the runtime computes something else");
}
inline Verdict blocks_in_float(const KernelView& v) {
  return is_in_blocks(v) ? lacked_dtypes(v, Lacking::in_float, "") : Verdict::yes();
}

/// Where other dtypes are not computed in float.
inline Verdict planned_dtype(const KernelView& v) {
  return v.kernel.lacks_dtypes.empty() ? Verdict::yes() : no_kernel_for(v, v.target.activation);
}
/// What a kernel lacks, another row says.
inline Verdict operand_dtype(const KernelView& v) {
  const LackedDTypes* const lacked = lacked_dtypes(v);
  return lacked != nullptr && lacked->then != Lacking::in_float ? Verdict::yes() : no_kernel_for(v, v.dtype());
}

}  // namespace graft::inline v1::detail::checks
