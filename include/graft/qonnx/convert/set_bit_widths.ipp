#pragma once
#include <graft/qonnx/convert/set_bit_widths.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qonnx/convert/detail/node_conversions.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/ops/formats.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// The scales and zero points with which the integers of `after` have the range of those of `before`.
inline void respan(Quantizer& quantizer, const IntegerRange& before, const IntegerRange& after) {
  // Scales and zero points are both those of the whole tensor, or both by channel.
  const bool has_more_scales = quantizer.scale.size() >= quantizer.zero_point.size();
  const Dims dims = has_more_scales ? quantizer.scale.dims() : quantizer.zero_point.dims();
  const std::vector<float> scales = quantizer.scale.to<float>(), zeros = quantizer.zero_point.to<float>();
  const bool is_symmetric = std::ranges::all_of(zeros, [](float zero) { return zero == 0; });
  std::vector<float> new_scales(std::max(scales.size(), zeros.size())), new_zeros(new_scales.size());
  for (std::size_t i = 0; i < new_scales.size(); ++i) {
    const graft::detail::SpanParams params =
        graft::detail::respan({scales[i % scales.size()], zeros[i % zeros.size()]}, {before.min, before.max},
                              {after.min, after.max});
    new_scales[i] = params.scale;
    new_zeros[i] = static_cast<float>(params.zero_point);
  }
  quantizer.scale = Tensor::of<float>(dims, new_scales);
  if (!is_symmetric) quantizer.zero_point = Tensor::of<float>(dims, new_zeros);
}

/// The scales of a bias for this scale of x and these of w; nullopt if it need not change or cannot.
inline std::optional<Quantizer> bias_behind(const Node& product) {
  const auto quantizer_at = [&](std::size_t i) -> std::optional<Quantizer> {
    const Value* const input = i < product.input_count() ? product.input(i) : nullptr;
    const Node* const quant = input != nullptr ? input->producer() : nullptr;
    if (quant == nullptr || !is_quant(*quant) || quant->input_count() != 4) return std::nullopt;
    return quantizer_of(*quant);
  };
  const std::optional<Quantizer> x = quantizer_at(0), w = quantizer_at(1);
  std::optional<Quantizer> bias = quantizer_at(2);
  if (!x || !w || !bias || x->scale.size() != 1) return std::nullopt;
  std::vector<float> scales = w->scale.to<float>();
  for (float& scale : scales) scale *= x->scale.item<float>();
  const Dims dims = scales.size() == 1 ? Dims{} : Dims{static_cast<std::int64_t>(scales.size())};
  bias->scale = Tensor::of<float>(dims, scales);
  return bias;
}

/// Requantizes the bias of each product that reads this tensor.
inline void follow_with_biases(Value& quantized, Rewriter& rewriter) {
  for (Use& use : quantized.uses()) {
    if (use.is_graph_output() || use.index() != 0) continue;
    Node& product = *use.user();
    if (!product.is("Conv") && !product.is("Gemm")) continue;
    const std::optional<Quantizer> quantizer = bias_behind(product);
    if (!quantizer) continue;
    const Node& old = *product.input(2)->producer();
    Value& scale = rewriter.constant(quantizer->scale, old.input(1)->name());
    Node& quant = rewriter.clone(old, {old.input(0), &scale, old.input(2), old.input(3)});
    rewriter.set_input(product.use(2), quant.output(0));
  }
}

inline Verdict set_bit_width(Node& quant, float bits, Rewriter& rewriter) {
  std::optional<Quantizer> quantizer = quantizer_of(quant);
  if (!quantizer) return Verdict::no("its scale, zero point or bit width is not constant");
  if (quantizer->scale.size() == 0 || quantizer->zero_point.size() == 0)
    return Verdict::no("its scale or zero point is empty");
  if (quantizer->bits.size() != 1) return Verdict::no("it has a bit width for each channel");
  const IntegerRange before = integer_range(quantizer->bits.item<float>(), quantizer->is_signed, quantizer->is_narrow);
  const IntegerRange after = integer_range(bits, quantizer->is_signed, quantizer->is_narrow);
  if (!(after.max > 0) || !(before.max > 0)) return Verdict::no("with this few bits, no integer is above 0");
  if (quantizer->scale.size() != 1 && quantizer->zero_point.size() != 1 &&
      quantizer->scale.dims() != quantizer->zero_point.dims())
    return Verdict::no("its scales and zero points are of different axes");
  respan(*quantizer, before, after);
  Value& scale = rewriter.constant(quantizer->scale, quant.input(1)->name());
  Value& zero_point = rewriter.constant(quantizer->zero_point, quant.input(2)->name());
  Value& width = rewriter.constant(Tensor::scalar(bits), quant.input(3)->name());
  Value& result = *rewriter.clone(quant, {quant.input(0), &scale, &zero_point, &width}).output(0);
  const Verdict replaced = rewriter.replace(*quant.output(0), result);
  if (replaced) follow_with_biases(result, rewriter);
  return replaced;
}

}  // namespace detail

GRAFT_INLINE Pass set_bit_widths(std::vector<BitWidth> widths) {
  for (const BitWidth& width : widths)
    if (!(width.bits >= 1 && width.bits <= 32))
      throw Error("a bit width must be between 1 and 32, not " + std::to_string(width.bits))
          .field(width.tensors.text());
  const auto run = [widths = std::move(widths)](Graph& graph, Context& context) {
    std::vector<bool> used(widths.size());
    const auto convert = [&](Node& node, Rewriter& rewriter) -> Verdict {
      if (!is_quant(node) || node.input_count() != 4 || node.input(0) == nullptr || node.input(0)->is_constant())
        return detail::not_concerned();
      std::optional<float> bits;
      for (std::size_t i = 0; i < widths.size(); ++i) {
        const auto matches = [&](const Value* value) {
          return value != nullptr && widths[i].tensors.matches(value->name());
        };
        if (!matches(node.input(0)) && !matches(node.output(0))) continue;
        used[i] = true;
        bits = widths[i].bits;
      }
      if (!bits) return detail::not_concerned();
      const Value* const present = node.input(3);
      if (const std::optional<Tensor> width = present != nullptr ? present->constant() : std::nullopt;
          width && width->size() == 1 && width->to<float>().front() == *bits)
        return detail::not_concerned();
      return detail::set_bit_width(node, *bits, rewriter);
    };
    Report report = detail::convert_nodes("set_bit_widths", convert, "to a step of the new scale").run(graph, context);
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (!used[i]) report.notes.push_back("no Quant is of an activation '" + widths[i].tensors.text() + "'");
    return report;
  };
  return pass("set_bit_widths", run);
}

}  // namespace graft::inline v1::qonnx
