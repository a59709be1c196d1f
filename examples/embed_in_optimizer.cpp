// graft inside another optimizer that owns its ModelProto and keeps using it. A view edits the ModelProto in place;
// nodes that it does not change keep their addresses.
#include <iostream>

#include <graft/graph.hpp>
#include <graft/rewrite.hpp>

namespace {

inline constexpr auto x = graft::val<"x">;
inline constexpr auto double_negation = graft::rule<"double-negation">(graft::op<"Neg">(graft::op<"Neg">(x)), x);

/// The other program. It uses protobuf only.
struct Optimizer {
  onnx::ModelProto model;

  Optimizer() {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    onnx::ValueInfoProto& input = *model.mutable_graph()->add_input();
    input.set_name("x");
    input.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    add("Neg", "x", "a");
    add("Neg", "a", "b");
    add("Relu", "b", "y");
    *model.mutable_graph()->add_output() = input;
    model.mutable_graph()->mutable_output(0)->set_name("y");
  }
  void add(const char* op, const char* from, const char* to) {
    onnx::NodeProto& node = *model.mutable_graph()->add_node();
    node.set_op_type(op);
    node.add_input(from);
    node.add_output(to);
  }
};

}  // namespace

int main() {
  Optimizer optimizer;
  const onnx::NodeProto* const relu = &optimizer.model.graph().node(2);

  graft::Model view = graft::Model::view(optimizer.model);
  const graft::Report report = graft::fixpoint(double_negation).run(view);
  std::cout << graft::to_string(report);
  std::cout << "before commit the optimizer still has " << optimizer.model.graph().node_size() << " nodes\n";
  view.commit();
  std::cout << "after it, " << optimizer.model.graph().node_size() << ", reading " << relu->input(0)
            << (relu == &optimizer.model.graph().node(0) ? "; its Relu is where it was\n" : "; its Relu has moved\n");
}
