#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// The number of elements before the axis; nullopt if unknown.
inline std::optional<std::int64_t> elements_before(const Shape& shape, std::size_t axis) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < axis; ++i) {
    if (!shape[i].known()) return std::nullopt;
    count *= shape[i].value();
  }
  return count;
}

/// The extent of the result that has the batch as its outer factor, in row-major order. The batch is the outer factor
/// of the input's extent at `axis`; both extents have the same number of elements before them.
inline std::optional<std::size_t> place_of(const Shape& in, const Shape& out, std::size_t axis, std::int64_t batch) {
  const auto holds = [&](std::size_t i) { return out[i].known() && out[i].value() % batch == 0; };
  bool same_before = axis < out.rank();
  for (std::size_t i = 0; same_before && i < axis; ++i) same_before = same_size(in[i], out[i]);
  if (same_before && holds(axis)) return axis;
  const auto wanted = elements_before(in, axis);
  for (std::size_t i = 0; wanted && i < out.rank(); ++i)
    if (elements_before(out, i) == wanted && holds(i)) return i;
  return std::nullopt;
}

/// The constant shapes of Reshapes that depend on the batch.
class ReshapeBatches {
 public:
  /// The types of values before the trial.
  using Types = std::unordered_map<const Value*, onnx::TypeProto>;

  /// trial: the batch of the trial run. follow() knows the shapes of a Reshape's inputs for it.
  ReshapeBatches(const Types& old, const std::int64_t& trial) : old_(old), trial_(trial) {}
  ReshapeBatches(const ReshapeBatches&) = delete;  // it refers to values of its owner
  ReshapeBatches& operator=(const ReshapeBatches&) = delete;

  /// Replaces the old batch in the constant shape by that of the trial.
  void follow(Node& node) {
    Value *const data = node.input(0), *const wanted = node.input(1);
    if (data == nullptr || wanted == nullptr) return;
    const auto known = old_.find(data);
    const auto result = old_.find(node.output(0));
    if (known == old_.end() || result == old_.end()) return;
    const Shape before(known->second), now = data->shape(), out(result->second);
    if (!before.known() || !now.known() || !out.known() || before.rank() != now.rank()) return;
    std::optional<std::size_t> axis;
    for (std::size_t i = 0; i < now.rank(); ++i) {
      if (!now[i].known() || now[i].value() == 0 || now[i].value() % trial_ != 0) continue;
      if (axis && before[i].known()) return refuse(node, "the batch is in several extents of its input");
      if (!axis || before[i].known()) axis = i;
    }
    if (!axis) return;
    const std::optional<Tensor> constant = wanted->constant();
    if (!constant && wanted->initializer() != nullptr)
      return refuse(node, "its shape is a default, which a caller may override; run freeze_inputs() first");
    if (!constant || constant->dtype() != DType::i64) return;
    if (!before[*axis].known() || !now[*axis].known()) return follow_symbol(node, before, out, *axis, *constant);
    if (before[*axis].value() == 0 || now[*axis].value() % trial_ != 0)
      return refuse(node, "an extent is not a multiple of the batch");
    const std::int64_t factor = now[*axis].value() / trial_, old = before[*axis].value() / factor;
    Ints shape = constant->to<std::int64_t>();
    if (factor != 1 && inner_.count(before[*axis].value()) != 0)
      return refuse(node, "the batch is not the outer factor of an extent");
    const bool keeps_zero = node.attr<std::int64_t>("allowzero").value_or(0) != 0;
    const auto place = place_of(before, out, *axis, old);
    if (const auto free = std::find(shape.begin(), shape.end(), -1); free != shape.end()) {
      const auto at = static_cast<std::size_t>(free - shape.begin());
      const bool stands_elsewhere = place && *place != at && out[*place] == Dim(old);
      if (!stands_elsewhere && absorbs(before, out, *axis, at, place)) return;
    }
    if (!place || *place >= shape.size()) return refuse(node, "its shape does not have the batch in one extent");
    const std::int64_t entry = shape[*place];
    if (entry == 0 && !keeps_zero && *place == *axis) return;
    if (entry <= 0) return refuse(node, "its shape does not have the batch in one extent");
    if (old == 1 && entry != 1 && std::find(shape.begin(), shape.end(), 1) != shape.end())
      return refuse(node, "several extents of its shape may be the batch");
    changes_.push_back({&node, shape, *place, entry / old,
                        *place == *axis && entry == before[*axis].value() && !keeps_zero});
    shape[*place] = entry / old * trial_;
    put(node, std::move(shape));
  }

  /// Writes another batch into the shapes from follow(). batch < 0: a symbol.
  void write(std::int64_t batch) const {
    for (const ReshapeChange& change : changes_) write(change, batch);
  }

  std::size_t count() const { return changes_.size(); }

 private:
  /// Entry `place` of a Reshape's shape is the batch times a factor.
  struct ReshapeChange {
    Node* node;
    Ints shape;
    std::size_t place;
    std::int64_t factor;
    bool copies;  // it may be 0, which copies the input's extent
  };

  /// A symbolic batch needs no change, unless the shape has a 1 in its place: then the model is for one sample, despite
  /// its declaration.
  void follow_symbol(Node& node, const Shape& before, const Shape& out, std::size_t axis, const Tensor& constant) {
    Ints shape = constant.to<std::int64_t>();
    if (axis >= shape.size() || shape[axis] != 1) return;
    for (std::size_t i = 0; i < axis; ++i)
      if (i >= out.rank() || !same_size(before[i], out[i])) return;
    const bool keeps_zero = node.attr<std::int64_t>("allowzero").value_or(0) != 0;
    changes_.push_back({&node, shape, axis, 1, !keeps_zero});
    shape[axis] = trial_;
    put(node, std::move(shape));
  }

  /// Whether an extent of -1 absorbs the batch without mixing samples.
  bool absorbs(const Shape& in, const Shape& out, std::size_t axis, std::size_t at, std::optional<std::size_t> place) {
    if (place == at) return true;
    const auto wanted = elements_before(in, axis), first = elements_before(out, at);
    if (!wanted || !first || !out[at].known() || *wanted < *first || *wanted > *first * out[at].value()) return false;
    if (*wanted > *first) inner_.insert(out[at].value());
    return true;
  }

  [[noreturn]] static void refuse(const Node& node, const char* why) {
    throw Error(std::string("does not support another batch: ") + why).node(display_name(node));
  }

  static void put(Node& node, Ints shape) {
    Graph& scope = node.graph();
    Value& value = scope.add_initializer(Tensor::list(shape), node.input(1)->name());
    Value& old = *node.input(1);
    if (!scope.set_input(node, 1, &value)) throw Error("would close a cycle").node(display_name(node));
    if (!old.is_used() && old.producer() == nullptr && !old.is_graph_input()) old.graph().erase(old);
  }

  static void write(const ReshapeChange& change, std::int64_t batch) {
    Ints shape = change.shape;
    std::int64_t& entry = shape[change.place];
    if (batch >= 0) {
      entry = batch * change.factor;
    } else if (change.copies) {
      entry = 0;
    } else {
      for (const std::int64_t other : shape)
        if (other == -1) refuse(*change.node, "its shape cannot have a multiple of a symbol beside -1");
      entry = -1;
    }
    put(*change.node, std::move(shape));
  }

  const Types& old_;
  const std::int64_t& trial_;
  std::unordered_set<std::int64_t> inner_;  // extents with the batch as an inner factor
  std::vector<ReshapeChange> changes_;
};

}  // namespace graft::inline v1::detail
