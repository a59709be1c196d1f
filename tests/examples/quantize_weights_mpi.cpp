#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

#include "models.hpp"
#include "program.hpp"
#include "support/folder.hpp"

using namespace graft;

namespace {

/// m.onnx, a row of three products, and a folder of samples, data.
void write_row(const Folder& folder) {
  write_file(folder / "m.onnx",
             graph("opset 21; u = f32[64,96] random; v = f32[96,32] random; w = f32[32,8] random; x: f32[N,64]; "
                   "y = MatMul(Relu(MatMul(Relu(MatMul(x, u)), v)), w)")
                 .commit()
                 .SerializeAsString());
  std::filesystem::create_directory(folder / "data");
  for (int i = 0; i < 3; ++i) {
    std::vector<float> values(5 * 64);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>((k * 7 + k * k % 11 + 3) % 13) - 6;
    write_tensor_file(folder / "data" / (std::to_string(i) + ".pb"), Tensor::of<float>({5, 64}, values));
  }
}

}  // namespace

TEST_CASE("quantize_weights_mpi: any number of ranks gives the same bytes", "[examples]") {
  const Folder folder;
  write_row(folder);
  const auto quantize = [&](int ranks, const std::string& output, std::vector<std::string> more = {}) {
    std::vector<std::string> words{folder / "m.onnx", "--calibration", folder / "data", "-o", folder / output};
    words.insert(words.end(), more.begin(), more.end());
    return run_program("quantize_weights_mpi", words, mpirun + std::to_string(ranks) + " ");
  };
  for (const int ranks : {1, 2, 4}) {
    const Ended ended = quantize(ranks, std::to_string(ranks));
    INFO(ended.error);
    REQUIRE(ended.code == 0);
    CHECK_THAT(ended.out, Catch::Contains("3 products, " + std::to_string(ranks) + " rank"));
    CHECK(read_file(folder / std::to_string(ranks)) == read_file(folder / "1"));
  }
  for (const int ranks : {1, 3}) {
    const Ended ended = quantize(ranks, "r" + std::to_string(ranks), {"--reconstruct"});
    INFO(ended.error);
    REQUIRE(ended.code == 0);
    CHECK_THAT(ended.error, Catch::Contains("learned 3 of 3 layers"));
    CHECK(read_file(folder / ("r" + std::to_string(ranks))) == read_file(folder / "r1"));
  }
  CHECK(read_file(folder / "r1") != read_file(folder / "1"));
  for (const int ranks : {1, 3}) {
    const Ended ended = quantize(ranks, "b" + std::to_string(ranks), {"--reconstruct", "--reconstruct-blocks", "30"});
    INFO(ended.error);
    REQUIRE(ended.code == 0);
    CHECK_THAT(ended.error, Catch::Contains(" of 1 blocks"));
    CHECK(read_file(folder / ("b" + std::to_string(ranks))) == read_file(folder / "b1"));
  }
  const Ended wrong = quantize(2, "w", {"--block", "33"});
  CHECK(wrong.code != 0);
  CHECK_THAT(wrong.error, Catch::Contains("block"));
}

TEST_CASE("quantize_weights_mpi: an error of one rank ends the other, which waits for it", "[examples]") {
  const Folder folder;
  write_row(folder);
  std::filesystem::create_directory(folder / "bad");
  write_file(folder / "bad/0.pb", "no tensor");
  const auto words = [&](const std::string& data) {
    return std::vector<std::string>{folder / "m.onnx", "--calibration", folder / data, "-o", folder / "q"};
  };
  std::string first = GRAFT_PROGRAMS "/quantize_weights_mpi";
  for (const std::string& word : words("data")) first += " " + word;
  const auto beside_good = [&](const std::vector<std::string>& of_second) {
    return run_program("quantize_weights_mpi", of_second, mpirun + "1 " + first + " : -n 1 ");
  };
  const Ended unread = beside_good(words("bad"));
  CHECK(unread.code == 1);
  CHECK_THAT(unread.error, Catch::Contains("rank 1") && Catch::Contains("bad/0.pb"));
  const Ended misused = beside_good({"--no-such-option"});
  CHECK(misused.code == 2);
  CHECK_THAT(misused.error, Catch::Contains("--no-such-option") || Catch::Contains("MODEL is required"));
  CHECK_FALSE(std::filesystem::exists(folder / "q"));
}
