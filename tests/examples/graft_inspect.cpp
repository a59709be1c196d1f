// graft-inspect as its help says.
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/testing.hpp>

#include "models.hpp"
#include "program.hpp"
#include "support/folder.hpp"

using namespace graft;
namespace fs = std::filesystem;

namespace {

Ended inspect(const onnx::ModelProto& proto, std::vector<std::string> options = {}) {
  const Folder folder;
  write_file(folder / "m.onnx", proto.SerializeAsString());
  options.insert(options.begin(), folder / "m.onnx");
  return run_program("graft-inspect", options);
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("graft-inspect: prints the graph", "[examples]") {
  const Ended ended = inspect(conv_relu());
  CHECK(ended.code == 0);
  INFO(ended.out);
  CHECK(holds(ended.out, "%c = Conv(%x, %w, %b)"));
  CHECK(holds(ended.out, "f32[1,2,4,4]"));
  CHECK_FALSE(holds(ended.out, "digraph"));
}

TEST_CASE("graft-inspect: prints it for Graphviz", "[examples]") {
  const Ended ended = inspect(conv_relu(), {"--dot"});
  CHECK(ended.code == 0);
  CHECK(holds(ended.out, "digraph"));
  CHECK_FALSE(holds(ended.out, "%c = Conv"));
}

TEST_CASE("graft-inspect: says what is wrong, with exit code 1", "[examples]") {
  const Ended fine = inspect(conv_relu(), {"--verify"});
  CHECK(fine.code == 0);
  CHECK(fine.out == "no problems found\n");
  onnx::ModelProto proto = conv_relu();
  proto.mutable_graph()->mutable_node(1)->set_op_type("Rectify");
  const Ended ended = inspect(proto, {"--verify"});
  CHECK(ended.code == 1);
  INFO(ended.out);
  CHECK(holds(ended.out, "relu"));
  CHECK(holds(ended.out, "Rectify"));
  onnx::ModelProto newer = conv_relu();
  newer.mutable_opset_import(0)->set_version(99);
  CHECK(inspect(newer, {"--verify"}).code == 1);
}

TEST_CASE("graft-inspect: says which quantizers of QONNX compute nothing", "[examples]") {
  const auto verified = [](const std::string& scale) {
    Model model = graph("x: f32[2,3]; y = qonnx.custom_op.general::Quant(x, " + scale + ", f32[] 0, f32[] 4)");
    return inspect(model.commit(), {"--verify"});
  };
  CHECK(verified("f32[3] 0.5").code == 0);
  const Ended negative = verified("f32[] -1"), wide = verified("f32[4] 1");
  CHECK(negative.code == 1);
  CHECK(holds(negative.out, "its scale is not positive and finite"));
  CHECK(wide.code == 1);
  CHECK(holds(wide.out, "does not broadcast"));
}

TEST_CASE("graft-inspect: messages are not in a drawing for Graphviz", "[examples]") {
  onnx::ModelProto proto = conv_relu();
  proto.mutable_graph()->mutable_node(1)->set_op_type("Rectify");
  const Ended ended = inspect(proto, {"--dot", "--verify", "--audit", "ort-cpu-x64"});
  CHECK(ended.code == 1);
  INFO(ended.out);
  CHECK(ended.out.substr(ended.out.size() - 2) == "}\n");
  CHECK(holds(ended.error, "Rectify"));
  CHECK(holds(ended.error, "0 of 1 will fuse"));
}

TEST_CASE("graft-inspect: says what will fuse, or why not", "[examples]") {
  const Ended ended = inspect(conv_relu(), {"--audit", "ort-cpu-x64"});
  INFO(ended.out);
  CHECK(holds(ended.out, "0 of 1 will fuse"));
  CHECK(holds(ended.out, "Conv conv: not fused: "));
  const Ended unknown = inspect(conv_relu(), {"--audit", "toaster"});
  CHECK(unknown.code == 2);
  CHECK(holds(unknown.error, targets::names()));
}

TEST_CASE("graft-inspect: has a table of what becomes of each operator on each target", "[examples]") {
  const Ended ended = inspect(conv_relu(), {"--audit", "all"});
  INFO(ended.out);
  CHECK(ended.code == 0);
  for (const Target* const target : targets::all) CHECK(holds(ended.out, std::string(target->name)));
  CHECK(holds(ended.out, "Conv conv  float"));
  CHECK(holds(ended.out, "first remedy\n"));
}

TEST_CASE("graft-inspect: has a table of a few targets, with commas between them", "[examples]") {
  const Ended ended = inspect(conv_relu(), {"--audit", "tensorrt,ort-cpu-x64"});
  INFO(ended.out << ended.error);
  CHECK(ended.code == 0);
  CHECK(holds(ended.out, "  tensorrt  ort-cpu-x64  first remedy\n"));
  CHECK(holds(ended.out, "Conv conv  float "));
  const Ended unknown = inspect(conv_relu(), {"--audit", "tensorrt,toaster"});
  CHECK(unknown.code == 2);
  CHECK(holds(unknown.error, "toaster"));
}

TEST_CASE("graft-inspect: an operator that is left to another backend is not an error", "[examples]") {
  Model model = graph("opset 21; x: f32[N,4]; s = f32[] 0.1; z = i8[] 0; "
                      "a = Sigmoid(DequantizeLinear(QuantizeLinear(x, s, z), s, z)); "
                      "y = DequantizeLinear(QuantizeLinear(a, s, z), s, z)");
  const Ended all = inspect(model.commit(), {"--audit", "all"});
  INFO(all.out);
  CHECK(all.code == 0);
  CHECK(holds(all.out, "  left out  "));
  CHECK_FALSE(holds(all.out, "wrong"));
  CHECK(inspect(model.commit(), {"--audit", "qnn-htp"}).code == 0);
}

TEST_CASE("graft-inspect: explains why a rule does not apply", "[examples]") {
  onnx::ModelProto proto = conv_relu();
  onnx::NodeProto& relu = *proto.mutable_graph()->mutable_node(1);
  relu.set_op_type("Add");
  relu.add_input("c");
  const Ended ended = inspect(proto, {"--explain", "add-into-conv-bias"});
  INFO(ended.out << ended.error);
  CHECK(ended.code == 0);
  CHECK(holds(ended.out, "relu"));
  CHECK(inspect(conv_relu(), {"--explain", "pad-into-conv"}).out != "");
  CHECK(inspect(conv_relu(), {"--explain", "add-into-conv-bias"}).out ==
        "no node is of an operator that add-into-conv-bias looks for\n");
  for (const char* const rule : {"decompose-gelu", "bias-gelu"})  // of lower/ and transformer/
    CHECK(inspect(conv_relu(), {"--explain", rule}).out ==
          "no node is of an operator that " + std::string(rule) + " looks for\n");
  const Ended unknown = inspect(conv_relu(), {"--explain", "no-such-rule"});
  CHECK(unknown.code == 2);
  CHECK(holds(unknown.error, "no-such-rule"));
}

TEST_CASE("graft-inspect: bad input is exit code 1 and named, wrong usage 2", "[examples]") {
  onnx::ModelProto proto = conv_relu();
  proto.mutable_graph()->mutable_node(1)->set_input(0, "nowhere");
  const Ended ended = inspect(proto);
  CHECK(ended.code == 1);
  INFO(ended.error);
  CHECK(holds(ended.error, "m.onnx: node 'relu': input[0]: "));
  CHECK(run_program("graft-inspect", {"absent.onnx"}).code == 1);
  CHECK(run_program("graft-inspect", {}).code == 2);
  CHECK(inspect(conv_relu(), {"--nonsense"}).code == 2);
}
