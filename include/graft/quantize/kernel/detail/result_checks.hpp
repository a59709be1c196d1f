#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/parse_double.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/detail/branch_lengths.hpp>
#include <graft/quantize/detail/kernel_limits.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/kernel/activation.hpp>
#include <graft/quantize/kernel/bounds.hpp>
#include <graft/quantize/kernel/condition.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/detail/operand_checks.hpp>

// The checks of the table that are about the readers of a kernel, and what it computes of its attributes.
namespace graft::inline v1::detail::checks {

/// The first result that is not quantized, that the kernel does not give in float, and that fails: check(chain).
template <class Check>
Verdict each_unquantized(const KernelView& v, Check check) {
  if (!v.looks_at_results()) return Verdict::yes();
  for (const OutputChain& chain : v.results()) {
    if (v.is_quantized(chain) || v.gives_float(chain)) continue;
    if (const Verdict verdict = check(chain); !verdict) return verdict;
  }
  return Verdict::yes();
}
inline Verdict waits(const KernelView& v) {
  if (!v.looks_at_results()) return Verdict::yes();
  for (const OutputChain& chain : v.results())
    if (v.gives_float(chain) && waits_for_quantizer(chain, v.target))
      return v.no(std::string(chain.activations.front()->op_type()) + " stands behind it");
  return Verdict::yes();
}
/// What a backend leaves out rather than compute it in float.
inline Verdict needs_quantizer(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::needs_quantizer) || v.is_float()) return Verdict::yes();
  const bool is_taken = v.is_quantized(v.result()) && fuses(v.result(), v.target);
  return fails_if(!is_taken, "no quantizer stands behind it: the backend leaves it out");
}
inline Verdict graph_output(const KernelView& v) {
  return each_unquantized(v, [&](const OutputChain& chain) {
    if (chain.end != OutputChain::End::graph_output) return Verdict::yes();
    return v.no(quoted(*chain.last) + " is an output of the graph");
  });
}
inline Verdict several_users(const KernelView& v) {
  return each_unquantized(v, [&](const OutputChain& chain) {
    if (chain.end != OutputChain::End::several_users) return Verdict::yes();
    return v.no(quoted(*chain.last) + " has " + std::to_string(chain.last->use_count()) + " users");
  });
}
inline bool ends_at_operator(const OutputChain& chain) {
  return chain.end != OutputChain::End::graph_output && chain.end != OutputChain::End::several_users;
}
inline bool ends_at_activation(const OutputChain& chain) {
  return ends_at_operator(chain) && chain.user != nullptr && activation(*chain.user) != nullptr;
}
inline Verdict activation_unsupported(const KernelView& v) {
  return each_unquantized(v, [&](const OutputChain& chain) {
    if (!ends_at_activation(chain)) return Verdict::yes();
    return v.no("the runtime does not fuse " + std::string(chain.user->op_type()));
  });
}
inline Verdict output_not_quantized(const KernelView& v) {
  return each_unquantized(v, [](const OutputChain& chain) {
    return fails_if(ends_at_operator(chain) && !ends_at_activation(chain), "its output is not quantized");
  });
}

inline Verdict output_list(const KernelView& v) {
  return fails_if(v.kernel.has(KernelQuirk::refuses_lists) && v.is_quantized(v.result()) && is_list(v.result().user),
                  "the scale of its output is not a scalar: the runtime refuses it");
}
inline Verdict output_scales(const KernelView& v) {
  const OutputChain& y = v.result();
  const std::optional<Tensor> scale = v.is_quantized(y) ? constant_input(*y.user, 1) : std::nullopt;
  if (!scale || scale->size() == 1) return Verdict::yes();
  return Verdict::no(
      {"its output has {} scales: the kernel takes one and fails", {}, {static_cast<double>(scale->size())}, 1});
}

/// Whether a quantized result is of a dtype that the kernel gives: that of its operands, unless it has its own.
inline Verdict dtype_mismatch(const KernelView& v) {
  if (!v.is_quantized(v.result())) return Verdict::yes();
  const DType x = v.dtype(), y = dtype_before(*v.result().user, v.target);
  const auto& given = v.kernel.output_dtypes;
  const bool fits = given.empty() ? x == y : std::find(given.begin(), given.end(), y) != given.end();
  if (fits) return Verdict::yes();
  return v.no("its input is " + std::string(to_string(x)) + ", its output " + std::string(to_string(y)));
}

inline Verdict output_zero_point(const KernelView& v) {
  if (v.target.zero_points == ZeroPoints::free || !v.is_quantized(v.result())) return Verdict::yes();
  return fails_if(stated_zero_point(*v.result().user) != 0, "the zero point of its output is not 0");
}

/// Whether integers come out of the kernel, as which it must fit the next node.
inline bool ends_in_integers(const KernelView& v, const OutputChain& chain) {
  if (!v.is_quantized(chain)) return false;
  return v.moves_values() || v.stage == ConditionStage::placed || (dtype_mismatch(v) && output_zero_point(v));
}
/// The q-params of the result, where integers come out.
inline std::optional<QParams> result_qparams(const KernelView& v) {
  return ends_in_integers(v, v.result()) ? qparams_of(*v.result().user) : std::nullopt;
}

inline Verdict shared_qparams_differ(const KernelView& v) {
  if (!ends_in_integers(v, v.result())) return Verdict::yes();
  const std::optional<QParams> y = result_qparams(v);
  const bool are_same =
      y && std::ranges::all_of(v.operands(), [&](const Node* operand) { return qparams_of(*operand) == y; });
  return fails_if(!are_same, "its inputs and its output have different q-params");
}
inline bool has_moved_qparams(const KernelView& v) {
  for (const OutputChain& y : v.results())
    if (v.is_quantized(y) && qparams_seen(*y.user, dtype_before(*y.user, v.target)) != v.moved_qparams()) return false;
  return true;
}
inline Verdict assumed_qparams(const KernelView& v) {
  return fails_if(v.kernel.has(KernelQuirk::assumes_one_qparams) && !has_moved_qparams(v),
                  "its output has other q-params than its input: the runtime computes something else");
}
inline Verdict moved_qparams_differ(const KernelView& v) {
  if (v.kernel.has(KernelQuirk::requantizes) || v.kernel.has(KernelQuirk::assumes_one_qparams)) return Verdict::yes();
  if (!v.looks_at_results()) return Verdict::yes();
  for (const OutputChain& y : v.results())
    if (v.is_quantized(y) && qparams_seen(*y.user, dtype_before(*y.user, v.target)) != v.moved_qparams())
      return Verdict::no("its input and its output have different q-params");
  return Verdict::yes();
}

inline std::string activation_text(const OutputChain& chain) {
  const Node& last = *chain.activations.back();
  const std::optional<QParams> q = qparams_of(*chain.user);
  const std::optional<Range> limits = bounds(last);
  const std::string op(last.op_type());
  if (!q || !limits) return op + " stays in front of the QuantizeLinear";
  const float beyond = overhang(*q, *limits);
  if (beyond <= 0)
    return op + " stays in front of the QuantizeLinear with " + std::to_string(chain.activations.size()) +
           " activations";
  return "what Q can represent reaches " + shortest_decimal(beyond) + " beyond the bounds of " + op;
}

/// The first result whose activations do not vanish for this reason, if there is one.
inline const OutputChain* unfused(const KernelView& v, std::string_view code) {
  if (!v.looks_at_results()) return nullptr;
  for (const OutputChain& chain : v.results()) {
    if (!ends_in_integers(v, chain)) continue;
    const Verdict verdict = fuses(chain, v.target);
    if (!verdict && verdict.reason().code == code) return &chain;
  }
  return nullptr;
}
inline Verdict near_redundant(const KernelView& v) {
  const OutputChain* const chain = unfused(v, "near_redundant");
  return chain == nullptr ? Verdict::yes() : v.no(activation_text(*chain) + ": the runtime refuses the model");
}
inline Verdict activations_in_a_row(const KernelView& v) {
  const OutputChain* const chain = unfused(v, "activations_in_a_row");
  if (chain == nullptr) return Verdict::yes();
  return v.no("of the " + std::to_string(chain->activations.size()) + " activations behind it " +
              std::to_string(v.target.fused_in_a_row) + " are fused: its output is float");
}
inline Verdict activation_not_redundant(const KernelView& v) {
  const OutputChain* const chain = unfused(v, "activation_not_redundant");
  return chain == nullptr ? Verdict::yes() : v.no(activation_text(*chain));
}

/// What makes a tensor that goes through a pair to this operand, and nowhere else; nullptr if there is none.
inline const Node* sole_source(const Value& operand) {
  const Node* const dequantize = operand.use_count() == 1 ? operand.producer() : nullptr;
  const Node* const quantize =
      dequantize != nullptr && is_dequantize(*dequantize) ? paired_quantize(*dequantize) : nullptr;
  const bool is_sole =
      quantize != nullptr && quantize->output(0)->use_count() == 1 && quantize->input(0)->use_count() == 1;
  return is_sole ? quantize->input(0)->producer() : nullptr;
}
/// The operator that reads a result through a pair that serves nothing else, and what it reads.
struct ReaderBehindPair {
  const Node* node = nullptr;
  const Value* operand = nullptr;
};
inline ReaderBehindPair reader_behind_pair(const KernelView& v, const OutputChain& chain) {
  const Value& codes = *chain.user->output(0);
  const Node* const dequantize = codes.use_count() == 1 ? codes.uses().front().user() : nullptr;
  if (dequantize == nullptr || !is_dequantize(*dequantize) || !has_result(*dequantize)) return {};
  const Value& operand = *dequantize->output(0);
  if (sole_source(operand) != chain.last->producer() || operand.is_graph_output()) return {};
  const Node* const reader = operand.uses().front().user();
  return &reader->graph() == &v.node.graph() && fuses_reader(*reader, operand, v.target)
             ? ReaderBehindPair{reader, &operand}
             : ReaderBehindPair();
}
/// The sum that the runtime would fuse with the kernel, were the pair between them not there. Of two kernels it is the
/// first.
inline const Node* sum_behind_pair(const KernelView& v, const OutputChain& chain) {
  const ReaderBehindPair reader = reader_behind_pair(v, chain);
  const Value* const other = reader.node != nullptr ? other_branch(*reader.node, *reader.operand, v.target) : nullptr;
  if (other == nullptr || !v.is_dequantized(*other)) return nullptr;
  const Node* const first = reader.node->input(0) == other ? sole_source(*other) : nullptr;
  const bool is_of_first = first != nullptr && (integer_kernel(*first, v.target) != nullptr ||
                                                fused_activation(*first, v.target) != nullptr);
  return is_of_first ? nullptr : reader.node;
}
inline Verdict pairs_on_both_branches(const KernelView& v) {
  if (!v.target.has(Quirk::pairs_on_one_branch)) return Verdict::yes();
  for (const OutputChain& chain : v.results()) {
    if (!v.is_quantized(chain) || chain.activations.size() >= v.target.fused_in_a_row) continue;
    if (const Node* const sum = sum_behind_pair(v, chain))
      return v.no("'" + display_name(*sum) + "' behind it reads pairs on both branches: it is not fused");
  }
  return Verdict::yes();
}
/// Where pairs stand on inputs of kernels alone.
inline Verdict split_chain(const KernelView& v) {
  if (!v.target.has(Quirk::pairs_on_inputs) || !v.kernel.fuses_activations()) return Verdict::yes();
  for (const OutputChain& chain : v.results()) {
    if (!v.is_quantized(chain)) continue;
    const ReaderBehindPair reader = reader_behind_pair(v, chain);
    if (reader.node != nullptr && other_branch(*reader.node, *reader.operand, v.target) == nullptr)
      return v.no("'" + display_name(*reader.node) + "' behind it reads a pair: it is not fused");
  }
  return Verdict::yes();
}
/// A sum that is fused with the kernel whose result is the nearer branch, where another kernel makes the other.
inline Verdict nearer_branch(const KernelView& v) {
  if (!v.target.has(Quirk::pairs_on_one_branch)) return Verdict::yes();
  for (const OutputChain& chain : v.results())
    for (const Value* const branch : chain.branches) {
      const Node* const sum = branch->uses().front().user();
      const Value* const from_kernel = branch->has_one_use() ? other_operand(*sum, *branch) : nullptr;
      const Node* const other = from_kernel != nullptr ? sole_source(*branch) : nullptr;
      const bool is_of_other = other != nullptr && (integer_kernel(*other, v.target) != nullptr ||
                                                    fused_activation(*other, v.target) != nullptr);
      if (is_of_other && is_longer_branch(*branch, *from_kernel))
        return v.no("'" + display_name(*sum) + "' behind it reads a pair on the branch with more operators");
    }
  return Verdict::yes();
}
inline Verdict branch_in_float(const KernelView& v) {
  if (!v.target.has(Quirk::pairs_on_one_branch)) return Verdict::yes();
  for (const OutputChain& chain : v.results()) {
    if (!v.is_quantized(chain)) continue;
    for (const Value* const branch : chain.branches)
      if (!v.is_dequantized(*branch)) return v.no(quoted(*branch) + " on the other branch is not dequantized");
  }
  return Verdict::yes();
}

/// What dequantizes an activation that a node reads; nullptr if nothing does.
inline const Node* activation_dequantizer(const Value* operand) {
  const Node* const dequantize = operand != nullptr ? operand->producer() : nullptr;
  const bool is_of_activation = dequantize != nullptr && is_dequantize(*dequantize) &&
                                dequantize->input(0) != nullptr && !dequantize->input(0)->is_constant();
  return is_of_activation ? dequantize : nullptr;
}
inline bool has_equal_pairs(const KernelView& v) {
  std::vector<std::optional<QParams>> found;
  for (const Value* const input : v.node.inputs())
    if (const Node* const dequantize = activation_dequantizer(input)) found.push_back(qparams_of(*dequantize));
  if (v.is_quantized(v.result())) found.push_back(qparams_of(*v.result().user));
  return std::ranges::adjacent_find(found, std::not_equal_to<>()) == found.end();
}
/// Quantizers that the runtime moves if they have one scale: those of one tensor, and those around a Concat.
inline Verdict scales_differ(const KernelView& v) {
  if (!v.target.has(Quirk::pairs_on_inputs) || !has_result(v.node)) return Verdict::yes();
  if (v.node.is("Concat"))
    return fails_if(!has_equal_pairs(v), "quantizers around it have several scales: they are not moved past it");
  if (!is_quantize(v.node) || v.node.input(0) == nullptr) return Verdict::yes();
  for (const Use& use : v.node.input(0)->uses()) {
    const Node* const other = use.is_graph_output() ? nullptr : use.user();
    if (other != nullptr && other != &v.node && is_quantize(*other) && qparams_of(*other) != qparams_of(v.node))
      return v.no(quoted(*v.node.input(0)) + " is quantized with other scales, too: neither is moved");
  }
  return Verdict::yes();
}
/// A Cast between floats, of which scales of the other dtype make a quantizer's own.
inline Verdict cast_beside_pair(const KernelView& v) {
  const Value* const x = v.node.input(0);
  if (!v.target.has(Quirk::pairs_on_inputs) || !v.node.is("Cast") || !has_result(v.node)) return Verdict::yes();
  if (x == nullptr || x->is_graph_input()) return Verdict::yes();
  const Value& y = *v.node.output(0);
  if (!is_float(x->dtype()) || !is_float(y.dtype()) || y.is_graph_output()) return Verdict::yes();
  const bool is_behind = x->producer() != nullptr && is_dequantize(*x->producer());
  const bool is_in_front = y.use_count() != 0 && std::ranges::all_of(y.uses(), [](const Use& use) {
                             return is_quantize(*use.user());
                           });
  return fails_if(is_behind || is_in_front, "it stands between a quantizer and an operator: they are not fused");
}
/// Sums and products of tensors compute in integers if all of them are dequantized, and the result is quantized.
inline Verdict pair_in_float(const KernelView& v) {
  if (!v.target.has(Quirk::pairs_on_inputs) || is_quantizer(v.node) || !has_result(v.node)) return Verdict::yes();
  if (lets_quantizers_pass(v.node, v.target)) return Verdict::yes();
  const auto is_dequantized = [](const Value* input) { return activation_dequantizer(input) != nullptr; };
  if (std::ranges::none_of(v.node.inputs(), is_dequantized)) return Verdict::yes();
  const bool ends_in_pair = v.is_quantized(v.result()), joins = v.node.is("Concat");
  const bool are_all = std::ranges::all_of(v.node.inputs(), is_dequantized);
  const bool is_sum = v.node.is_any_of({"Add", "Mul", "Sum"});
  if ((joins && (are_all || ends_in_pair)) || (is_sum && are_all && ends_in_pair)) return Verdict::yes();
  return Verdict::no("it computes in float what a pair in front of it quantizes");
}

inline Verdict lowest_zero_point(const KernelView& v) {
  const std::optional<QParams> q = v.kernel.has(KernelQuirk::lowest_zero_point) ? result_qparams(v) : std::nullopt;
  return fails_if(q && q->dtype == DType::i8 && q->zero_point != q->lowest(),
                  "the zero point of its output is not -128: the runtime computes something else");
}
/// The axis of a node, by its attribute or by its second input.
inline std::optional<std::int64_t> given_axis(const Node& node) {
  if (!node.is("CumSum")) return node.attr<std::int64_t>("axis");
  const std::optional<Tensor> axis = constant_input(node, 1);
  return axis && axis->size() == 1 ? std::optional(axis->to<std::int64_t>()[0]) : std::nullopt;
}
inline Verdict last_axis(const KernelView& v) {
  const bool is_asked = v.kernel.has(KernelQuirk::last_axis) && (v.is_planned() || bits(v.dtype()) == 8);
  if (!is_asked) return Verdict::yes();
  const std::int64_t axis = given_axis(v.node).value_or(-1);
  const auto rank = static_cast<std::int64_t>(v.node.input(0)->shape().rank());
  return fails_if(axis != -1 && axis != rank - 1,
                  "it is along another axis than the last: the runtime computes something else");
}
/// Behind a product, which puts the channels last, a slope for each channel lies along the last axis.
inline Verdict channel_slope(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::refuses_channel_slope)) return Verdict::yes();
  if (bits(v.is_planned() ? v.target.activation : v.dtype()) != 16) return Verdict::yes();
  const Node* const dequantize = v.operands().front();
  const Node* const quantize = dequantize != nullptr ? paired_quantize(*dequantize) : nullptr;
  const Value& x = quantize != nullptr ? *quantize->input(0) : *v.node.input(0);
  const Node* const producer = x.producer();
  const bool has_channels_last = producer != nullptr && (producer->is("Conv") || producer->is("ConvTranspose"));
  const Shape slope = v.node.input(1)->shape();
  bool lies_along_last = true;
  for (std::size_t i = 0; i + 1 < slope.rank(); ++i)
    lies_along_last = lies_along_last && slope[i].known() && slope[i].value() == 1;
  return fails_if(!has_channels_last && !lies_along_last,
                  "its slopes are along channels: the runtime refuses the model");
}

/// The range of the result of a planned node on samples; nullptr if it is not known.
inline const Range* planned_results(const KernelView& v) {
  const bool is_asked = v.planned != nullptr && v.kernel.unsaturated_up_to != 0;
  const Range* const range = is_asked ? v.planned->range(*v.node.output(0)) : nullptr;
  return range != nullptr && !range->empty() ? range : nullptr;
}
/// The extent of a Softmax may be a symbol: then it is over one element if all its results are 1.
inline Verdict lost_one(const KernelView& v) {
  const Range* const results = planned_results(v);
  const bool was_of_one = results != nullptr && results->min >= v.kernel.unsaturated_up_to;
  return fails_if(v.kernel.unsaturated_up_to != 0 && (was_of_one || is_softmax_of_one(v.node)),
                  "a result of 1 is lost: its kernel does not saturate");
}
inline Verdict far_below(const KernelView& v) {
  const Range* const results = planned_results(v);
  return fails_if(results != nullptr && results->max < v.kernel.unsaturated_up_to / 8,
                  "its results are far below 1, up to which they must be quantized: its kernel does not saturate");
}
inline Verdict lost_above(const KernelView& v) {
  const std::optional<QParams> q = v.kernel.unsaturated_up_to != 0 ? result_qparams(v) : std::nullopt;
  if (!q || q->range().max + q->scale / 2 >= v.kernel.unsaturated_up_to) return Verdict::yes();
  return v.no("results above " + shortest_decimal(q->range().max) + " are lost: its kernel does not saturate");
}

/// As it reads in decimal.
inline double shortest(double number) {
  parse_double(shortest_decimal(static_cast<float>(number)), number);
  return number;
}
inline Verdict scale_ratio(const KernelView& v) {
  if (v.kernel.scale_ratio == 0) return Verdict::yes();
  // 0 if it is not known.
  const auto scale = [&](const Value& value, const std::optional<QParams>& q) -> double {
    if (v.is_planned()) return v.planned != nullptr ? v.planned->scale(value) : 0;
    return q ? q->scale : 0;
  };
  const double y = scale(*v.node.output(0), v.is_planned() ? std::nullopt : result_qparams(v));
  for (std::size_t i = 0; i < v.operands().size(); ++i) {
    const Node* const operand = v.operands()[i];
    const double x =
        scale(*v.node.input(v.first_operand() + i), operand != nullptr ? qparams_of(*operand) : std::nullopt);
    if (x == 0 || y == 0 || is_scale_ratio_in_reach(v.node, v.kernel, x, y)) continue;
    return Verdict::no({"the scales of its input and its output, {} and {}, are too far apart: its kernel fails, or "
                        "computes something else",
                        {},
                        {shortest(x), shortest(y)},
                        2});
  }
  return Verdict::yes();
}

inline std::string attribute_text(const AttributeCondition& condition) {
  return std::string(condition.name) + (condition.text.empty() ? "" : "=" + std::string(condition.text));
}
/// Fails if the integer kernel lacks attributes of the node, and the runtime does this then.
inline Verdict lacked(const KernelView& v, Lacking then, std::string_view what) {
  const LackedAttributes* const found = v.is_quantized_early() ? nullptr : lacked_attributes(v.node, v.kernel);
  if (found == nullptr || found->then != then) return Verdict::yes();
  if (v.is_planned()) return Verdict::no({"its integer kernel lacks its {name}", {}, {}, 0, found->one.name});
  const std::string other = found->other.name.empty() ? "" : " with " + attribute_text(found->other);
  return v.no("its integer kernel has no " + attribute_text(found->one) + other + std::string(what));
}
inline Verdict attribute_in_float(const KernelView& v) { return lacked(v, Lacking::in_float, ""); }
inline Verdict attribute_ignored(const KernelView& v) {
  return lacked(v, Lacking::miscomputed, ": the runtime computes something else, or fails");
}
inline Verdict attribute_left_out(const KernelView& v) {
  return lacked(v, Lacking::left_out, ": the backend leaves it out");
}
inline Verdict attribute_refused(const KernelView& v) {
  return lacked(v, Lacking::refused, ": the runtime refuses it");
}
inline Verdict rounds_down(const KernelView& v) {
  const LackedAttributes* const found = v.is_quantized_early() ? nullptr : lacked_attributes(v.node, v.kernel);
  if (found == nullptr || found->then != Lacking::rounded_down) return Verdict::yes();
  return Verdict::no({"its integer kernel rounds down with its {name}", {}, {}, 0, found->one.name});
}

}  // namespace graft::inline v1::detail::checks
