#pragma once
#include <graft/evaluate/detail/plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <graft/config.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/run_kernel.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1::standard_kernels::detail {

GRAFT_INLINE Plan::Plan(const Graph& graph, const Kernels& kernels) : graph_(&graph) {
  for (const Value* input : graph.inputs()) slot(input);
  for (const Node& node : graph.nodes()) add(node, kernels);
  for (const Value* output : graph.outputs()) outputs_.push_back(slot(output));
}

GRAFT_INLINE Plan::Slot Plan::find(const Value& value) const {
  const auto found = slots_.find(&value);
  return found == slots_.end() ? absent : found->second;
}

GRAFT_INLINE Plan::Slot Plan::slot(const Value* value) {
  if (value == nullptr) return absent;
  const auto [place, fresh] = slots_.try_emplace(value, values_.size());
  if (!fresh) return place->second;
  values_.push_back(value);
  Tensor constant;
  if (value->is_constant()) {
    constant = value->constant().value_or(Tensor());
  } else if (&value->graph() != graph_) {
    captures_.push_back(value);  // also values with a default: the outer scope may be fed another tensor
  } else if (value->initializer() != nullptr) {
    constant = read_tensor(*value->initializer(), value->graph().model().external_data());
  }
  if (const onnx::TensorProto* const proto = constant ? external_proto(*value) : nullptr)
    external_.emplace(place->second,
                      External{proto, external_location(*proto), byte_count(constant.dtype(), constant.dims())});
  constants_.push_back(std::move(constant));
  computed_.push_back(false);
  return place->second;
}

GRAFT_INLINE const onnx::TensorProto* Plan::external_proto(const Value& value) const {
  const auto external = [](const onnx::TensorProto* proto) {
    return proto != nullptr && proto->data_location() == onnx::TensorProto::EXTERNAL ? proto : nullptr;
  };
  const Value* source = &value;
  while (const Node* const node = source->producer()) {
    if (!node->is("Identity")) {  // a Constant
      const onnx::AttributeProto* const attribute = node->attribute("value");
      return external(attribute != nullptr && attribute->has_t() ? &attribute->t() : nullptr);
    }
    source = node->input(0);
    // A walk from each value of a long chain to its start would take too long.
    if (const auto known = slots_.find(source); known != slots_.end()) {
      const auto found = external_.find(known->second);
      return found == external_.end() ? nullptr : found->second.proto;
    }
  }
  return external(source->initializer());
}

GRAFT_INLINE void Plan::stream_beyond(std::size_t max_bytes) {
  std::map<std::string, std::map<std::uint64_t, std::size_t>> places;
  add_external(places);
  std::size_t total = 0;
  for (const auto& [location, offsets] : places)
    for (const auto& [offset, bytes] : offsets) total += bytes;
  if (total > max_bytes) stream();
}

GRAFT_INLINE void Plan::add_external(std::map<std::string, std::map<std::uint64_t, std::size_t>>& places) const {
  for (const auto& [slot, external] : external_) {
    std::size_t& bytes = places[external.where.location][external.where.offset];
    bytes = std::max(bytes, external.bytes);
  }
  for (const Step& step : steps_)
    for (const Body& body : step.bodies) body.plan->add_external(places);
}

GRAFT_INLINE void Plan::stream() {
  streams_ = true;
  for (const auto& [slot, external] : external_) constants_[slot] = Tensor();
  for (const Step& step : steps_)
    for (const Body& body : step.bodies) body.plan->stream();
}

GRAFT_INLINE Tensor Plan::constant(Slot slot) const {
  if (constants_[slot] || !has_constant(slot)) return constants_[slot];
  return read_tensor(*external_.at(slot).proto, graph_->model().external_data());
}

GRAFT_INLINE void Plan::add(const Node& node, const Kernels& kernels) {
  Step step{&node, {}, {}, {}, {}, kernels.clamp(node)};
  bool constant = true;
  for (const Value& output : node.outputs()) {
    step.outputs.push_back(slot(&output));
    constant = constant && constants_[step.outputs.back()];
  }
  if (constant && node.output_count() > 0) return;
  for (const Slot output : step.outputs) computed_[output] = true;
  if (const Kernel* kernel = kernels.find(node)) step.kernel = *kernel;
  for (const Value* input : node.inputs()) step.inputs.push_back(slot(input));
  for (const graft::Body& body : node.bodies()) {
    auto plan = std::make_unique<Plan>(*body.graph, kernels);
    std::vector<Slot> captures;
    for (const Value* value : plan->captures_) captures.push_back(slot(value));
    step.bodies.push_back({body.attribute, std::move(plan), std::move(captures)});
  }
  if (step.clamp && !step.inputs.empty()) clamps_[step.inputs[0]] = steps_.size();
  steps_.push_back(std::move(step));
}

GRAFT_INLINE Plan::Run::Run(const Plan& plan, std::vector<std::pair<Slot, Tensor>> given, std::span<const Slot> wanted,
                            const Observer& observer, RunControl& control)
    : plan_(plan),
      observer_(observer),
      control_(control),
      values_(plan.values_.size()),
      readers_(plan.values_.size(), 0),
      given_(plan.values_.size(), false) {
  for (auto& [slot, tensor] : given) {
    if (given_[slot]) throw Error("is fed twice").field(plan.values_[slot]->name());
    values_[slot] = std::move(tensor);
    given_[slot] = true;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted_.push_back({wanted[i], i});
  std::sort(wanted_.begin(), wanted_.end());
  select();
}

GRAFT_INLINE void Plan::Run::execute() {
  for (auto [slot, fetch] : wanted_) {
    if (!is_computed(slot)) observer_(fetch, at(slot));
  }
  for (std::size_t i = 0; i < plan_.steps_.size(); ++i) {
    if (needed_[i]) execute(plan_.steps_[i]);
  }
}

GRAFT_INLINE void Plan::Run::select() {
  for (const auto& [slot, fetch] : wanted_) read(slot);
  needed_.resize(plan_.steps_.size());
  for (std::size_t i = plan_.steps_.size(); i-- > 0;) {
    const Step& step = plan_.steps_[i];
    needed_[i] = std::any_of(step.outputs.begin(), step.outputs.end(),
                             [&](Slot slot) { return is_computed(slot) && readers_[slot] > 0; });
    if (!needed_[i]) continue;
    if (!step.kernel) throw no_kernel(*step.node);
    for (const Slot slot : step.inputs) read(slot);
    for (const Body& body : step.bodies) {
      for (const Slot slot : body.captures) read(slot);
    }
  }
  if (!plan_.streams_)
    for (const auto& [slot, external] : plan_.external_)
      if (readers_[slot] > 0) reserve_external(slot, control_.external());
  // Wanted values are shown when they are computed, and not kept for that.
  for (const auto& [slot, fetch] : wanted_) --readers_[slot];
}

GRAFT_INLINE void Plan::Run::reserve_external(Slot slot, ExternalReads& reads) const {
  const auto found = plan_.external_.find(slot);
  if (found == plan_.external_.end() || given_[slot]) return;
  try {
    reads.add(found->second.where, found->second.bytes);
  } catch (Error& error) {
    throw error.field(plan_.values_[slot]->name());
  }
}

GRAFT_INLINE void Plan::Run::read(Slot slot) {
  if (slot == absent) return;
  ++readers_[slot];
  if (is_computed(slot) || given_[slot] || plan_.has_constant(slot)) return;
  throw Error(why_missing(*plan_.values_[slot])).field(plan_.values_[slot]->name());
}

GRAFT_INLINE std::string Plan::Run::why_missing(const Value& value) {
  if (value.dtype() == DType::string) return "is of string, which is not evaluated";
  if (value.producer() == nullptr && !value.is_graph_input() && value.initializer() == nullptr)
    return "is a sparse initializer, which is not evaluated";
  return "has no value: it is neither fed nor computed";
}

GRAFT_INLINE std::vector<Plan::Run::Wanted>::const_iterator Plan::Run::first_wanted(Slot slot) const {
  return std::lower_bound(wanted_.begin(), wanted_.end(), Wanted{slot, 0});
}

GRAFT_INLINE bool Plan::Run::is_wanted(Slot slot) const {
  const auto first = first_wanted(slot);
  return first != wanted_.end() && first->first == slot;
}

GRAFT_INLINE Tensor Plan::Run::take(Slot slot) {
  if (slot == absent) return {};
  const bool last = --readers_[slot] == 0;
  if (last && (given_[slot] || plan_.computed_[slot])) return std::move(values_[slot]);
  return at(slot);
}

GRAFT_INLINE std::size_t Plan::Run::clamping(const Step& step) const {
  if (step.outputs.empty()) return absent;
  const Slot slot = step.outputs[0];
  const auto found = plan_.clamps_.find(slot);
  if (found == plan_.clamps_.end() || !needed_[found->second] || readers_[slot] != 1 || is_wanted(slot))
    return absent;
  const std::vector<Slot>& inputs = plan_.steps_[found->second].inputs;
  const auto is_given = [&](Slot bound) { return bound != absent && given_[bound]; };
  return std::any_of(inputs.begin(), inputs.end(), is_given) ? absent : found->second;
}

GRAFT_INLINE void Plan::Run::execute(const Step& step) {
  ExternalReads streamed;
  if (plan_.streams_) {
    for (const Slot slot : step.inputs) reserve_external(slot, streamed);
    for (const Body& body : step.bodies)
      for (const Slot slot : body.captures) reserve_external(slot, streamed);
  }
  std::vector<Tensor> inputs, outputs(step.outputs.size());
  for (const Slot slot : step.inputs) inputs.push_back(take(slot));
  std::vector<std::vector<Tensor>> captures;
  for (const Body& body : step.bodies) {
    std::vector<Tensor>& tensors = captures.emplace_back();
    for (const Slot slot : body.captures) tensors.push_back(take(slot));
  }
  const BodyRunner bodies = [&](std::string_view attribute, std::vector<Tensor> arguments) {
    for (std::size_t i = 0; i < step.bodies.size(); ++i) {
      if (step.bodies[i].attribute == attribute)
        return run_body(*step.bodies[i].plan, std::move(arguments), captures[i], control_);
    }
    throw Error("there is no such body").field(attribute);
  };
  control_.enter(*step.node);
  const std::size_t next = clamping(step);
  std::optional<Clamp> clamp = next == absent ? std::nullopt : plan_.steps_[next].clamp;
  run_kernel(step.kernel, *step.node, inputs, outputs, &bodies, control_.parallel(), &clamp);
  inputs.clear();
  if (next != absent && !clamp) {
    needed_[next] = false;
    readers_[step.outputs[0]] = 0;
    keep(plan_.steps_[next], 0, std::move(outputs[0]));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) keep(step, i, std::move(outputs[i]));
}

GRAFT_INLINE void Plan::Run::keep(const Step& step, std::size_t i, Tensor tensor) {
  const Slot slot = step.outputs[i];
  if (given_[slot]) return;
  if (!tensor && (is_wanted(slot) || readers_[slot] > 0)) {
    throw failure({"the kernel left output ", i, " unset"}).node(display_name(*step.node));
  }
  for (auto wanted = first_wanted(slot); wanted != wanted_.end() && wanted->first == slot; ++wanted)
    observer_(wanted->second, tensor);
  if (readers_[slot] > 0) values_[slot] = std::move(tensor);
}

GRAFT_INLINE std::vector<Tensor> Plan::Run::run_body(const Plan& body, std::vector<Tensor> arguments,
                                                     const std::vector<Tensor>& captures, RunControl& control) {
  control.enter_body();
  const auto inputs = body.graph_->inputs();
  if (arguments.size() != inputs.size()) throw failure({"the body has ", inputs.size(), " inputs"});
  std::vector<std::pair<Slot, Tensor>> given;
  for (std::size_t i = 0; i < inputs.size(); ++i) given.emplace_back(body.find(*inputs[i]), std::move(arguments[i]));
  for (std::size_t i = 0; i < captures.size(); ++i) given.emplace_back(body.find(*body.captures_[i]), captures[i]);
  std::vector<Tensor> results(body.outputs_.size());
  const Observer keep = [&](std::size_t i, const Tensor& tensor) { results[i] = tensor; };
  body.run(std::move(given), body.outputs_, keep, control);
  return results;
}

GRAFT_INLINE void Plan::run(std::vector<std::pair<Slot, Tensor>> given, std::span<const Slot> wanted,
                            const Observer& observer, RunControl& control) const {
  Run(*this, std::move(given), wanted, observer, control).execute();
}

}  // namespace graft::inline v1::standard_kernels::detail
