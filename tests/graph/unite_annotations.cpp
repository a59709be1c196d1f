#include <graft/graph/unite_annotations.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("annotations of one tensor become one, with the keys of all") {
  onnx::GraphProto graph;
  const auto annotate = [&](const char* tensor, const char* key, const char* value) {
    onnx::TensorAnnotation& annotation = *graph.add_quantization_annotation();
    annotation.set_tensor_name(tensor);
    onnx::StringStringEntryProto& entry = *annotation.add_quant_parameter_tensor_names();
    entry.set_key(key);
    entry.set_value(value);
  };
  annotate("x", "SCALE_TENSOR", "s");
  annotate("y", "SCALE_TENSOR", "t");
  annotate("x", "SCALE_TENSOR", "t");
  annotate("x", "ZERO_POINT_TENSOR", "z");
  unite_annotations(graph);
  REQUIRE(graph.quantization_annotation_size() == 2);
  const onnx::TensorAnnotation& first = graph.quantization_annotation(0);
  CHECK(first.tensor_name() == "x");
  REQUIRE(first.quant_parameter_tensor_names_size() == 2);
  CHECK(first.quant_parameter_tensor_names(0).value() == "s");
  CHECK(first.quant_parameter_tensor_names(1).value() == "z");
  CHECK(graph.quantization_annotation(1).tensor_name() == "y");
}
