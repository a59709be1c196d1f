#pragma once
#include <graft/testing/detail/graph_grower.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE void GraphGrower::add_inputs() {
  const std::array<Dims, 6> images{
      {{1, 4, 5, 6}, {2, 3, 4, 4}, {1, 2, 6, 5}, {2, 6, 3, 3}, {1, 3, 7, 4}, {3, 2, 5, 5}}};
  const std::array<Dims, 6> others{{{3, 4}, {2, 3, 4}, {4}, {1, 5}, {2, 1, 3}, {}}};
  values_.push_back(&graph_->add_input("x", tensor_type(DType::f32, Shape(Dims(any_of(images))))));
  values_.push_back(&graph_->add_input("z", tensor_type(DType::f32, Shape(Dims(any_of(others))))));
  if (chance(2)) values_.push_back(&graph_->add_input("m", tensor_type(DType::f32, Shape(Dims{3, 4}))));
  if (chance(2)) values_.push_back(&graph_->add_input("s", tensor_type(DType::f32, Shape({Dim("N"), Dim(4)}))));
  if (chance(3))
    values_.push_back(&graph_->add_input("u", tensor_type(DType::f32, Shape({Dim("N"), Dim(3), Dim("M")}))));
  for (const Value* const value : values_) exact_.insert(value);
}

GRAFT_INLINE Dims GraphGrower::extents(const Value& value) {
  const Shape shape = value.shape();
  Dims dims(shape.rank(), 1);
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (shape[i].known()) dims[i] = shape[i].value();
  return dims;
}

GRAFT_INLINE Value* GraphGrower::floats(std::size_t least_rank, std::size_t most_rank, bool any_extents) {
  std::vector<Value*> fitting;
  for (Value* const value : values_) {
    const Shape shape = value->shape();
    if (!shape.known() || (!any_extents && !shape.dims())) continue;
    if (shape.rank() >= least_rank && shape.rank() <= most_rank) fitting.push_back(value);
  }
  // Mostly what came last: chains are what rules are about.
  if (!fitting.empty() && !chance(3))
    return fitting[fitting.size() - 1 - pick(std::min<std::size_t>(2, fitting.size()))];
  return pick_from(fitting);
}

GRAFT_INLINE Value& GraphGrower::constant(Tensor tensor) {
  Value& value = chance(4) ? *graph_->insert("Constant", {}, 1, {{"value", std::move(tensor)}}).output(0)
                           : graph_->add_initializer(std::move(tensor), "c");
  if (value.producer() != nullptr) static_cast<void>(inference_.run(*value.producer()));
  exact_.insert(&value);
  return value;
}

GRAFT_INLINE Value& GraphGrower::operand(const Dims& dims, double number) {
  Dims own;
  switch (pick(5)) {
    case 0: break;
    case 1: own = {1}; break;
    case 2: own = dims; break;
    case 3:
      if (dims.size() > 1) own = Dims(dims.size() - 1, 1), own.front() = dims[1];
      break;
    default: own = dims.empty() ? Dims() : Dims{dims.back()}; break;
  }
  if (own.size() > dims.size()) own.clear();
  const auto count = static_cast<std::size_t>(element_count(own));
  std::vector<double> numbers(count, number);
  if (number == 2)  // some of their own
    for (double& one : numbers) one = static_cast<double>(random_.integer(1, 8)) / 4;
  return constant(Tensor::of(DType::f32, own, numbers));
}

GRAFT_INLINE Value& GraphGrower::node(std::string_view op, std::initializer_list<Value*> inputs,
                                      const Attributes& attributes, bool rounds, std::size_t outputs) {
  Node& added = graph_->insert(op, inputs, outputs, attributes);
  if (const Verdict fits = inference_.run(added); !fits) {
    const std::string why(fits.reason().text);
    graph_->erase(added);
    throw Error(std::string(op) + ": " + why);
  }
  const bool is_exact_here = !rounds && std::all_of(inputs.begin(), inputs.end(),
                                                    [&](const Value* x) { return x == nullptr || is_exact(*x); });
  for (Value& output : added.outputs()) {
    if (is_exact_here) exact_.insert(&output);
    auto& list = output.dtype() == DType::f32 ? values_ : output.dtype() == DType::boolean ? flags_ : others_;
    list.push_back(&output);
  }
  return *added.output(0);
}

GRAFT_INLINE Value& GraphGrower::with_axes(std::string_view op, Value& x, Ints axes, int since, Attributes attributes) {
  if (graph_->opset() >= since) return node(op, {&x, &ints(std::move(axes))}, attributes);
  attributes.push_back({"axes", axes});
  return node(op, {&x}, attributes);
}

GRAFT_INLINE void GraphGrower::elementwise() {
  constexpr std::array<std::string_view, 12> ops{"Relu", "Relu",     "Abs",  "Neg",         "Sigmoid",  "Tanh",
                                                 "Clip", "Identity", "Clip", "HardSigmoid", "Softplus", "LeakyRelu"};
  Value* const x = any_floats();
  if (x == nullptr) return;
  const std::string_view op = any_of(ops);
  if (op != "Clip") {
    const bool rounds = op == "Sigmoid" || op == "Tanh" || op == "HardSigmoid" || op == "Softplus" || op == "LeakyRelu";
    node(op, {x}, {}, rounds);
    return;
  }
  Value* const low = chance(3) ? nullptr : &constant(Tensor::scalar(static_cast<float>(random_.integer(-2, 0))));
  Value* const high = chance(3) ? nullptr : &constant(Tensor::scalar(static_cast<float>(random_.integer(1, 6))));
  node("Clip", {x, low, high});
}

/// What would take a difference of the last bit for one of the whole.
GRAFT_INLINE void GraphGrower::jumping() {
  constexpr std::array<std::string_view, 5> ops{"Floor", "Ceil", "Round", "Sign", "ArgMax"};
  std::vector<Value*> fitting;
  for (Value* const value : values_)
    if (is_exact(*value) && value->shape().dims()) fitting.push_back(value);
  Value* const x = pick_from(fitting);
  if (x == nullptr) return;
  const std::string_view op = any_of(ops);
  const Dims dims = *x->shape().dims();
  if (op != "ArgMax") {
    Value& once = node(op, {x});
    if (chance(2)) node(any_of(std::array<std::string_view, 3>{"Floor", "Round", "Ceil"}), {&once});
  } else if (!dims.empty() && element_count(dims) != 0) {
    const std::size_t axis = axis_of(dims);
    const bool keeps = chance(2);
    Value& most = node("ArgMax", {x}, {{"axis", maybe_negative(axis, dims.size())}, {"keepdims", keeps ? 1 : 0}});
    if (!keeps) with_axes("Unsqueeze", most, {static_cast<std::int64_t>(axis)}, 13);
  }
}

GRAFT_INLINE void GraphGrower::neutral() {
  Value* const x = any_floats();
  if (x == nullptr) return;
  const Dims dims = extents(*x);
  switch (pick(10)) {
    case 0: chance(2) ? node("Add", {x, &operand(dims, 0)}) : node("Add", {&operand(dims, 0), x}); break;
    case 1: node("Sub", {x, &operand(dims, 0)}); break;
    case 2: chance(2) ? node("Mul", {x, &operand(dims, 1)}) : node("Mul", {&operand(dims, 1), x}); break;
    case 3: node("Div", {x, &operand(dims, 1)}); break;
    case 4: node("Pow", {x, &operand(dims, 1)}); break;
    case 5: node("Dropout", {x}); break;
    case 6: node("Clip", {x}); break;
    case 7: node("Tile", {x, &ints(Ints(dims.size(), 1))}); break;
    case 8: node("Expand", {x, &ints(Ints(pick(dims.size() + 1), 1))}); break;
    default: node("Cast", {x}, {{"to", DType::f32}}); break;
  }
}

GRAFT_INLINE void GraphGrower::arithmetic() {
  constexpr std::array<std::string_view, 6> ops{"Add", "Sub", "Mul", "Div", "Max", "Min"};
  Value* const x = any_floats();
  if (x == nullptr) return;
  const std::string_view op = any_of(ops);
  Value& other = operand(extents(*x), chance(4) ? 0.5 : 2);
  const bool rounds = op != "Max" && op != "Min";
  if (op != "Div" && chance(3)) node(op, {&other, x}, {}, rounds);
  else node(op, {x, &other}, {}, rounds);
}

GRAFT_INLINE void GraphGrower::pair() {
  Value* const x = any_floats();
  if (x == nullptr) return;
  std::vector<Value*> alike;
  for (Value* const value : values_)
    if (value == x || same_size(value->shape(), x->shape())) alike.push_back(value);
  Value* const y = pick_from(alike);
  const std::string_view op = any_of(std::array<std::string_view, 4>{"Add", "Sub", "Mul", "Max"});
  node(op, {x, y}, {}, op != "Max");
}

GRAFT_INLINE void GraphGrower::move() {
  Value* const x = any_floats(1);
  if (x == nullptr) return;
  Ints perm(x->shape().rank());
  std::iota(perm.begin(), perm.end(), 0);
  for (std::size_t i = perm.size(); i > 1; --i)
    if (chance(2)) std::swap(perm[i - 1], perm[pick(i)]);
  if (chance(5)) node("Transpose", {x});
  else node("Transpose", {x}, {{"perm", perm}});
}

GRAFT_INLINE void GraphGrower::reshape() {
  Value* const x = floats();
  if (x == nullptr) return;
  const Dims dims = *x->shape().dims();
  const std::int64_t count = element_count(dims);
  if (count == 0) return;  // of which -1 would say nothing
  switch (pick(6)) {
    case 0: node("Flatten", {x}, {{"axis", static_cast<std::int64_t>(pick(dims.size() + 1))}}); break;
    case 1: node("Reshape", {x, &ints({-1})}); break;
    case 2: {  // as it is, said in another way
      Ints same(dims.begin(), dims.end());
      if (!same.empty()) same[pick(same.size())] = chance(2) ? -1 : 0;
      node("Reshape", {x, &ints(same)});
      break;
    }
    case 3:
      if (dims.size() > 1) node("Reshape", {x, &ints({0, -1})});
      break;
    case 4:
      if (count % 2 == 0) node("Reshape", {x, &ints({2, count / 2})});
      break;
    default:
      if (count % 4 == 0) node("Reshape", {x, &ints({1, 2, 2, count / 4})});
      break;
  }
}

GRAFT_INLINE void GraphGrower::squeeze() {
  Value* const x = any_floats(0, 4);
  if (x == nullptr) return;
  const Dims dims = extents(*x);
  const std::size_t at = pick(dims.size() + 1);
  Value& wide = with_axes("Unsqueeze", *x, {maybe_negative(at, dims.size() + 1)}, 13);
  if (chance(2)) with_axes("Squeeze", wide, {maybe_negative(at, dims.size() + 1)}, 13);
  else if (chance(3)) node("Squeeze", {&wide});
}

GRAFT_INLINE void GraphGrower::cut() {
  Value* const x = floats(1);
  if (x == nullptr) return;
  const Dims dims = *x->shape().dims();
  const std::size_t axis = axis_of(dims);
  const std::int64_t extent = dims[axis], along = maybe_negative(axis, dims.size());
  if (chance(4)) {  // one part, or two
    const std::int64_t first = chance(2) || extent < 2 ? extent : random_.integer(1, extent - 1);
    const Ints parts = first == extent ? Ints{extent} : Ints{first, extent - first};
    if (graph_->opset() >= 13) node("Split", {x, &ints(parts)}, {{"axis", along}}, false, parts.size());
    else node("Split", {x}, {{"axis", along}, {"split", parts}}, false, parts.size());
    return;
  }
  std::int64_t start = chance(2) ? 0 : random_.integer(-1, 1), end = chance(2) ? 1000 : random_.integer(-1, extent);
  std::int64_t step = chance(3) ? 2 : 1;
  if (chance(5)) start = 100, end = -100, step = -step;
  Value& part = node("Slice", {x, &ints({start}), &ints({end}), &ints({along}), &ints({step})});
  if (chance(2)) node("Slice", {&part, &ints({0}), &ints({random_.integer(1, 3)}), &ints({along})});
}

GRAFT_INLINE void GraphGrower::join() {
  Value* const x = floats(1);
  if (x == nullptr) return;
  const Dims dims = *x->shape().dims();
  const std::size_t axis = axis_of(dims);
  if (element_count(dims) > 400) return;
  const std::int64_t along = maybe_negative(axis, dims.size());
  Dims none = dims;
  none[axis] = 0;
  switch (pick(4)) {
    case 0: node("Concat", {x}, {{"axis", along}}); break;
    case 1: node("Concat", {x, &constant(Tensor(DType::f32, none))}, {{"axis", along}}); break;
    case 2: node("Concat", {x, &weight(dims)}, {{"axis", along}}); break;
    default: {
      Value& once = node("Concat", {x, x}, {{"axis", along}});
      if (chance(2)) node("Concat", {x, &once}, {{"axis", along}});
      break;
    }
  }
}

GRAFT_INLINE void GraphGrower::pad() {
  Value* const x = floats(1);
  if (x == nullptr) return;
  const std::size_t rank = x->shape().rank();
  Ints pads(2 * rank, 0);
  if (!chance(3))
    for (std::size_t i = rank == 4 ? 2 : 0; i < rank; ++i) pads[i] = random_.integer(0, 1), pads[rank + i] = pads[i];
  const std::string_view pool = any_of(std::array<std::string_view, 2>{"MaxPool", "AveragePool"});
  const bool is_pooled = rank == 4 && chance(2);
  // The lowest number goes into a MaxPool, which takes it away: arithmetic would go out of range.
  const auto number = is_pooled && pool == "MaxPool" && chance(2) ? -3.4028234663852886e38f : chance(4) ? 1.f : 0.f;
  Value& padded = node("Pad", {x, &ints(pads), &constant(Tensor::scalar(number))});
  if (is_pooled) node(pool, {&padded}, {{"kernel_shape", Ints{2, 2}}}, pool != "MaxPool");
  if (number < -1) values_.erase(std::find(values_.begin(), values_.end(), &padded));
}

GRAFT_INLINE void GraphGrower::reduce() {
  constexpr std::array<std::string_view, 6> ops{"ReduceMax", "ReduceMin", "ReduceMean",
                                                "ReduceSum", "ReduceL1",  "ReduceSumSquare"};
  Value* const x = any_floats(1);
  if (x == nullptr) return;
  const std::string_view op = any_of(ops);
  const Dims dims = extents(*x);
  Ints axes;
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (chance(2)) axes.push_back(static_cast<std::int64_t>(i));
  if (axes.empty()) axes.push_back(0);
  Ints written = axes;
  for (std::int64_t& axis : written) axis = maybe_negative(static_cast<std::size_t>(axis), dims.size());
  const bool keeps = chance(2);
  Value& less = with_axes(op, *x, written, op == "ReduceSum" ? 13 : 18, {{"keepdims", keeps ? 1 : 0}});
  if (op != "ReduceMax" && op != "ReduceMin") exact_.erase(&less);
  if (!keeps && chance(2)) with_axes("Unsqueeze", less, axes, 13);
}

GRAFT_INLINE void GraphGrower::image() {
  Value* x = floats(4, 4);
  if (x == nullptr) return;
  const Dims dims = *x->shape().dims();
  if (dims[1] > 8 || dims[2] < 2 || dims[3] < 2 || element_count(dims) > 2000) return;
  switch (pick(5)) {
    case 0: {
      const std::string_view op = any_of(std::array<std::string_view, 2>{"MaxPool", "AveragePool"});
      node(op, {x}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{1, 2}}}, op != "MaxPool");
      return;
    }
    case 1: node("GlobalAveragePool", {x}, {}, true); return;
    default: break;
  }
  const std::int64_t made = random_.integer(1, 4), kernel = random_.integer(1, 2);
  Value* const bias = chance(2) ? &weight({made}) : nullptr;
  Attributes attributes;
  if (chance(2)) attributes.push_back({"pads", Ints{0, 1, 1, 0}});
  Value* y = &node("Conv", {x, &weight({made, dims[1], kernel, kernel}), bias}, attributes, true);
  if (chance(2)) {
    Value& variance = constant(random_tensor(DType::f32, {made}, random_, {0.5, 2}));
    y = &node("BatchNormalization", {y, &weight({made}), &weight({made}), &weight({made}), &variance}, {}, true);
  }
  if (chance(2)) {
    const std::string_view op = any_of(std::array<std::string_view, 4>{"Add", "Sub", "Mul", "Div"});
    node(op, {y, &constant(random_tensor(DType::f32, {made, 1, 1}, random_, {0.5, 2}))}, {}, true);
  }
}

GRAFT_INLINE void GraphGrower::product() {
  Value* const x = floats(2, 3);
  if (x == nullptr) return;
  const Dims dims = *x->shape().dims();
  const std::int64_t depth = dims.back(), made = random_.integer(1, 4);
  if (depth == 0) return;
  if (dims.size() == 2 && chance(2)) {
    const bool turns = chance(2);
    Value& left = chance(3) ? node("Transpose", {x}, {{"perm", Ints{1, 0}}}) : *x;
    const std::int64_t rows = (*left.shape().dims())[1];
    Value* const bias = chance(2) ? &weight(chance(2) ? Dims{made} : Dims{1}) : nullptr;
    node("Gemm", {&left, &weight(turns ? Dims{made, rows} : Dims{rows, made}), bias},
         {{"transB", turns ? 1 : 0}, {"alpha", chance(2) ? 1.f : 0.5f}}, true);
    return;
  }
  Value& both = node("MatMul", {x, &weight({depth, made})}, {}, true);
  if (chance(2)) node("Add", {&both, &weight({made})}, {}, true);
}

GRAFT_INLINE void GraphGrower::normalize() {
  Value* const x = any_floats(1);
  if (x == nullptr) return;
  const std::size_t rank = x->shape().rank();
  Value& calm = node("Tanh", {x}, {}, true);  // so that no Softmax is 0
  const Attributes attributes{{"axis", maybe_negative(pick(rank), rank)}};
  if (chance(3)) {
    node("LogSoftmax", {&calm}, attributes, true);
    return;
  }
  Value& parts = node("Softmax", {&calm}, attributes, true);
  if (chance(2)) node("Log", {&parts}, {}, true);
}

GRAFT_INLINE void GraphGrower::computed_shape() {
  Value* const x = any_floats(2, 4);
  if (x == nullptr) return;
  const Dims dims = extents(*x);
  Value& shape = node("Shape", {x});
  if (chance(3)) {
    Value& filled = node("ConstantOfShape", {&shape}, {{"value", Tensor::of<float>({1}, {2.f})}});
    node("Cast", {&filled}, {{"to", chance(2) ? DType::f32 : DType::i32}});
    return;
  }
  Value& first = node("Gather", {&shape, &constant(Tensor::scalar<std::int64_t>(chance(2) ? 0 : 1))});
  Value& listed = with_axes("Unsqueeze", first, {0}, 13);
  Value& wanted = node("Concat", {&listed, &ints({-1})}, {{"axis", 0}});
  if (element_count(dims) != 0) node("Reshape", {x, &wanted});
}

GRAFT_INLINE void GraphGrower::cast() {
  std::vector<Value*> all(others_);
  all.insert(all.end(), flags_.begin(), flags_.end());
  Value* const x = pick_from(all);
  if (x == nullptr) {
    Value* const y = floats();
    if (y == nullptr) return;
    Value& wide = node("Cast", {y}, {{"to", DType::f64}});
    node("Cast", {&wide}, {{"to", DType::f32}});
    return;
  }
  const DType between = x->dtype() == DType::boolean ? DType::i32 : DType::i64;
  Value& one = node("Cast", {x}, {{"to", between}});
  node("Cast", {&one}, {{"to", DType::f32}});
}

GRAFT_INLINE void GraphGrower::logic() {
  if (Value* const flag = pick_from(flags_)) {
    switch (pick(4)) {
      case 0: node("Not", {flag}); return;
      case 1: node("And", {flag, &constant(Tensor::scalar(true))}); return;
      case 2: node("Or", {&constant(Tensor::scalar(false)), flag}); return;
      default: break;
    }
    for (Value* const value : values_) {
      if (!same_size(value->shape(), flag->shape())) continue;
      Value& not_it = chance(2) ? node("Not", {flag}) : *flag;
      node("Where", {&not_it, value, &constant(Tensor::scalar(2.f))});
      return;
    }
  }
  std::vector<Value*> fitting;
  for (Value* const value : values_)
    if (is_exact(*value) && value->shape().dims()) fitting.push_back(value);
  if (Value* const x = pick_from(fitting)) node("Greater", {x, &constant(Tensor::scalar(0.25f))});
}

/// An If whose condition is constant, or one that is not; its branches read what is around.
GRAFT_INLINE void GraphGrower::branch() {
  Value* const x = floats();
  if (x == nullptr || x->name().empty()) return;
  const auto body = [&](std::string_view op) {
    onnx::GraphProto proto;
    proto.set_name("branch");
    const std::string name = graph_->fresh_name("inner") + std::string(op);
    onnx::NodeProto& only = *proto.add_node();
    only.set_op_type(std::string(op));
    only.add_input(std::string(x->name()));
    only.add_output(name);
    proto.add_output()->set_name(name);
    *proto.mutable_output(0)->mutable_type() = *x->type();
    return proto;
  };
  std::vector<Value*> single;
  for (Value* const flag : flags_)
    if (flag->shape().dims() == Dims()) single.push_back(flag);
  Value* const dynamic = chance(2) ? pick_from(single) : nullptr;
  Value& condition = dynamic != nullptr ? *dynamic : constant(Tensor::scalar(chance(2)));
  node("If", {&condition}, {{"then_branch", body("Relu")}, {"else_branch", body("Neg")}}, !is_exact(*x));
}

/// Over constants alone.
GRAFT_INLINE void GraphGrower::fold() {
  Value* const x = floats();
  if (x == nullptr) return;
  Value& computed = node("Mul", {&operand(*x->shape().dims(), 2), &constant(Tensor::scalar(0.5f))}, {}, true);
  node("Add", {x, &computed}, {}, true);
}

/// Another node that computes what one does already.
GRAFT_INLINE void GraphGrower::twin() {
  std::vector<Node*> nodes;
  for (Node& node : graph_->nodes())
    if (node.bodies().empty() && !node.is("Constant")) nodes.push_back(&node);
  if (nodes.empty()) return;
  const Node& node = *nodes[pick(nodes.size())];
  const std::vector<Value*> inputs(node.inputs().begin(), node.inputs().end());
  Node& copy = graph_->insert(onnx::NodeProto(node.proto()), inputs, node.output_count());
  graph_->rename(copy, graph_->fresh_name("twin"));
  static_cast<void>(inference_.run(copy));
  for (std::size_t i = 0; i < copy.output_count(); ++i) {
    Value& output = *copy.output(i);
    if (is_exact(*node.output(i))) exact_.insert(&output);
    auto& list = output.dtype() == DType::f32 ? values_ : output.dtype() == DType::boolean ? flags_ : others_;
    list.push_back(&output);
  }
}

/// What is done twice, or there and back.
GRAFT_INLINE void GraphGrower::again() {
  Value* const x = any_floats(1, 3);
  if (x == nullptr) return;
  const std::size_t rank = x->shape().rank();
  switch (pick(6)) {
    case 0: {
      const std::string_view op = any_of(std::array<std::string_view, 2>{"Relu", "Abs"});
      node(op, {&node(op, {x})});
      break;
    }
    case 1: {
      Value& wide =
          with_axes("Unsqueeze", with_axes("Unsqueeze", *x, {0}, 13), {maybe_negative(pick(rank + 2), rank + 2)}, 13);
      if (chance(2)) with_axes("Squeeze", with_axes("Squeeze", wide, {0}, 13), {0}, 13);
      break;
    }
    case 2: {
      Ints turned(rank);
      std::iota(turned.rbegin(), turned.rend(), 0);
      Value* y = &node("Transpose", {x}, {{"perm", turned}});
      if (chance(2)) y = &node("Relu", {y});
      if (chance(2)) y = &node("Mul", {y, &constant(Tensor::scalar(2.f))}, {}, true);
      node("Transpose", {y}, {{"perm", turned}});
      break;
    }
    case 3: {
      Value& low = node("Max", {x, &constant(Tensor::scalar(chance(2) ? 0.f : -1.f))});
      node("Clip", {&low, &constant(Tensor::scalar(-0.5f)), chance(2) ? &constant(Tensor::scalar(3.f)) : nullptr});
      break;
    }
    case 4: {
      Value& sure = node("Softplus", {x}, {}, true);
      node(any_of(std::array<std::string_view, 2>{"Abs", "Relu"}), {&node("Relu", {&sure})});
      break;
    }
    default:
      if (is_exact(*x) && x->shape().dims()) {
        const Attributes along{{"axis", -1}};
        Value& rising = chance(2) ? node("Softmax", {x}, along, true) : node("Sqrt", {&node("Abs", {x})}, {}, true);
        if (element_count(*x->shape().dims()) != 0) node("ArgMax", {&rising}, along);
      }
      break;
  }
}

/// A Conv with what can go into its weights before it, behind it and behind its activation.
GRAFT_INLINE void GraphGrower::around_convolution() {
  Value* x = floats(4, 4);
  if (x == nullptr) return;
  const Dims dims = *x->shape().dims();
  if (dims[1] > 8 || dims[2] < 2 || dims[3] < 2 || element_count(dims) > 2000) return;
  const auto along = [&](std::int64_t channels) -> Value& {
    return constant(random_tensor(DType::f32, chance(3) ? Dims() : Dims{channels, 1, 1}, random_, {0.5, 2}));
  };
  if (chance(2)) x = &node(chance(2) ? "Mul" : "Add", {x, &along(dims[1])}, {}, true);
  if (chance(3)) x = &node("Pad", {x, &ints({0, 0, 1, 0, 0, 0, 0, 1})});
  const std::int64_t made = random_.integer(1, 4);
  Value* weights = &weight({made, dims[1], 2, 2});
  if (chance(6))
    weights = &node("Relu", {&constant(random_tensor(DType::f32, {made, dims[1], 2, 2}, random_, {-1, 1}))});
  Value* y = &node("Conv", {x, weights, chance(2) ? &weight({made}) : nullptr}, {}, true);
  if (chance(2)) y = &node("Add", {y, &along(made)}, {}, true);
  if (chance(3)) y = &node("Relu", {y});
  else if (chance(2)) y = &node("Clip", {y, &constant(Tensor::scalar(0.f)), &constant(Tensor::scalar(6.f))});
  if (chance(2)) node("Mul", {y, &along(made)}, {}, true);
}

/// What newer opsets have an operator for.
GRAFT_INLINE void GraphGrower::spelled_out() {
  Value* const x = any_floats(1);
  if (x == nullptr) return;
  const auto number = [&](float value) { return &constant(Tensor::scalar(value)); };
  switch (pick(3)) {
    case 0: {
      Value& moved = node("Add", {x, number(3)}, {}, true);
      Value& kept = node("Clip", {&moved, number(0), number(6)});
      if (chance(2)) {
        node("Div", {&node("Mul", {x, &kept}, {}, true), number(6)}, {}, true);
      } else {
        Value& hard = node("Div", {&kept, number(6)}, {}, true);
        if (chance(2)) node("Mul", {&hard, x}, {}, true);
      }
      break;
    }
    case 1: {
      Value& error = node("Erf", {&node("Div", {x, number(1.4142135f)}, {}, true)}, {}, true);
      Value& raised = node("Add", {&error, number(1)}, {}, true);
      node("Mul", {&node("Mul", {x, &raised}, {}, true), number(0.5f)}, {}, true);
      break;
    }
    default: {
      if (!x->shape().dims() || x->shape().dims()->back() == 0) break;
      const std::int64_t width = x->shape().dims()->back();
      const auto mean = [&](Value& of) -> Value& { return with_axes("ReduceMean", of, {-1}, 18); };
      Value& centred = node("Sub", {x, &mean(*x)}, {}, true);
      Value& squares = node("Pow", {&centred, number(2)}, {}, true);
      Value& deviation = node("Sqrt", {&node("Add", {&mean(squares), number(0.01f)}, {}, true)}, {}, true);
      Value& normal = node("Div", {&centred, &deviation}, {}, true);
      node("Add", {&node("Mul", {&normal, &weight({width})}, {}, true), &weight({width})}, {}, true);
      break;
    }
  }
}

GRAFT_INLINE void GraphGrower::grow() {
  using Idea = void (GraphGrower::*)();
  constexpr std::array<Idea, 30> ideas{&GraphGrower::elementwise,
                                       &GraphGrower::elementwise,
                                       &GraphGrower::jumping,
                                       &GraphGrower::neutral,
                                       &GraphGrower::neutral,
                                       &GraphGrower::arithmetic,
                                       &GraphGrower::arithmetic,
                                       &GraphGrower::pair,
                                       &GraphGrower::move,
                                       &GraphGrower::move,
                                       &GraphGrower::reshape,
                                       &GraphGrower::reshape,
                                       &GraphGrower::squeeze,
                                       &GraphGrower::cut,
                                       &GraphGrower::join,
                                       &GraphGrower::pad,
                                       &GraphGrower::reduce,
                                       &GraphGrower::image,
                                       &GraphGrower::image,
                                       &GraphGrower::product,
                                       &GraphGrower::normalize,
                                       &GraphGrower::cast,
                                       &GraphGrower::computed_shape,
                                       &GraphGrower::logic,
                                       &GraphGrower::branch,
                                       &GraphGrower::twin,
                                       &GraphGrower::again,
                                       &GraphGrower::again,
                                       &GraphGrower::around_convolution,
                                       &GraphGrower::spelled_out};
  try {
    if (chance(20)) fold();
    else (this->*any_of(ideas))();
  } catch (const Error&) {
    // An idea that does not fit this opset, or these extents; what it added so far stays.
  }
}

GRAFT_INLINE void GraphGrower::choose_outputs() {
  for (const auto* const list : {&values_, &flags_, &others_}) {
    for (Value* const value : *list) {
      if (value->is_graph_output() || value->name().empty() || value->is_graph_input()) continue;
      if (value->use_count() == 0 || chance(12)) graph_->add_output(*value);
    }
  }
}

}  // namespace graft::inline v1::detail
