#include <algorithm>
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
    std::vector<std::string> arguments{"run",           folder / "m.onnx", "--calibration",
                                       folder / "data", "--statistics",    folder / statistics};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("graft-calibrate", arguments);
  }
  Ended call(std::vector<std::string> arguments) const { return run_program("graft-calibrate", arguments); }
  std::string read(const std::string& name) const { return read_file(folder / name); }

  Folder folder;
};

/// Those of the command line, except for the one whose averages are rounded.
const std::vector<std::string> exact{"min-max", "percentile", "entropy", "squared-error"};

}  // namespace

TEST_CASE("graft-calibrate: ranges for graft-quantize", "[examples]") {
  const Bench bench(2);
  const Ended ended = bench.run("s", {"-o", bench.folder / "r.json"});
  REQUIRE(ended.code == 0);
  CHECK_THAT(ended.out, Contains("2 samples"));
  CHECK_THAT(bench.read("r.json"), Contains("\"x\": {\"min\": 0.5, \"max\": 1.5}"));
  CHECK(run_program("graft-quantize",
                    {bench.folder / "m.onnx", "--ranges", bench.folder / "r.json", "-o", bench.folder / "q.onnx"})
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
  REQUIRE(bench.run("e", {"--observer", "min-max"}).code == 0);
  CHECK_THAT(bench.call({"ranges", bench.folder / "e", "--observer", "entropy", "-o", bench.folder / "r.json"}).error,
             Contains("e: holds extremes, from which entropy makes no ranges"));
  const Ended ended =
      bench.call({"ranges", bench.folder / "s", "--observer", "moving-average", "-o", bench.folder / "r.json"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Contains("s: holds histogram, from which moving-average makes no ranges"));
  CHECK_FALSE(fs::exists(bench.folder / "r.json"));
}

TEST_CASE("graft-calibrate: ranges are those of the observer that the samples were run with", "[examples]") {
  const Bench bench(3);
  const auto ranges = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"ranges", bench.folder / "s", "-o", bench.folder / "later.json"});
    const Ended ended = bench.call(more);
    CHECK(ended.code == 0);
    return bench.read("later.json");
  };
  std::vector<std::string> found;
  for (const std::vector<std::string>& how : {std::vector<std::string>{"min-max"},
                                              {"entropy"},
                                              {"percentile", "--percent", "60"},
                                              {"moving-average", "--weight", "0.5"}}) {
    std::vector<std::string> options{"--observer"};
    options.insert(options.end(), how.begin(), how.end());
    options.insert(options.end(), {"-o", bench.folder / "r.json"});
    REQUIRE(bench.run("s", options).code == 0);
    found.push_back(bench.read("r.json"));
    CHECK(ranges({}) == found.back());
  }
  std::sort(found.begin(), found.end());
  CHECK(std::unique(found.begin(), found.end()) == found.end());

  const std::vector<std::string> of_60{"--observer", "percentile", "--percent", "60", "-o", bench.folder / "r.json"};
  REQUIRE(bench.run("s", {"--observer", "percentile", "--percent", "95"}).code == 0);
  REQUIRE(bench.run("other", of_60).code == 0);
  CHECK(ranges({"--percent", "60"}) == bench.read("r.json"));
}

TEST_CASE("graft-calibrate: histograms that were gathered for several observers go together", "[examples]") {
  const Bench bench(6);
  const std::vector<std::string> how{"--observer", "entropy", "-o", bench.folder / "whole.json"};
  REQUIRE(bench.run("whole", how).code == 0);
  REQUIRE(bench.run("1", {"--observer", "percentile", "--shard", "1/3"}).code == 0);
  REQUIRE(bench.run("2", {"--observer", "entropy", "--shard", "2/3"}).code == 0);
  REQUIRE(bench.run("3", {"--observer", "entropy", "--shard", "3/3"}).code == 0);
  REQUIRE(bench.call({"merge", bench.folder / "1", bench.folder / "2", bench.folder / "3", "-o", bench.folder / "all"})
              .code == 0);
  REQUIRE(bench.call({"ranges", bench.folder / "all", "--observer", "entropy", "-o", bench.folder / "r.json"}).code ==
          0);
  CHECK(bench.read("r.json") == bench.read("whole.json"));
  CHECK_THAT(bench.call({"ranges", bench.folder / "all", "-o", bench.folder / "r.json"}).out, Contains("by min-max"));
}

TEST_CASE("graft-calibrate: a run that resumes may have another percent, which then holds", "[examples]") {
  const Bench bench(3), longer(4);
  const auto of = [](const std::string& percent) {
    return std::vector<std::string>{"--observer", "percentile", "--percent", percent, "--resume"};
  };
  REQUIRE(bench.run("s", of("95")).code == 0);
  bench.add_sample(3);
  REQUIRE(bench.run("s", of("60")).code == 0);
  REQUIRE(longer.run("s", of("60")).code == 0);
  CHECK(bench.read("s") == longer.read("s"));
}

TEST_CASE("graft-calibrate: a file that cannot be read is an error that names it, or told at the end", "[examples]") {
  const Bench bench(2);
  write_file(bench.folder / "data/ab.pb", "no tensor");
  const Ended strict = bench.run("s");
  CHECK(strict.code == 1);
  CHECK_THAT(strict.error, Contains("ab.pb: is not an ONNX tensor"));
  CHECK_FALSE(fs::exists(bench.folder / "s"));
  const Ended ended = bench.run("s", {"--keep-going"});
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, Contains("2 samples") && Contains("1 could not be read") && Contains("ab.pb"));
  const Ended resumed = bench.run("s", {"--keep-going", "--resume"});
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.out, Contains("2 samples") && Contains("1 could not be read in an earlier run"));
  CHECK(bench.run("again", {"--keep-going", "--threads", "2"}).code == 0);
  CHECK(bench.read("again") == bench.read("s"));

  bench.add_sample(2);
  CHECK(bench.run("s", {"--keep-going", "--resume"}).code == 0);
  CHECK(bench.run("again", {"--keep-going"}).code == 0);
  CHECK(bench.read("again") == bench.read("s"));
  write_tensor_file(bench.folder / "data/ab.pb", filled(1));  // it can be read now, but has been passed over
  CHECK_THAT(bench.run("s", {"--keep-going", "--resume"}).error, Contains("have changed"));
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
  CHECK_THAT(bench.run("s", {"--resume", "--observer", "entropy"}).error,
             Contains("holds extremes, expected histogram"));
  CHECK_THAT(bench.run("s", {"--resume", "--shard", "1/2"}).error, Contains("holds more samples than the folder"));
  REQUIRE(bench.run("m", {"--observer", "moving-average"}).code == 0);
  CHECK_THAT(bench.run("m", {"--resume", "--observer", "moving-average", "--weight", "0.5"}).error,
             Contains("m: observer: is 'moving-average --weight 0.01', not 'moving-average --weight 0.5'"));
  CHECK_THAT(bench.call({"merge", bench.folder / "s", bench.folder / "m", "-o", bench.folder / "o"}).error,
             Contains("m: holds moving-extremes, expected extremes"));
  std::string bytes = bench.read("s");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(bench.folder / "s", bytes);
  const Ended ended = bench.run("s", {"--resume"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Contains("s: is damaged"));
  CHECK(bench.read("s") == bytes);
}

TEST_CASE("graft-calibrate: the statistics of other samples do not go on", "[examples]") {
  const Bench bench(4);
  REQUIRE(bench.run("s", {"--shard", "1/2"}).code == 0);
  const std::string before = bench.read("s");
  const auto refused = [&](const std::string& why, const std::vector<std::string>& more = {}) {
    std::vector<std::string> options{"--resume"};
    options.insert(options.end(), more.begin(), more.end());
    const Ended ended = bench.run("s", options);
    CHECK(ended.code == 1);
    CHECK_THAT(ended.error, Contains("/s: " + why));
    CHECK(bench.read("s") == before);
  };
  refused("is of samples 0 to 1, expected samples 2 to 3", {"--shard", "2/2"});
  const fs::path first = bench.folder / "data/a.pb", second = bench.folder / "data/b.pb";
  const std::string changed = "the files of samples 0 to 1 have changed";
  SECTION("one is gone") {
    fs::remove(first);
    refused(changed);
  }
  SECTION("one has come in front of them") {
    write_tensor_file(bench.folder / "data/aa.pb", filled(1));
    refused(changed);
  }
  SECTION("one is called otherwise") {
    fs::rename(second, bench.folder / "data/bb.pb");
    refused(changed);
  }
  SECTION("two have changed places") {
    fs::rename(second, bench.folder / "data/0.pb");
    refused(changed);
  }
  SECTION("one has another size") {
    write_file(first, read_file(first) + '\0');
    refused(changed);
  }
  SECTION("only the folder is another") {
    fs::rename(bench.folder / "data", bench.folder / "moved");
    CHECK(bench
              .call({"run", bench.folder / "m.onnx", "--calibration", bench.folder / "moved", "--statistics",
                     bench.folder / "s", "--resume"})
              .code == 0);
  }
}

TEST_CASE("graft-calibrate: samples that were prepared otherwise neither go on nor merge", "[examples]") {
  const Bench bench(0);
  fs::create_directory(bench.folder / "data");
  for (const char* const name : {"a.ppm", "b.ppm", "c.ppm"})
    write_file(bench.folder / "data" / name, "P6 4 4 255\n" + std::string(48, 'x'));
  const std::vector<std::string> how{"--mean", "0.25", "--shard", "1/2"};
  REQUIRE(bench.run("s", how).code == 0);
  for (const std::vector<std::string>& other : {std::vector<std::string>{"--mean", "0.25000003"},
                                                {"--mean", "0.25", "--std", "0.5"},
                                                {"--mean", "0.25", "--scale", "1"},
                                                {"--mean", "0.25", "--bgr"},
                                                {"--mean", "0.25", "--resize", "4"}}) {
    std::vector<std::string> options = other;
    options.push_back("--resume");
    CHECK_THAT(bench.run("s", options).error, Contains("/s: preprocessing: is '") && Contains("--mean 0.25 "));
    options = other;
    options.insert(options.end(), {"--shard", "2/2"});
    bench.run("other", options);
    const Ended ended = bench.call({"merge", bench.folder / "s", bench.folder / "other", "-o", bench.folder / "all"});
    CHECK(ended.code == 1);
    CHECK_THAT(ended.error, Contains("/other: preprocessing: is '"));
  }
  CHECK(bench.run("s", {"--mean", "0.25", "--size", "4x4", "--layout", "nchw", "--resume"}).code == 0);
  CHECK_FALSE(fs::exists(bench.folder / "all"));
}

TEST_CASE("graft-calibrate: ranges do not replace the statistics that they are of", "[examples]") {
  const Bench bench(1);
  REQUIRE(bench.run("s").code == 0);
  const std::string before = bench.read("s");
  const Ended ended = bench.call({"ranges", bench.folder / "s", "-o", bench.folder / "s"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Contains("/s: would be overwritten"));
  CHECK(bench.read("s") == before);
}

TEST_CASE("graft-calibrate: statistics of another model do not merge", "[examples]") {
  const Bench bench(2);
  REQUIRE(bench.run("1", {"--shard", "1/2"}).code == 0);
  onnx::ModelProto other = conv_relu();
  onnx::GraphProto& graph = *other.mutable_graph();
  graph.mutable_node(0)->set_output(0, "renamed");
  graph.mutable_node(1)->set_input(0, "renamed");
  write_file(bench.folder / "m.onnx", other.SerializeAsString());
  REQUIRE(bench.run("2", {"--shard", "2/2"}).code == 0);
  const Ended ended = bench.call({"merge", bench.folder / "1", bench.folder / "2", "-o", bench.folder / "all"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Contains("/2: ") && Contains("is of another model"));
  CHECK_FALSE(fs::exists(bench.folder / "all"));
}

TEST_CASE("graft-calibrate: no sample is merged twice, and a gap is reported", "[examples]") {
  const Bench bench(6);
  for (const std::string shard : {"1/2", "2/2", "1/3", "2/3", "3/3"})
    REQUIRE(bench.run(shard.substr(0, 1) + shard.substr(2), {"--shard", shard}).code == 0);
  const auto merge = [&](const std::vector<std::string>& names) {
    std::vector<std::string> arguments{"merge", "-o", bench.folder / "all"};
    for (const std::string& name : names) arguments.push_back(bench.folder / name);
    return bench.call(arguments);
  };
  for (const std::vector<std::string>& twice :
       {std::vector<std::string>{"12", "12"}, {"13", "23", "22"}, {"12", "23"}, {"22", "12"}}) {
    const Ended ended = merge(twice);
    CHECK(ended.code == 1);
    CHECK_THAT(ended.error, Contains("/" + twice.back() + ": samples ") && Contains(" cannot follow samples "));
    CHECK_FALSE(fs::exists(bench.folder / "all"));
  }
  CHECK_THAT(merge({"23", "33"}).out, Contains("4 samples") && Contains("only samples 2 to 5"));
  CHECK_THAT(merge({"13", "33"}).out, Contains("4 samples") && Contains("only samples 0 to 1, 4 to 5"));
  CHECK_THAT(bench.run("all", {"--resume"}).error, Contains("is of samples 0 to 1, 4 to 5, expected samples 0 to 3"));
  CHECK_THAT(merge({"13", "23", "33"}).out, Contains("6 samples") && !Contains("only"));
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

TEST_CASE("graft-calibrate: nor do those of a model that has grown, or was trained on", "[examples]") {
  const Bench bench(2);
  for (const char* const shard : {"1/2", "2/2"})
    REQUIRE(bench.run(std::string(shard, 1), {"--shard", shard}).code == 0);
  REQUIRE(bench.run("s").code == 0);
  onnx::ModelProto grown = conv_relu();
  onnx::NodeProto& more = *grown.mutable_graph()->add_node();
  more.set_op_type("Neg");
  more.add_input(grown.graph().node(0).output(0));
  more.add_output("more");
  grown.mutable_graph()->add_output()->set_name("more");
  write_file(bench.folder / "m.onnx", grown.SerializeAsString());
  CHECK_THAT(bench.run("s", {"--resume"}).error, Contains("s: more: is of another model, which lacks this tensor"));
  onnx::ModelProto trained = conv_relu();
  Model model(trained);
  Value& weight = *model.graph().initializers().front();
  Tensor changed = weight.constant().value();
  changed.mutable_data<float>()[0] += 1;
  model.graph().set_initializer(weight, changed);
  model.save(bench.folder / "m.onnx");
  CHECK_THAT(bench.run("s", {"--resume"}).error, Contains("s: weights: is '"));
  REQUIRE(bench.run("2", {"--shard", "2/2"}).code == 0);
  CHECK_THAT(bench.call({"merge", bench.folder / "1", bench.folder / "2", "-o", bench.folder / "all"}).error,
             Contains("2: weights: is '"));
}

TEST_CASE("graft-calibrate: wrong usage ends with 2", "[examples]") {
  CHECK(run_program("graft-calibrate", {}).code == 2);
  const Bench bench(1);
  CHECK(bench.run("s", {"--shard", "3/2"}).code == 2);
  CHECK(bench.run("s", {"--observer", "guess"}).code == 2);
  CHECK(bench.run("s", {"--percent", "0"}).code == 2);
}

TEST_CASE("graft-calibrate: a parameter of another observer is refused", "[examples]") {
  const Bench bench(1);
  CHECK(bench.run("s", {"--percent", "99"}).code == 2);
  CHECK(bench.run("s", {"--observer", "percentile", "--weight", "0.5"}).code == 2);
  REQUIRE(bench.run("s", {"--observer", "entropy"}).code == 0);
  const Ended ended = bench.call({"ranges", bench.folder / "s", "--percent", "99", "-o", bench.folder / "r.json"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Contains("--percent requires --observer percentile"));
  CHECK_FALSE(fs::exists(bench.folder / "r.json"));
}

TEST_CASE("graft-calibrate: no output replaces another, or what is merged", "[examples]") {
  const Bench bench(2);
  const Ended both = bench.run("s", {"-o", bench.folder / "s"});
  CHECK(both.code == 1);
  CHECK_THAT(both.error, Contains("/s: would be overwritten"));
  CHECK_FALSE(fs::exists(bench.folder / "s"));
  REQUIRE(bench.run("1", {"--shard", "1/2"}).code == 0);
  REQUIRE(bench.run("2", {"--shard", "2/2"}).code == 0);
  const std::string before = bench.read("2");
  const Ended merged = bench.call({"merge", bench.folder / "1", bench.folder / "2", "-o", bench.folder / "2"});
  CHECK(merged.code == 1);
  CHECK_THAT(merged.error, Contains("/2: would be overwritten"));
  CHECK(bench.read("2") == before);
}

TEST_CASE("graft-calibrate: a shard without samples is reported, and makes no ranges", "[examples]") {
  const Bench bench(1);
  const Ended ended = bench.run("s", {"--shard", "1/2"});
  const Ended other = bench.run("t", {"--shard", "2/2"});
  CHECK(ended.code == 0);
  CHECK(other.code == 0);
  CHECK_THAT(ended.error + other.error, Contains("warning: shard ") && Contains("/2 has no sample"));
  const bool is_first = ended.error.find("has no sample") != std::string::npos;
  const Ended ranges = bench.run("u", {"--shard", is_first ? "1/2" : "2/2", "-o", bench.folder / "r.json"});
  CHECK(ranges.code == 1);
  CHECK_THAT(ranges.error, Contains("has no sample from which to make ranges"));
  CHECK_FALSE(fs::exists(bench.folder / "r.json"));
}
