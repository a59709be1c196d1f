#pragma once
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/detail/written_versions.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Model Model::clone() {
  const detail::Store& store = *store_;
  if (store.journal.recording()) throw Error("cannot be copied inside an open transaction").file(store.file);
  // For a view, whose proto must not change. Unedited parts are copied from the proto.
  struct Writer {
    static void write(const Graph& from, google::protobuf::RepeatedPtrField<onnx::NodeProto>& to) {
      to.Clear();
      for (const Node& node : from.nodes()) {
        onnx::NodeProto& copy = *to.Add();
        copy = node.proto();
        copy.clear_input();
        copy.clear_output();
        for (const Value* const input : node.inputs()) copy.add_input(input ? std::string(input->name()) : "");
        for (const Value& output : node.outputs()) copy.add_output(std::string(output.name()));
        for (onnx::AttributeProto& attribute : *copy.mutable_attribute()) {
          const bool lists = attribute.graphs_size() != 0 || attribute.type() == onnx::AttributeProto::GRAPHS;
          if (node.body(attribute.name()) != nullptr) attribute.clear_graphs();
          for (const Body& body : node.bodies())
            if (body.attribute == attribute.name())
              write(*body.graph, lists ? *attribute.add_graphs() : *attribute.mutable_g());
        }
      }
    }
    static void write(const Graph& from, onnx::GraphProto& to) {
      to = *from.proto();
      write(from, *to.mutable_node());
      to.clear_initializer();
      for (const Value* const value : from.initializers()) {
        onnx::TensorProto& copy = *to.add_initializer();
        copy = *value->initializer();
        copy.set_name(std::string(value->name()));
      }
      to.clear_input();
      to.clear_output();
      // As in commit(): an entry keeps its type unless a new one was declared. Inferred types are not written.
      std::unordered_set<const Value*> written;
      const auto is_declared = [](const Value& value) { return (value.flags_ & Value::declared_flag) != 0; };
      const auto is_retyped = [](const Value& value) { return (value.flags_ & Value::retyped_flag) != 0; };
      const auto update = [&](onnx::ValueInfoProto& copy, const Value& value) {
        copy.set_name(std::string(value.name()));
        written.insert(&value);
        if (!from.infos_changed_ || !is_retyped(value)) return;
        if (is_declared(value)) *copy.mutable_type() = *value.type_;
        else copy.clear_type();
      };
      for (std::size_t i = 0; i < from.inputs_.size(); ++i)
        update(*to.add_input() = *from.input_infos_[i], *from.inputs_[i]);
      for (std::size_t i = 0; i < from.output_infos_.size(); ++i) {
        onnx::ValueInfoProto& copy = *to.add_output() = *from.output_infos_[i];
        if (const Value* const value = from.output(i)) update(copy, *value);
      }
      if (!from.infos_changed_) return;
      to.clear_value_info();
      for (const onnx::ValueInfoProto& info : from.proto()->value_info()) {
        const Value* const value = from.names_.find(info.name());
        if (value == nullptr || (is_retyped(*value) && !is_declared(*value))) continue;
        if (info.has_type() && !value->is_graph_input() && !is_declared(*value)) continue;  // of the name's old owner
        update(*to.add_value_info() = info, *value);
      }
      const auto declare_new = [&](const Value& value) {
        if (!is_retyped(value) || !is_declared(value) || value.name().empty() || written.contains(&value)) return;
        update(*to.add_value_info(), value);
      };
      for (const Node& node : from.nodes())
        for (const Value& value : node.outputs()) declare_new(value);
      for (const Value* const value : from.initializers()) declare_new(*value);
    }
    static void write(const Graph& from, onnx::FunctionProto& to) {
      to = *from.function_proto();
      write(from, *to.mutable_node());
      to.clear_input();
      to.clear_output();
      for (const Value* const input : from.inputs()) to.add_input(std::string(input->name()));
      for (const Value* const output : from.outputs()) to.add_output(output ? std::string(output->name()) : "");
    }
  };
  if (!is_view()) commit();
  auto proto = std::make_unique<onnx::ModelProto>(*store.proto);
  if (is_view()) {
    Writer::write(graph(), *proto->mutable_graph());
    proto->clear_functions();
    for (const Graph* const function : store.functions) Writer::write(*function, *proto->add_functions());
    detail::write_versions(store, *proto);
  }
  detail::BesideProto beside = store;
  beside.external = store.external.branch();
  return Model(std::move(proto), std::move(beside));
}

}  // namespace graft::inline v1
