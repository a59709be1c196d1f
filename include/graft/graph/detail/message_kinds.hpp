#pragma once
// The structure of ONNX's messages, for those who read the bytes of a file without parsing them. protobuf's descriptors
// say the same, but its lite runtime has none.
#include <array>
#include <cstddef>
#include <cstdint>

#include <graft/graph/onnx.hpp>

namespace graft::inline v1::detail {

enum class MessageKind : std::uint8_t {
  none,
  // Those that hold bodies, or tensors with external data.
  model,
  training,
  graph,
  node,
  attribute,
  function,
  tensor,
  sparse_tensor,
  location,
  // The others.
  entry,
  value_info,
  type,
  typed_tensor,
  sequence,
  map,
  optional,
  opaque,
  shape,
  dimension,
  opset,
  annotation,
  segment,
  configuration,
  node_configuration,
  sharding,
  device_group,
  sharded_dim,
  sharding_of_dim,
  count
};

inline constexpr auto message_kinds = static_cast<std::size_t>(MessageKind::count);

struct MessageField {
  MessageKind parent;
  int number;
  MessageKind kind;
};

struct MessageFields {
  using enum MessageKind;
  static constexpr MessageField all[] = {{model, 7, graph},
                                         {model, 8, opset},
                                         {model, 14, entry},
                                         {model, 20, training},
                                         {model, 25, function},
                                         {model, 26, configuration},
                                         {training, 1, graph},
                                         {training, 2, graph},
                                         {training, 3, entry},
                                         {training, 4, entry},
                                         {graph, 1, node},
                                         {graph, 5, tensor},
                                         {graph, 11, value_info},
                                         {graph, 12, value_info},
                                         {graph, 13, value_info},
                                         {graph, 14, annotation},
                                         {graph, 15, sparse_tensor},
                                         {graph, 16, entry},
                                         {node, 5, attribute},
                                         {node, 9, entry},
                                         {node, 10, node_configuration},
                                         {attribute, 5, tensor},
                                         {attribute, 6, graph},
                                         {attribute, 10, tensor},
                                         {attribute, 11, graph},
                                         {attribute, 14, type},
                                         {attribute, 15, type},
                                         {attribute, 22, sparse_tensor},
                                         {attribute, 23, sparse_tensor},
                                         {function, 7, node},
                                         {function, 9, opset},
                                         {function, 11, attribute},
                                         {function, 12, value_info},
                                         {function, 14, entry},
                                         {tensor, 3, segment},
                                         {tensor, 13, location},
                                         {tensor, 16, entry},
                                         {sparse_tensor, 1, tensor},
                                         {sparse_tensor, 2, tensor},
                                         {value_info, 2, type},
                                         {value_info, 4, entry},
                                         {type, 1, typed_tensor},
                                         {type, 4, sequence},
                                         {type, 5, map},
                                         {type, 7, opaque},
                                         {type, 8, typed_tensor},
                                         {type, 9, optional},
                                         {typed_tensor, 2, shape},
                                         {sequence, 1, type},
                                         {map, 2, type},
                                         {optional, 1, type},
                                         {shape, 1, dimension},
                                         {annotation, 2, entry},
                                         {node_configuration, 2, sharding},
                                         {sharding, 3, device_group},
                                         {sharding, 4, sharded_dim},
                                         {sharded_dim, 2, sharding_of_dim}};
};

/// The message in a field; none if the field holds no message.
constexpr MessageKind kind_in(MessageKind parent, int field) {
  constexpr std::size_t numbers = 27;
  constexpr auto kinds = [] {
    std::array<std::array<MessageKind, numbers>, message_kinds> table{};
    for (const MessageField& one : MessageFields::all)
      table[static_cast<std::size_t>(one.parent)][static_cast<std::size_t>(one.number)] = one.kind;
    return table;
  }();
  if (field < 0 || field >= static_cast<int>(numbers)) return MessageKind::none;
  return kinds[static_cast<std::size_t>(parent)][static_cast<std::size_t>(field)];
}

/// The bytes of an empty message in memory. The messages that some releases of ONNX lack count as a node.
constexpr std::size_t empty_size(MessageKind kind) {
  switch (kind) {
    case MessageKind::model: return sizeof(onnx::ModelProto);
    case MessageKind::training: return sizeof(onnx::TrainingInfoProto);
    case MessageKind::graph: return sizeof(onnx::GraphProto);
    case MessageKind::attribute: return sizeof(onnx::AttributeProto);
    case MessageKind::function: return sizeof(onnx::FunctionProto);
    case MessageKind::tensor: return sizeof(onnx::TensorProto);
    case MessageKind::sparse_tensor: return sizeof(onnx::SparseTensorProto);
    case MessageKind::location:
    case MessageKind::entry: return sizeof(onnx::StringStringEntryProto);
    case MessageKind::value_info: return sizeof(onnx::ValueInfoProto);
    case MessageKind::type: return sizeof(onnx::TypeProto);
    case MessageKind::typed_tensor: return sizeof(onnx::TypeProto::Tensor);
    case MessageKind::sequence:
    case MessageKind::optional: return sizeof(onnx::TypeProto::Sequence);
    case MessageKind::map: return sizeof(onnx::TypeProto::Map);
    case MessageKind::shape: return sizeof(onnx::TensorShapeProto);
    case MessageKind::dimension: return sizeof(onnx::TensorShapeProto::Dimension);
    case MessageKind::opset: return sizeof(onnx::OperatorSetIdProto);
    case MessageKind::annotation: return sizeof(onnx::TensorAnnotation);
    case MessageKind::segment: return sizeof(onnx::TensorProto::Segment);
    default: return sizeof(onnx::NodeProto);
  }
}

/// The greatest number of bytes in memory for one byte of text or packed numbers in the file.
constexpr std::size_t growth_of(MessageKind parent, int field) {
  switch (parent) {
    case MessageKind::tensor: return field == 5 ? 4 : field == 1 || field == 7 || field == 11 ? 8 : 1;
    case MessageKind::attribute:
    case MessageKind::sparse_tensor: return field == 8 || field == 3 ? 8 : 1;
    case MessageKind::sharding:
    case MessageKind::device_group: return field == 2 ? 8 : 1;
    default: return 1;
  }
}

}  // namespace graft::inline v1::detail
