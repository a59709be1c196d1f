#pragma once
#include <graft/testing/detail/grow/graph_grower.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/shape.hpp>
#include <graft/testing/detail/grow/rounding.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE GraphGrower::GraphGrower(Model& model, const Vocabulary& vocabulary, std::uint64_t seed)
    : graph_(&model.graph()),
      vocabulary_(&vocabulary),
      kernels_(vocabulary.kernels != nullptr ? vocabulary.kernels : &Kernels::standard()),
      dice_(seed),
      inference_({.name_unknown = false}) {
  model.add_operators(vocabulary.definitions);
  symbols_ = {{"N", dice_.between(1, 4)}, {"M", dice_.between(1, 4)}};
}

GRAFT_INLINE void GraphGrower::know(Value& value, Tensor sample, bool exact) {
  known_[&value] = {std::move(sample), exact};
  values_.push_back(&value);
}

GRAFT_INLINE const Tensor& GraphGrower::sample(const Value& value) const {
  const auto found = known_.find(&value);
  if (found == known_.end()) throw Unfit();
  return found->second.sample;
}

GRAFT_INLINE bool GraphGrower::is_exact(const Value& value) const {
  const auto found = known_.find(&value);
  return found != known_.end() && found->second.exact;
}

GRAFT_INLINE void GraphGrower::forget(std::size_t mark) {
  for (std::size_t i = mark; i < values_.size(); ++i) known_.erase(values_[i]);
  values_.resize(std::min(values_.size(), mark));
}

GRAFT_INLINE bool GraphGrower::serves(const Value& value, const Want& want) const {
  const Shape shape = value.shape();
  if (!shape.known() || shape.rank() < want.least_rank || shape.rank() > want.max_rank) return false;
  if (!want.dtypes.contains(value.dtype())) return false;
  if (want.dims) return shape.dims() == want.dims;
  return !want.numeric || shape.dims();
}

GRAFT_INLINE Value& GraphGrower::pick(const Want& want) {
  std::vector<Value*> fitting, preferred;
  for (Value* const value : values_) {
    if (value->is_constant() || !serves(*value, want) || (want.exact && !is_exact(*value) && !dice_.one_in(6)))
      continue;
    fitting.push_back(value);
    if (value->dtype() == dtype_ && (rank_ == 0 || value->shape().rank() == rank_)) preferred.push_back(value);
  }
  if (!preferred.empty() && !dice_.one_in(5)) fitting = std::move(preferred);
  else if (preferred.empty() && rank_ != 0 && dice_.one_in(2)) fitting.clear();
  if (fitting.empty() || dice_.one_in(12)) return new_input(want);
  // Prefers recent values, because rules match chains.
  if (!dice_.one_in(3)) return *fitting[fitting.size() - 1 - dice_.below(std::min<std::size_t>(3, fitting.size()))];
  return *dice_.any_of(fitting);
}

GRAFT_INLINE DType GraphGrower::random_dtype(const schema::TypeSet& allowed) {
  if (allowed.contains(dtype_) && !dice_.one_in(6)) return dtype_;
  std::vector<DType> fitting;
  for (const DType dtype : vocabulary_->dtypes)
    if (allowed.contains(dtype)) fitting.push_back(dtype);
  if (!fitting.empty()) return dice_.any_of(fitting);
  // Dtypes that no other operands have, such as those of indices.
  for (const DType dtype : {DType::i64, DType::i32, DType::boolean, DType::f32, DType::u8, DType::i8, DType::u32,
                            DType::u64, DType::i16, DType::u16, DType::f64})
    if (allowed.contains(dtype)) return dtype;
  throw Unfit();
}

GRAFT_INLINE Dims GraphGrower::random_dims(const Want& want) {
  if (want.dims) return *want.dims;
  const auto least = static_cast<std::int64_t>(want.least_rank), most = static_cast<std::int64_t>(want.max_rank);
  auto rank = static_cast<std::int64_t>(rank_);
  if (rank_ == 0 || rank < least || rank > most) {
    const std::int64_t usual = dice_.any_of<std::int64_t>({0, 1, 2, 2, 3, 3, 4, 4, 4, 5});
    rank = std::clamp(usual, least, most);
  }
  Dims dims(static_cast<std::size_t>(rank));
  for (std::int64_t& extent : dims) extent = dice_.any_of<std::int64_t>({1, 2, 2, 3, 3, 4, 4, 5, 6});
  if (rank >= 4) {
    dims[0] = dice_.between(1, 2);
    dims[1] = dice_.any_of<std::int64_t>({1, 2, 3, 4, 4, 6, 8});
  }
  if (vocabulary_->empty_dims && !dims.empty() && dice_.one_in(40)) dims[dice_.below(dims.size())] = 0;
  return dims;
}

GRAFT_INLINE Value& GraphGrower::new_input(const Want& want) {
  const DType dtype = random_dtype(want.dtypes);
  Dims dims = random_dims(want);
  std::vector<Dim> extents(dims.begin(), dims.end());
  if (vocabulary_->symbols && !want.numeric && !want.dims && !dims.empty() && dice_.one_in(4)) {
    const std::size_t axis = dice_.one_in(2) ? 0 : dice_.below(dims.size());
    const auto& [symbol, size] = *std::next(symbols_.begin(), static_cast<std::ptrdiff_t>(dice_.below(2)));
    extents[axis] = Dim(std::string_view(symbol));
    dims[axis] = size;
  }
  Tensor sample = random_tensor(dtype, dims, dice_.random());
  if (is_integer(dtype) && bits(dtype) > 8) sample = random_tensor(dtype, dims, dice_.random(), {0, 3});
  Value& input = graph_->add_input(graph_->fresh_name("x"), tensor_type(dtype, Shape(std::move(extents))));
  know(input, std::move(sample), true);
  return input;
}

GRAFT_INLINE void GraphGrower::adopt_input(const Value& outer, const Tensor& sample, bool exact) {
  know(graph_->add_input(outer.name(), *outer.type()), sample, exact);
}

GRAFT_INLINE Value& GraphGrower::constant(Tensor tensor) {
  Value* value = nullptr;
  if (dice_.one_in(5)) {
    Node& node = graph_->insert("Constant", {}, 1, {{"value", tensor}});
    static_cast<void>(inference_.run(node));
    value = node.output(0);
  } else {
    value = &graph_->add_initializer(tensor, "c");
  }
  know(*value, std::move(tensor), true);
  return *value;
}

GRAFT_INLINE Value* GraphGrower::shape_like(const Ints& numbers) {
  const Tensor wanted = Tensor::list(numbers);
  std::vector<Value*> same, shaped;
  for (Value* const value : values_) {
    if (value->is_constant()) continue;
    if (value->producer() != nullptr && sample(*value).same_bytes(wanted)) same.push_back(value);
    if (sample(*value).dims() == numbers) shaped.push_back(value);
  }
  if (!same.empty()) return dice_.any_of(same);
  if (shaped.empty() || numbers.empty()) return nullptr;
  Value* const only[] = {dice_.any_of(shaped)};
  return add("Shape", only, 1, {}).output(0);
}

GRAFT_INLINE std::vector<Tensor> GraphGrower::evaluate_sample(const Node& node) const {
  std::vector<Tensor> inputs;
  for (const Value* const input : node.inputs()) inputs.push_back(input == nullptr ? Tensor() : sample(*input));
  if (node.bodies().empty()) return evaluate(node, std::move(inputs), *kernels_);
  Feeds feeds;
  for (const Value* const input : graph_->inputs()) feeds.emplace_back(*input, sample(*input));
  Fetches fetches;
  for (const Value& output : node.outputs()) fetches.emplace_back(output);
  return Evaluator(*graph_, *kernels_).run(feeds, fetches);
}

/// Whether the operator is defined for inputs of these dtypes.
inline bool takes_its_inputs(const Node& node) {
  const schema::Operator* const facts = node.schema();
  for (std::size_t i = 0; facts != nullptr && i < node.input_count(); ++i) {
    const schema::Parameter* const parameter = facts->input(i);
    if (parameter == nullptr) return false;
    const Value* const input = node.input(i);
    if (input != nullptr && input->type() != nullptr && input->type()->has_tensor_type() &&
        !facts->type(*parameter).contains(input->dtype()))
      return false;
  }
  return true;
}

/// Whether the operator slides a window over an image.
inline bool has_window(const OpName& op) {
  return op.op_type.find("Conv") != std::string_view::npos || op.op_type.find("Pool") != std::string_view::npos;
}

GRAFT_INLINE Node& GraphGrower::add(std::string_view op, std::span<Value* const> inputs, std::size_t outputs,
                                    const Attributes& attributes) {
  try {
    const OpName name = OpName::parse(op);
    if (graph_->opset(name.domain) == 0) graph_->model().set_opset(1, name.domain);
    Node& node = graph_->insert(op, inputs, outputs, attributes);
    if (!takes_its_inputs(node) || !inference_.run(node)) throw Unfit();
    std::vector<Tensor> samples = evaluate_sample(node);
    bool exact = !rounds(node);
    for (const Value* const input : node.inputs()) exact = exact && (input == nullptr || is_exact(*input));
    for (std::size_t i = 0; i < outputs; ++i) {
      Value& output = *node.output(i);
      if (output.type() == nullptr || !output.type()->has_tensor_type()) continue;
      Tensor& tensor = samples[i];
      if (!tensor || tensor.size() > 4000 || tensor.dtype() != output.dtype()) throw Unfit();
      if (tensor.size() == 0 && has_window(name)) throw Unfit();  // a window that fits nowhere
      if (is_float(tensor.dtype())) {
        for (const double number : tensor.to<double>())
          if (!std::isfinite(number) || std::abs(number) > 1e4) throw Unfit();
      }
      know(output, std::move(tensor), exact || !is_float(output.dtype()));
    }
    return node;
  } catch (const Error&) {
    throw Unfit();
  }
}

GRAFT_INLINE std::vector<Value*> GraphGrower::made() const {
  std::vector<Value*> all;
  for (Value* const value : values_)
    if (value->producer() != nullptr && !value->producer()->is("Constant")) all.push_back(value);
  return all;
}

GRAFT_INLINE void GraphGrower::choose_outputs() {
  for (Value* const value : made()) {
    if (value->is_graph_output() || value->name().empty()) continue;
    const bool is_wanted = value->use_count() == 0 && (value->index() == 0 || dice_.one_in(2));
    if (!is_wanted && !dice_.one_in(12)) continue;
    graph_->add_output(*value);
    // Declares the output's shape from the sample, even if only its rank is known.
    if (!value->shape().known())
      graph_->set_type(*value, tensor_type(value->dtype(), Shape(std::vector<Dim>(sample(*value).rank()))));
  }
}

}  // namespace graft::inline v1::detail
