// graft-tune as its README says.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <graft/graph.hpp>
#include <graft/quantize.hpp>
#include <graft/testing/text.hpp>

#include "models.hpp"
#include "program.hpp"
#include "support/folder.hpp"

using namespace graft;
namespace fs = std::filesystem;

namespace {

/// Work that the runtime does when it loads the model, unless it is not to optimize.
Model foldable() {
  return graph(R"(
    x: f32[N,2]
    n = i64[3] {64, 64, 32}
    e = ConstantOfShape(n)
    f = Exp(e)
    r = ReduceMean(f)
    y = Add(x, r)
  )");
}

struct Run {
  Folder folder;
  explicit Run(Model model = foldable()) { model.save(path("m.onnx")); }
  Ended operator()(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), path("m.onnx"));
    return run_program("graft-tune", arguments);
  }
  std::string path(const std::string& name) const { return folder / name; }
};

}  // namespace

TEST_CASE("graft-tune: what is slower is tried, logged and not chosen", "[examples]") {
  const Run run;
  const Ended ended = run({"--try", "graph_optimization_level=disabled", "--json", run.path("t.json"), "--write",
                           "python", "--budget", "40"});
  INFO(ended.out << ended.error);
  REQUIRE(ended.code == 0);
  CHECK_THAT(ended.out, Catch::Contains("no significant gain: the default is kept"));
  CHECK_THAT(ended.out, Catch::Contains("graph_optimization_level") && Catch::Contains("dropped"));
  CHECK_THAT(ended.out, Catch::EndsWith("options = onnxruntime.SessionOptions()\n"));
  const nlohmann::json json = nlohmann::json::parse(read_file(run.path("t.json")));
  CHECK(json.at("chosen").empty());
  REQUIRE(json.at("trials").size() == 1);
  const nlohmann::json& trial = json.at("trials")[0];
  CHECK(trial.at("options") == nlohmann::json{{"graph_optimization_level", "disabled"}});
  CHECK(trial.at("times").size() == 4);
  CHECK(trial.at("times_of_default").size() == 4);
  CHECK(trial.at("ratio").at("ratio") > 1.5);
  CHECK(trial.at("verdict") == "dropped");
}

TEST_CASE("graft-tune: a configuration is compared with the default", "[examples]") {
  const Run run;
  const Ended ended = run({"--compare", "graph_optimization_level=disabled", "--compare", "intra_op_num_threads=1",
                           "--objective", "throughput", "--concurrency", "2", "--dim", "N=3"});
  INFO(ended.out << ended.error);
  REQUIRE(ended.code == 0);
  CHECK_THAT(ended.out, Catch::Contains("2 runs at once") && Catch::Contains("runs a second"));
  CHECK_THAT(ended.out, Catch::Contains("graph_optimization_level=disabled") &&
                            Catch::Contains("intra_op_num_threads=1") && Catch::Contains(" fresh pairs of sessions"));
  CHECK_THAT(ended.out, Catch::Contains("no significant gain"));
  CHECK_THAT(ended.out, !Catch::Contains("tried"));
}

TEST_CASE("graft-tune: what is compared must differ from the default", "[examples]") {
  const Run run;
  const Ended ended = run({"--compare", "intra_op_num_threads=1", "--threads", "1", "--dim", "N=3"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Catch::Contains("--compare: the options are those of the default"));
}

TEST_CASE("graft-tune: inputs come from a folder of test data", "[examples]") {
  const Run run;
  for (const std::string set : {"0", "1"}) {
    fs::create_directories(run.path("data/test_data_set_" + set));
    save_tensor(Tensor(DType::f32, {1, 2}), run.path("data/test_data_set_" + set + "/input_0.pb"));
  }
  const Ended ended = run({"--inputs", run.path("data"), "--try", "enable_mem_pattern=0", "--budget", "5"});
  INFO(ended.out << ended.error);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, Catch::Contains("2 samples"));
  fs::create_directory(run.path("empty"));
  const Ended empty = run({"--inputs", run.path("empty")});
  CHECK(empty.code == 1);
  CHECK_THAT(empty.error, Catch::Contains("holds no ONNX test data"));
}

TEST_CASE("graft-tune: costs are measured, and graft-quantize weighs by them", "[examples]") {
  const Run run;
  const std::string costs = run.path("costs.json");
  const Ended ended = run_program("graft-tune", {"--costs", costs, "--target", "ort-cpu-x64"});
  INFO(ended.out << ended.error);
  REQUIRE(ended.code == 0);
  CHECK_THAT(ended.out, Catch::Contains("Conv narrow") && Catch::Contains("Softmax") && Catch::Contains(costs));
  const auto target = load_target(costs);
  CHECK(target->name == "ort-cpu-x64-measured");
  std::size_t measured = 0;
  for (std::size_t i = 0; i < target->kernels.size(); ++i) {
    const IntegerKernel &kernel = target->kernels[i], &base = targets::ort_cpu_x64.kernels[i];
    CHECK(kernel.op == base.op);
    measured += kernel.in_float.call != base.in_float.call || kernel.in_float.element != base.in_float.element;
    if (kernel.op == "Conv" || kernel.op == "Gemm") CHECK(kernel.in_float.product != base.in_float.product);
    if (kernel.op == "Conv") CHECK((kernel.in_float.weight == 0 && kernel.in_integers.weight == 0));
  }
  CHECK(measured >= 12);
  CHECK(target->quantize.element > 0);
  const auto factor = [&](std::string_view op) {  // of what is not measured
    const auto is_op = [&](const IntegerKernel& kernel) { return kernel.op == op; };
    const auto place = std::find_if(target->kernels.begin(), target->kernels.end(), is_op) - target->kernels.begin();
    const auto i = static_cast<std::size_t>(place);
    return target->kernels[i].in_integers.element / targets::ort_cpu_x64.kernels[i].in_integers.element;
  };
  CHECK(factor("Add") != 1);
  CHECK(factor("Add") == Approx(factor("Sigmoid")).epsilon(1e-3));

  write_file(run.path("net.onnx"), conv_relu().SerializeAsString());
  fs::create_directory(run.path("calibration"));
  write_tensor_file(run.path("calibration/0.pb"), ramp());
  const Ended quantized = run_program("graft-quantize", {run.path("net.onnx"), "-o", run.path("q.onnx"), "--fast",
                                                         "--calibration", run.path("calibration"), "--target", costs});
  INFO(quantized.out << quantized.error);
  CHECK(quantized.code == 0);
  CHECK_THAT(quantized.out, Catch::Contains("for ort-cpu-x64-measured"));
  CHECK(run_program("graft-inspect", {run.path("q.onnx"), "--audit", costs}).code == 0);
}

TEST_CASE("graft-tune: options are listed", "[examples]") {
  const Ended ended = run_program("graft-tune", {"--list"});
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, Catch::Contains("session.intra_op.allow_spinning") && Catch::Contains("sequential"));
}

TEST_CASE("graft-tune: wrong usage ends with 2, bad input with 1", "[examples]") {
  const Run run;
  CHECK(run_program("graft-tune", {}).code == 2);
  CHECK(run({"--objective", "p99"}).code == 2);
  CHECK(run({"--concurrency", "0"}).code == 2);
  CHECK(run({"--confidence", "1"}).code == 2);
  CHECK(run({"--try", "nothing=1"}).code == 2);
  CHECK(run({"--try", "enable_mem_pattern"}).code == 2);
  CHECK(run({"--try", "enable_mem_pattern=2"}).code == 2);
  CHECK(run({"--compare", "enable_mem_pattern=1"}).code == 2);
  CHECK(run({"--dim", "N"}).code == 2);
  CHECK(run({"--json", run.path("m.onnx")}).code == 2);
  CHECK(run({"--costs", run.path("costs")}).code == 2);
  CHECK(run({"--costs", run.path("costs.json"), "--budget", "3"}).code == 2);
  CHECK(run({"--costs", run.path("costs.json"), "--target", "gpu"}).code == 2);
  CHECK(run({"--target", "paper"}).code == 2);
  CHECK(run_program("graft-tune", {run.path("m.onnx"), run.path("m.onnx")}).code == 2);
  CHECK(run_program("graft-tune", {run.path("missing.onnx")}).code == 1);
  const Ended unwritable = run({"--json", run.path("absent/t.json")});
  CHECK(unwritable.code == 1);
  CHECK_THAT(unwritable.error, Catch::Contains("absent/t.json"));
  const Run unknown(graph("x: f32[1]; y = my.domain::Twist(x)"));
  const Ended ended = unknown({});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Catch::Contains("m.onnx") && Catch::Contains("Twist"));
}
