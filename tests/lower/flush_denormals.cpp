#include <graft/lower/flush_denormals.hpp>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <google/protobuf/text_format.h>
#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "support/folder.hpp"

using namespace graft;

namespace {

Model parsed(const char* text) {
  onnx::ModelProto proto;
  if (!google::protobuf::TextFormat::ParseFromString(text, &proto)) throw Error("is not a model");
  return Model(std::move(proto));
}
TestResult becomes(const std::string& before, const std::string& after) {
  return given(before).pass(flush_denormals()).becomes(after);
}
TestResult stays(const std::string& text) { return becomes(text, text); }

}  // namespace

TEST_CASE("denormal weights become 0, and no others") {
  CHECK(becomes("x: f32[1,4]; w = f32[4,1] {1e-39, -1e-45, 1.1754944e-38, 0}; y = MatMul(x, w)",
                "x: f32[1,4]; w = f32[4,1] {0, 0, 1.1754944e-38, 0}; y = MatMul(x, w)"));
  CHECK(becomes("x: f32[2]; w = f32[2] {-1.17549421e-38, nan}; y = Add(x, w)",
                "x: f32[2]; w = f32[2] {0, nan}; y = Add(x, w)"));
  CHECK(becomes("x: bf16[2]; w = bf16[2] {1e-39, -1.1754944e-38}; y = Mul(x, w)",
                "x: bf16[2]; w = bf16[2] {0, -1.1754944e-38}; y = Mul(x, w)"));
  CHECK(becomes("x: f64[3]; w = f64[3] {1e-39, -1e-310, 2.2250738585072014e-308}; y = Mul(x, w)",
                "x: f64[3]; w = f64[3] {1e-39, 0, 2.2250738585072014e-308}; y = Mul(x, w)"));
  CHECK(stays("x: f16[2]; w = f16[2] {1e-7, 3}; y = Mul(x, w)"));
}

TEST_CASE("constants that are not weights stay") {
  CHECK(stays("x: f32[2]; e = f32[] 1e-40; y = Log(Add(x, e))"));  // one number
  for (const std::string reader : {"Div(x, w)", "Div(w, x)", "Pow(x, w)", "Equal(x, w)", "Max(x, w)"})
    CHECK(stays("x: f32[2]; w = f32[2] {1e-40, 1}; y = " + reader));
  CHECK(stays("x: f32[2]; w = f32[2] {1e-40, 1}; y = Mul(x, w); z = Log(w); return y, z"));
  CHECK(stays("x: f32[2]; w = f32[2] {1e-40, 1}; z = u8[2] 0; y = QuantizeLinear(x, w, z) {axis=0}"));
}

TEST_CASE("a Constant, and constants of bodies and functions lose them too; what callers override does not") {
  Model model = parsed(R"(
    ir_version: 8 opset_import { version: 17 } opset_import { domain: "own" version: 1 }
    graph {
      name: "g"
      input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
      input { name: "b" type { tensor_type { elem_type: 9 shape {} } } }
      input { name: "o" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
      initializer { name: "o" dims: 2 data_type: 1 float_data: [1e-40, 1] }
      node { op_type: "Constant" output: "c"
             attribute { name: "value" type: TENSOR t { dims: 2 data_type: 1 float_data: [1e-40, 1] } } }
      node { op_type: "Mul" input: "x" input: "c" output: "m" }
      node { op_type: "Add" input: "m" input: "o" output: "a" }
      node { op_type: "F" domain: "own" input: "a" output: "f" }
      node { op_type: "If" input: "b" output: "y"
             attribute { name: "then_branch" type: GRAPH g { name: "t"
               initializer { name: "w" dims: 2 data_type: 1 float_data: [1e-40, 2] }
               node { op_type: "Mul" input: "f" input: "w" output: "p" } output { name: "p" } } }
             attribute { name: "else_branch" type: GRAPH g { name: "e"
               node { op_type: "Neg" input: "f" output: "q" } output { name: "q" } } } }
      output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
    }
    functions { name: "F" domain: "own" input: "u" output: "v" opset_import { version: 17 }
      node { op_type: "Constant" output: "k"
             attribute { name: "value" type: TENSOR t { dims: 2 data_type: 1 float_data: [1e-40, 3] } } }
      node { op_type: "Mul" input: "u" input: "k" output: "v" } })");
  const Report report = flush_denormals().run(model);
  CHECK(report.changes == 3);
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0] == "3 denormal weights of 3 tensors became 0");
  CHECK(read_tensor(*model.graph().find("o")->initializer()).to<float>() == std::vector{1e-40F, 1.0F});
  CHECK(model.graph().find("c")->constant()->to<float>() == std::vector{0.0F, 1.0F});
  CHECK(flush_denormals().run(model).changes == 0);
}

TEST_CASE("external data without denormals stay where they are") {
  const Folder folder;
  const auto save = [&](const std::string& name, const std::string& numbers) {
    Model model = graph("x: f32[2]; w = f32[2] " + numbers + "; y = Mul(x, w)");
    model.save(folder.path() / name, {.external_data_over = 1});
    return Model::load(folder.path() / name);
  };
  Model plain = save("plain.onnx", "{1, 2}"), denormal = save("denormal.onnx", "{1, 1e-40}");
  CHECK(flush_denormals().run(plain).changes == 0);
  CHECK(plain.graph().find("w")->initializer()->data_location() == onnx::TensorProto::EXTERNAL);
  CHECK(flush_denormals().run(denormal).changes == 1);
  CHECK(denormal.graph().find("w")->constant()->to<float>() == std::vector{1.0F, 0.0F});
  Model lost = save("lost.onnx", "{1, 1e-40}");
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    if (file.path().string().find("lost.onnx") != std::string::npos) std::filesystem::remove(file.path());
  CHECK(flush_denormals().run(lost).changes == 0);
}
