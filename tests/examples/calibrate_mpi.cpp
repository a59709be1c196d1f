#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "models.hpp"
#include "program.hpp"
#include "support/folder.hpp"

using namespace graft;
namespace fs = std::filesystem;

namespace {

Ended run_ranks(int ranks, const Folder& folder, const std::string& output) {
  return run_program("calibrate_mpi",
                     {folder / "m.onnx", "--calibration", folder / "data", "--observer", "percentile", "-o",
                      folder / output, "--statistics", folder / (output + ".s")},
                     mpirun + std::to_string(ranks) + " ");
}

}  // namespace

TEST_CASE("calibrate_mpi: any number of ranks gives the same bytes, also where some get no sample", "[examples]") {
  for (const int samples : {3, 7}) {
    const Folder folder;
    write_file(folder / "m.onnx", conv_relu().SerializeAsString());
    fs::create_directory(folder / "data");
    for (int i = 0; i < samples; ++i)
      write_tensor_file(folder / "data" / (std::to_string(i) + ".pb"), filled(static_cast<float>(i * i) - 3.3f));
    for (const int ranks : {1, 2, 4}) {
      const Ended ended = run_ranks(ranks, folder, std::to_string(ranks));
      INFO(ended.error);
      REQUIRE(ended.code == 0);
      CHECK(read_file(folder / std::to_string(ranks)) == read_file(folder / "1"));
      CHECK(read_file(folder / (std::to_string(ranks) + ".s")) == read_file(folder / "1.s"));
    }
    REQUIRE(run_program("graft-calibrate", {"run", folder / "m.onnx", "--calibration", folder / "data", "--observer",
                                            "percentile", "--statistics", folder / "alone"})
                .code == 0);
    CHECK(read_file(folder / "alone") == read_file(folder / "1.s"));
  }
}

TEST_CASE("calibrate_mpi: a file that one rank cannot read ends all of them", "[examples]") {
  const Folder folder;
  write_file(folder / "m.onnx", conv_relu().SerializeAsString());
  fs::create_directory(folder / "data");
  write_tensor_file(folder / "data/0.pb", ramp());
  write_file(folder / "data/1.pb", "no tensor");
  const Ended ended = run_ranks(2, folder, "r");
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Catch::Contains("rank 1") && Catch::Contains("1.pb: is not an ONNX tensor"));
  CHECK_FALSE(fs::exists(folder / "r"));
}

TEST_CASE("calibrate_mpi: a rank that is killed ends all of them, and nothing is written", "[examples]") {
  const Folder folder;
  write_file(folder / "m.onnx", conv_relu().SerializeAsString());
  fs::create_directory(folder / "data");
  write_tensor_file(folder / "data/0.pb", ramp());
  write_file(folder / "r", "from before");
  REQUIRE(::mkfifo((folder / "data/1.pb").c_str(), 0600) == 0);  // rank 1 reads it until it is killed
  const std::vector<std::string> words{folder / "m.onnx", "--calibration", folder / "data", "-o",
                                       folder / "r",      "--statistics",  folder / "s"};
  std::string first = GRAFT_PROGRAMS "/calibrate_mpi";
  for (const std::string& word : words) first += " " + word;
  // Rank 1 is over its start when it opens the fifo: the shell's own opening of it ends then.
  const std::string second =
      R"(sh -c '"$0" "$@" & exec 3> )" + (folder / "data/1.pb").string() + R"(; kill -KILL $!; kill -KILL $$' )";
  const Ended ended = run_program("calibrate_mpi", words, mpirun + "1 " + first + " : -n 1 " + second);
  INFO(ended.error);
  CHECK(ended.code != 0);
  CHECK_THAT(ended.error, Catch::Contains("process rank 1") && Catch::Contains("exited on signal 9"));
  CHECK(read_file(folder / "r") == "from before");
  CHECK_FALSE(fs::exists(folder / "s"));
}
