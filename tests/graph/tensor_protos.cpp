#include <graft/graph/tensor_protos.hpp>

#include <string>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

/// Each tensor that is added has the next letter for its name.
class Letters {
 public:
  void name(onnx::TensorProto& tensor) { tensor.set_name(std::string(1, next_++)); }
  void fill(onnx::SparseTensorProto& tensor) {
    name(*tensor.mutable_values());
    name(*tensor.mutable_indices());
  }
  void fill(onnx::AttributeProto& attribute) {
    name(*attribute.mutable_t());
    name(*attribute.add_tensors());
    fill(*attribute.mutable_sparse_tensor());
    fill(*attribute.add_sparse_tensors());
  }
  void fill(onnx::GraphProto& graph) {
    name(*graph.add_initializer());
    fill(*graph.add_sparse_initializer());
  }

 private:
  char next_ = 'a';
};

std::string names_in(auto& message) {
  std::string names;
  for_each_tensor(message, [&](onnx::TensorProto& tensor) { names += tensor.name(); });
  return names;
}

}  // namespace

TEST_CASE("tensors of a graph are found in initializers, attributes and bodies, each once") {
  onnx::GraphProto graph;
  Letters letters;
  letters.fill(graph);  // abc
  onnx::AttributeProto& attribute = *graph.add_node()->add_attribute();
  letters.fill(attribute);  // defghi
  letters.fill(*attribute.mutable_g());  // jkl
  letters.fill(*attribute.add_graphs());  // mno
  letters.fill(*attribute.mutable_graphs(0)->add_node()->add_attribute()->mutable_g());  // pqr
  CHECK(names_in(graph) == "abcdefghijklmnopqr");
  CHECK(names_in(*graph.mutable_node()) == "defghijklmnopqr");
  CHECK(names_in(attribute) == "defghi");
  CHECK(names_in(*graph.mutable_sparse_initializer(0)) == "bc");
}

TEST_CASE("absent tensors are not made by looking for them") {
  onnx::GraphProto graph;
  graph.add_node()->add_attribute()->add_sparse_tensors();
  graph.add_sparse_initializer();
  const std::string before = graph.SerializeAsString();
  CHECK(names_in(graph).empty());
  CHECK(graph.SerializeAsString() == before);
}
