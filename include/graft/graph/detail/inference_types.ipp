#pragma once
// Combines the inferred and the declared type of a value.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/sums.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether one value may have both partly known types.
inline bool may_be_one(const onnx::TypeProto& a, const onnx::TypeProto& b) {
  const auto is_open = [](const onnx::TypeProto& type) { return type.value_case() == onnx::TypeProto::VALUE_NOT_SET; };
  if (is_open(a) || is_open(b)) return true;
  if (a.value_case() != b.value_case()) return false;
  if (a.has_sequence_type()) return may_be_one(a.sequence_type().elem_type(), b.sequence_type().elem_type());
  if (a.has_optional_type()) return may_be_one(a.optional_type().elem_type(), b.optional_type().elem_type());
  if (!a.has_tensor_type()) return true;
  const bool same_dtype = elem_type(a) == elem_type(b);
  if (!same_dtype && elem_type(a) != DType::undefined && elem_type(b) != DType::undefined) return false;
  const Shape one(a), other(b);
  if (!one.known() || !other.known()) return true;
  if (one.rank() != other.rank()) return false;
  for (std::size_t axis = 0; axis < one.rank(); ++axis)
    if (!infer::unify(one[axis], other[axis])) return false;
  return true;
}

}  // namespace detail

/// Shares the type of an input with an output of unknown type, if the inferred type is exactly that one. This saves an
/// equal type for each node along chains of elementwise operators. Returns false if nothing was shared.
GRAFT_INLINE bool Inference::share_type(const Node& node, Value& output, const InferContext::InferredOutput& told) {
  if (!writes_ || options_.declare || output.type() != nullptr || told.other) return false;
  const auto is_its_type = [&told](const Value* input) {
    const bool is_of_the_view = input != nullptr && (input->flags_ & Value::inferred_flag) != 0 &&
                                (input->flags_ & Value::declared_flag) == 0 && input->type() != nullptr;
    return is_of_the_view && told.shape.is_view_of(*input->type()) && told.dtype == elem_type(*input->type());
  };
  const InputRange inputs = node.inputs();
  const auto found = std::find_if(inputs.begin(), inputs.end(), is_its_type);
  if (found == inputs.end()) return false;
  for (std::size_t axis = 0; names_ && axis < told.shape.rank(); ++axis)
    if (told.shape[axis] == Dim()) return false;  // the extent will get a symbol
  output.graph().share_type(output, **found);
  return true;
}

GRAFT_INLINE Verdict Inference::settle(Value& value, const onnx::TypeProto& type) {
  if (type.has_tensor_type()) return settle(value, elem_type(type), Shape(type));
  const onnx::TypeProto* const before = value.type();
  const bool open = before == nullptr || before->value_case() == onnx::TypeProto::VALUE_NOT_SET;
  if (!open && !detail::may_be_one(*before, type)) {
    replace_type(value, type);
    return no("a value is declared with another kind of type than the inferred one");
  }
  if (open || options_.refresh) write(value, type);
  return Verdict::yes();
}

GRAFT_INLINE Verdict Inference::settle(Value& value, DType dtype, const Shape& shape) {
  if (dtype == DType::undefined && !shape.known()) return Verdict::yes();
  const onnx::TypeProto* const before = value.type();
  const bool open = before == nullptr || before->value_case() == onnx::TypeProto::VALUE_NOT_SET;
  if (!open && !before->has_tensor_type()) {
    replace_type(value, tensor_type(dtype, shape));
    return no("a value is declared with another kind of type than the inferred one");
  }
  if (!options_.declare && value.dtype() == dtype && same_size(value.shape(), shape)) return Verdict::yes();
  const bool anew = options_.refresh && value.producer() != nullptr && !value.is_graph_output();
  const DType old_dtype = anew && dtype != DType::undefined ? DType::undefined : value.dtype();
  const Shape old_shape = anew && shape.known() ? Shape() : value.shape();
  Verdict possible = Verdict::yes();
  if (dtype != DType::undefined && old_dtype != DType::undefined && dtype != old_dtype) {
    possible = no("a value is declared with another dtype than the inferred one");
  }
  const DType merged_dtype = dtype != DType::undefined ? dtype : old_dtype;
  if (!old_shape.known() && !shape.known()) {
    if (!possible) replace_type(value, tensor_type(merged_dtype));
    else if (old_dtype == DType::undefined) write(value, tensor_type(dtype));
    return possible;
  }
  bool holds = true;
  std::vector<Dim> dims = infer::to_dims(shape.known() ? shape : old_shape);
  if (old_shape.known() && shape.known() && shape.rank() != old_shape.rank()) {
    if (possible)
      possible = no("a value is declared with rank {}, but rank {} is inferred", old_shape.rank(), shape.rank());
  } else if (old_shape.known() && shape.known()) {
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      const Dim declared = old_shape[axis];
      if (declared.known() && dims[axis].known() && declared != dims[axis] && possible) {
        const std::string_view text = "a value is declared with extent {}, but {} is inferred, at axis {}";
        possible = no(text, declared.value(), dims[axis].value(), axis);
      }
      dims[axis] = merge(value, declared, dims[axis], holds);
    }
  }
  if (!writes_) return possible;
  if (names_) name_unknown(value.graph().model(), dims);
  const Shape merged(std::move(dims));
  for (std::size_t axis = 0; by_extents_ && axis < shape.rank(); ++axis)
    if (shape[axis] == Dim() && merged[axis].symbolic()) input_symbols_.emplace(merged[axis].symbol());
  if (!possible || !holds) {
    replace_type(value, tensor_type(merged_dtype, merged));
  } else if (options_.declare || merged_dtype != value.dtype() || merged != value.shape()) {
    write(value, tensor_type(merged_dtype, merged));
  }
  return possible;
}

/// Merges a declared and an inferred extent. A symbol of the inputs stands for any number. So a declared number does
/// not hold if such a symbol is inferred: it may be left from an export with fixed extents.
GRAFT_INLINE Dim Inference::merge(const Value& value, const Dim& declared, const Dim& inferred, bool& holds) {
  if (inferred.known() || declared == inferred) return inferred;
  const bool is_open = is_of_inputs(value, inferred) || (by_extents_ && inferred == Dim());
  if (declared.known()) {
    if (is_open) holds = false;
    return is_open ? inferred : declared;
  }
  if (!declared.symbolic() || !inferred.symbolic()) return declared.symbolic() ? declared : inferred;
  if (infer::is_made_up(inferred)) return declared;
  if (is_open && is_of_inputs(value, declared)) {
    // Two sums, or a sum and a symbol, may be equal.
    if (!input_symbols_.contains(std::string(declared.symbol())) ||
        !input_symbols_.contains(std::string(inferred.symbol())))
      return declared;
    holds = false;
  }
  return is_open ? inferred : declared;
}

/// Whether an extent is a symbol of a graph input, here or in an enclosing scope, or is derived from one.
GRAFT_INLINE bool Inference::is_of_inputs(const Value& value, const Dim& dim) {
  if (!dim.symbolic()) return false;
  for (const Graph* scope = &value.graph(); scope != nullptr && inputs_of_.insert(scope).second;
       scope = scope->parent()) {
    for (const Value* const input : scope->inputs()) {
      const Shape shape = input->shape();
      for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        if (shape[axis].symbolic()) input_symbols_.emplace(shape[axis].symbol());
    }
  }
  const auto contains = [&](std::string_view symbol) { return input_symbols_.contains(std::string(symbol)); };
  if (contains(dim.symbol())) return true;
  const auto sum = infer::sum_of(Integer(dim));
  const auto is_contained = [&](const auto& summand) { return contains(summand.first); };
  return sum && std::all_of(sum->times.begin(), sum->times.end(), is_contained);
}

GRAFT_INLINE bool Inference::reads_extents_of_inputs(const Node& node) {
  for (const Value* const input : node.inputs()) {
    if (input == nullptr) continue;
    const Shape shape = input->shape();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
      if (is_of_inputs(*input, shape[axis])) return true;
  }
  return false;
}

/// Replaces declared types of initializers that contradict their tensors.
GRAFT_INLINE void Inference::settle_initializers(const Graph& graph) {
  if (!writes_) return;
  for (Value* const value : graph.initializers()) {
    const onnx::TypeProto* const declared = value->type();
    if (declared == nullptr || !value->is_constant()) continue;
    onnx::TypeProto own = tensor_type(value->dtype(), value->shape());
    if (!detail::may_be_one(*declared, own)) replace_type(*value, std::move(own));
  }
}

/// Removes the declared extents that contradict a further shape of the value.
GRAFT_INLINE void Inference::widen(Value& value, const Shape& shape) {
  const Shape declared = value.shape();
  if (!writes_ || !declared.known() || !shape.known()) return;
  if (declared.rank() != shape.rank()) return replace_type(value, tensor_type(value.dtype()));
  std::vector<Dim> dims = infer::to_dims(declared);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const bool is_other = shape[axis].known() ? dims[axis] != shape[axis] : is_of_inputs(value, shape[axis]);
    if (dims[axis].known() && is_other) dims[axis] = Dim();
  }
  const Shape open(std::move(dims));
  if (open != declared) replace_type(value, tensor_type(value.dtype(), open));
}

/// Replaces a type that does not hold. A declared type is also removed from the file, unless the signature has it.
GRAFT_INLINE void Inference::replace_type(Value& value, onnx::TypeProto inferred) {
  if (!writes_) return;
  const bool is_declared = (value.flags_ & Value::declared_flag) != 0;
  const bool is_inferred = (value.flags_ & Value::inferred_flag) != 0;
  if (options_.contradiction && is_declared && !is_inferred) options_.contradiction({&value, *value.type(), inferred});
  if (is_declared && !value.is_graph_output())
    value.graph().declare_type(value, value.is_graph_input() ? inferred : onnx::TypeProto());
  write(value, std::move(inferred));
}

GRAFT_INLINE void Inference::write(Value& value, onnx::TypeProto type) {
  if (!writes_) return;
  if (options_.declare) {
    value.graph().declare_type(value, type);
  } else {
    value.graph().set_type(value, std::move(type));
  }
}

GRAFT_INLINE void Inference::name_unknown(const Model& model, std::vector<Dim>& dims) {
  for (Dim& dim : dims) {
    if (dim.known() || dim.symbolic()) continue;
    if (symbols_.empty()) {
      next_symbol_ = 0;
      for (const Graph* const graph : model.scopes()) {
        for (const Value* const input : graph->inputs()) collect_symbols(*input);
        for (const Node& node : graph->nodes()) {
          for (const Value& output : node.outputs()) collect_symbols(output);
        }
      }
    }
    auto placed = symbols_.insert(infer::made_up_symbol(next_symbol_++));
    while (!placed.second) placed = symbols_.insert(infer::made_up_symbol(next_symbol_++));
    dim = Dim(std::string_view(*placed.first));
  }
}

}  // namespace graft::inline v1
