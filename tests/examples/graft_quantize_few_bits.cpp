// graft-quantize with fewer than 8 bits: bits that are given, budgets, and rounding that is learned.
#include <cstddef>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/qonnx.hpp>
#include <graft/testing/text.hpp>

#include "models.hpp"
#include "program.hpp"
#include "support/folder.hpp"

using namespace graft;
namespace fs = std::filesystem;

namespace {

const std::string net =
    "x: f32[1,4,6,6]; v = f32[8,4,3,3] random; w = f32[8,8,1,1] random; u = f32[4,8,1,1] random; "
    "h = Conv(x, v) {pads=[1,1,1,1]}; a = Relu(h); b = Relu(Conv(a, w)); y = Conv(b, u)";
constexpr double weights = 8 * 36 + 8 * 8 + 4 * 8, products = 36 * weights;

struct Desk {
  Desk() {
    Model model = graph(net);
    for (Node& node : model.graph().nodes()) model.graph().rename(node, "n_" + std::string(node.output(0)->name()));
    write_file(folder / "m.onnx", model.commit().SerializeAsString());
    fs::create_directory(folder / "data");
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (int i = 0; i < 12; ++i) {
      std::vector<float> values(4 * 36);
      for (float& value : values) value = normal(random);
      write_tensor_file(folder / "data" / (std::to_string(100 + i) + ".pb"), Tensor::of<float>({1, 4, 6, 6}, values));
    }
  }
  /// Kernels that need tensors of 8 bits are not asked; zero points are 0, as QONNX counts them.
  Ended run(std::vector<std::string> options) const {
    options.insert(options.begin(),
                   {folder / "m.onnx", "--calibration", folder / "data", "-o", folder / "q.onnx", "--static",
                    "--target", "tensorrt", "--placement", "all-supported", "--search-runs", "0"});
    return run_program("graft-quantize", options);
  }
  std::string table(const std::vector<std::string>& options) const {
    const Ended ended = run(options);
    INFO(ended.error);
    REQUIRE(ended.code == 0);
    return ended.out;
  }
  Model written() const { return Model::load((folder / "q.onnx").string()); }

  Folder folder;
};

/// Of the Quant nodes of activations.
std::multiset<double> activation_bits(const Model& model) {
  std::multiset<double> found;
  for (const Node& node : model.graph().nodes())
    if (qonnx::is_quant(node) && !node.input(0)->is_constant())
      found.insert(qonnx::quantizer_of(node)->bits.to<double>().front());
  return found;
}

}  // namespace

TEST_CASE("graft-quantize: activations have the bits that are given", "[examples]") {
  const Desk desk;
  desk.table({"--activation-bits", "4", "--weight-bits", "3", "--format", "qonnx"});
  const std::multiset<double> all = activation_bits(desk.written());
  CHECK(all.size() >= 3);
  CHECK(all.count(4) == all.size());
  desk.table({"--activation-bits", "4", "--bits", "x=6", "--format", "qonnx"});
  const std::multiset<double> some = activation_bits(desk.written());
  CHECK(some.count(6) == 1);
  CHECK(some.count(4) == some.size() - 1);
  desk.table({"--activation-bits", "4", "--format", "qcdq"});
  CHECK(qonnx::format_of(desk.written().graph()) == qonnx::Format::qcdq);
}

TEST_CASE("graft-quantize: bits fit a budget", "[examples]") {
  const Desk desk;
  CHECK_THAT(desk.table({"--bops-at-most", std::to_string(products * 20), "--format", "qonnx"}),
             Catch::Contains("bit widths") && Catch::Contains("bit operations"));
  const double operations =
      qonnx::inference_cost(desk.written().graph(), {.discount_sparsity = false}).total.total_bops();
  CHECK(operations <= products * 20);
  CHECK(operations > products * 12);
  CHECK_THAT(desk.table({"--bytes-at-most", std::to_string(weights / 2), "--format", "qonnx"}),
             Catch::Contains("bytes"));
  const double bits = qonnx::inference_cost(desk.written().graph(), {.discount_sparsity = false}).total.weight_bits();
  CHECK(bits <= weights * 4);
  CHECK(bits > weights * 3);
}

TEST_CASE("graft-quantize: a budget counts layers that stay in float", "[examples]") {
  const Desk desk;
  const double floats = 36 * 8 * 36 * 32 * 32, budget = floats + 36 * (8 * 8 + 4 * 8) * 20;
  const std::string table = desk.table({"--bops-at-most", std::to_string(budget), "--exclude", "n_h", "--format",
                                        "qonnx"});
  CHECK_THAT(table, Catch::Contains("1 layer with fixed bits") && Catch::Contains("fixed: 'n_h' (32 bits)"));
  const double operations =
      qonnx::inference_cost(desk.written().graph(), {.discount_sparsity = false}).total.total_bops();
  CHECK(operations <= budget);
  CHECK(operations > floats + 36 * (8 * 8 + 4 * 8) * 12);
  const Ended little =
      desk.run({"--bops-at-most", std::to_string(floats * 0.9), "--exclude", "n_h", "--format", "qonnx"});
  CHECK(little.code == 1);
  CHECK_THAT(little.error, Catch::Contains("as those in float have: 'n_h'"));
}

TEST_CASE("graft-quantize: a goal that the learned weights miss is not met", "[examples]") {
  const Desk desk;
  const Ended missed = desk.run({"--weight-bits", "2", "--reconstruct", "--min-cosine", "0.999"});
  CHECK(missed.code == 1);
  CHECK_THAT(missed.out, Catch::Contains("is not with the final weights"));
  CHECK(desk.run({"--weight-bits", "2", "--reconstruct", "--min-cosine", "0.1"}).code == 0);
}

TEST_CASE("graft-quantize: with known ranges samples serve a budget and learned rounding", "[examples]") {
  const Desk desk;
  const std::string ranges = desk.folder / "r.json";
  desk.table({"--save-ranges", ranges});
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--reconstruct"},
        {"--bops-at-most", std::to_string(products * 20), "--format", "qcdq"},
        {"--bytes-at-most", std::to_string(weights / 2), "--format", "qcdq"}}) {
    std::vector<std::string> all{desk.folder / "m.onnx", "-o",       desk.folder / "q.onnx", "--fast",
                                 "--ranges",             ranges,     "--target",             "tensorrt",
                                 "--placement",          "all-supported"};
    all.insert(all.end(), options.begin(), options.end());
    const Ended without = run_program("graft-quantize", all);
    CHECK(without.code == 2);
    CHECK_THAT(without.error, Catch::Contains(options.front() + " requires --calibration"));
    all.insert(all.end(), {"--calibration", desk.folder / "data"});
    const Ended with = run_program("graft-quantize", all);
    INFO(with.error);
    CHECK(with.code == 0);
    CHECK_THAT(with.out, Catch::Contains(options.size() == 1 ? "reconstruction" : "bit widths"));
  }
}

TEST_CASE("graft-quantize: rounding is learned, as long as there is time", "[examples]") {
  const Desk desk;
  CHECK_THAT(desk.table({"--weight-bits", "3"}), !Catch::Contains("reconstruction"));
  const std::string nearest = read_file(desk.folder / "q.onnx");
  CHECK_THAT(desk.table({"--weight-bits", "3", "--reconstruct"}), Catch::Contains("reconstruction") &&
                                                                     Catch::Contains("learned 3 of 3 layers"));
  CHECK(read_file(desk.folder / "q.onnx") != nearest);
  CHECK_THAT(desk.table({"--weight-bits", "3", "--reconstruct", "--reconstruct-blocks", "5"}),
             Catch::Contains("layers, and ") && Catch::Contains(" blocks: mean noise"));
  CHECK_THAT(desk.table({"--weight-bits", "3", "--reconstruct", "--minutes", "0"}),
             Catch::Contains("learned 0 of 3 layers") && Catch::Contains("the time was over"));
  CHECK(read_file(desk.folder / "q.onnx") == nearest);
}

TEST_CASE("graft-quantize: options of few bits need others", "[examples]") {
  const Desk desk;
  const auto expect_refused = [&](const std::vector<std::string>& options, const std::string& why) {
    const Ended ended = desk.run(options);
    CHECK(ended.code == 2);
    CHECK_THAT(ended.error, Catch::Contains(why));
  };
  for (const char* const option : {"--activation-bits", "--bops-at-most", "--bytes-at-most"})
    expect_refused({option, "4"}, "--format qonnx or qcdq");
  expect_refused({"--bits", "x=4"}, "--format qonnx or qcdq");
  expect_refused({"--minutes", "1"}, "--reconstruct");
  expect_refused({"--reconstruct-blocks", "5"}, "--reconstruct");
  expect_refused({"--bops-at-most", "1e6", "--bytes-at-most", "1e6", "--format", "qonnx"}, "--bytes-at-most");
  const Ended little = desk.run({"--bops-at-most", "10", "--format", "qonnx"});
  CHECK(little.code == 1);
  CHECK_THAT(little.error, Catch::Contains("even the fewest bits cost"));
}
