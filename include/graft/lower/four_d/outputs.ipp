#pragma once
#include <graft/lower/four_d/outputs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/graph_ends.hpp>
#include <graft/lower/detail/keep_if_settled.hpp>
#include <graft/lower/detail/new_shapes.hpp>
#include <graft/lower/detail/surgery.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1 {
namespace detail {

/// Whether removing the axes leaves the wanted shape. is_sure: the extents must be known to be 1.
inline bool leaves(const Shape& data, const Ints& axes, const Shape& wanted, bool is_sure) {
  std::size_t left = 0;
  for (std::size_t axis = 0; axis < data.rank(); ++axis) {
    if (std::ranges::find(axes, static_cast<std::int64_t>(axis)) != axes.end()) {
      if (data[axis].known() ? data[axis].value() != 1 : is_sure) return false;
    } else {
      if (left == wanted.rank()) return false;
      const Dim dim = wanted[left++];
      if (dim.known() && data[axis].known() && dim != data[axis]) return false;
    }
  }
  return left == wanted.rank();
}

/// The axes to remove from 4-D data for the wanted shape: the usual ones if they fit.
inline std::optional<Ints> axes_that_go(const Shape& data, const Shape& wanted, const Ints& usual) {
  if (!data.known()) return usual;
  std::vector<Ints> choices{usual};
  for (std::int64_t first = 0; first < 4; ++first) {
    if (wanted.rank() == 3) choices.push_back({first});
    for (std::int64_t second = first + 1; second < 4 && wanted.rank() == 2; ++second)
      choices.push_back({first, second});
  }
  for (const bool is_sure : {true, false})
    for (const Ints& axes : choices)
      if (leaves(data, axes, wanted, is_sure)) return axes;
  return std::nullopt;
}

class OutputsOf4D {
 public:
  OutputsOf4D(Graph& graph, Context& context)
      : graph_(graph), shapes_(graph), following_(shapes_.following()), rewriter_(graph, context) {
    for (Value* const output : graph.outputs())
      if (output->producer() != nullptr) graph.set_type(*output, declared_type(*output));
  }

  Verdict narrow(std::size_t i) {
    Value& output = *graph_.output(i);
    const onnx::TypeProto declared = output.type() != nullptr ? *output.type() : onnx::TypeProto();
    const Shape wanted(declared);
    if (!wanted.known() || (wanted.rank() != 2 && wanted.rank() != 3))
      return Verdict::no("it is not declared with rank 2 or 3");
    if (output.producer() == nullptr) return Verdict::no("no node makes it");
    const bool is_of_rank_2 = wanted.rank() == 2;
    if (Node* const squeeze = squeeze_of(output)) {
      const Surgery at{*squeeze, rewriter_, shapes_};
      return narrow_by(at, at.shape(0), wanted, is_of_rank_2 ? Ints{0, 3} : Ints{2});
    }
    const Shape data(following_[i]);
    if (data.known() && data.rank() != 4) return Verdict::no("its computed value is not 4-D");
    const std::optional<Ints> axes = axes_that_go(data, wanted, is_of_rank_2 ? Ints{0, 1} : Ints{2});
    if (!axes) return Verdict::no("no axes of extent 1 leave the declared shape");
    rewriter_.at_end(graph_);
    const Surgery at{*output.producer(), rewriter_, shapes_};
    rewriter_.set_type(output, tensor_type(output.dtype()));  // the declared type is that of the new output
    Value& narrowed = at.op_with("Squeeze", output, {{"axes", *axes}}, {}, "squeeze");
    if (Verdict done = rewriter_.accept(); !done) return done;
    hand_out(output, narrowed, declared);
    changed_.push_back(output.producer());
    return Verdict::yes();
  }

  Verdict settle() { return shapes_.settle(changed_, false); }

 private:
  /// The type declared in the file. The view may have the inferred type, which is 4-D; the surgery makes the
  /// declaration true.
  onnx::TypeProto declared_type(const Value& output) const {
    for (const onnx::ValueInfoProto& info : graph_.proto()->output())
      if (info.name() == output.name() && info.has_type()) return info.type();
    return output.type() != nullptr ? *output.type() : onnx::TypeProto();
  }

  static Node* squeeze_of(const Value& output) {
    const Node* const clip = made_by(output, "Clip");
    return made_by(clip != nullptr ? *clip->input(0) : output, "Squeeze");
  }

  Verdict narrow_by(const Surgery& at, const Shape& data, const Shape& wanted, const Ints& usual) {
    if (data.known() && data.rank() != 4) return Verdict::no("the input of its Squeeze is not 4-D");
    std::optional<Ints> given = at.given("axes");
    if (given) {
      for (std::int64_t& axis : *given)
        if (axis < 0) axis += 4;
      if (data.known() ? leaves(data, *given, wanted, false) : given->size() + wanted.rank() == 4)
        return Verdict::no("its Squeeze starts from 4-D already");
    } else if (!at.is_absent("axes")) {
      return Verdict::no("the axes of its Squeeze are not constant");
    }
    const std::optional<Ints> axes = axes_that_go(data, wanted, usual);
    if (!axes) return Verdict::no("no axes of extent 1 leave the declared shape");
    at.give("axes", *axes);
    Verdict done = rewriter_.accept();
    if (done) changed_.push_back(&at.node);
    return done;
  }

  Graph& graph_;
  NewShapes shapes_;
  std::vector<onnx::TypeProto> following_;
  Rewriter rewriter_;
  std::vector<Node*> changed_;
};

}  // namespace detail

GRAFT_INLINE Pass four_d_model_outputs() {
  return pass("four_d_model_outputs", [](Graph& graph, Context& context) {
    Report report;
    Transaction transaction(graph);
    detail::OutputsOf4D surgery(graph, context);
    for (std::size_t i = 0; i < graph.output_count(); ++i) {
      const std::string name(graph.output(i)->name());
      if (Verdict done = surgery.narrow(i)) {
        ++report.changes;
      } else if (context.refusals) {
        report.refuse("four_d_model_outputs", name, done.reason());
      }
    }
    detail::keep_if_settled(transaction, report, "a node does not fit", [&] { return surgery.settle(); });
    return report;
  });
}

}  // namespace graft::inline v1
