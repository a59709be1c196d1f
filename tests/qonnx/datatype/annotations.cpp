#include <string>

#include <catch2/catch.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx/datatype/annotations.hpp>

using namespace graft;
using qonnx::DataType;
using qonnx::DataTypes;

namespace {

/// y = Neg(Relu(x)), with a scale of x annotated.
onnx::ModelProto annotated() {
  Builder b(17);
  Value& h = b.op("Relu", {&b.input("x", DType::f32, {2})});
  b.graph().rename(h, "h");
  b.output(b.op("Neg", {&h}), "y");
  b.constant(Tensor::scalar(1.0F), "scale");
  onnx::ModelProto proto = b.build().commit();
  onnx::TensorAnnotation& annotation = *proto.mutable_graph()->add_quantization_annotation();
  annotation.set_tensor_name("x");
  onnx::StringStringEntryProto& entry = *annotation.add_quant_parameter_tensor_names();
  entry.set_key("SCALE_TENSOR");
  entry.set_value("scale");
  return proto;
}

/// "x: SCALE_TENSOR=scale finn_datatype=INT2; "
std::string annotations(const onnx::GraphProto& graph) {
  std::string text;
  for (const onnx::TensorAnnotation& annotation : graph.quantization_annotation()) {
    text += annotation.tensor_name() + ":";
    for (const auto& entry : annotation.quant_parameter_tensor_names()) text += " " + entry.key() + "=" + entry.value();
    text += "; ";
  }
  return text;
}

}  // namespace

TEST_CASE("data types are written beside what else is annotated, and read again", "[qonnx]") {
  Model model(annotated());
  Graph& graph = model.graph();
  DataTypes types;
  types.set(*graph.find("x"), DataType::integer(2));
  types.set(*graph.find("h"), DataType::binary());
  qonnx::write_data_types(model, types);
  CHECK(annotations(model.proto().graph()) ==
        "x: SCALE_TENSOR=scale finn_datatype=INT2; h: finn_datatype=BINARY; ");
  CHECK(qonnx::read_data_types(graph) == types);

  DataTypes others;  // as many as before, of other tensors
  others.set(*graph.find("y"), DataType::integer(3));
  others.set(*graph.find("scale"), DataType::float32());
  qonnx::write_data_types(model, others);
  CHECK(annotations(model.proto().graph()) ==
        "x: SCALE_TENSOR=scale; scale: finn_datatype=FLOAT32; y: finn_datatype=INT3; ");

  qonnx::write_data_types(model, {});
  CHECK(annotations(model.proto().graph()) == "x: SCALE_TENSOR=scale; ");
}

TEST_CASE("data types that were written follow their tensors", "[qonnx]") {
  onnx::ModelProto proto = annotated();
  Model model = Model::view(proto);
  Graph& graph = model.graph();
  DataTypes types;
  types.set(*graph.find("h"), DataType::integer(2));
  types.set(*graph.find("y"), DataType::integer(3));
  qonnx::write_data_types(model, types);
  graph.rename(*graph.find("h"), "hidden");
  model.commit();
  CHECK(annotations(proto.graph()) ==
        "x: SCALE_TENSOR=scale; hidden: finn_datatype=INT2; y: finn_datatype=INT3; ");
  CHECK(qonnx::read_data_types(graph).of(*graph.find("hidden")) == DataType::integer(2));
}

TEST_CASE("data types of bodies stand in the bodies", "[qonnx]") {
  Builder then_branch(17), else_branch(17);
  for (Builder* const branch : {&then_branch, &else_branch})
    branch->output(branch->op("Relu", {&branch->constant(Tensor::of<float>({2}, {1, 2}), "c")}), "r");
  Builder b(17);
  Value& condition = b.input("condition", DType::boolean, {});
  b.output(b.op("If", {&condition}, {{"then_branch", then_branch.build().commit().graph()},
                                     {"else_branch", else_branch.build().commit().graph()}}),
           "y");
  Model model = b.build();
  Graph& body = *model.graph().first_node()->body("else_branch");
  DataTypes types;
  types.set(*body.find("r"), DataType::integer(2));
  qonnx::write_data_types(model, types);
  CHECK(annotations(model.proto().graph()).empty());
  CHECK(annotations(*body.proto()) == "r: finn_datatype=INT2; ");
  CHECK(qonnx::read_data_types(model.graph()) == types);
}

TEST_CASE("a data type that does not exist is an error that names the tensor", "[qonnx]") {
  onnx::ModelProto proto = annotated();
  onnx::StringStringEntryProto& entry =
      *proto.mutable_graph()->mutable_quantization_annotation(0)->add_quant_parameter_tensor_names();
  entry.set_key("finn_datatype");
  entry.set_value("INT0");
  Model model(proto);
  CHECK_THROWS_WITH(qonnx::read_data_types(model.graph()), Catch::Contains("INT0") && Catch::Contains("x"));
}
