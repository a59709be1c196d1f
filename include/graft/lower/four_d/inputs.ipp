#pragma once
#include <graft/lower/four_d/inputs.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
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

class InputsTo4D {
 public:
  InputsTo4D(Graph& graph, Context& context, const FourDInputs& how)
      : graph_(graph), how_(how), shapes_(graph), rewriter_(graph, context) {}

  Verdict widen(Value& input) {
    const Shape shape = input.shape();
    if (input.initializer() != nullptr) return Verdict::no("it has a default");
    if (!shape.known() || (shape.rank() != 2 && shape.rank() != 3)) return Verdict::no("it is not of rank 2 or 3");
    const auto is_handed_out = [&](const Use& use) { return use.is_graph_output() && &use.graph() == &graph_; };
    if (std::ranges::all_of(input.uses(), is_handed_out)) return Verdict::no("no node reads it");
    const Ints& axes = shape.rank() == 2 ? how_.axes_of_rank_2 : how_.axes_of_rank_3;
    const std::size_t before = changed_.size();
    Node* whole = nullptr;  // an Unsqueeze to rank 4
    std::vector<Use*> others, handed_out_by_bodies;
    for (Use& use : input.uses()) {
      if (is_handed_out(use)) continue;
      if (use.is_graph_output()) {
        handed_out_by_bodies.push_back(&use);
        continue;
      }
      Node& user = *use.user();
      const Surgery at{user, rewriter_, shapes_};
      const std::optional<Ints> given = user.is("Unsqueeze") && use.index() == 0 ? at.given("axes") : std::nullopt;
      if (!given) {
        others.push_back(&use);
        continue;
      }
      if (given->size() + shape.rank() != 4) {
        at.give("axes", axes);
        changed_.push_back(&user);
      }
      if (whole == nullptr && &user.graph() == &graph_) whole = &user;
    }
    if ((!others.empty() || !handed_out_by_bodies.empty()) && whole == nullptr) {
      rewriter_.at(*graph_.first_node());
      const std::string hint = std::string(input.name()) + "_unsqueeze";
      whole = node_with(rewriter_, "Unsqueeze", input, {{"axes", axes}}, {}, hint).producer();
      changed_.push_back(whole);
    }
    for (Use* const use : others) {
      changed_.push_back(use->user());
      rewriter_.set_input(*use, whole->output(0));
    }
    if (Verdict done = rewriter_.accept(); !done) {
      changed_.resize(before);
      return done;
    }
    for (Use* const use : handed_out_by_bodies) {
      changed_.push_back(use->graph().owner());
      use->graph().set_output(use->index(), *whole->output(0));
    }
    return changed_.size() != before ? Verdict::yes() : Verdict::no("an Unsqueeze makes it 4-D already");
  }

  Verdict settle() { return shapes_.settle(changed_, false); }

 private:
  Graph& graph_;
  const FourDInputs& how_;
  NewShapes shapes_;
  Rewriter rewriter_;
  std::vector<Node*> changed_;
};

inline void check_axes(const Ints& axes, std::size_t rank) {
  std::set<std::int64_t> from_front;
  for (const std::int64_t axis : axes)
    if (axis >= -4 && axis < 4) from_front.insert(axis < 0 ? axis + 4 : axis);
  if (axes.size() + rank != 4 || from_front.size() != axes.size())
    throw Error("rank " + std::to_string(rank) + " does not become rank 4 with the given axes");
}

}  // namespace detail

GRAFT_INLINE Pass four_d_model_inputs(FourDInputs how) {
  return pass("four_d_model_inputs", [how = std::move(how)](Graph& graph, Context& context) {
    detail::check_axes(how.axes_of_rank_2, 2);
    detail::check_axes(how.axes_of_rank_3, 3);
    const std::vector<Value*> inputs(graph.inputs().begin(), graph.inputs().end());
    for (const std::string& name : how.names)
      if (std::ranges::none_of(inputs, [&](const Value* input) { return input->name() == name; }))
        throw Error("no input of the graph has this name").field(name);
    Report report;
    Transaction transaction(graph);
    detail::InputsTo4D surgery(graph, context, how);
    for (Value* const input : inputs) {
      if (!how.names.empty() && std::ranges::find(how.names, input->name()) == how.names.end()) continue;
      if (Verdict done = surgery.widen(*input)) {
        ++report.changes;
      } else if (context.refusals) {
        report.refuse("four_d_model_inputs", std::string(input->name()), done.reason());
      }
    }
    detail::keep_if_settled(transaction, report, "a node does not fit", [&] { return surgery.settle(); });
    return report;
  });
}

namespace detail {

/// The elements of a matrix as those of f[C,K,1,1].
inline Tensor transposed_kernel(const Tensor& matrix) {
  return permuted(matrix, {1, 0}).reshaped({matrix.dims()[1], matrix.dims()[0], 1, 1});
}

/// The constant that should replace this input; nullopt if the input may stay.
inline std::optional<Tensor> four_d_operand(const Surgery& at, std::size_t input) {
  const Value* const value = at.node.input(input);
  if (value == nullptr || !is_float(value->dtype())) return std::nullopt;
  const std::optional<Tensor> constant = value->constant();
  if (!constant || constant->rank() == 0 || constant->rank() > 3) return std::nullopt;
  if (at.node.is("Conv"))
    return input == 1 && constant->rank() == 2 ? std::optional(transposed_kernel(*constant)) : std::nullopt;
  if (at.node.is("MatMul") && constant->rank() != 3) return std::nullopt;
  Dims dims(4 - constant->rank(), 1);
  dims.insert(dims.end(), constant->dims().begin(), constant->dims().end());
  return constant->reshaped(dims);
}

}  // namespace detail

GRAFT_INLINE Pass four_d_initializers() {
  const auto surgery = [](const detail::Surgery& at) {
    if (at.node.is("Gemm")) return Verdict::no("Gemm takes matrices only");
    bool is_changed = false;
    for (std::size_t i = 0; i < at.node.input_count(); ++i) {
      const std::optional<Tensor> operand = detail::four_d_operand(at, i);
      if (operand) at.give(i, *operand);
      is_changed = is_changed || operand;
    }
    return is_changed ? Verdict::yes() : Verdict::no("it has no constant of rank 1 to 3 that should become 4-D");
  };
  return detail::surgery_of_nodes("four_d_initializers", {"Add", "Sub", "Mul", "Div", "Pow", "MatMul", "Conv", "Gemm"},
                                  surgery);
}

}  // namespace graft::inline v1
