#pragma once
#include <graft/config.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/table.hpp>
#include <graft/graph/transaction.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void Inference::run(Graph& graph) {
  known_.forget();
  symbols_.clear();
  calls_.reset();
  const KnownContents::Hold hold(known_);
  names_ = options_.name_unknown;
  for (Value* const input : graph.inputs()) {
    if (input->shape().known()) (void)settle(*input, input->dtype(), input->shape());
  }
  infer_nodes(graph);
  names_ = false;
}

GRAFT_INLINE Verdict Inference::check(Node& node) {
  struct Restore {
    bool& writes;
    ~Restore() { writes = true; }
  } restore{writes_};
  writes_ = false;
  calls_.reset();
  return infer(node);
}

GRAFT_INLINE Verdict Inference::infer(Node& node) {
  const KnownContents::Hold hold(known_);
  for (const onnx::AttributeProto& attribute : node.proto().attribute()) {
    if (!is_reference(attribute)) continue;
    if (call_ == nullptr || call_->attribute(attribute.ref_attr_name()) == nullptr) return Verdict::yes();
  }
  InferContext context(node, known_, *this);
  const Verdict fits = call_rule(context);
  Verdict verdict = fits;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    Value& output = *node.output(i);
    if (output.name().empty()) continue;
    const InferContext::Told& told = context.told(i);
    const Shape shape = fits ? told.shape : Shape();
    const Verdict agrees = told.other ? settle(output, *told.other) : settle(output, told.dtype, shape);
    if (verdict && !agrees) verdict = agrees;
  }
  return verdict;
}

GRAFT_INLINE Verdict Inference::call_rule(InferContext& context) {
  const Node& node = context.node();
  if (!options_.custom.empty()) {
    const std::string name = std::string(node.domain()) + "::" + std::string(node.op_type());
    const auto custom = options_.custom.find(node.domain().empty() ? name.substr(2) : name);
    if (custom != options_.custom.end()) return custom->second(context);
  }
  if (Graph* const function = function_of(node)) {
    call_function(context, *function);
    return Verdict::yes();
  }
  const infer::OperatorRule* const rule = infer::find_rule(node.domain(), node.op_type());
  if (rule != nullptr) return rule->types(context);
  for (const Body& body : node.bodies()) context.infer_body(*body.graph);
  return Verdict::yes();
}

GRAFT_INLINE Graph* Inference::function_of(const Node& node) {
  Model& model = node.graph().model();
  if (model_ != &model || known_functions_ != model.functions()) {
    model_ = &model;
    known_functions_ = model.functions();
    functions_ = LocalFunctions(model);
  }
  return functions_.called_by(node);
}

/// All that the types of a call's outputs follow from. Contents of inputs are not looked at in a function.
GRAFT_INLINE std::string Inference::key_of(const InferContext& call, const Graph& function) {
  const auto* const place = &function;
  std::string key(reinterpret_cast<const char*>(&place), sizeof(place));
  const auto add = [&key](const std::string& part) {
    key += std::to_string(part.size()) + ':';
    key += part;
  };
  for (std::size_t i = 0; i < function.inputs().size() && i < call.input_count(); ++i) {
    if (!call.has(i)) {
      add("");
    } else if (const onnx::TypeProto* const type = call.type(i)) {
      add(type->SerializeAsString());
    } else {
      add(tensor_type(call.dtype(i), call.shape(i)).SerializeAsString());
    }
  }
  for (const onnx::AttributeProto& attribute : call.node().proto().attribute()) {
    add(attribute.name());
    if (const onnx::AttributeProto* const given = call.attribute(attribute.name())) add(given->SerializeAsString());
  }
  return key;
}

GRAFT_INLINE std::vector<std::optional<onnx::TypeProto>> Inference::infer_call(InferContext& call, Graph& function) {
  Transaction types_of_the_call(function);
  Inference inside(options_);
  inside.options_.name_unknown = inside.options_.declare = false;
  inside.options_.problem = nullptr;
  inside.call_ = &call;
  inside.calls_ = calls_;
  for (std::size_t i = 0; i < function.inputs().size() && i < call.input_count(); ++i) {
    if (!call.has(i)) continue;
    const onnx::TypeProto* const type = call.type(i);
    function.set_type(*function.inputs()[i], type ? *type : tensor_type(call.dtype(i), call.shape(i)));
  }
  inside.infer_nodes(function);
  std::vector<std::optional<onnx::TypeProto>> outputs(function.output_count());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Value* const output = function.output(i);
    if (output != nullptr && output->type() != nullptr) outputs[i] = *output->type();
  }
  return outputs;
}

GRAFT_INLINE void Inference::call_function(InferContext& call, Graph& function) {
  constexpr std::size_t deepest = 128;  // each call takes stack
  if (!writes_) return;
  if (calls_ == nullptr) calls_ = std::make_shared<Calls>();
  std::string key = key_of(call, function);
  auto known = calls_->outputs.find(key);
  if (known == calls_->outputs.end()) {
    if (calls_->open.size() == deepest || !calls_->open.insert(&function).second) return;  // it may even call itself
    struct Close {
      Calls& calls;
      const Graph& function;
      ~Close() { calls.open.erase(&function); }
    } const close{*calls_, function};
    known = calls_->outputs.emplace(std::move(key), infer_call(call, function)).first;
  }
  for (std::size_t i = 0; i < known->second.size(); ++i) {
    if (known->second[i]) call.set_type(i, *known->second[i]);
  }
}

GRAFT_INLINE Verdict Inference::settle(Value& value, const onnx::TypeProto& type) {
  if (type.has_tensor_type()) return settle(value, elem_type(type), Shape(type));
  const onnx::TypeProto* const before = value.type();
  const bool open = before == nullptr || before->value_case() == onnx::TypeProto::VALUE_NOT_SET;
  if (!open && before->value_case() != type.value_case()) {
    return Verdict::no("a value is declared with another kind of type than follows");
  }
  if (open || options_.refresh) write(value, type);
  return Verdict::yes();
}

GRAFT_INLINE Verdict Inference::settle(Value& value, DType dtype, const Shape& shape) {
  if (dtype == DType::undefined && !shape.known()) return Verdict::yes();
  const onnx::TypeProto* const before = value.type();
  const bool open = before == nullptr || before->value_case() == onnx::TypeProto::VALUE_NOT_SET;
  if (!open && !before->has_tensor_type()) {
    return Verdict::no("a value is declared with another kind of type than follows");
  }
  if (!options_.declare && value.dtype() == dtype && same_size(value.shape(), shape)) return Verdict::yes();
  const bool anew = options_.refresh && value.producer() != nullptr && !value.is_graph_output();
  const DType old_dtype = anew && dtype != DType::undefined ? DType::undefined : value.dtype();
  const Shape old_shape = anew && shape.known() ? Shape() : value.shape();
  if (dtype != DType::undefined && old_dtype != DType::undefined && dtype != old_dtype) {
    return Verdict::no("a value is declared with another dtype than follows");
  }
  if (!old_shape.known() && !shape.known()) {
    if (old_dtype == DType::undefined) write(value, tensor_type(dtype));
    return Verdict::yes();
  }
  std::vector<Dim> dims = infer::to_dims(old_shape.known() ? old_shape : shape);
  if (old_shape.known() && shape.known()) {
    if (shape.rank() != dims.size()) {
      return no("a value is declared with rank {}, where {} follows", dims.size(), shape.rank());
    }
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      const auto both = infer::unify(dims[axis], shape[axis]);
      if (!both) {
        const std::string_view text = "a value is declared with extent {} where {} follows, at axis {}";
        return no(text, dims[axis].value(), shape[axis].value(), axis);
      }
      dims[axis] = *both;
    }
  }
  if (!writes_) return Verdict::yes();
  if (names_) name_unknown(value.graph().model(), dims);
  const Shape merged(std::move(dims));
  const DType merged_dtype = dtype != DType::undefined ? dtype : old_dtype;
  const bool is_news = merged_dtype != value.dtype() || merged != value.shape();
  if (is_news || options_.declare) write(value, tensor_type(merged_dtype, merged));
  return Verdict::yes();
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
    auto placed = symbols_.insert("unk__" + std::to_string(next_symbol_++));
    while (!placed.second) placed = symbols_.insert("unk__" + std::to_string(next_symbol_++));
    dim = Dim(std::string_view(*placed.first));
  }
}

GRAFT_INLINE const onnx::AttributeProto* InferContext::attribute(std::string_view name) const {
  const onnx::AttributeProto* const given = node_.attribute(name);
  if (given == nullptr || !is_reference(*given)) return given;
  const InferContext* const call = inference_ != nullptr ? inference_->call_ : nullptr;
  return call != nullptr ? call->attribute(given->ref_attr_name()) : nullptr;
}
GRAFT_INLINE Verdict InferContext::refine(Value& value, DType dtype, const Shape& shape) const {
  return inference_->settle(value, dtype, shape);
}
GRAFT_INLINE Verdict InferContext::refine(Value& value, const onnx::TypeProto& type) const {
  return inference_->settle(value, type);
}
GRAFT_INLINE void InferContext::infer_body(Graph& body, bool taken) const {
  if (!inference_->writes_) return;
  auto& problem = inference_->options_.problem;
  auto told = taken ? nullptr : std::exchange(problem, nullptr);
  inference_->infer_nodes(body);
  if (!taken) problem = std::move(told);
}

}  // namespace graft::inline v1
