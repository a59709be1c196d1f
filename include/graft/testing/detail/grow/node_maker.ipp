#pragma once
#include <graft/testing/detail/grow/node_maker.hpp>

#include <algorithm>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE NodeMaker::NodeMaker(GraphGrower& grower, std::string_view op) : grower_(&grower), op_(op) {
  const OpName name = OpName::parse(op);
  const int opset = name.domain.empty() ? grower.opset("") : 1;
  facts_ = grower.graph().model().find_schema(name.domain, name.op_type, opset);
  if (facts_ == nullptr || facts_->deprecated()) throw Unfit();
}

GRAFT_INLINE NodeOperand& NodeMaker::at(std::size_t i) {
  while (operands.size() <= i) {
    operands.emplace_back();
    if (closed_inputs) operands.back().kind = NodeOperand::Kind::absent;
  }
  return operands[i];
}

GRAFT_INLINE const NodeOperand& NodeMaker::operand(std::size_t i) const {
  static const NodeOperand free, absent{NodeOperand::Kind::absent};
  if (i < operands.size()) return operands[i];
  return closed_inputs ? absent : free;
}

GRAFT_INLINE bool NodeMaker::wanted(std::size_t i, std::int64_t one_in) {
  const schema::Parameter* const parameter = facts_->input(i);
  if (parameter == nullptr) return false;
  const NodeOperand::Kind kind = operand(i).kind;
  if (kind == NodeOperand::Kind::free && parameter->option != schema::Option::optional) return true;
  if (kind == NodeOperand::Kind::free) return dice().one_in(one_in);
  return kind != NodeOperand::Kind::absent;
}

GRAFT_INLINE schema::TypeSet NodeMaker::allowed(std::size_t i) const {
  const schema::Parameter* const parameter = facts_->input(i);
  if (parameter == nullptr) throw Unfit();
  schema::TypeSet set = facts_->type(*parameter);
  set.bits &= operand(i).dtypes;
  if (parameter->option == schema::Option::heterogeneous) return set;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const schema::Parameter* const other = facts_->input(k);
    if (k == i || operands[k].value == nullptr || other == nullptr || other->type != parameter->type) continue;
    set.bits &= dtype_bit(operands[k].value->dtype());
  }
  return set;
}

GRAFT_INLINE Value& NodeMaker::take(std::size_t i, Value& value) {
  NodeOperand& operand = at(i);
  operand.kind = NodeOperand::Kind::given;
  operand.value = &value;
  return value;
}

GRAFT_INLINE Dims NodeMaker::extents(const Value& value) {
  const Shape shape = value.shape();
  Dims dims(shape.rank(), 1);
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (shape[i].known()) dims[i] = shape[i].value();
  return dims;
}

GRAFT_INLINE Dims NodeMaker::dims(const Value& value) {
  std::optional<Dims> known = value.shape().dims();
  if (!known) throw Unfit();
  return *std::move(known);
}

GRAFT_INLINE std::int64_t NodeMaker::extent_from_end(const Value& value, std::size_t from_end) {
  const Shape shape = value.shape();
  if (!shape.known() || shape.rank() < from_end || !shape[shape.rank() - from_end].known()) throw Unfit();
  return shape[shape.rank() - from_end].value();
}

GRAFT_INLINE Tensor NodeMaker::contents(const NodeOperand& operand, DType dtype, Dims dims, Interval range) {
  if (operand.contents) return *operand.contents;
  if (operand.scalar) dims = dice().one_in(3) ? Dims{1} : Dims{};
  if (operand.rank && *operand.rank != dims.size()) {
    while (dims.size() > *operand.rank) dims.erase(dims.begin());
    dims.insert(dims.begin(), *operand.rank - dims.size(), 1);
  }
  const auto filled = [&](double number) {
    return Tensor::of(dtype, dims, std::vector<double>(static_cast<std::size_t>(element_count(dims)), number));
  };
  if (operand.all_equal) return filled(*operand.all_equal);
  if (operand.positive) range = {std::max(range.low, 0.25), std::max(range.high, 2.0)};
  if (!is_float(dtype)) {
    const Interval usual = usual_interval(dtype);
    range = dtype == DType::boolean ? usual : Interval{std::max(usual.low, -5.0), 5};
    if (operand.positive) range.low = 1;
    if (dice().one_in(8)) return filled(dtype == DType::boolean ? 1 : dice().any_of({0.0, 1.0, 2.0}));
  } else if (dice().one_in(8)) {
    return filled(operand.positive ? 1 : dice().any_of({0.0, 1.0, 2.0, 0.5, 3.0, 6.0, -1.0}));
  } else if (dice().one_in(2)) {
    Tensor quarters = random_tensor(DType::i32, dims, dice().random(), {range.low * 4, range.high * 4});
    std::vector<double> numbers = quarters.to<double>();
    for (double& number : numbers) number = number == 0 && operand.positive ? 0.25 : number / 4;
    return Tensor::of(dtype, dims, numbers);
  }
  return random_tensor(dtype, std::move(dims), dice().random(), range);
}

GRAFT_INLINE Value& NodeMaker::value(std::size_t i, const Want& wanted_of_it) {
  NodeOperand& operand = at(i);
  if (operand.kind == NodeOperand::Kind::given) {
    const std::size_t rank = NodeMaker::rank(*operand.value);
    if (rank < wanted_of_it.least_rank || rank > wanted_of_it.max_rank) throw Unfit();
    return *operand.value;
  }
  if (operand.kind == NodeOperand::Kind::absent) throw Unfit();
  if (operand.kind == NodeOperand::Kind::twin) return take(i, value(operand.twin, wanted_of_it));
  Want want = wanted_of_it.of(allowed(i).bits);
  if (operand.rank) {
    if (*operand.rank < want.least_rank || *operand.rank > want.max_rank) throw Unfit();
    want.least_rank = want.max_rank = *operand.rank;
  }
  if (operand.kind == NodeOperand::Kind::free) return take(i, grower_->pick(want));
  const Value& alike = grower_->pick(want);  // the constant gets its type
  return take(i, grower_->constant(contents(operand, alike.dtype(), extents(alike), {-1, 1})));
}

GRAFT_INLINE Value& NodeMaker::numeric(std::size_t i, std::size_t least_rank, std::size_t max_rank) {
  Value& chosen = value(i, {.least_rank = least_rank, .max_rank = max_rank, .numeric = true});
  static_cast<void>(dims(chosen));
  return chosen;
}

GRAFT_INLINE Value& NodeMaker::weight(std::size_t i, Dims dims, Interval range, std::optional<DType> dtype) {
  NodeOperand& operand = at(i);
  if (operand.kind == NodeOperand::Kind::given) return *operand.value;
  if (operand.kind == NodeOperand::Kind::absent) throw Unfit();
  if (operand.kind == NodeOperand::Kind::twin) return take(i, weight(operand.twin, std::move(dims), range, dtype));
  Want want = Want{.dims = dims}.of(allowed(i).bits);
  if (dtype) want = want.of(dtype_bit(*dtype));
  if (operand.kind == NodeOperand::Kind::free && dice().one_in(is_free ? 8 : 4)) {
    Value& computed = grower_->pick(want);
    return take(i, computed);
  }
  if (!dtype) {
    dtype = want.dtypes.only();
    if (!dtype && want.dtypes.contains(grower_->main_dtype())) dtype = grower_->main_dtype();
    if (!dtype) dtype = grower_->pick(want).dtype();
  }
  if (!want.dtypes.contains(*dtype)) throw Unfit();
  return take(i, grower_->constant(contents(operand, *dtype, std::move(dims), range)));
}

GRAFT_INLINE Value& NodeMaker::constant(std::size_t i, Tensor tensor) {
  NodeOperand& operand = at(i);
  if (operand.kind == NodeOperand::Kind::given) return *operand.value;
  if (operand.kind == NodeOperand::Kind::absent) throw Unfit();
  if (operand.kind == NodeOperand::Kind::twin) return take(i, constant(operand.twin, std::move(tensor)));
  if (operand.contents) tensor = *operand.contents;
  if (operand.all_equal || operand.scalar) tensor = contents(operand, tensor.dtype(), tensor.dims(), {0, 3});
  return take(i, grower_->constant(std::move(tensor)));
}

GRAFT_INLINE Value& NodeMaker::ints(std::size_t i, const Ints& numbers) {
  if (at(i).kind == NodeOperand::Kind::free && dice().one_in(3)) {
    if (Value* const computed = grower_->shape_like(numbers)) return take(i, *computed);
  }
  return constant(i, Tensor::list(numbers));
}

GRAFT_INLINE Value& NodeMaker::partner(std::size_t i, const Value& x, Interval range, bool exact) {
  const NodeOperand& said = operand(i);
  const bool is_free_one = said.kind == NodeOperand::Kind::free;
  const bool is_constant = said.kind == NodeOperand::Kind::constant || (is_free_one && dice().one_in(2));
  const DType dtype = x.dtype();
  if (!is_constant) {
    const std::optional<Dims> same = x.shape().dims();
    if (same && dice().one_in(2)) return value(i, Want{.exact = exact, .dims = same}.of(dtype_bit(dtype)));
    return value(i, Want{.exact = exact}.of(dtype_bit(dtype)));
  }
  Dims dims = extents(x);
  switch (dice().below(8)) {
    case 0: dims.clear(); break;
    case 1: dims = {1}; break;
    case 2:
    case 3:  // along the channels
      if (dims.size() > 2) dims.erase(dims.begin()), std::fill(dims.begin() + 1, dims.end(), 1);
      break;
    case 4:
    case 5:
      if (dims.size() > 1) dims = {dims.back()};
      break;
    case 6:
      for (std::int64_t& extent : dims)
        if (dice().one_in(2)) extent = 1;
      break;
    default: break;
  }
  at(i).kind = NodeOperand::Kind::constant;
  return weight(i, std::move(dims), range, dtype);
}

GRAFT_INLINE bool NodeMaker::may_have(std::string_view name) const {
  if (facts_->attribute(name) == nullptr) return false;
  return !closed_attributes || std::find(mentioned.begin(), mentioned.end(), name) != mentioned.end();
}

GRAFT_INLINE void NodeMaker::list(std::string_view name, const Ints& numbers) {
  const schema::Place place = schema::parameter(*facts_, name);
  if (place.kind == schema::Place::Kind::attribute) set(facts_->attributes()[place.index].name(), numbers);
  else if (place.kind == schema::Place::Kind::input) ints(place.index, numbers);
}

GRAFT_INLINE void NodeMaker::number(std::string_view name, double number, DType dtype) {
  const schema::Place place = schema::parameter(*facts_, name);
  if (place.kind == schema::Place::Kind::attribute) set(facts_->attributes()[place.index].name(), number);
  else if (place.kind == schema::Place::Kind::input) constant(place.index, Tensor::of(dtype, {}, {number}));
}

GRAFT_INLINE Node& NodeMaker::finish() {
  std::vector<Value*> inputs;
  for (const NodeOperand& operand : operands) {
    if (operand.kind != NodeOperand::Kind::given && operand.kind != NodeOperand::Kind::absent) {
      if (!is_free || operand.kind == NodeOperand::Kind::constant) throw Unfit();  // the maker does not use it
    }
    const std::size_t i = inputs.size();
    if (operand.value != nullptr && !allowed(i).contains(operand.value->dtype())) throw Unfit();
    inputs.push_back(operand.value);
  }
  while (!inputs.empty() && inputs.back() == nullptr) inputs.pop_back();
  Attributes attributes;
  for (const auto& [name, attribute] : fixed) attributes.push_back(attribute);
  return grower_->add(op_, inputs, outputs, attributes);
}

}  // namespace graft::inline v1::detail
