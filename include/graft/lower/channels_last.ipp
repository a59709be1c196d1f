#pragma once
#include <graft/lower/channels_last.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/graph_ends.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/read_behind.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/simplify/no_op.hpp>
#include <graft/simplify/transpose.hpp>

namespace graft::inline v1 {
namespace detail {

/// The type of an image with its channels last.
inline onnx::TypeProto channels_last(const Value& image) {
  const Shape shape = image.shape();
  return tensor_type(image.dtype(), Shape(std::vector<Dim>{shape[0], shape[2], shape[3], shape[1]}));
}

class ChannelsToTheEnd {
 public:
  ChannelsToTheEnd(Graph& graph, const ChannelsLast& which) : graph_(graph), which_(which) {}

  Verdict move_input(Value& input) {
    if (input.shape().rank() != 4) return Verdict::no("it is not of rank 4");
    if (input.initializer() != nullptr) return Verdict::no("it has a default");
    if (input.is_graph_output()) return Verdict::no("it is an output, too");
    const onnx::TypeProto before = *input.type(), behind = channels_last(input);
    Node& transpose = graph_.insert("Transpose", {&input}, 1, {{"perm", {0, 3, 1, 2}}}, graph_.first_node(),
                                    std::string(input.name()) + "_channels_first");
    read_behind(input, *transpose.output(0));
    graph_.declare_type(input, behind);
    graph_.set_type(*transpose.output(0), before);
    return Verdict::yes();
  }

  Verdict move_output(Value& output) {
    if (output.shape().rank() != 4) return Verdict::no("it is not of rank 4");
    if (output.producer() == nullptr) return Verdict::no("no node makes it");
    const onnx::TypeProto behind = channels_last(output);
    Node& transpose = graph_.insert("Transpose", {&output}, 1, {{"perm", {0, 2, 3, 1}}}, nullptr,
                                    std::string(output.name()) + "_channels_last");
    hand_out(output, *transpose.output(0), behind);
    return Verdict::yes();
  }

  bool is_chosen(const Value& value) const {
    return which_.names.empty() || std::ranges::find(which_.names, value.name()) != which_.names.end();
  }

 private:
  Graph& graph_;
  const ChannelsLast& which_;
};

}  // namespace detail

GRAFT_INLINE Pass convert_to_channels_last(ChannelsLast which) {
  return pass("convert_to_channels_last", [which = std::move(which)](Graph& graph, Context& context) {
    Report report;
    std::vector<Value*> inputs, outputs;
    if (which.inputs) inputs.assign(graph.inputs().begin(), graph.inputs().end());
    if (which.outputs)
      for (Value* const output : graph.outputs())
        if (std::ranges::find(outputs, output) == outputs.end()) outputs.push_back(output);
    for (const std::string& name : which.names) {
      const auto is_it = [&](const Value* value) { return value->name() == name; };
      if (std::ranges::none_of(inputs, is_it) && std::ranges::none_of(outputs, is_it))
        throw Error("no input or output with channels has this name").field(name);
    }
    infer_shapes(graph, context.infer_options());
    Transaction transaction(graph);
    detail::ChannelsToTheEnd surgery(graph, which);
    const auto note = [&](const std::string& name, const Verdict& done) {
      if (done) {
        ++report.changes;
      } else if (!which.names.empty()) {
        throw Error("channels cannot be last: " + to_string(done.reason())).field(name);
      } else if (context.refusals) {
        report.refuse("convert_to_channels_last", name, done.reason());
      }
    };
    for (Value* const input : inputs)
      if (surgery.is_chosen(*input)) note(std::string(input->name()), surgery.move_input(*input));
    for (Value* const output : outputs) {
      const std::string name(output->name());
      if (surgery.is_chosen(*output)) note(name, surgery.move_output(*output));
    }
    if (report.changes != 0) {
      const Report moved =
          fixpoint(transpose_transpose, transpose_elementwise_transpose, remove_transpose).run(graph, context);
      report.changes += moved.changes;
    }
    transaction.keep();
    return report;
  });
}

}  // namespace graft::inline v1
