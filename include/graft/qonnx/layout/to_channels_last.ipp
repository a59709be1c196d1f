#pragma once
#include <graft/qonnx/layout/to_channels_last.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/cleanup/fold_transpose_into_quantized_constant.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/detail/transposes.hpp>
#include <graft/qonnx/layout/absorb_transposes.hpp>
#include <graft/qonnx/layout/sink_transposes.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/simplify/dead_code.hpp>
#include <graft/simplify/fold_constants.hpp>
#include <graft/simplify/no_op.hpp>
#include <graft/surgery/shapes.hpp>
#include <graft/vocabulary/batch_normalization.hpp>

namespace graft::inline v1::qonnx {
namespace detail {

/// Whether a channels-last form of the operator exists.
inline Verdict goes_channels_last(const Node& node) {
  if (is_op(node, "QuantAvgPool2d")) {
    const std::string layout = node.attr<std::string>("data_layout").value_or("NCHW");
    return layout == "NCHW" ? Verdict::yes() : not_concerned();
  }
  if (!node.is("Conv") && !node.is("MaxPool") && !node.is("BatchNormalization")) return not_concerned();
  if (node.is("BatchNormalization")) {
    if (node.opset() < 7) return Verdict::no("it needs opset 7");
    if (node.attr<std::int64_t>("training_mode").value_or(0) != 0) return Verdict::no("it is in training");
    for (std::size_t i = 1; i < node.input_count(); ++i) {  // before opset 9 they may be of a channel's shape
      const Shape parameter = node.input(i)->shape();
      if (node.attr<std::int64_t>("spatial").value_or(1) == 0 || (parameter.known() && parameter.rank() != 1))
        return Verdict::no("its parameters are not one number a channel");
    }
  }
  if (!vocabulary::has_one_output(node)) return Verdict::no("it has a second output");
  if (node.is("MaxPool") && node.attr<std::int64_t>("storage_order").value_or(0) != 0)
    return Verdict::no("it counts columns first");
  return Verdict::yes();
}

/// The node's default attributes, written out: there is no schema of the new domain from which readers could get them.
inline Attributes unwritten_attributes(const Node& node, std::size_t rank) {
  Attributes attributes;
  const auto write = [&](std::string_view name, const auto& value) {
    if (node.attribute(name) == nullptr) attributes.emplace_back(name, value);
  };
  if (node.is("BatchNormalization")) {
    for (const char* const name : {"epsilon", "momentum"}) write(name, node.attr<float>(name).value());
    return attributes;
  }
  const std::size_t spatial = rank - 2;
  const bool is_conv = node.is("Conv");
  if (const auto dims = is_conv ? node.input(1)->shape().dims() : std::nullopt)
    write("kernel_shape", Ints(dims->begin() + 2, dims->end()));
  write("strides", Ints(spatial, 1));
  if (is_conv || node.opset() >= 10) write("dilations", Ints(spatial, 1));
  write("pads", Ints(2 * spatial, 0));
  if (is_conv) write("group", std::int64_t{1});
  return attributes;
}

inline bool has_attribute(const onnx::NodeProto& payload, std::string_view name) {
  return std::ranges::any_of(payload.attribute(), [&](const auto& each) { return each.name() == name; });
}

/// Converts auto_pad to pads, because readers of the new domain support only these. Returns false if that needs unknown
/// extents.
inline bool write_pads(const Node& node, std::size_t rank, onnx::NodeProto& payload) {
  const std::string how = node.attr<std::string>("auto_pad").value_or("NOTSET");
  const auto is_about_pads = [&](const onnx::AttributeProto& attribute) {
    return attribute.name() == "auto_pad" || (how != "NOTSET" && attribute.name() == "pads");
  };
  auto& attributes = *payload.mutable_attribute();
  attributes.erase(std::remove_if(attributes.begin(), attributes.end(), is_about_pads), attributes.end());
  if (how == "NOTSET") return true;
  const std::size_t spatial = rank - 2;
  Ints pads(2 * spatial, 0);
  if (how != "VALID") {
    const auto image = node.input(0)->shape().dims();
    Ints kernel = node.attr<Ints>("kernel_shape").value_or(Ints());
    if (const auto weight = node.is("Conv") ? node.input(1)->shape().dims() : std::nullopt; weight && kernel.empty())
      kernel.assign(weight->begin() + 2, weight->end());
    const Ints strides = node.attr<Ints>("strides").value_or(Ints(spatial, 1)),
               dilations = node.attr<Ints>("dilations").value_or(Ints(spatial, 1));
    if (!image || kernel.size() != spatial || strides.size() != spatial || dilations.size() != spatial) return false;
    for (std::size_t i = 0; i < spatial; ++i) {
      const std::int64_t extent = (*image)[i + 2], outputs = (extent + strides[i] - 1) / strides[i],
                         covered = (outputs - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1,
                         total = std::max<std::int64_t>(covered - extent, 0), less = total / 2;
      pads[i] = how == "SAME_LOWER" ? total - less : less;
      pads[i + spatial] = total - pads[i];
    }
  }
  *payload.add_attribute() = Attribute("pads", pads).proto();
  return true;
}

}  // namespace detail

GRAFT_INLINE Pass insert_channels_last() {
  const Pass sweep = detail::node_sweep("insert_channels_last", [](Node& node, Rewriter& rewriter) {
    if (Verdict goes = detail::goes_channels_last(node); !goes) return goes;
    const bool is_pool = !node.domain().empty();
    const Shape shape = node.input(0)->shape();
    std::size_t rank = shape.rank();
    if (rank == 0 && node.is("Conv")) rank = node.input(1)->shape().rank();
    if (node.is("BatchNormalization") && rank == 2) return detail::not_concerned();
    if (rank != 4 && (rank != 3 || is_pool)) return Verdict::no("its input is not known to be of rank 3 or 4");
    Model& model = node.graph().model();
    onnx::NodeProto payload = node.proto();
    if (!is_pool) {
      if (model.opset(channels_last_domain) == 0) model.set_opset(model.opset(), channels_last_domain);
      payload.set_domain(std::string(channels_last_domain));
      if (!node.is("BatchNormalization") && !detail::write_pads(node, rank, payload))
        return Verdict::no("its auto_pad takes extents of its input that are not known");
      for (const Attribute& attribute : detail::unwritten_attributes(node, rank))
        if (!detail::has_attribute(payload, attribute.name())) *payload.add_attribute() = attribute.proto();
    }
    const Ints to_last = detail::channels_to_last(rank);
    std::vector<Value*> inputs(node.inputs().begin(), node.inputs().end());
    inputs[0] = &detail::transposed_for(node, *inputs[0], to_last, rewriter);
    if (node.is("Conv")) inputs[1] = &detail::transposed_for(node, *inputs[1], to_last, rewriter);
    Node& last = is_pool ? detail::clone_with(node, inputs, {{"data_layout", "NHWC"}}, rewriter)
                         : rewriter.node_from(std::move(payload), inputs, 1, &node);
    Value& result = rewriter.op("Transpose", {last.output(0)}, {{"perm", detail::channels_to_first(rank)}});
    return rewriter.replace(*node.output(0), result);
  });
  return around(sweep, [](const Pass& inner, Graph& graph, Context& context) {
    const bool is_imported = graph.model().opset(channels_last_domain) != 0;
    Report report = inner.run(graph, context);
    if (!is_imported) graph.model().drop_unused_opset(channels_last_domain);  // of a reverted edit
    return report;
  });
}

GRAFT_INLINE Pass to_channels_last(ChannelsLast signature) {
  const Pass count = pass("count_transposes", [](Graph& graph, Context&) {
                       Report report;
                       std::size_t left = 0;
                       for (const Graph* const scope : scopes_of(graph))
                         for (const Node& node : scope->nodes()) left += node.is("Transpose") ? 1 : 0;
                       report.notes.push_back(std::to_string(left) + " Transposes remain");
                       return report;
                     }).preserves_all();
  Pass steps = eliminate_dead_code() | insert_channels_last();  // first removes unread indices, which would prevent it
  if (signature.inputs || signature.outputs)
    steps = graft::convert_to_channels_last(std::move(signature)).preserves_all() | steps;
  steps |= sink_transposes() | absorb_transposes() | fixpoint(remove_transpose) |
           fold_transpose_into_quantized_constant() | fold_constants() | eliminate_dead_code() | graft::infer_shapes() |
           count;
  return detail::knowing_qonnx(steps).named("to_channels_last");
}

}  // namespace graft::inline v1::qonnx
