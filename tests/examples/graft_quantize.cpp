// graft-quantize as its help says: every option on a small model, whose results are known.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/calibrate/ranges_json.hpp>
#include <graft/testing/isomorphic.hpp>
#include <graft/testing/text.hpp>

#include "models.hpp"
#include "program.hpp"
#include "support/folder.hpp"

using namespace graft;
namespace fs = std::filesystem;

namespace {

struct Desk {
  explicit Desk(const onnx::ModelProto& proto = conv_relu()) {
    fs::create_directory(calibration);
    write_file(model, proto.SerializeAsString());
    write_tensor_file(calibration / "0.pb", ramp());
  }
  /// Exit code 0, and the table. Convolutions are quantized, of so few pixels too, unless the placement is given; what
  /// helps accuracy is off unless it is named. Whatever this machine, the target is the one with VNNI.
  std::string run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {model, "--fast"});
    if (std::find(arguments.begin(), arguments.end(), "--target") == arguments.end())
      arguments.insert(arguments.end(), {"--target", "ort-cpu-x64"});
    if (std::find(arguments.begin(), arguments.end(), "--placement") == arguments.end())
      arguments.insert(arguments.end(), {"--placement", "fusion-aware"});
    const Ended ended = run_program("graft-quantize", arguments);
    INFO(ended.error);
    REQUIRE(ended.code == 0);
    return ended.out;
  }
  /// What is made with these options; calibrates on the folder unless they hold ranges.
  Model quantized(std::vector<std::string> options = {}) const {
    options.insert(options.end(), {"-o", output});
    if (std::find(options.begin(), options.end(), "--ranges") == options.end())
      options.insert(options.end(), {"--calibration", calibration});
    run(options);
    return Model::load(output);
  }
  /// The ranges that calibration finds.
  Ranges ranges(std::vector<std::string> options = {}) const {
    const fs::path file = folder / "found.json";
    options.insert(options.end(), {"--calibration", calibration, "--save-ranges", file, "--dry-run"});
    run(options);
    return load_ranges(file);
  }
  /// Of the model's input.
  Range input_range(const std::vector<std::string>& options = {}) const { return ranges(options).at("x"); }

  Folder folder;
  fs::path model = folder / "model.onnx", output = folder / "q.onnx", calibration = folder / "calibration";
};

std::string operators(const Model& model) {
  std::map<std::string, int> counts;
  for (const Node& node : model.graph().nodes()) ++counts[std::string(node.op_type())];
  std::string text;
  for (const auto& [op, count] : counts) text += (text.empty() ? "" : " ") + op + ":" + std::to_string(count);
  return text;
}

bool near(const Range& range, float min, float max) {
  return std::abs(range.min - min) < 1e-5f && std::abs(range.max - max) < 1e-5f;
}

}  // namespace

TEST_CASE("graft-quantize: quantizes and tells what it did", "[examples]") {
  const Desk desk;
  const std::string table = desk.run({"-o", desk.output, "--calibration", desk.calibration, "--verbose"});
  INFO(table);
  for (const char* const wanted :
       {"2 -> 8", "Q/DQ pairs               2", "in integers              1 of 1 operator: 1 Conv",
        "within their kernels     1 Relu", "MB", "inject_qdq", "ort-cpu-x64"})
    CHECK(table.find(wanted) != std::string::npos);
  const Model quantized = Model::load(desk.output), original(conv_relu());
  CHECK(operators(quantized) == "Conv:1 DequantizeLinear:4 QuantizeLinear:2 Relu:1");
  const auto result = [](const Model& model) { return Evaluator(model.graph()).run({{"x", ramp()}})[0].to<float>(); };
  const std::vector<float> is = result(quantized), wanted = result(original);
  for (std::size_t i = 0; i < is.size(); ++i) CHECK(is[i] == Approx(wanted[i]).margin(0.06));
}

TEST_CASE("graft-quantize: ranges are saved, edited and reused", "[examples]") {
  const Desk desk;
  const fs::path file = desk.folder / "r.json";
  const Model first = desk.quantized({"--save-ranges", file});
  const std::string bytes = read_file(desk.output);
  Ranges ranges = load_ranges(file);
  CHECK(near(ranges.at("x"), -1.5f, 3.2f));
  CHECK(ranges.find("c") != nullptr);
  desk.quantized({"--ranges", file});
  CHECK(read_file(desk.output) == bytes);
  ranges.set("x", {-1.28f, 1.27f});
  save_ranges(ranges, file);
  const Model edited = desk.quantized({"--ranges", file});
  CHECK(edited.graph().first_node()->input(1)->constant()->item<float>() == Approx(0.01));
}

TEST_CASE("graft-quantize: ranges saved with any placement serve every placement as its own do", "[examples]") {
  const Desk desk(graph(R"(
      x: f32[1,3,4,4]; w = f32[3,3,1,1] {1, -2, 3, 0.5, 0.25, -1, 2, 1, -3}; v = f32[3,6,1,1] 0.25;
      swish = HardSwish(Conv(x, w));
      factor = f32[1,3,1,1] {2, 0.5, 1}; scaled = Mul(Conv(swish, w), factor);
      both = Relu(Concat(scaled, Conv(swish, w)) {axis=1});
      scale = f32[6] {1, 2, 0.5, 1, 1, 2}; shift = f32[6] 0.5; mean = f32[6] 0.25; var = f32[6] 2;
      normal = BatchNormalization(both, scale, shift, mean, var);
      pooled = Relu(MaxPool(Conv(normal, v)) {kernel_shape=[2,2]});
      y = Conv(HardSwish(Conv(pooled, w)), w))")
                      .commit());
  const fs::path file = desk.folder / "r.json";
  const std::vector<const char*> placements{"naive", "fusion-aware", "conv-only", "all-supported", "min-cost"};
  const auto scales = [](const Model& model) {
    std::vector<float> found;
    for (const Node& node : model.graph().nodes())
      if (is_quantize(node)) found.push_back(node.input(1)->constant()->item<float>());
    return found;
  };
  std::map<std::string, Model> own;
  for (const char* const placement : placements) own.emplace(placement, desk.quantized({"--placement", placement}));
  for (const char* const saved_by : placements) {
    desk.quantized({"--save-ranges", file, "--placement", saved_by});
    for (const char* const placement : placements) {
      INFO(saved_by << " for " << placement);
      const Model model = desk.quantized({"--ranges", file, "--placement", placement});
      CHECK(operators(model) == operators(own.at(placement)));
      CHECK_THAT(scales(model), Catch::Approx(scales(own.at(placement))));  // the last bits are those of the rewriting
    }
  }
  const fs::path statistics = desk.folder / "s";
  REQUIRE(run_program("graft-calibrate",
                      {"run", desk.model, "--calibration", desk.calibration, "--statistics", statistics, "-o", file})
              .code == 0);
  for (const char* const placement : placements) {
    INFO("graft-calibrate for " << placement);
    desk.quantized({"--ranges", file, "--placement", placement});
  }
}

TEST_CASE("graft-quantize: what is not a file of ranges is reported on one line, with what to do about statistics",
          "[examples]") {
  const Desk desk;
  const auto refused = [&](const fs::path& ranges) {
    const Ended ended = run_program("graft-quantize", {desk.model, "--dry-run", "--ranges", ranges});
    CHECK(ended.code == 1);
    CHECK(std::count(ended.error.begin(), ended.error.end(), '\n') == 1);
    CHECK_THAT(ended.error, Catch::Contains(ranges.string() + ": "));
    return ended.error;
  };
  write_file(desk.folder / "r.json", "{\n  \"ranges\": {\n    \"x\": {\"min\":: 0}\n  }\n}\n");
  CHECK_THAT(refused(desk.folder / "r.json"), Catch::Contains("is not a JSON object: Unexpected token"));
  REQUIRE(run_program("graft-calibrate",
                      {"run", desk.model, "--calibration", desk.calibration, "--statistics", desk.folder / "s"})
              .code == 0);
  CHECK_THAT(refused(desk.folder / "s"),
             Catch::Contains("holds statistics") && Catch::Contains("graft-calibrate ranges"));
}

TEST_CASE("graft-quantize: what is read is not replaced", "[examples]") {
  const Desk desk;
  const std::string before = read_file(desk.model);
  const fs::path same = desk.folder / "./model.onnx";
  for (const char* const option : {"--save-ranges", "--report", "-o"}) {
    std::vector<std::string> arguments{desk.model, "--calibration", desk.calibration, option, same};
    if (std::string(option) != "-o") arguments.insert(arguments.end(), {"-o", desk.output});
    const Ended ended = run_program("graft-quantize", arguments);
    CHECK(ended.code == 1);
    CHECK_THAT(ended.error,
               Catch::Contains("model.onnx: would be overwritten: it is also an input or output of this run"));
    CHECK(read_file(desk.model) == before);
  }
}

TEST_CASE("graft-quantize: a dry run writes ranges and a report, but no model", "[examples]") {
  const Desk desk;
  const std::string table =
      desk.run({"--dry-run", "-o", desk.output, "--calibration", desk.calibration, "--save-ranges",
                desk.folder / "r.json", "--report", desk.folder / "report.json"});
  CHECK(table.find("1 of 1") != std::string::npos);
  CHECK_FALSE(fs::exists(desk.output));
  CHECK(fs::exists(desk.folder / "r.json"));
  CHECK(fs::exists(desk.folder / "report.json"));
  CHECK(entries(desk.folder.path()) == 4);
}

TEST_CASE("graft-quantize: the report says what was done", "[examples]") {
  const Desk desk;
  const Model model = desk.quantized({"--report", desk.folder / "report.json"});
  const auto report = nlohmann::json::parse(read_file(desk.folder / "report.json"));
  CHECK(report["model"] == desk.model.string());
  CHECK(report["target"] == "ort-cpu-x64");
  CHECK(report["nodes_before"] == 2);
  CHECK(report["nodes_after"] == model.graph().nodes().size());
  CHECK(report["pairs"] == 2);
  CHECK(report["fused"] == 1);
  CHECK(report["tables"] == 0);
  CHECK(report["calibration_samples"] == 1);
  CHECK(report["held_out_samples"] == 0);
  CHECK(report["in_float"].empty());
  CHECK(report["seconds"] > 0.0);
  CHECK(report["bytes_before"] == fs::file_size(desk.model));
  CHECK(report["bytes_after"] == fs::file_size(desk.output));
  REQUIRE(report["audit"].size() == 1);
  CHECK(report["audit"][0]["node"] == "conv");
  CHECK(report["audit"][0]["fused"] == true);
  REQUIRE(report["operators"].size() == 2);
  CHECK(report["operators"][1]["node"] == "relu");
  CHECK(report["operators"][1]["form"] == "within another kernel");
  CHECK(report["operators"][1]["within"] == "conv");
  std::vector<std::string> passes;
  for (const auto& pass : report["passes"]) {
    passes.push_back(pass["pass"]);
    CHECK(pass["seconds"] >= 0.0);
    CHECK(pass["outcome"] == "converged");
  }
  CHECK(std::count(passes.begin(), passes.end(), "calibrate") == 1);
  CHECK(passes.back() == "quantize_embeddings");
}

TEST_CASE("graft-quantize: biases are corrected before they are quantized, from samples only", "[examples]") {
  const Desk desk;
  desk.quantized({"--correct-biases", "--report", desk.folder / "report.json"});
  const auto report = nlohmann::json::parse(read_file(desk.folder / "report.json"));
  std::vector<std::string> passes;
  for (const auto& pass : report["passes"]) passes.push_back(pass["pass"]);
  const auto place = std::find(passes.begin(), passes.end(), "correct_biases");
  REQUIRE(place != passes.end());
  CHECK(report["passes"][static_cast<std::size_t>(place - passes.begin())]["changes"] == 1);
  CHECK(std::find(place, passes.end(), "quantize_weights") != passes.end());
  CHECK(run_program("graft-quantize", {desk.model, "--dry-run", "--correct-biases", "--ranges", "r.json"}).code == 2);

  const Model calibrated = desk.quantized({"--correct-biases", "--save-ranges", desk.folder / "r.json"});
  desk.run({"-o", desk.folder / "again.onnx", "--correct-biases", "--ranges", desk.folder / "r.json", "--calibration",
            desk.calibration});
  CHECK(read_file(desk.folder / "again.onnx") == read_file(desk.output));
}

TEST_CASE("graft-quantize: weights take fewer bits, and are clipped", "[examples]") {
  const Desk desk;
  const auto greatest = [&](const std::vector<std::string>& options) {
    const Model model = desk.quantized(options);
    for (const Node& node : model.graph().nodes()) {
      if (!node.is("Conv")) continue;
      const std::vector<int> codes = node.input(1)->producer()->input(0)->constant()->to<int>();
      return *std::max_element(codes.begin(), codes.end());
    }
    return 0;
  };
  CHECK(greatest({}) == 127);
  CHECK(greatest({"--reduce-range"}) == 63);
  CHECK(greatest({"--weight-bits", "4"}) == 7);
  CHECK(greatest({"--weight-bits", "4", "--clip-weights", "--weights", "per-tensor"}) == 7);
  const auto usage = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {desk.model, "--dry-run", "--calibration", desk.calibration});
    return run_program("graft-quantize", options).code;
  };
  CHECK(usage({"--weight-bits", "9"}) == 2);
  CHECK(usage({"--weight-bits", "4", "--reduce-range"}) == 2);
}

TEST_CASE("graft-quantize: weights of single nodes have forms of their own", "[examples]") {
  const Desk desk;
  struct Weight {
    int greatest;
    std::int64_t scales;
  };
  const auto weight = [&](const std::string& form) {
    const Model model = desk.quantized({"--weights-of", form, "--correct-biases"});
    for (const Node& node : model.graph().nodes()) {
      if (!node.is("Conv")) continue;
      const QuantizedTensor tensor = *quantized_constant(*node.input(1)->producer());
      const std::vector<int> codes = tensor.data.to<int>();
      return Weight{*std::max_element(codes.begin(), codes.end()), tensor.scale.size()};
    }
    throw Error("no Conv is left");
  };
  CHECK(weight("other=4").greatest == 127);
  CHECK(weight("co.*=4").greatest == 7);
  CHECK(weight("co.*=4").scales == 2);
  CHECK(weight("conv=per-tensor,5,clip").greatest == 15);
  CHECK(weight("conv=per-tensor,5,clip").scales == 1);
  const auto run = [&](const std::string& form) {
    return run_program("graft-quantize",
                       {desk.model, "--dry-run", "--calibration", desk.calibration, "--weights-of", form});
  };
  CHECK(run("cnv=4").error.find("warning: no node is called 'cnv'") != std::string::npos);
  for (const char* const wrong : {"conv", "conv=", "conv=9", "conv=1", "conv=clipped", "conv=4;5", "(=4"})
    CHECK(run(wrong).code == 2);
}

TEST_CASE("graft-quantize: the observer is taken that comes nearest to float", "[examples]") {
  const Desk desk;
  const fs::path ranges = desk.folder / "r.json", report = desk.folder / "report.json";
  desk.quantized({"--try-observers", "--set-range", "x=-2,4", "--save-ranges", ranges, "--report", report});
  CHECK(near(load_ranges(ranges).at("x"), -2, 4));
  CHECK(load_ranges(ranges).find("y") != nullptr);
  const nlohmann::json trials = nlohmann::json::parse(read_file(report))["trials"];
  REQUIRE(trials.size() == 6);
  for (const auto& trial : trials) CHECK((trial["within_noise"] == true || trial["cosine"] <= trials[0]["cosine"]));
  CHECK(run_program("graft-quantize", {desk.model, "-o", desk.output, "--calibration", desk.calibration,
                                       "--try-observers", "--observer", "entropy"})
            .code == 2);
}

TEST_CASE("graft-quantize: tells which tensors and layers lose most", "[examples]") {
  const Desk desk;
  write_tensor_file(desk.calibration / "1.pb", filled(0.3f));
  write_file(desk.calibration / "2.pb", "no tensor");
  const auto analysis = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--dry-run", "--calibration", desk.calibration, "--keep-going", "--analyze",
                                   "--set-range", "x=0,1", "--report", desk.folder / "report.json"});
    const std::string table = desk.run(options);
    CHECK(table.find("worst tensors            of 3") != std::string::npos);
    CHECK(table.find("worst layers             of 1") != std::string::npos);
    return nlohmann::json::parse(read_file(desk.folder / "report.json"))["analysis"];
  };
  const auto one = analysis({});
  REQUIRE(one["tensors"].size() == 3);
  CHECK(one["tensors"][0]["tensor"] == "y");
  CHECK(one["tensors"][0]["node"] == "relu");
  CHECK(one["tensors"][2]["tensor"] == "x");
  CHECK(one["tensors"][2]["node"] == "");
  CHECK(one["tensors"][2]["quantized"] == nlohmann::json({0, 1}));
  CHECK(one["outputs"]["decibels"] < 10);
  REQUIRE(one["layers"].size() == 1);
  CHECK(one["layers"][0]["node"] == "conv");
  CHECK(one["layers"][0]["quantized_alone"]["decibels"] < 10);
  CHECK(one["layers"][0]["in_float_alone"]["cosine"] == 1);
  CHECK(one["layers"][0]["in_float_together"]["decibels"].is_null());
  CHECK(analysis({"--threads", "2"}) == one);
}

TEST_CASE("graft-quantize: one line has the accuracy of the model that was written, and on what it was measured",
          "[examples]") {
  const Desk desk(graph("x: f32[1,3,4,4]; w = f32[4,4,1,1] random; c = Conv(x, f32[4,3,1,1] random); "
                        "r = Relu(Conv(c, w)); y = Conv(Conv(Conv(r, w), w), w)")
                      .commit());
  for (int i = 0; i < 8; ++i) {
    Tensor x = ramp();
    for (float& value : x.mutable_data<float>()) value = std::sin(value * static_cast<float>(i + 3));
    write_tensor_file(desk.calibration / (std::to_string(i) + ".pb"), x);
  }
  const fs::path report = desk.folder / "report.json";
  const auto told = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {desk.model, "--dry-run", "--calibration", desk.calibration, "--target",
                                     "ort-cpu-x64", "--placement", "all-supported", "--report", report});
    const Ended ended = run_program("graft-quantize", options);
    INFO(ended.out << ended.error);
    CHECK(ended.code == 0);
    const auto first = ended.out.find("\naccuracy  ");
    REQUIRE(first != std::string::npos);
    CHECK(ended.out.find("\naccuracy  ", first + 1) == std::string::npos);
    CHECK_THAT(ended.out, !Catch::Contains("goal that was set"));
    return ended.out;
  };
  CHECK_THAT(told({}), Catch::Contains(", on 8 samples that ranges were found without"));
  CHECK_THAT(told({"--fast"}), Catch::Contains(", in the last check, on 8 samples of the calibration"));
  const std::string poor = told({"--set-range", "r=0,0.01"});
  CHECK_THAT(poor, Catch::Contains(", on 8 samples of the calibration") && Catch::Contains("\nwith none in float  ") &&
                       Catch::Contains(" in float of ") && Catch::Contains("outputs are poor with it in integers"));
  const auto accuracy = nlohmann::json::parse(read_file(report))["accuracy"];
  CHECK(accuracy["cosine"] > 0.98);
  CHECK(accuracy["samples"] == 8);
  CHECK(accuracy["are_unseen"] == false);
  CHECK_THAT(told({"--min-cosine", "0.9"}), Catch::Contains(", on 8 samples of the calibration"));
  const fs::path ranges = desk.folder / "r.json";
  told({"--save-ranges", ranges});
  const Ended blind =
      run_program("graft-quantize", {desk.model, "--dry-run", "--ranges", ranges, "--placement", "all-supported"});
  CHECK_THAT(blind.out, Catch::Contains("accuracy                 not measured: --calibration gives samples for it"));
}

TEST_CASE("graft-quantize: what has NaN inside is named, with the way that needs no ranges", "[examples]") {
  const auto refused = [](const std::string& text, float fed) {
    const Desk desk(graph(text).commit());
    write_tensor_file(desk.calibration / "0.pb", filled(fed));
    const Ended ended =
        run_program("graft-quantize", {desk.model, "-o", desk.output, "--calibration", desk.calibration});
    CHECK(ended.code == 1);
    return ended.error;
  };
  const std::string root = "x: f32[1,3,4,4]; root = Sqrt(x); ";
  const std::string product = root + "y = MatMul(root, f32[4,4] random)";
  CHECK_THAT(refused(product, -1),
             Catch::Contains("0.pb: root: holds NaN inside the model") && Catch::EndsWith("; --dynamic needs none\n"));
  CHECK_THAT(refused(root + "y = Conv(root, f32[3,3,1,1] random)", -1),
             Catch::Contains("root: holds NaN inside the model") && !Catch::Contains("--dynamic"));
  CHECK_THAT(refused(product, NAN), Catch::Contains("0.pb: x: holds NaN") && Catch::Contains("--skip-nan"));
}

TEST_CASE("graft-quantize: options of another mode are rejected", "[examples]") {
  const Desk desk;
  for (const std::vector<std::string>& mode : {std::vector<std::string>{"--dynamic"}, {"--weight-only", "8"}}) {
    std::vector<std::string> options{desk.model, "--dry-run", "--placement", "min-cost"};
    options.insert(options.end(), mode.begin(), mode.end());
    const Ended ended = run_program("graft-quantize", options);
    CHECK(ended.code == 2);
    CHECK_THAT(ended.error, Catch::Contains("--placement: has no effect with " + mode[0] + "; leave it out"));
  }
}

TEST_CASE("graft-quantize: threads are limited without samples, too", "[examples]") {
  const Desk desk(graph("x: f32[4,64]; y = MatMul(x, f32[64,64] random)").commit());
  const std::vector<std::string> options{desk.model, "--dry-run", "--weight-only", "4", "--threads", "1"};
  CHECK(run_program("graft-quantize", options).code == 0);
}

TEST_CASE("graft-quantize: that nothing is quantized is the first line, and why", "[examples]") {
  const auto told = [](const std::string& text, std::vector<std::string> options) {
    const Desk desk(graph(text).commit());
    if (options.empty()) options = {"--calibration", desk.calibration};
    options.insert(options.begin(), {desk.model, "-o", desk.output});
    const Ended ended = run_program("graft-quantize", options);
    CHECK(ended.code == 0);
    CHECK_THAT(ended.error, Catch::Contains("warning: nothing is quantized: "));
    return ended.out;
  };
  const std::string first = "warning                  nothing is quantized: ";
  const std::string conv = "x: f32[1,3,4,4]; y = Conv(x, f32[3,3,1,1] random)", none = "x: f32[1,3,4,4]; y = Relu(x)";
  CHECK_THAT(told(none, {"--dynamic"}), Catch::StartsWith(first + "the model has no MatMul, Gemm or LSTM by a "));
  CHECK_THAT(told(none, {"--weight-only", "8"}), Catch::StartsWith(first + "the model has no MatMul or Gemm by a "));
  CHECK_THAT(told(conv, {"--dynamic"}), Catch::Contains("convolutions take static quantization"));
  CHECK_THAT(told(conv, {}), Catch::StartsWith(first + "1 operator stays in float; "));
  CHECK_THAT(told("x: f32[1,3,4,4]; y = Erf(x)", {}), Catch::StartsWith(first));
}

TEST_CASE("graft-quantize: leaves in float what a goal takes", "[examples]") {
  const Desk desk;
  const std::string all = operators(desk.quantized());
  CHECK(operators(desk.quantized({"--min-cosine", "0.9", "--min-agreement", "0.5"})) == all);
  const Ended unmet = run_program("graft-quantize", {desk.model, "--dry-run", "--calibration", desk.calibration,
                                                     "--placement", "fusion-aware", "--min-cosine", "1"});
  CHECK(unmet.code == 1);
  CHECK(unmet.out.find("'conv' stays in float for it") != std::string::npos);
  CHECK(unmet.out.find("goal                     the goal is reached only where nothing is quantized any more") !=
        std::string::npos);
  const auto usage = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {desk.model, "--dry-run"});
    return run_program("graft-quantize", options).code;
  };
  for (const char* const option : {"--min-agreement", "--min-cosine"}) {
    CHECK(usage({option, "0.5", "--ranges", "r.json"}) == 2);
    CHECK(usage({option, "97", "--calibration", desk.calibration}) == 2);
  }
  CHECK(usage({"--analyze", "--ranges", "r.json"}) == 2);
  CHECK(usage({"--trial-samples", "0", "--calibration", desk.calibration}) == 2);
}

TEST_CASE("graft-quantize: a misspelt name is answered with the nearest one", "[examples]") {
  const Desk desk;
  using Three = std::array<const char*, 3>;
  for (const auto& [option, written, meant] :
       {Three{"--placement", "min-cst", "min-cost"}, Three{"--target", "ort-cpu-x46", "ort-cpu-x64"},
        Three{"--weights", "per_chanel", "per-channel"}, Three{"--format", "qdqq", "qdq"},
        Three{"--observer", "min-mx", "min-max"}}) {
    const Ended ended =
        run_program("graft-quantize", {desk.model, "--dry-run", "--calibration", desk.calibration, option, written});
    CHECK(ended.code == 2);
    CHECK_THAT(ended.error, Catch::Contains("did you mean '" + std::string(meant) + "'"));
  }
}

TEST_CASE("graft-quantize: channels are observed where that is asked for", "[examples]") {
  const Desk desk;
  desk.quantized({"--zero-dead-channels", "--equalize", "--correct-biases", "--report", desk.folder / "report.json"});
  std::string passes;
  const auto report = nlohmann::json::parse(read_file(desk.folder / "report.json"));
  for (const auto& pass : report["passes"]) passes += pass["pass"].get<std::string>() + " ";
  CHECK(passes.find("calibrate zero_dead_channels ") != std::string::npos);  // one run for all of them
  CHECK(passes.find("inject_qdq correct_biases quantize_weights") != std::string::npos);
  for (const char* const option : {"--zero-dead-channels", "--equalize"})
    CHECK(run_program("graft-quantize", {desk.model, "--dry-run", option, "--ranges", "r.json"}).code == 2);
}

TEST_CASE("graft-quantize: a dead channel loses huge weights, a live one keeps them", "[examples]") {
  Builder build(13);
  Value& x = build.input("x", DType::f32, {1, 3, 4, 4});
  Value& w = build.constant(Tensor::of<float>({2, 3, 1, 1}, {1, -2, 3, 5e4f, -4e4f, 3e4f}), "w");
  Value& bias = build.constant(Tensor::of<float>({2}, {0.5f, -1e6f}), "b");
  build.output(build.op("Relu", {&build.op("Conv", {&x, &w, &bias})}), "y");
  const Desk desk(build.build().commit());
  for (int i = 1; i < 7; ++i) write_tensor_file(desk.calibration / (std::to_string(i) + ".pb"), ramp());
  const auto scale_of_weight = [](const Model& model) {
    for (const Node& node : model.graph().nodes())
      if (node.is("Conv")) return quantized_constant(*node.input(1)->producer())->scale.item<float>();
    return 0.0f;
  };
  const Ended refused =
      run_program("graft-quantize", {desk.model, "--fast", "--target", "ort-cpu-x64", "--placement", "fusion-aware",
                                     "--weights", "per-tensor", "-o", desk.output, "--calibration", desk.calibration});
  CHECK(refused.code == 1);  // of the weights that count nothing is left
  CHECK_THAT(refused.error, Catch::Contains("zero_dead_channels") && Catch::Contains("a cosine of 0.000"));
  CHECK_FALSE(fs::exists(desk.output));
  const std::vector<std::string> zeroing{"--weights", "per-tensor", "--zero-dead-channels"};
  CHECK(scale_of_weight(desk.quantized(zeroing)) == Approx(3.0 / 127));
  write_tensor_file(desk.calibration / "7.pb", filled(50));
  CHECK(scale_of_weight(desk.quantized(zeroing)) == Approx(5e4 / 127));
}

/// Nothing gains by integers but the table, of 2048 rows.
onnx::ModelProto lookup() {
  std::string rows;
  for (int i = 0; i < (1 << 14) - 1; ++i) rows += std::to_string(i % 7 - 3) + ", ";
  return graph("opset 13; ids: i64[2]; y = Gather(f32[2048,8] {" + rows + "4}, ids)").commit();
}

TEST_CASE("graft-quantize: a table that is quantized alone is reported, with what it costs", "[examples]") {
  const Desk desk(lookup());
  std::vector<std::string> arguments{desk.model, "-o", desk.output, "--calibration", desk.calibration};
  fs::remove(desk.calibration / "0.pb");
  for (int i = 0; i < 4; ++i)
    write_tensor_file(desk.calibration / (std::to_string(i) + ".pb"), Tensor::of<std::int64_t>({2}, {i, 2047}));
  Ended ended = run_program("graft-quantize", arguments);
  INFO(ended.error);
  REQUIRE(ended.code == 0);
  CHECK(operators(Model::load(desk.output)) == "Cast:1 Gather:1 Mul:1");
  CHECK(ended.out.find("nothing is quantized") == std::string::npos);
  CHECK_THAT(ended.out, Catch::Contains("tables in 8 bits         1 ") && Catch::Contains("accuracy "));
  arguments.insert(arguments.end(), {"--exclude", "Gather\\(y\\)|y"});
  ended = run_program("graft-quantize", arguments);
  REQUIRE(ended.code == 0);
  CHECK(operators(Model::load(desk.output)) == "Gather:1");
  CHECK_THAT(ended.out, Catch::Contains("nothing is quantized"));
}

TEST_CASE("graft-quantize: a node without a name stays in float where nothing else is quantized", "[examples]") {
  onnx::ModelProto proto = lookup();
  proto.mutable_graph()->mutable_node(0)->clear_name();
  const Desk desk(proto);
  write_tensor_file(desk.calibration / "0.pb", Tensor::of<std::int64_t>({2}, {1, 2047}));
  CHECK(operators(desk.quantized({"--placement", "min-cost", "--exclude", "Gather\\(y\\)"})) == "Gather:1");
}

TEST_CASE("graft-quantize: single steps are turned on with --fast alone", "[examples]") {
  const Desk desk;
  for (const char* const option :
       {"--zero-dead-channels", "--equalize", "--smooth", "--correct-biases", "--try-observers"})
    CHECK(run_program("graft-quantize", {desk.model, "--dry-run", "--calibration", desk.calibration, option}).code ==
          2);
  const Ended help = run_program("graft-quantize", {"--help"});
  CHECK_THAT(help.out, Catch::Contains("several are tried"));
  for (const char* const count : {"0", "100000"})
    CHECK(
        run_program("graft-quantize", {desk.model, "--dry-run", "--calibration", desk.calibration, "--threads", count})
            .code == 2);
}

TEST_CASE("graft-quantize: nodes stay in float and ranges are given by name, and a name of nothing is reported",
          "[examples]") {
  const Desk desk;
  for (const char* const pattern : {"conv", "co.*"})
    CHECK(operators(desk.quantized({"--exclude", pattern, "--exclude", "relu"})) == "Conv:1 Relu:1");
  CHECK(operators(desk.quantized({"--exclude-ends"})) == "Conv:1 Relu:1");
  CHECK(near(desk.input_range({"--set-range", "x|c=-4,5.5"}), -4, 5.5));
  std::vector<std::string> arguments{desk.model,  "--dry-run", "--calibration", desk.calibration,
                                     "--exclude", "cnv",       "--set-range",   "z=0,1"};
  const Ended ended = run_program("graft-quantize", arguments);
  CHECK(ended.code == 0);
  CHECK(ended.error.find("warning: no node is called 'cnv'; did you mean 'conv'?\n"
                         "graft-quantize: warning: no tensor is called 'z'\n"
                         "calibrate ") != std::string::npos);
  const auto usage = [&](const std::string& option, const std::string& text) {
    return run_program("graft-quantize", {desk.model, "--dry-run", "--calibration", desk.calibration, option, text});
  };
  CHECK(usage("--set-range", "x=1,0").error.find("MIN is above MAX in x=1,0") != std::string::npos);
  CHECK(usage("--exclude", "(").error.find("'(' is not a regular expression") != std::string::npos);
  for (const char* const wrong : {"x", "x=1", "x=2,1", "x=0,inf", "x=a,b", "(=0,1"})
    CHECK(usage("--set-range", wrong).code == 2);
}

TEST_CASE("graft-quantize: nodes of one name are excluded together", "[examples]") {
  Builder build(13);
  Value* value = &build.input("x", DType::f32, {1, 3, 4, 4});
  for (int i = 0; i < 3; ++i) {
    value = &build.op("Conv", {value, &build.constant(Tensor(DType::f32, {3, 3, 1, 1}), "w")});
    build.graph().rename(*value->producer(), "same");
  }
  build.output(*value, "y");
  const Desk desk(build.build().commit());
  CHECK(operators(desk.quantized({"--exclude", "same"})) == "Conv:3");
}

TEST_CASE("graft-quantize: what is given of the inputs of added convolutions holds whatever they become",
          "[examples]") {
  Model model = graph(
      "x: f32[1,3,4,4]; a = Abs(x); n = Neg(x); w = f32[8,3,1,1] random; v = f32[8,3,1,1] random; "
      "y = Add(Conv(a, w), Conv(n, v))");
  const Desk desk(model.commit());
  const auto convs = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--placement", "all-supported"});
    const Model quantized = desk.quantized(options);
    return std::ranges::count_if(quantized.graph().nodes(), [](const Node& node) { return node.is("Conv"); });
  };
  CHECK(convs({}) == 1);
  CHECK(convs({"--set-range", "a=0,1000"}) == 2);
  CHECK(convs({"--set-range", "a=0,1000", "--try-observers"}) == 2);
  CHECK(convs({"--try-observers", "--correct-biases"}) == 1);
}

TEST_CASE("graft-quantize: a name of the model is reported where its node is gone", "[examples]") {
  Model model = graph("x: f32[1,3,4,4]; w = f32[3,3,1,1] 1; y = Add(Conv(x, w), f32[3,1,1] 1)");
  model.graph().rename(*model.graph().outputs()[0]->producer(), "bias");
  const Desk desk(model.commit());
  const Ended ended =
      run_program("graft-quantize", {desk.model, "--dry-run", "--calibration", desk.calibration, "--exclude", "bias"});
  CHECK(ended.code == 0);
  CHECK(ended.error.find("no node is called 'bias' any more: rewriting took it") != std::string::npos);
}

TEST_CASE("graft-quantize: a model without a tensor of float32 is left as it was", "[examples]") {
  const Desk desk(graph("x: f64[1,3,4,4]; y = Neg(x)").commit());
  write_tensor_file(desk.calibration / "0.pb", Tensor(DType::f64, {1, 3, 4, 4}));
  CHECK(operators(desk.quantized({"--placement", "min-cost"})) == "Neg:1");
}

TEST_CASE("graft-quantize: options that would change nothing are wrong", "[examples]") {
  const Desk desk;
  const fs::path file = desk.folder / "r.json";
  desk.quantized({"--save-ranges", file});
  const auto code = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {desk.model, "--dry-run"});
    return run_program("graft-quantize", options).code;
  };
  CHECK(code({"--ranges", file}) == 0);
  CHECK(code({"--ranges", file, "--observer", "entropy"}) == 2);
  CHECK(code({"--ranges", file, "--resize", "256"}) == 2);
  CHECK(code({"--calibration", desk.calibration, "--percent", "50"}) == 2);
  CHECK(code({"--calibration", desk.calibration, "--trial-samples", "3"}) == 2);
  const Ended of_images =
      run_program("graft-quantize", {desk.model, "--dry-run", "--calibration", desk.calibration, "--mean", "1"});
  CHECK(of_images.code == 0);
  CHECK_THAT(of_images.error, Catch::StartsWith("warning: options for images are ignored: "));
}

TEST_CASE("graft-quantize: a Conv kept in float between others is one for the runtime too", "[examples]") {
  Builder b(13);
  Value* value = &b.input("x", DType::f32, {1, 3, 4, 4});
  for (const char* const name : {"one", "two", "three"}) {
    Value& weight = b.constant(Tensor::of<float>({3, 3, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), "w");
    value = &b.op("Conv", {value, &weight});
    b.graph().rename(*value->producer(), name);
  }
  b.output(*value, "y");
  const Desk desk(b.build().commit());
  const std::string table = desk.run({"--dry-run", "--calibration", desk.calibration, "--exclude", "two"});
  CHECK(table.find("2 of 3") != std::string::npos);
  CHECK(table.find("1 operator: it is excluded by name (two)") != std::string::npos);
}

TEST_CASE("graft-quantize: what does not fuse is reported with the reason, and with --explain why", "[examples]") {
  onnx::ModelProto proto = conv_relu();
  proto.mutable_graph()->mutable_node(1)->set_op_type("Sigmoid");
  onnx::NodeProto& second = *proto.mutable_graph()->add_node();
  second = proto.graph().node(0);
  second.set_name("free weight");
  second.set_input(0, "y");
  second.set_input(1, "v");
  second.clear_output();
  second.add_output("z");
  second.mutable_input()->RemoveLast();
  onnx::ValueInfoProto& v = *proto.mutable_graph()->add_input();
  v = proto.graph().input(0);
  v.set_name("v");
  for (int axis = 0; axis < 4; ++axis)
    v.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(axis)->set_dim_value(axis < 2 ? 2 : 1);
  proto.mutable_graph()->mutable_output(0)->set_name("z");
  proto.mutable_graph()->mutable_output(0)->clear_type();
  const Desk desk(proto);
  fs::remove(desk.calibration / "0.pb");
  const fs::path set = desk.calibration / "test_data_set_0";
  fs::create_directory(set);
  write_tensor_file(set / "input_0.pb", ramp());
  write_tensor_file(set / "input_1.pb", filled(0.5f, {2, 2, 1, 1}));
  const std::vector<std::string> arguments{"--dry-run", "--calibration", desk.calibration};
  const std::string table = desk.run(arguments);
  INFO(table);
  CHECK(table.find("2 of 3 operators: 1 Conv, 1 Sigmoid") != std::string::npos);
  CHECK(table.find("1 operator: its weight is not constant (free weight)") != std::string::npos);
  const std::string explained = desk.run({"--explain", "--dry-run", "--calibration", desk.calibration});
  INFO(explained);
  CHECK(explained.find("Conv free weight: left in float: its weight is not constant") != std::string::npos);
  CHECK(explained.find("inject_qdq") == std::string::npos);  // --verbose prints the passes
  const std::string verbose = desk.run({"--verbose", "--dry-run", "--calibration", desk.calibration});
  CHECK(verbose.find("inject_qdq") != std::string::npos);
  CHECK(verbose.find("Conv free weight: left in float") == std::string::npos);
  const auto range = load_ranges([&] {
    desk.run({"--dry-run", "--calibration", desk.calibration, "--save-ranges", desk.folder / "r.json"});
    return desk.folder / "r.json";
  }());
  CHECK(range.at("v") == Range{0.5f, 0.5f});
}

TEST_CASE("graft-quantize: a model in which nothing is quantized stays at its opset", "[examples]") {
  onnx::ModelProto proto = conv_relu();
  proto.mutable_opset_import(0)->set_version(11);
  const Desk desk(proto);
  CHECK(desk.quantized().opset() == 13);
  CHECK(desk.quantized({"--exclude", ".*"}).opset() == 11);
  CHECK(desk.quantized({"--placement", "min-cost"}).opset() == 11);
}

TEST_CASE("graft-quantize: placement, commutation, target and weights are as the options say", "[examples]") {
  onnx::ModelProto proto = conv_relu();
  const Desk desk(proto);
  CHECK(operators(desk.quantized({"--placement", "naive"})) == "Conv:1 DequantizeLinear:5 QuantizeLinear:3 Relu:1");
  const Model moved = desk.quantized({"--placement", "naive", "--commute"});
  const Model aware = desk.quantized({"--placement", "fusion-aware"});
  CHECK(operators(desk.quantized({"--placement", "conv-only"})) == operators(aware));
  for (const char* const name : {"all-supported", "everything"})  // its name in earlier versions
    CHECK(operators(desk.quantized({"--placement", name})) == operators(aware));
  CHECK(operators(desk.quantized({"--placement", "min-cost"})) == "Conv:1 Relu:1");  // a few pixels gain nothing
  const TestResult same = isomorphic(moved, aware);
  INFO(same.message());
  CHECK(same);
  const auto scale_of_weight = [](const Model& model) {
    for (const Node& node : model.graph().nodes())
      if (node.is("Conv")) return node.input(1)->producer()->input(1)->constant()->size();
    return std::int64_t{0};
  };
  CHECK(scale_of_weight(aware) == 2);
  CHECK(scale_of_weight(desk.quantized({"--weights", "per-tensor"})) == 1);

  proto.mutable_graph()->mutable_node(1)->set_op_type("LeakyRelu");
  const Desk leaky(proto);
  CHECK(operators(leaky.quantized()).find("QuantizeLinear:3") != std::string::npos);
  for (const char* const target : {"onednn", "openvino-cpu", "paper"})
    CHECK(operators(leaky.quantized({"--target", target})).find("QuantizeLinear:2") != std::string::npos);
}

TEST_CASE("graft-quantize: one model serves several runtimes, or it says why none does", "[examples]") {
  const Desk desk;
  const std::string out = desk.run({"--dry-run", "--calibration", desk.calibration, "--target",
                                    "openvino-cpu,ort-cpu-x64", "--report", desk.folder / "r.json"});
  INFO(out);
  CHECK(out.find(", for openvino-cpu,ort-cpu-x64\n") != std::string::npos);
  CHECK(out.find("1 of 1 operator in integers on openvino-cpu\n") != std::string::npos);
  CHECK(out.find("1 of 1 operator in integers on ort-cpu-x64\n") != std::string::npos);
  const std::string report = read_file(desk.folder / "r.json");
  CHECK(report.find("\"runtimes\"") != std::string::npos);
  const Ended ended = run_program("graft-quantize", {desk.model, "--dry-run", "--calibration", desk.calibration,
                                                     "--target", "tensorrt,paper"});
  CHECK(ended.code == 2);
  CHECK(ended.error.find("Conv: tensorrt refuses a bias of int32, paper takes no other") != std::string::npos);
}

TEST_CASE("graft-quantize: a file has the costs by which placement decides", "[examples]") {
  const Desk desk;
  const std::string path = desk.folder / "t.json";
  const auto with_costs = [&](const std::string& conv) {
    write_file(path, R"({"name": "mine", "base": "ort-cpu-x64", "kernels": [{"op": "Conv", )" + conv + "}]}");
    return operators(desk.quantized({"--placement", "min-cost", "--target", path}));
  };
  const std::string slow = R"({"in_float": {"call": 1e6}, "in_integers": {"call": 1}})";
  const std::string fast = R"({"in_float": {"call": 1}, "in_integers": {"call": 1e6}})";
  CHECK(with_costs("\"image\": " + slow).find("QuantizeLinear") != std::string::npos);
  CHECK(with_costs("\"image\": " + fast) == "Conv:1 Relu:1");
  write_file(path, R"({"name": "mine", "base": "ort-cpu-x64", "kernels": [{"op": "Conv", "in_float": 3}]})");
  for (const std::string& program : {std::string("graft-quantize"), std::string("graft-inspect")}) {
    std::vector<std::string> arguments{desk.model, "--audit", path};
    if (program == "graft-quantize")
      arguments = {desk.model, "--dry-run", "--calibration", desk.calibration, "--target", path};
    const Ended ended = run_program(program, arguments);
    CHECK(ended.code == 2);
    CHECK(ended.error.find("t.json: kernels[0].in_float: is not an object") != std::string::npos);
  }
}

TEST_CASE("graft-quantize: activations take another dtype, of 16 bits at opset 21", "[examples]") {
  const Desk desk;
  const std::pair<const char*, DType> dtypes[] = {
      {"u8", DType::u8}, {"i8", DType::i8}, {"u16", DType::u16}, {"i16", DType::i16}};
  for (const auto& [name, dtype] : dtypes) {
    const Model model = desk.quantized({"--activations", name});
    CHECK(model.opset() == (bits(dtype) == 16 ? 21 : 13));
    std::size_t quantizers = 0;
    for (const Node& node : model.graph().nodes()) {
      if (!is_quantize(node)) continue;
      CHECK(quantized_dtype(node) == dtype);
      ++quantizers;
    }
    CHECK(quantizers == 2);
  }
  const std::string table = desk.run({"--activations", "i16", "--dry-run", "--calibration", desk.calibration});
  CHECK(table.find("there is no integer kernel for i16 with weights of i8") != std::string::npos);
  CHECK(run_program("graft-quantize", {desk.model, "--activations", "i4", "--dry-run"}).code == 2);
}

TEST_CASE("graft-quantize: single tensors take another dtype", "[examples]") {
  const Desk desk;
  const Model model = desk.quantized({"--activations-of", "[x]=u16", "--activations-of", "nothing=i16"});
  CHECK(model.opset() == 21);
  for (const Node& node : model.graph().nodes()) {
    if (!is_quantize(node)) continue;
    CHECK(quantized_dtype(node) == (node.input(0)->name() == "x" ? DType::u16 : DType::u8));
  }
  const auto run = [&](const char* of) {
    return run_program("graft-quantize", {desk.model, "--placement", "naive", "--calibration", desk.calibration,
                                          "--dry-run", "--activations-of", of});
  };
  CHECK(run("x=u16").out.find("there is no integer kernel for u16 with weights of i8") != std::string::npos);
  CHECK(run("nothing=u8").error.find("warning: no tensor is called 'nothing'") != std::string::npos);
  for (const char* const wrong : {"x", "x=", "x=f32", "(=u8"}) CHECK(run(wrong).code == 2);
}

TEST_CASE("graft-quantize: weights that a caller could override are constants unless they are kept", "[examples]") {
  onnx::ModelProto proto = conv_relu();
  for (const char* const name : {"w", "b"}) proto.mutable_graph()->add_input()->set_name(name);
  for (int i : {1, 2}) {
    auto& type = *proto.mutable_graph()->mutable_input(i)->mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t dim : proto.graph().initializer(i - 1).dims())
      type.mutable_shape()->add_dim()->set_dim_value(dim);
  }
  const Desk desk(proto);
  const std::string kept = desk.run({"--dry-run", "--calibration", desk.calibration, "--keep-overridable"});
  CHECK(kept.find("0 of 1") != std::string::npos);
  CHECK(kept.find("2 initializers that callers may override, kept so") != std::string::npos);
  const Model frozen = desk.quantized();
  CHECK(frozen.graph().inputs().size() == 1);
  CHECK(operators(frozen) == "Conv:1 DequantizeLinear:4 QuantizeLinear:2 Relu:1");
  proto.set_ir_version(3);
  const Desk old(proto);
  CHECK(operators(old.quantized()) == "Conv:1 DequantizeLinear:4 QuantizeLinear:2 Relu:1");
}

TEST_CASE("graft-quantize: a model below opset 13 is raised, and nodes without names get names", "[examples]") {
  onnx::ModelProto proto = conv_relu();
  proto.mutable_opset_import(0)->set_version(7);
  proto.set_ir_version(4);
  for (onnx::NodeProto& node : *proto.mutable_graph()->mutable_node()) node.clear_name();
  const Desk desk(proto);
  const Model model = desk.quantized();
  CHECK(model.opset() == 13);
  CHECK(model.ir_version() >= 7);
  std::vector<std::string> names;
  for (const Node& node : model.graph().nodes()) names.emplace_back(node.name());
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("graft-quantize: a model that was exported in training mode becomes one of inference", "[examples]") {
  const std::string conv = "x: f32[1,3,4,4]; s = f32[2] random(0.5, 2); w = f32[2,3,1,1] random; c = Conv(x, w); ";
  const Desk trained(graph("opset 15; " + conv +
                           "n, m, v = BatchNormalization(c, s, s, s, s) {training_mode=1}; "
                           "y = Relu(Dropout(n, f32[] 0.5, bool[] true)); return y")
                         .commit());
  const Desk plain(graph("opset 15; " + conv + "y = Relu(BatchNormalization(c, s, s, s, s))").commit());
  const auto result = [](const Model& model) { return Evaluator(model.graph()).run({{"x", ramp()}})[0]; };
  for (const std::string placement : {"all-supported", "fusion-aware", "min-cost"}) {  // min-cost leaves it in float
    INFO(placement);
    const Model model = trained.quantized({"--placement", placement});
    CHECK(result(model).same_bytes(result(plain.quantized({"--placement", placement}))));
  }
  const std::string table = trained.run({"--dry-run", "--calibration", trained.calibration});
  CHECK(table.find("inference                1 Dropout was in training mode") != std::string::npos);
}

TEST_CASE("graft-quantize: tables of embeddings become int8, whatever else does", "[examples]") {
  onnx::ModelProto proto = graph(
                               "opset 11; i: i64[8]; t = f32[200,96] random; w = f32[96,4] random; "
                               "y = MatMul(Gather(t, i), w)")
                               .commit();
  const Desk desk(proto);
  fs::remove(desk.calibration / "0.pb");
  write_tensor_file(desk.calibration / "1.pb", Tensor::of<std::int64_t>({8}, {0, 3, 5, 7, 199, 100, 50, 25}));
  for (const std::string placement : {"min-cost", "all-supported"}) {
    const Model model = desk.quantized({"--placement", placement});
    INFO(operators(model));
    CHECK(model.opset() == (placement == "min-cost" ? 11 : 13));  // the product is too small to gain
    CHECK(read_file(desk.output).size() < 25'000);
    CHECK(operators(model).find("Cast:1") != std::string::npos);
  }
  const Model kept = desk.quantized({"--placement", "min-cost", "--exclude", ".*"});
  CHECK(operators(kept) == "Gather:1 MatMul:1");
}

TEST_CASE("graft-quantize: tells how far calibration is, a line for each tenth", "[examples]") {
  const Desk desk;
  for (int i = 1; i < 20; ++i) write_tensor_file(desk.calibration / (std::to_string(i) + ".pb"), ramp());
  const std::string told =
      run_program("graft-quantize", {desk.model, "--fast", "--dry-run", "--calibration", desk.calibration}).error;
  CHECK(std::count(told.begin(), told.end(), '\n') == 12);  // the last says that nothing is quantized
  CHECK(told.find("samples: 20, ONNX test data\ncalibrate 2/20, ") == 0);
  CHECK(told.find("calibrate 20/20, ") != std::string::npos);
}

TEST_CASE("graft-quantize: a folder of test data is read in either form", "[examples]") {
  const Desk desk;
  write_tensor_file(desk.calibration / "1.pb", filled(7));
  write_tensor_file(desk.calibration / "output_0.pb", filled(99));
  write_file(desk.calibration / "notes.txt", "not data");
  CHECK(near(desk.input_range(), -1.5f, 7));
  for (const auto& entry : fs::directory_iterator(desk.calibration)) fs::remove(entry);
  for (const int number : {0, 3, 11}) {
    const fs::path set = desk.calibration / ("test_data_set_" + std::to_string(number));
    fs::create_directory(set);
    write_tensor_file(set / "input_0.pb", filled(static_cast<float>(number)));
    write_tensor_file(set / "output_0.pb", filled(99));
  }
  CHECK(near(desk.input_range(), 0, 11));
}

TEST_CASE("graft-quantize: images become what the options say", "[examples]") {
  const Desk desk;
  fs::remove(desk.calibration / "0.pb");
  // 8 x 4 pixels: left half red 200, right half green 100
  std::string pixels;
  for (int i = 0; i < 32; ++i) pixels += i % 8 < 4 ? std::string("\xc8\0\0", 3) : std::string("\0\x64\0", 3);
  write_file(desk.calibration / "cat.ppm", "P6 8 4 255\n" + pixels);
  CHECK(near(desk.input_range(), 0, 200 / 255.f));  // resized to the model's 4 x 4
  CHECK(near(desk.input_range({"--scale", "1"}), 0, 200));
  CHECK(near(desk.input_range({"--scale", "1", "--mean", "50,0,0"}), -50, 150));
  CHECK(near(desk.input_range({"--scale", "1/2", "--mean", "50/2,0,0", "--std", "1/4"}), -100, 300));
  CHECK(near(desk.input_range({"--scale", "1", "--mean", "50,0,0", "--bgr"}), -50, 200));
  CHECK(near(desk.input_range({"--scale", "1", "--std", "100,10,1"}), 0, 10));
  CHECK(near(desk.input_range({"--scale", "1", "--mean", "10", "--std", "2"}), -5, 95));
  // Without a size the model's own; the centre holds both halves, and the model takes no other than 4 x 4.
  CHECK(near(desk.input_range({"--scale", "1", "--resize", "4", "--crop", "4"}), 0, 200));
  CHECK(near(desk.input_range({"--scale", "1", "--size", "4x4"}), 0, 200));
  const auto told = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {desk.model, "--dry-run", "--calibration", desk.calibration});
    return run_program("graft-quantize", options).error;
  };
  const std::string how = "3 channels --size 4x4 --scale 1 --mean 10 --std 2 --bgr --layout nchw";
  const fs::path report = desk.folder / "report.json";
  const std::string words = told({"--scale", "1", "--mean", "10", "--std", "2", "--bgr", "--report", report});
  CHECK(words.find("samples: 1, " + how + "\n") == 0);
  CHECK(nlohmann::json::parse(read_file(report))["preprocessing"] == how);
  const auto refused = told;
  CHECK(refused({"--size", "6x4"}).find("fed with f32[1,3,4,6]") != std::string::npos);
  CHECK(refused({"--layout", "nhwc"}).find("is not an image") != std::string::npos);
  CHECK(refused({"--std", "0"}).find("must be greater than 0") != std::string::npos);
  CHECK_THAT(refused({"--mean", "1,2,3", "--mean", "4"}), Catch::StartsWith("--mean: is given twice"));
  for (const char* const wrong : {"1/0", "1/", "x", "1/2/3"})
    CHECK_THAT(refused({"--scale", wrong}),
               Catch::StartsWith("--scale: expected a number or a fraction such as 1/255"));
  write_file(desk.calibration / "9.WebP", "");
  CHECK_THAT(told({"--scale", "1"}), Catch::StartsWith("warning: 1 images in " + desk.calibration.string() +
                                                       " are ignored: expected .jpg, .jpeg, "));
  CHECK(refused({"--mean", "1,2"}).find("3 channels") != std::string::npos);
}

TEST_CASE("graft-quantize: an image is resized by its shorter side, smoothly, and cut at its centre", "[examples]") {
  const Desk desk;
  fs::remove(desk.calibration / "0.pb");
  const auto range_of = [&](int width, int height, const std::function<int(int, int)>& grey,
                            std::vector<std::string> options) {
    std::string pixels;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) pixels += std::string(3, static_cast<char>(grey(x, y)));
    write_file(desk.calibration / "cat.ppm",
               "P6 " + std::to_string(width) + " " + std::to_string(height) + " 255\n" + pixels);
    options.insert(options.end(), {"--scale", "1", "--mean", "100"});  // a range holds 0, which is now 100
    return desk.input_range(options);
  };
  const std::vector<std::string> centre{"--resize", "8", "--crop", "4"};
  CHECK(near(range_of(
                 16, 8, [](int x, int) { return 70 + 5 * x; }, centre),
             0, 15));  // columns 6 to 9
  CHECK(near(range_of(
                 8, 16, [](int, int y) { return 70 + 5 * y; }, centre),
             0, 15));
  CHECK(near(range_of(
                 16, 8, [](int, int y) { return 90 + 5 * y; }, centre),
             0, 15));  // rows 2 to 5
  // Of the columns one in four is white. Each of the four that are left sees 8 of them, which weigh more in the middle:
  // the last one 7/8 of 240 / 4.
  const Range smooth = range_of(16, 16, [](int x, int) { return x % 4 == 1 ? 240 : 0; }, {"--size", "4x4"});
  CHECK(std::abs(smooth.min + 47.5f) < 1);
}

TEST_CASE("graft-quantize: the layout is seen, or said where the dims do not tell", "[examples]") {
  const auto give_image = [](const Desk& desk) {
    fs::remove(desk.calibration / "0.pb");
    write_file(desk.calibration / "cat.ppm", "P6 1 1 255\n" + std::string("\xc8\x64\0", 3));  // red 200, green 100
  };
  const auto range_of = [&](const onnx::ModelProto& proto, const std::vector<std::string>& options) {
    const Desk desk(proto);
    give_image(desk);
    return desk.input_range(options);
  };
  const std::vector<std::string> per_channel{"--size", "4x4", "--scale", "1", "--mean", "200,0,50"};
  const auto and_layout = [&](const char* layout) {
    std::vector<std::string> options = per_channel;
    options.insert(options.end(), {"--layout", layout});
    return options;
  };
  onnx::ModelProto first = conv_relu(), last = conv_relu();
  onnx::TensorShapeProto& dims =
      *last.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  dims.mutable_dim()->SwapElements(1, 3);
  onnx::NodeProto& transpose = *last.mutable_graph()->add_node();
  transpose.set_op_type("Transpose");
  transpose.add_input("x");
  transpose.add_output("channels_first");
  *transpose.add_attribute() = Attribute("perm", Ints{0, 3, 1, 2}).proto();
  last.mutable_graph()->mutable_node(0)->set_input(0, "channels_first");
  CHECK(near(range_of(first, per_channel), -50, 100));
  CHECK(near(range_of(last, per_channel), -50, 100));
  for (onnx::ModelProto* const proto : {&first, &last}) {
    const char* const layout = proto == &first ? "nchw" : "nhwc";
    auto& type = *proto->mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
    for (onnx::TensorShapeProto::Dimension& dim : *type.mutable_shape()->mutable_dim()) dim.set_dim_param("D");
    const Desk unsaid(*proto);
    give_image(unsaid);
    CHECK(run_program("graft-quantize", {unsaid.model, "--dry-run", "--calibration", unsaid.calibration})
              .error.find("--layout") != std::string::npos);
    CHECK(near(unsaid.input_range(and_layout(layout)), -50, 100));
    type.clear_shape();
    CHECK(near(range_of(*proto, and_layout(layout)), -50, 100));
  }
}

TEST_CASE("graft-quantize: a model of 16 bit floats is calibrated on its dtype, and keeps it outside", "[examples]") {
  const Desk desk(graph("x: f16[1,3,4,4]; w = f16[2,3,1,1] {1, -2, 3, 0.5, 0.25, -1}; "
                        "y = Relu(Conv(x, w, f16[2] 0.5))")
                      .commit());
  write_tensor_file(desk.calibration / "0.pb", Tensor::of(DType::f16, ramp().dims(), ramp().to<float>()));
  const Model model = desk.quantized();
  CHECK(operators(model) == "Cast:2 Conv:1 DequantizeLinear:4 QuantizeLinear:2 Relu:1");
  CHECK(model.graph().inputs()[0]->dtype() == DType::f16);
  CHECK(model.graph().output(0)->dtype() == DType::f16);
  fs::remove(desk.calibration / "0.pb");
  write_file(desk.calibration / "cat.ppm", "P6 1 1 255\n" + std::string("\xc8\x64\0", 3));
  const Ranges ranges = desk.ranges({"--scale", "1"});
  CHECK(std::any_of(ranges.begin(), ranges.end(), [](const auto& entry) { return near(entry.second, 0, 200); }));
}

TEST_CASE("graft-quantize: what is quantized already is reported, and what was written", "[examples]") {
  const Desk desk;
  const std::string first = desk.run({"--calibration", desk.calibration, "-o", desk.output});
  CHECK(first.find("quantized already") == std::string::npos);
  CHECK(first.find("wrote                    " + desk.output.string() + "\n") != std::string::npos);
  write_file(desk.model, read_file(desk.output));
  const std::string second = desk.run({"--calibration", desk.calibration, "--dry-run"});
  CHECK(second.find("quantized already        2 Q/DQ pairs, which stay as they are\n") != std::string::npos);
  CHECK(second.find("wrote") == std::string::npos);
  const std::string moved = desk.run({"--calibration", desk.calibration, "--dry-run", "--commute"});
  CHECK(moved.find("which stay as they are") == std::string::npos);
}

TEST_CASE("graft-quantize: ranges of another model are refused", "[examples]") {
  const Desk desk;
  const fs::path file = desk.folder / "others.json";
  save_ranges({{"other", {0, 1}}}, file);
  const Ended ended = run_program("graft-quantize", {desk.model, "--dry-run", "--ranges", file});
  CHECK(ended.code == 1);
  CHECK(ended.error == "graft-quantize: " + file.string() + ": holds ranges of no tensor of this model\n");
}

TEST_CASE("graft-quantize: what another format holds is not the work of another tool", "[examples]") {
  const Desk desk;
  const auto told = [&](const char* format) {
    return desk.run({"-o", desk.output, "--calibration", desk.calibration, "--fast", "--placement", "all-supported",
                     "--format", format});
  };
  CHECK(told("qop").find("already") == std::string::npos);
  CHECK(told("qdq").find("expected speed") != std::string::npos);
  const std::string qonnx = told("qonnx");
  CHECK(qonnx.find("format                   QONNX, which ONNX Runtime does not load") != std::string::npos);
  CHECK(qonnx.find("expected speed") == std::string::npos);
}

TEST_CASE("graft-quantize: what is on integers already is reported", "[examples]") {
  const Desk desk(graph("x: f32[1,3,4,4]; q, s, z = DynamicQuantizeLinear(x); c = ConvInteger(q, i8[2,3,1,1] 1, z); "
                        "y = Mul(Cast(c) {to=f32}, s)")
                      .commit());
  const std::string table = desk.run(
      {"-o", desk.output, "--calibration", desk.calibration, "--report", desk.folder / "report.json", "--verbose"});
  INFO(table);
  CHECK(table.find("in integers already      2 operators, left as they are") != std::string::npos);
  CHECK(table.find("    1 ConvInteger on integers already, left as it is") != std::string::npos);
  CHECK(nlohmann::json::parse(read_file(desk.folder / "report.json"))["integer_forms"] == 2);
}

TEST_CASE("graft-quantize: by default several ways are tried on samples that their ranges were found without",
          "[examples]") {
  const Desk desk;
  for (int i = 1; i < 8; ++i)
    write_tensor_file(desk.calibration / (std::to_string(i) + ".pb"), filled(0.3f * static_cast<float>(i)));
  const fs::path report = desk.folder / "report.json";
  const Ended ended = run_program("graft-quantize", {desk.model, "-o", desk.output, "--calibration", desk.calibration,
                                                     "--placement", "fusion-aware", "--report", report});
  INFO(ended.out << ended.error);
  REQUIRE(ended.code == 0);
  CHECK(ended.out.find("on 8 samples that ranges were found without") != std::string::npos);
  CHECK(std::count(ended.out.begin(), ended.out.end(), '\n') < 24);  // one screen
  const nlohmann::json told = nlohmann::json::parse(read_file(report));
  CHECK(told["trials"].size() == 7);  // six observers, and min-max with nothing else to fall back to
  CHECK(operators(Model::load(desk.output)) == "Conv:1 DequantizeLinear:4 QuantizeLinear:2 Relu:1");
}

TEST_CASE("graft-quantize: outputs that are far from float are reported, with what to do", "[examples]") {
  // In 2 bits, two of the three weights are 0.
  const Desk desk(graph("opset 13; x: f32[1,3,4,4]; y = Conv(x, f32[1,3,1,1] {1, 0.4, -0.4})").commit());
  std::vector<float> noise(48);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = std::sin(static_cast<float>(i * i));
  for (int i = 0; i < 4; ++i)
    write_tensor_file(desk.calibration / (std::to_string(i) + ".pb"), Tensor::of<float>({1, 3, 4, 4}, noise));
  std::vector<std::string> arguments{
      desk.model,      "-o", desk.output,    "--calibration", desk.calibration, "--placement", "fusion-aware",
      "--search-runs", "0",  "--weight-bits"};
  const auto advised = [&](const char* bits) {
    arguments.push_back(bits);
    const Ended ended = run_program("graft-quantize", arguments);
    arguments.pop_back();
    INFO(ended.out << ended.error);
    REQUIRE(ended.code == 0);
    return ended.out.find("--min-cosine 0.99") != std::string::npos;
  };
  CHECK(advised("2"));
  CHECK_FALSE(advised("8"));
}

TEST_CASE("graft-quantize: remedies of poor outputs are those that are not in use", "[examples]") {
  const Desk desk(graph("opset 21; x: f32[4,64]; y = MatMul(x, f32[64,16] random)").commit());
  for (std::size_t n = 0; n < 8; ++n) {
    std::vector<float> values(256);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::sin(static_cast<float>((256 * n + i) * (256 * n + i)));
    write_tensor_file(desk.calibration / (std::to_string(n) + ".pb"), Tensor::of<float>({4, 64}, values));
  }
  const auto advised = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments{desk.model, "--dry-run", "--calibration", desk.calibration, "--target",
                                       "ort-cpu-x64"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Ended ended = run_program("graft-quantize", arguments);
    INFO(ended.error);
    REQUIRE(ended.code == 0);
    const std::string line = ended.out.substr(0, ended.out.find('\n'));
    REQUIRE_THAT(line, Catch::Contains("outputs are far from float"));
    const std::size_t remedies = line.find("; ");
    return remedies == std::string::npos ? "" : line.substr(remedies);
  };
  CHECK(advised({"--weight-only", "2", "--method", "rtn"}) ==
        "; --weight-only 8, a smaller --block or --method gptq loses less");
  CHECK(advised({"--weight-only", "2", "--block", "16"}) == "; --weight-only 8 loses less");
  CHECK(advised({"--weight-only", "2", "--bits-per-weight", "4.2", "--block", "16"}) ==
        "; a greater --bits-per-weight loses less");
}

TEST_CASE("graft-quantize: an option without effect on standard operators is rejected", "[examples]") {
  const Desk desk;
  const Ended ended = run_program(
      "graft-quantize", {desk.model, "--dry-run", "--weight-only", "4", "--standard", "--accuracy-level", "1"});
  CHECK(ended.code == 2);
  CHECK_THAT(ended.error, Catch::Contains("--accuracy-level") && Catch::Contains("--standard"));
}

TEST_CASE("graft-quantize: sizes count external data", "[examples]") {
  const Desk desk(graph("x: f32[1,3,4,4]; w = f32[3,3,1,1] 1; y = Conv(x, w)").commit());
  Model model = Model::load(desk.model);
  model.save(desk.model, {.external_data_over = 16});
  const fs::path report = desk.folder / "report.json";
  desk.run({"--calibration", desk.calibration, "--dry-run", "--report", report});
  const auto bytes = nlohmann::json::parse(read_file(report))["bytes_before"].get<std::uint64_t>();
  CHECK(bytes == fs::file_size(desk.model) + 36);
}
