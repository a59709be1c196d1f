#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

/// If, Loop and Scan. Their types determine the types in their bodies, and the other way round.
namespace graft::inline v1::infer {

/// The common part of both shapes.
inline Shape common(const Shape& a, const Shape& b) {
  if (!a.known() || !b.known() || a.rank() != b.rank()) return {};
  std::vector<Dim> dims = to_dims(a);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (!same_size(dims[axis], b[axis])) dims[axis] = Dim();
  }
  return Shape(std::move(dims));
}

/// Sets output `to` to the common type of two values. For types other than tensors it takes that of the first.
inline Verdict set_common(InferContext& c, std::size_t to, const Value& a, const Value& b) {
  if (a.type() != nullptr && !a.type()->has_tensor_type()) {
    c.set_type(to, *a.type());
    return Verdict::yes();
  }
  if (a.dtype() != DType::undefined && b.dtype() != DType::undefined && a.dtype() != b.dtype()) {
    return Verdict::no("an output may have two different dtypes");
  }
  c.set(to, a.dtype() != DType::undefined ? a.dtype() : b.dtype(), common(a.shape(), b.shape()));
  return Verdict::yes();
}

/// If. With a known condition, the outputs are those of its branch.
inline Verdict if_branches(InferContext& c) {
  Graph* const then_branch = c.node().body("then_branch");
  Graph* const else_branch = c.node().body("else_branch");
  if (then_branch == nullptr || else_branch == nullptr) return Verdict::no("a branch is missing");
  const auto condition = c.integer(0);
  c.infer_body(*then_branch, !condition || *condition != 0);
  c.infer_body(*else_branch, !condition || *condition == 0);
  const Graph* const first = condition && *condition == 0 ? else_branch : then_branch;
  const Graph* const second = condition && *condition != 0 ? then_branch : else_branch;
  for (std::size_t i = 0; i < c.output_count(); ++i) {
    const Value* const a = i < first->output_count() ? first->output(i) : nullptr;
    const Value* const b = i < second->output_count() ? second->output(i) : nullptr;
    if (a == nullptr || b == nullptr) return Verdict::no("a branch has fewer outputs than the node");
    if (const Verdict verdict = set_common(c, i, *a, *b); !verdict) return verdict;
  }
  return Verdict::yes();
}

/// Loop. Inputs: M, cond, v_initial... The body reads the iteration, the condition and the carried values. It returns
/// the condition, the carried values, and elements to stack. The shape of a carried value may change with each
/// iteration.
inline Verdict loop(InferContext& c) {
  Graph* const body = c.node().body("body");
  if (body == nullptr) return Verdict::no("the body is missing");
  const std::size_t carried = std::max<std::size_t>(c.input_count(), 2) - 2, outputs = c.output_count();
  if (body->inputs().size() < carried + 2 || body->output_count() < outputs + 1 || outputs < carried) {
    return Verdict::no("the body has fewer inputs or outputs than the node");
  }
  const Shape scalar{std::vector<Dim>()};
  if (const Verdict verdict = c.refine(*body->inputs()[0], DType::i64, scalar); !verdict) return verdict;
  if (const Verdict verdict = c.refine(*body->inputs()[1], DType::boolean, scalar); !verdict) return verdict;
  for (std::size_t i = 2; i < carried + 2; ++i) {
    const onnx::TypeProto* const type = c.type(i);
    const bool other = type != nullptr && !type->has_tensor_type();
    Value& input = *body->inputs()[i];
    const Verdict verdict = other ? c.refine(input, *type) : c.refine(input, c.dtype(i), {});
    if (!verdict) return verdict;
    c.widen(input, c.shape(i));
  }
  c.infer_body(*body);
  for (std::size_t i = 0; i < c.output_count(); ++i) {
    const Value* const last = body->output(i + 1);
    if (last == nullptr) continue;
    if (i < carried) {
      const Value* const initial = c.node().input(i + 2);
      if (const Verdict verdict = set_common(c, i, *last, initial ? *initial : *last); !verdict) return verdict;
      continue;
    }
    c.set_dtype(i, last->dtype());
    if (!last->shape().known()) continue;
    std::vector<Dim> stacked = to_dims(last->shape());
    stacked.insert(stacked.begin(), Dim());
    c.set_shape(i, std::move(stacked));
  }
  return Verdict::yes();
}

/// Scan. Inputs: states, then num_scan_inputs sequences, which are split along scan_input_axes. The body's outputs
/// after the states are stacked along scan_output_axes. Version 8 has sequence_lens first, and a batch axis in front.
inline Verdict scan(InferContext& c) {
  Graph* const body = c.node().body("body");
  if (body == nullptr) return Verdict::no("the body is missing");
  const bool batched = c.opset() < 9;
  const std::size_t first = batched ? 1 : 0, inputs = std::max(c.input_count(), first) - first;
  const auto scanned = static_cast<std::size_t>(std::max<std::int64_t>(c.attr("num_scan_inputs", 0), 0));
  if (scanned > inputs || body->inputs().size() < inputs || body->output_count() < c.output_count()) {
    return Verdict::no("the body has fewer inputs or outputs than the node");
  }
  const std::size_t states = inputs - scanned;
  const auto axis_of = [&](std::string_view attribute, std::size_t i, std::size_t rank) -> std::optional<std::size_t> {
    const auto axes = batched ? std::nullopt : c.attr<Ints>(attribute);
    return normalized(axes && i < axes->size() ? (*axes)[i] : 0, rank);
  };
  Dim batch, sequence;
  for (std::size_t i = 0; i < inputs; ++i) {
    const Shape x = c.shape(first + i);
    Value& inner = *body->inputs()[i];
    if (!x.known()) {
      if (const Verdict verdict = c.refine(inner, c.dtype(first + i), {}); !verdict) return verdict;
      continue;
    }
    std::vector<Dim> dims = to_dims(x);
    if (batched) {
      if (dims.empty()) return Verdict::no("an input has no batch axis");
      batch = unify(batch, dims[0]).value_or(Dim());
      dims.erase(dims.begin());
    }
    if (i >= states) {
      const auto axis = axis_of("scan_input_axes", i - states, dims.size());
      if (!axis) return Verdict::no("an axis of scan_input_axes is out of range");
      sequence = unify(sequence, dims[*axis]).value_or(Dim());
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*axis));
    }
    const Verdict verdict = c.refine(inner, c.dtype(first + i), Shape(std::move(dims)));
    if (!verdict) return verdict;
  }
  c.infer_body(*body);
  for (std::size_t i = 0; i < c.output_count(); ++i) {
    const Value* const inner = body->output(i);
    if (inner == nullptr) continue;
    c.set_dtype(i, inner->dtype());
    if (!inner->shape().known()) continue;
    std::vector<Dim> dims = to_dims(inner->shape());
    if (i >= states) {
      const auto axis = axis_of("scan_output_axes", i - states, dims.size() + 1);
      if (!axis) return Verdict::no("an axis of scan_output_axes is out of range");
      dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*axis), sequence);
    }
    if (batched) dims.insert(dims.begin(), batch);
    c.set_shape(i, std::move(dims));
  }
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
