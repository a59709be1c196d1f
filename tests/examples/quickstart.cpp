// The quickstart: what it draws, what its net has learnt, and what 8 bits leave of that.
#include <cstdint>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>
#include <graft/graph/model.hpp>

#include "../../examples/shapes.hpp"
#include "models.hpp"
#include "program.hpp"
#include "support/folder.hpp"

namespace {

/// FNV-1a.
std::uint64_t checksum(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

/// The one that the pattern's group takes.
double number(const std::string& text, const std::string& pattern) {
  std::smatch match;
  INFO(text);
  REQUIRE(std::regex_search(text, match, std::regex(pattern)));
  return std::stod(match[1]);
}

/// x f32[1,64,16,16] -> Conv -> y, with enough to multiply that 8 bits pay.
onnx::ModelProto wide_conv() {
  graft::Builder b(13);
  graft::Value& x = b.input("x", graft::DType::f32, {1, 64, 16, 16});
  b.output(b.op("Conv", {&x, &b.constant(ramp({64, 64, 3, 3}), "w")}), "y");
  return b.build().commit();
}

/// Run in a folder of its own, to which it writes.
Ended quickstart(const Folder& folder, const std::vector<std::string>& arguments = {}) {
  return run_program("quickstart", arguments, "cd '" + folder.path().string() + "' && ");
}

}  // namespace

TEST_CASE("quickstart: draws the same pictures everywhere", "[examples]") {
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t i = 0; i < shapes::kinds.size(); ++i) {
    const std::vector<std::uint8_t> pixels = shapes::draw(1000 + i);
    CHECK(pixels.size() == 3 * shapes::size * shapes::size);
    bytes.insert(bytes.end(), pixels.begin(), pixels.end());
  }
  CHECK(checksum(bytes) == 0xf457916ac3e93e3fu);
}

TEST_CASE("quickstart: the shapes have the areas of what they are called", "[examples]") {
  const std::vector<double> areas{3.142, 2.011, 1.451, 1.571, 1.299, 2, 2.378, 1.125, 1.234, 1.92};
  for (std::size_t kind = 0; kind < shapes::kinds.size(); ++kind) {
    int covered = 0;
    for (int y = -995; y < 1000; y += 10)
      for (int x = -995; x < 1000; x += 10) covered += shapes::covers(kind, {x, y});
    INFO(shapes::kinds[kind]);
    CHECK(covered * 1e-4 == Approx(areas[kind]).margin(0.02));
  }
}

TEST_CASE("quickstart: 8 bits keep what the net has learnt", "[examples]") {
  const Folder folder;
  const Ended ended = quickstart(folder);
  INFO(ended.error);
  REQUIRE(ended.code == 0);
  const double in_float = number(ended.out, "right: ([0-9.]+) % in float"),
               in_8_bits = number(ended.out, "right: .*, ([0-9.]+) % in 8 bits");
  CHECK(in_float > 90);
  CHECK(in_8_bits > in_float - 1.5);
  CHECK(number(ended.out, "same answer: ([0-9.]+) %") > 97);
  CHECK(number(ended.out, "mean cosine ([0-9.]+)") > 0.995);
  const double bytes = number(ended.out, "bytes: ([0-9]+) in float");
  CHECK(bytes < 2e6);
  CHECK(number(ended.out, "bytes: .*, ([0-9]+) in 8 bits") < bytes / 3);
  CHECK_THAT(ended.out, Catch::Contains(" times as fast, in "));         // how many times differs
  // How many pay differs by processor: 19 of 20 without VNNI, 15 of 19 with it.
  CHECK(number(ended.out, "([0-9]+) of [0-9]+ operators will fuse") >= 15);

  const graft::Model model = graft::Model::load(folder / "quantized.onnx");
  CHECK(model.graph().nodes().size() > 50);
}

TEST_CASE("quickstart: quantizes a model of yours", "[examples]") {
  const Folder folder;
  write_file(folder / "m.onnx", wide_conv().SerializeAsString());
  std::filesystem::create_directories(folder / "data/test_data_set_0");
  write_tensor_file(folder / "data/test_data_set_0/input_0.pb", ramp({1, 64, 16, 16}));
  const Ended ended = quickstart(folder, {folder / "m.onnx", folder / "data"});
  INFO(ended.error);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, Catch::Contains("1 of 1 operators will fuse") && !Catch::Contains("right:"));
  CHECK(number(ended.out, "mean cosine ([0-9.]+)") > 0.99);
  CHECK(std::filesystem::exists(folder / "quantized.onnx"));
  CHECK_THAT(ended.out, Catch::Contains("/quantized.onnx\n"));
}

TEST_CASE("quickstart: says what it cannot do", "[examples]") {
  const Folder folder;
  CHECK(quickstart(folder, {"one"}).code == 2);
  const Ended ended = quickstart(folder, {folder / "none.onnx", folder.path()});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.error, Catch::Contains("none.onnx"));
  CHECK(entries(folder.path()) == 0);
}
