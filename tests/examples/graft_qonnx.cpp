// graft-qonnx as its README says.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx.hpp>
#include <graft/testing/text.hpp>

#include "program.hpp"
#include "support/folder.hpp"

using namespace graft;
namespace fs = std::filesystem;

namespace {

/// y = Relu(MatMul(Quant(x), Quant(w))), of 4 bits.
Model net(const char* mode = "ROUND") {
  Builder b(13);
  b.import(qonnx::domain, 1);
  Value& x = b.input("x", DType::f32, {1, 3});
  const auto quant = [&](Value& of, float scale, const char* rounding) -> Value& {
    return b.op(std::string(qonnx::domain) + "::Quant",
                {&of, &b.constant(Tensor::scalar(scale), "scale"), &b.constant(Tensor::scalar(0.0F), "zero"),
                 &b.constant(Tensor::scalar(4.0F), "bits")},
                {{"signed", 1}, {"narrow", 1}, {"rounding_mode", rounding}});
  };
  Value& w = b.constant(Tensor::of<float>({3, 2}, {1, -2, 3, 4, 0, 6}), "w");
  b.output(b.op("Relu", {&b.op("MatMul", {&quant(x, 0.5F, mode), &quant(w, 1, "ROUND")})}), "y");
  return b.build();
}

struct Run {
  Folder folder;
  explicit Run(Model model = net()) { model.save((folder / "m.onnx").string()); }
  Ended operator()(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin() + 1, folder / "m.onnx");
    return run_program("graft-qonnx", arguments);
  }
  std::string path(const std::string& name) const { return folder / name; }
};

std::vector<float> output_of(const std::string& folder) {
  return load_tensor(folder + "/output_0.pb").to<float>();
}

}  // namespace

TEST_CASE("graft-qonnx: a model is converted, runs as before, and comes back", "[examples]") {
  const Run run;
  save_tensor(Tensor::of<float>({1, 3}, {0.75F, 9, 1.2F}), run.path("input_0.pb"));
  REQUIRE(run({"exec", "--data", run.path(""), "-o", run.path("before")}).code == 0);
  CHECK(output_of(run.path("before")) == std::vector<float>{11.5F, 18});

  const Ended converted = run({"convert", "--to", "qcdq", "-o", run.path("qcdq.onnx")});
  INFO(converted.out << converted.error);
  REQUIRE(converted.code == 0);
  CHECK_THAT(converted.out, Catch::Contains("QONNX -> QCDQ") && Catch::Contains("QuantizeLinear"));
  REQUIRE(run_program("graft-qonnx", {"exec", run.path("qcdq.onnx"), "--data", run.path(""), "-o", run.path("after")})
              .code == 0);
  CHECK(output_of(run.path("after")) == output_of(run.path("before")));

  REQUIRE(run_program("graft-qonnx", {"convert", run.path("qcdq.onnx"), "--to", "quant", "-o", run.path("back.onnx")})
              .code == 0);
  const Model back = Model::load(run.path("back.onnx"));
  CHECK(qonnx::format_of(back.graph()) == qonnx::Format::qonnx);
}

TEST_CASE("graft-qonnx: prints why a node was not converted", "[examples]") {
  const Run run(net("FLOOR"));
  const Ended ended = run({"convert", "--to", "qcdq", "-o", run.path("y.onnx")});
  INFO(ended.out << ended.error);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, Catch::Contains("left as it was") && Catch::Contains("rounding"));
  const Ended lowered = run({"convert", "--to", "qcdq", "--lower-rest", "-o", run.path("z.onnx")});
  CHECK_THAT(lowered.out, !Catch::Contains("left as it was") && Catch::Contains("Floor"));
}

TEST_CASE("graft-qonnx: test data folders, .npy arrays and expected outputs", "[examples]") {
  const Run run;
  for (int i = 0; i < 2; ++i) {
    const fs::path set = run.path("data/test_data_set_" + std::to_string(i));
    fs::create_directories(set);
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }";
    header += std::string(64 - 10 - header.size() - 1 + 64, ' ') + "\n";
    std::string bytes = "\x93NUMPY";
    bytes += '\1';
    bytes += '\0';
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    bytes += header;
    const float values[] = {1, 2, static_cast<float>(i)};
    bytes.append(reinterpret_cast<const char*>(values), sizeof values);
    std::ofstream(set / "x.npy", std::ios::binary) << bytes;
    save_tensor(Tensor::of<float>({1, 2}, {7, i == 0 ? 6.0F : 99.0F}), set / "output_0.pb");
  }
  const Ended ended = run({"exec", "--data", run.path("data"), "-o", run.path("out"), "--all-values"});
  INFO(ended.out << ended.error);
  CHECK(ended.code == 1);  // of the second set, 99 was expected
  CHECK(output_of(run.path("out/test_data_set_0")) == std::vector<float>{7, 6});
  CHECK(output_of(run.path("out/test_data_set_1")) == std::vector<float>{7, 12});
  CHECK_THAT(ended.out, Catch::Contains("largest difference 87"));
  CHECK(entries(run.path("out/test_data_set_0")) == 4);  // the output, both quantized tensors, the product
}

TEST_CASE("graft-qonnx: cost counts a symbolic batch as 1, or as given", "[examples]") {
  Model model = net();
  model.graph().declare_type(*model.graph().inputs()[0], tensor_type(DType::f32, Shape({Dim("N"), Dim(3)})));
  const Run run(std::move(model));
  const auto macs = [](const Ended& ended) { return nlohmann::json::parse(ended.out).at("total").at("total_macs"); };
  CHECK(macs(run({"cost", "--dense", "--json"})) == 6);
  CHECK(macs(run({"cost", "--dense", "--json", "--dim", "N=5"})) == 30);
  CHECK_THAT(run({"cost", "--dim", "N=5"}).out, Catch::StartsWith("with x [5,"));
  CHECK(run({"cost", "--dim", "M=5"}).code == 1);
}

TEST_CASE("graft-qonnx: random inputs are written beside what they lead to", "[examples]") {
  const Run run;
  REQUIRE(run({"exec", "--random", "2", "-o", run.path("out")}).code == 0);
  CHECK(fs::exists(run.path("out/test_data_set_1/input_0.pb")));
  const Ended again = run({"exec", "--data", run.path("out"), "-o", run.path("again")});
  CHECK_THAT(again.out, Catch::Contains("2 outputs equal"));
}

TEST_CASE("graft-qonnx: counts, types and ranges, as text and JSON", "[examples]") {
  const Run run;
  const Ended cost = run({"cost", "--dense", "--json"});
  INFO(cost.out << cost.error);
  REQUIRE(cost.code == 0);
  const nlohmann::json total = nlohmann::json::parse(cost.out).at("total");
  CHECK(total.at("total_macs") == 6);
  CHECK(total.at("total_bops") == 6 * 4 * 4);
  CHECK_THAT(run({"cost"}).out, Catch::Contains("MatMul"));

  const Ended types = run({"datatypes", "-o", run.path("typed.onnx")});
  CHECK_THAT(types.out, Catch::Contains("SCALEDINT<4>"));
  CHECK(Model::load(run.path("typed.onnx")).graph().proto()->quantization_annotation_size() != 0);

  const Ended ranges = run({"ranges", "--json"});
  CHECK(nlohmann::json::parse(ranges.out).at("accumulators").size() == 1);
}

TEST_CASE("graft-qonnx: cleanup names tensors, channels-last keeps the signature", "[examples]") {
  const Run run;
  REQUIRE(run({"cleanup", "-o", run.path("clean.onnx"), "--rename-signature"}).code == 0);
  CHECK(Model::load(run.path("clean.onnx")).graph().find("global_in") != nullptr);
  REQUIRE(run({"channels-last", "-o", run.path("last.onnx")}).code == 0);
  CHECK(Model::load(run.path("last.onnx")).graph().find("x") != nullptr);
}

TEST_CASE("graft-qonnx: ranges that end on one side are printed, with null for infinity", "[examples]") {
  const Run run(graph("x: f32[1,2]; h = Relu(x); y = Neg(h)"));
  CHECK_THAT(run({"ranges"}).out, Catch::Contains("[0, inf]"));
  const nlohmann::json ranges = nlohmann::json::parse(run({"ranges", "--json"}).out).at("ranges");
  CHECK(ranges.at("h").at("min") == nlohmann::json{0.0});
  CHECK(ranges.at("h").at("max").at(0).is_null());
  const Run product;
  const nlohmann::json all = nlohmann::json::parse(product({"ranges", "--json"}).out).at("ranges");
  CHECK(std::any_of(all.begin(), all.end(), [](const nlohmann::json& range) {
    return range.contains("axis") && range.at("min").size() == 2;
  }));
  CHECK(std::any_of(all.begin(), all.end(), [](const nlohmann::json& range) {
    return range.contains("step") && range.at("step") == nlohmann::json{0.5};
  }));
  CHECK(product({"ranges", "--input", "x=0,1,0"}).code == 1);
}

TEST_CASE("graft-qonnx: shapes of inputs are given, if they fit", "[examples]") {
  const Run run(graph("x: f32[N,2]; y = Relu(x)"));
  REQUIRE(run({"cleanup", "--shape", "x=4,2", "-o", run.path("y.onnx")}).code == 0);
  CHECK(to_string(Model::load(run.path("y.onnx")).graph().inputs()[0]->shape()) == "[4,2]");
  CHECK(run({"cleanup", "--shape", "x=4,3", "-o", run.path("z.onnx")}).code == 1);
}

TEST_CASE("graft-qonnx: no file is written over another", "[examples]") {
  const Run run(graph("x: f32[1]; a/b = Relu(x); a_b = Neg(a/b); y = Abs(a_b)"));
  const Ended both = run({"exec", "--random", "1", "--all-values", "-o", run.path("out")});
  CHECK(both.code == 1);
  CHECK_THAT(both.error, Catch::Contains("a_b.pb"));
  CHECK(run({"exec", "--random", "1", "--values", "a_b,a_b", "-o", run.path("out")}).code == 0);
  save_tensor(Tensor::of<float>({1}, {1}), run.path("input_0.pb"));
  const Ended same = run({"exec", "--data", run.path(""), "-o", run.path("")});
  CHECK(same.code == 1);
  CHECK_THAT(same.error, Catch::Contains("overwritten"));
}

TEST_CASE("graft-qonnx: wrong usage ends with 2, bad input with 1", "[examples]") {
  const Run run;
  CHECK(run_program("graft-qonnx", {}).code == 2);
  const Ended unknown = run({"convert", "--to", "nothing", "-o", run.path("y.onnx")});
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.error, Catch::Contains("qcdq, qdq, qop, quant, found nothing"));
  CHECK_THAT(run({"cleanup", "--batch", "0", "-o", run.path("y.onnx")}).error, Catch::Contains("1 or more, found 0"));
  CHECK(run({"cleanup", "--shape", "x=1,3", "--shape", "x=1,3", "-o", run.path("y.onnx")}).code == 2);
  CHECK_THAT(run({"exec", "--random", "1", "--dim", "N=3", "-o", run.path("out")}).error, Catch::Contains("no input"));
  CHECK(run({"convert", "--to", "qdq"}).code == 2);
  CHECK(run({"exec", "-o", run.path("out")}).code == 2);
  CHECK(run({"exec", "--data", run.path("nowhere"), "-o", run.path("out")}).code == 1);
  CHECK(run_program("graft-qonnx", {"cost", run.path("missing.onnx")}).code == 1);
  CHECK(run({"ranges", "--input", "x=1"}).code == 2);
  CHECK(run({"ranges", "--input", "nothing=0,1"}).code == 1);
}

TEST_CASE("graft-qonnx: quantizers that nothing computes are reported", "[examples]") {
  const Run run(net("NEAREST"));
  for (const std::string command : {"convert", "cleanup"}) {
    std::vector<std::string> arguments{command, "-o", run.path("y.onnx")};
    if (command == "convert") arguments.insert(arguments.end(), {"--to", "quant"});
    const Ended ended = run(arguments);
    CHECK(ended.code == 1);
    CHECK_THAT(ended.error, Catch::Contains("no rounding mode \"NEAREST\", only ROUND"));
  }
}

TEST_CASE("graft-qonnx: zero points are those that are asked for, and constants get the least bits", "[examples]") {
  const Run run(graph("x: f32[1,2]; z = i8[] 3; w = i8[2,1] {1, -2}; q = QuantizeLinear(x, f32[] 0.25, z);"
                      "a = DequantizeLinear(q, f32[] 0.25, z); y = MatMul(a, DequantizeLinear(w, f32[] 1))"));
  const Ended even = run({"convert", "--to", "quant", "--least-bits", "-o", run.path("y.onnx")});
  CHECK_THAT(even.out, Catch::Contains("zero point 3 is odd") && Catch::Contains("add --zero-points any"));
  const Model converted = Model::load(run.path("y.onnx"));
  for (const Node& node : converted.graph().nodes())
    if (node.op_type() == "Quant") CHECK(node.input(3)->constant()->item<float>() == 2);
  CHECK_THAT(run({"convert", "--to", "quant", "--zero-points", "any", "-o", run.path("z.onnx")}).out,
             !Catch::Contains("left as it was"));
}
