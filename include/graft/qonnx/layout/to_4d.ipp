#pragma once
#include <graft/qonnx/layout/to_4d.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/detail/parameters.hpp>
#include <graft/qonnx/detail/elementwise.hpp>
#include <graft/qonnx/detail/moved_constants.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/detail/quantized_constant.hpp>
#include <graft/qonnx/detail/transposes.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// Adds the fourth axis to the operands and attributes of a node.
class FourthAxis {
 public:
  FourthAxis(Node& node, Rewriter& rewriter) : node_(node), rewriter_(rewriter) {}

  Verdict run() {
    if (!node_.bodies().empty()) return Verdict::no("it has bodies");
    if (is_elementwise(node_)) return widen_elementwise();
    if (is_op(node_, "MultiThreshold")) return widen_thresholds();
    if (!node_.domain().empty()) return Verdict::no("it is not known with four axes");
    constexpr std::array<std::string_view, 5> free{"BatchNormalization", "GlobalAveragePool", "GlobalMaxPool",
                                                   "Dropout", "InstanceNormalization"};
    if (is_any_of(free)) return Verdict::yes();
    if (is_any_of(std::array<std::string_view, 5>{"Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool"}))
      return widen_window();
    if (node_.is("Transpose")) return widen_transpose();
    if (node_.is("Concat") || node_.is("Flatten")) return count_axis_from_front(1);
    if ((node_.is("Softmax") || node_.is("LogSoftmax")) && node_.opset() >= 13) return count_axis_from_front(-1);
    if (node_.is("Pad")) return widen_pad();
    if (node_.is("Reshape")) return widen_reshape();
    if (node_.is("Squeeze") || node_.is("Unsqueeze")) return widen_axes();
    if (node_.is("Resize") || node_.is("Upsample")) return widen_scales();
    if (node_.op_type().starts_with("Reduce")) return widen_reduction();
    return Verdict::no("it is not known with four axes");
  }

  /// Whether the value is one that gets the axis.
  static bool is_widened(const Value* value) {
    return value != nullptr && value->shape().known() && value->shape().rank() == 3 && !is_weight(*value);
  }

 private:
  bool is_any_of(const auto& ops) const { return std::ranges::find(ops, node_.op_type()) != ops.end(); }

  static Tensor with_axis(const Tensor& x) {
    Dims dims = at_rank(x, 3).dims();
    dims.push_back(1);
    return x.reshaped(std::move(dims));
  }

  Verdict widen_operand(std::size_t i) {
    const std::optional<Tensor> contents = contents_of(*node_.input(i));
    if (!contents || contents->rank() > 3) return Verdict::no("an operand has more axes");
    if (contents->size() == 1 && contents->rank() < 3) return Verdict::yes();
    Value* const widened = edited_weight(
        *node_.input(i), [](const Tensor& x, bool) { return std::optional(with_axis(x)); },
        [missing = 3 - std::ssize(contents->dims())](std::int64_t axis) { return axis + missing; }, rewriter_);
    if (widened == nullptr) return Verdict::no("an operand cannot be reshaped");
    rewriter_.set_input(node_.use(i), widened);
    return Verdict::yes();
  }

  Verdict widen_elementwise() {
    if (!is_widened(node_.output(0))) return Verdict::no("it broadcasts to another rank");
    for (std::size_t i = 0; i < node_.input_count(); ++i) {
      const Value* const input = node_.input(i);
      if (input == nullptr || is_widened(input)) continue;
      if (is_weight(*input)) {
        if (Verdict done = widen_operand(i); !done) return done;
      } else if (const auto dims = input->shape().dims(); !dims || element_count(*dims) != 1) {
        return Verdict::no("it broadcasts a computed value");
      }
    }
    return Verdict::yes();
  }

  Verdict widen_thresholds() {
    const std::string layout = node_.attr<std::string>("data_layout").value_or("");
    const std::optional<Tensor> thresholds = node_.input(1)->constant();
    if (layout != "NCW" && (!thresholds || thresholds->rank() != 2 || thresholds->dims()[0] != 1))
      return Verdict::no("its channels are not the second axis");
    rewriter_.set_attribute(node_, {"data_layout", "NCHW"});
    return Verdict::yes();
  }

  void append(std::string_view attribute, std::int64_t number) {
    std::optional<Ints> values = node_.attribute(attribute) != nullptr ? node_.attr<Ints>(attribute) : std::nullopt;
    if (!values) return;
    values->push_back(number);
    rewriter_.set_attribute(node_, {attribute, *values});
  }

  Verdict widen_window() {
    if (node_.is("Conv") || node_.is("ConvTranspose")) {
      if (is_weight(*node_.input(1))) {
        if (Verdict done = widen_operand(1); !done) return done;
      }
    } else if (node_.output_count() > 1 && node_.output(1)->is_used()) {
      return Verdict::no("it has a second output");
    }
    for (const char* const attribute : {"kernel_shape", "strides", "dilations", "output_shape"}) append(attribute, 1);
    append("output_padding", 0);
    if (node_.attribute("pads") != nullptr) {
      const Ints pads = node_.attr<Ints>("pads").value();
      if (pads.size() != 2) return Verdict::no("its pads are not two");
      rewriter_.set_attribute(node_, {"pads", Ints{pads[0], 0, pads[1], 0}});
    }
    return Verdict::yes();
  }

  Verdict widen_transpose() {
    std::optional<Ints> order = order_of(node_);
    order->push_back(3);
    rewriter_.set_attribute(node_, {"perm", *order});
    return Verdict::yes();
  }

  Verdict count_axis_from_front(std::int64_t otherwise) {
    for (const Value* const input : node_.inputs())
      if (!is_widened(input)) return Verdict::no("it reads a constant");
    const std::int64_t axis = node_.attr<std::int64_t>("axis").value_or(otherwise);
    if (axis < 0) rewriter_.set_attribute(node_, {"axis", axis + 3});
    return Verdict::yes();
  }

  Verdict set_integers(std::string_view attribute, std::size_t input, const Ints& values) {
    if (node_.attribute(attribute) != nullptr) {
      rewriter_.set_attribute(node_, {attribute, values});
    } else {
      rewriter_.set_input(node_.use(input), &rewriter_.ints(values, attribute));
    }
    return Verdict::yes();
  }

  Verdict widen_pad() {
    std::optional<Ints> pads = detail::given_integers(node_, "pads", 1);
    if (!pads || pads->size() != 6 || node_.input(3) != nullptr) return Verdict::no("its pads are not constant");
    pads->insert(pads->begin() + 3, 0);
    pads->push_back(0);
    return set_integers("pads", 1, *pads);
  }

  Verdict widen_reshape() {
    if (!is_widened(node_.output(0))) return Verdict::yes();
    std::optional<Ints> target = detail::given_integers(node_, "shape", 1);
    if (!target) return Verdict::no("its target is not constant");
    target->push_back(1);
    return set_integers("shape", 1, *target);
  }

  Verdict widen_axes() {
    const bool is_squeeze = node_.is("Squeeze");
    const Shape low = is_squeeze ? node_.output(0)->shape() : node_.input(0)->shape();
    std::optional<Ints> axes = detail::given_integers(node_, "axes", 1);
    if (!low.known() || !axes) return Verdict::no("its axes are not constant");
    if (low.rank() >= 3) return Verdict::no("it moves between three axes and more");
    for (std::int64_t& axis : *axes)
      if (axis < 0) axis += 3;
    axes->push_back(3);
    return set_integers("axes", 1, *axes);
  }

  Verdict widen_scales() {
    if (node_.attribute("axes") != nullptr || node_.attribute("scales") != nullptr)
      return Verdict::no("it scales by attributes");
    bool is_done = false;
    for (std::size_t i = 1; i < node_.input_count(); ++i) {
      const std::optional<Tensor> given = node_.input(i) != nullptr ? node_.input(i)->constant() : std::nullopt;
      if (node_.input(i) == nullptr || (given && given->size() == 0)) continue;
      if (!given || given->rank() != 1 || given->size() != 3) return Verdict::no("its scales are not constant");
      std::vector<double> values = given->to<double>();
      values.push_back(1);
      rewriter_.set_input(node_.use(i), &rewriter_.constant(Tensor::of(given->dtype(), {4}, values)));
      is_done = true;
    }
    return is_done ? Verdict::yes() : Verdict::no("its scales are not constant");
  }

  Verdict widen_reduction() {
    if (node_.attr<std::int64_t>("keepdims").value_or(1) == 0) return Verdict::no("it drops axes");
    std::optional<Ints> axes = detail::given_integers(node_, "axes", 1);
    if (!axes) return Verdict::no("its axes are not constant");
    for (std::int64_t& axis : *axes)
      if (axis < 0) axis += 3;
    return set_integers("axes", 1, *axes);
  }

  Node& node_;
  Rewriter& rewriter_;
};

inline Report add_fourth_axis(Graph& graph, Context& context) {
  Report report;
  infer_shapes(graph, context.infer_options());
  Transaction transaction(graph);
  Rewriter rewriter(graph, context, {.shapes = true, .signature = true});
  const auto stay = [&](const std::string& node, const Reason& reason) {
    report.notes.push_back("the graph is not changed: '" + node + "': " + to_string(reason));
    if (context.refusals) report.refuse("to_4d", node, reason);
    return report;
  };
  std::vector<Value*> widened;
  for (Value* const input : graph.inputs())
    if (FourthAxis::is_widened(input)) widened.push_back(input);
  for (Node& node : graph.nodes()) {
    bool is_concerned = false;
    for (Value& output : node.outputs()) {
      if (!FourthAxis::is_widened(&output)) continue;
      widened.push_back(&output);
      is_concerned = true;
    }
    for (const Value* const input : node.inputs()) is_concerned |= FourthAxis::is_widened(input);
    if (!is_concerned) continue;
    if (Verdict done = FourthAxis(node, rewriter).run(); !done) {
      const std::string name = display_name(node);
      rewriter.rollback();
      return stay(name, done.reason());
    }
  }
  for (const Value* const value : widened) {
    const bool is_captured = std::ranges::any_of(value->uses(), [&](const Use& use) { return &use.graph() != &graph; });
    if (!is_captured) continue;
    rewriter.rollback();
    return stay(std::string(value->name()), Verdict::no("it is read in a body").reason());
  }
  for (Value* const value : widened) {
    if (value->initializer() != nullptr) {  // the default of an input
      const Tensor tensor = read_tensor(*value->initializer(), graph.model().external_data());
      Dims with_one = tensor.dims();
      with_one.push_back(1);
      graph.set_initializer(*value, tensor.reshaped(std::move(with_one)));
    }
    std::vector<Dim> dims;
    for (std::size_t i = 0; i < 3; ++i) dims.push_back(value->shape()[i]);
    dims.emplace_back(1);
    const onnx::TypeProto type = tensor_type(value->dtype(), Shape(std::move(dims)));
    graph.declare_type(*value, type);
  }
  if (widened.empty()) return report;
  if (Verdict kept = rewriter.accept(); !kept) return stay("", kept.reason());
  transaction.keep();
  report.changes = widened.size();
  return report;
}

}  // namespace detail

GRAFT_INLINE Pass to_4d() { return detail::knowing_qonnx(pass("to_4d", detail::add_fourth_axis).preserves_all()); }

}  // namespace graft::inline v1::qonnx
