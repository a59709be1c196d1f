#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "models.hpp"
#include "program.hpp"
#include "support/folder.hpp"

using namespace graft;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

/// The model, and samples that are each of one value: 0.5, 1.5, ...
struct Bench {
  explicit Bench(int samples) {
    write_file(folder / "m.onnx", conv_relu().SerializeAsString());
    for (int i = 0; i < samples; ++i) add_sample(i);
  }
  void add_sample(int i) const {
    fs::create_directory(folder / "data");
    write_tensor_file(folder / "data" / (std::string(1, static_cast<char>('a' + i)) + ".pb"),
                      filled(static_cast<float>(i) + 0.5f));
  }
  /// graft-calibrate run over all samples.
  Ended run(const std::string& statistics, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"run", folder / "m.onnx", "--calibration", folder / "data", "--statistics",
                                       folder / statistics};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("graft-calibrate", arguments);
  }
  Ended call(std::vector<std::string> arguments) const { return run_program("graft-calibrate", arguments); }
  std::string read(const std::string& name) const { return read_file(folder / name); }

  Folder folder;
};

/// Those of the command line, but for the one whose averages are rounded.
const std::vector<std::string> exact{"min-max", "percentile", "entropy", "squared-error"};

}  // namespace

TEST_CASE("graft-calibrate: ranges for graft-quantize", "[examples]") {
  const Bench bench(2);
  const Ended ended = bench.run("s", {"-o", bench.folder / "r.json"});
  REQUIRE(ended.code == 0);
  CHECK_THAT(ended.out, Contains("2 samples"));
  CHECK_THAT(bench.read("r.json"), Contains("\"x\": {\"min\": 0.5, \"max\": 1.5}"));
  CHECK(run_program("graft-quantize", {bench.folder / "m.onnx", "--ranges", bench.folder / "r.json", "-o",
                                       bench.folder / "q.onnx"})
            .code == 0);
}

TEST_CASE("graft-calibrate: neither threads nor shards nor a stop change a bit", "[examples]") {
  const Bench bench(7);
  for (const std::string& observer : exact) {
    const std::vector<std::string> how{"--observer", observer, "-o", bench.folder / "whole.json"};
    REQUIRE(bench.run("whole", how).code == 0);

    REQUIRE(bench.run("threads", {"--observer", observer, "--threads", "3"}).code == 0);
    CHECK(bench.read("threads") == bench.read("whole"));

    std::vector<std::string> merge{"merge", "-o", bench.folder / "merged"};
    for (const std::string shard : {"1/3", "2/3", "3/3"}) {
      const std::string name = "shard" + shard.substr(0, 1);
      REQUIRE(bench.run(name, {"--observer", observer, "--shard", shard}).code == 0);
      merge.push_back(bench.folder / name);
    }
    REQUIRE(bench.call(merge).code == 0);
    CHECK(bench.read("merged") == bench.read("whole"));
    REQUIRE(bench.call({"ranges", bench.folder / "merged", "--observer", observer, "-o", bench.folder / "merged.json"})
                .code == 0);
    CHECK(bench.read("merged.json") == bench.read("whole.json"));

    const Bench shorter(5);
    REQUIRE(shorter.run("s", {"--observer", observer}).code == 0);
    const std::string before = shorter.read("s");
    for (const int later : {5, 6}) shorter.add_sample(later);
    REQUIRE(shorter.run("s", {"--observer", observer, "--resume"}).code == 0);
    CHECK(shorter.read("s") == bench.read("whole"));
    CHECK(before != bench.read("whole"));
  }
}

TEST_CASE("graft-calibrate: histograms serve every observer that reads them", "[examples]") {
  const Bench bench(3);
  REQUIRE(bench.run("s", {"--observer", "entropy"}).code == 0);
  for (const std::string& observer : exact)
    CHECK(bench.call({"ranges", bench.folder / "s", "--observer", observer, "-o", bench.folder / "r.json"}).code == 0);
  fs::remove(bench.folder / "r.json");
  const Ended ended =
      bench.call({"ranges", bench.folder / "s", "--observer", "moving-average", "-o", bench.folder / "r.json"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Contains("s: holds histogram, from which moving-average makes no ranges"));
  REQUIRE(bench.run("m", {"--observer", "moving-average"}).code == 0);
  CHECK_THAT(bench.call({"ranges", bench.folder / "m", "-o", bench.folder / "r.json"}).error,
             Contains("m: holds moving-extremes, from which min-max makes no ranges"));
  CHECK_FALSE(fs::exists(bench.folder / "r.json"));
}

TEST_CASE("graft-calibrate: a file that cannot be read is an error that names it, or told at the end", "[examples]") {
  const Bench bench(2);
  write_file(bench.folder / "data/ab.pb", "no tensor");
  const Ended strict = bench.run("s");
  CHECK(strict.code == 1);
  CHECK_THAT(strict.error, Contains("ab.pb: is no ONNX tensor"));
  CHECK_FALSE(fs::exists(bench.folder / "s"));
  const Ended ended = bench.run("s", {"--keep-going"});
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, Contains("2 samples") && Contains("1 could not be read") && Contains("ab.pb"));
  const Ended resumed = bench.run("s", {"--keep-going", "--resume"});
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.out, Contains("2 samples") && Contains("1 could not be read in an earlier run"));
  CHECK(bench.run("again", {"--keep-going", "--threads", "2"}).code == 0);
  CHECK(bench.read("again") == bench.read("s"));
}

TEST_CASE("graft-calibrate: samples of which none can be read are an error, whether or not it keeps going",
          "[examples]") {
  const Bench bench(0);
  fs::create_directory(bench.folder / "data");
  write_file(bench.folder / "data/a.pb", "no tensor");
  const Ended ended = bench.run("s", {"--keep-going", "-o", bench.folder / "r.json"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Contains("none of the 1 samples can be read") && Contains("a.pb"));
  CHECK_FALSE(fs::exists(bench.folder / "r.json"));
}

TEST_CASE("graft-calibrate: NaN is an error that names sample and tensor, whether or not it keeps going",
          "[examples]") {
  const Bench bench(2);
  write_tensor_file(bench.folder / "data/b.pb", filled(NAN));
  const Ended ended = bench.run("s", {"--keep-going"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Contains("b.pb: x: holds NaN or infinity"));
}

TEST_CASE("graft-calibrate: statistics that are damaged, of another kind or of more samples are refused",
          "[examples]") {
  const Bench bench(3);
  REQUIRE(bench.run("s").code == 0);
  CHECK_THAT(bench.run("s", {"--resume", "--observer", "entropy"}).error, Contains("holds extremes, wanted histogram"));
  CHECK_THAT(bench.run("s", {"--resume", "--shard", "1/2"}).error, Contains("is of more samples than there are"));
  REQUIRE(bench.run("m", {"--observer", "moving-average"}).code == 0);
  CHECK_THAT(bench.run("m", {"--resume", "--observer", "moving-average", "--weight", "0.5"}).error,
             Contains("is of an observer with other parameters"));
  CHECK_THAT(bench.call({"merge", bench.folder / "s", bench.folder / "m", "-o", bench.folder / "o"}).error,
             Contains("m: holds moving-extremes, wanted extremes"));
  std::string bytes = bench.read("s");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(bench.folder / "s", bytes);
  const Ended ended = bench.run("s", {"--resume"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Contains("s: is damaged"));
  CHECK(bench.read("s") == bytes);
}

TEST_CASE("graft-calibrate: the statistics of another model do not go on", "[examples]") {
  const Bench bench(2);
  REQUIRE(bench.run("s").code == 0);
  onnx::ModelProto other = conv_relu();
  other.mutable_graph()->mutable_node(0)->set_output(0, "another");
  other.mutable_graph()->mutable_node(1)->set_input(0, "another");
  write_file(bench.folder / "m.onnx", other.SerializeAsString());
  const Ended ended = bench.run("s", {"--resume"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Contains("s: ") && Contains("is of another model"));
}

TEST_CASE("graft-calibrate: wrong usage ends with 2", "[examples]") {
  CHECK(run_program("graft-calibrate", {}).code == 2);
  const Bench bench(1);
  CHECK(bench.run("s", {"--shard", "3/2"}).code == 2);
  CHECK(bench.run("s", {"--observer", "guess"}).code == 2);
  CHECK(bench.run("s", {"--percent", "0"}).code == 2);
}
