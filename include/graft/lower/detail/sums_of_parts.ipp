#pragma once
#include <graft/lower/detail/sums_of_parts.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1::detail {

/// The node that makes what the input reads for it alone; nullptr if that is another operator.
inline Node* made_for_it(const Node& node, std::string_view op_type) {
  const Value* const value = node.input(0);
  if (value == nullptr || !value->has_one_use() || value->is_graph_output()) return nullptr;
  return made_by(*value, op_type, 0);
}

inline Verdict sum_parts(const Surgery& at, std::int64_t most, bool clips) {
  const Node* const clip = clips ? made_for_it(at.node, "Clip") : nullptr;
  if (clips && clip == nullptr) return Verdict::no("no Clip makes what it sums, and for it alone");
  const Node* const reshape = made_for_it(clips ? *clip : at.node, "Reshape");
  if (reshape == nullptr || reshape->input(0) == nullptr)
    return Verdict::no("no Reshape makes what it sums, and for it alone");
  Value& data = *reshape->input(0);
  const Shape whole = at.shapes.of(data), parts = at.shapes.of(*reshape->output(0));
  if (whole.rank() == 0 || parts.rank() < 2) return Verdict::no("the shapes around the Reshape are not known");
  const Dim length = whole[whole.rank() - 1], count = parts[parts.rank() - 2], width = parts[parts.rank() - 1];
  if (!length.known() || !count.known() || !width.known())
    return Verdict::no("the last extents around the Reshape are not known");
  const std::int64_t p = count.value(), q = width.value();
  if (q == 0 || length.value() % q != 0 || length.value() / q != p)
    return Verdict::no("the Reshape does not make two axes of the last one");
  if (p < 2 || p > most) return Verdict::no("there is one part, or there are too many");
  const std::optional<Ints> axes = at.given("axes");
  const auto last = static_cast<std::int64_t>(parts.rank()) - 1;
  if (axes != Ints{-1} && axes != Ints{last})
    return Verdict::no("it does not sum over the last axis alone");
  const auto axis = static_cast<std::int64_t>(whole.rank()) - 1;
  std::vector<Value*> sums;
  for (std::int64_t i = 0; i < p; ++i) {
    const std::string part = std::to_string(i);
    Value* value = &at.op_with("Slice", data, {{"starts", {i * q}}, {"ends", {(i + 1) * q}}, {"axes", {axis}}}, {},
                               "slice_" + part);
    if (clip != nullptr) {
      std::vector<Value*> inputs(clip->inputs().begin(), clip->inputs().end());
      inputs.front() = value;
      value = at.rewriter.clone(*clip, inputs).output(0);
    }
    sums.push_back(&at.op_with("ReduceSum", *value, {{"axes", {axis}}}, {{"keepdims", 1}}, "part_" + part));
  }
  return at.rewriter.replace(*at.node.output(0), at.op("Concat", sums, {{"axis", axis}}, "concat"));
}

GRAFT_INLINE Pass sums_of_parts(std::string name, std::size_t most, bool clips) {
  const auto surgery = [most = static_cast<std::int64_t>(most), clips](const Surgery& at) {
    return sum_parts(at, most, clips);
  };
  return surgery_of_nodes(std::move(name), {"ReduceSum"}, surgery);
}

}  // namespace graft::inline v1::detail
