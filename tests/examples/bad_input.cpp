// graft-quantize on input that is none: exit code 1, a message that names file, node and field, and no output file.
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <graft/quantize/calibrate/ranges_json.hpp>
#include <graft/quantize/target/targets.hpp>

#include "models.hpp"
#include "program.hpp"
#include "support/folder.hpp"
#include "support/protos.hpp"

using namespace graft;
namespace fs = std::filesystem;

namespace {

/// A model, a folder to calibrate on, and a folder where nothing but the output may appear.
struct Desk {
  Desk() {
    fs::create_directory(folder / "calibration");
    fs::create_directory(folder / "out");
    write_tensor_file(folder / "calibration" / "0.pb", ramp());
    write(conv_relu());
  }
  void write(const onnx::ModelProto& proto) const { write_file(model(), proto.SerializeAsString()); }
  fs::path model() const { return folder / "model.onnx"; }
  fs::path output() const { return folder / "out" / "q.onnx"; }

  /// Convolutions, though of so few pixels they gain nothing.
  Ended quantize(std::vector<std::string> arguments, const std::string& before = {}) const {
    arguments.insert(arguments.begin(),
                     {model().string(), "-o", output().string(), "--placement", "fusion-aware"});
    return run_program("graft-quantize", arguments, before);
  }
  Ended quantize() const { return quantize({"--calibration", folder / "calibration"}); }

  /// Exit code 1, a message that has all these words, nothing printed, nothing in the folder of the output.
  void check_refused(const Ended& ended, const std::vector<std::string>& words) const {
    INFO(ended.error);
    CHECK(ended.code == 1);
    CHECK(ended.out.empty());
    for (const std::string& word : words) {
      INFO(word);
      CHECK(ended.error.find(word) != std::string::npos);
    }
    CHECK(ended.error.find("graft-quantize: ") != std::string::npos);
    CHECK(entries(folder / "out") == 0);
  }
  /// The same for the model with something changed.
  void check_model_refused(const std::function<void(onnx::GraphProto&)>& change,
                           std::vector<std::string> words) const {
    onnx::ModelProto proto = conv_relu();
    change(*proto.mutable_graph());
    write(proto);
    words.push_back(model().string() + ": ");
    check_refused(quantize(), words);
    Ranges ranges;
    for (const char* const name : {"x", "c", "y"}) ranges.set(name, {-1, 1});
    save_ranges(ranges, folder / "r.json");
    check_refused(quantize({"--ranges", folder / "r.json"}), words);
  }

  Folder folder;
};

}  // namespace

TEST_CASE("graft-quantize: the model that the bad ones are made from is a good one", "[examples]") {
  const Desk desk;
  const Ended ended = desk.quantize();
  INFO(ended.error);
  CHECK(ended.code == 0);
  CHECK(entries(desk.folder / "out") == 1);
  CHECK(Model::load(desk.output()).graph().find("y") != nullptr);
}

TEST_CASE("graft-quantize: a file that is not a model", "[examples]") {
  const Desk desk;
  const std::string whole = read_file(desk.model());
  const std::string at = desk.model().string() + ": ";
  SECTION("missing") {
    fs::remove(desk.model());
    desk.check_refused(desk.quantize(), {at, "No such file"});
  }
  SECTION("empty") {
    write_file(desk.model(), "");
    desk.check_refused(desk.quantize(), {at, "is empty"});
  }
  SECTION("cut anywhere") {
    for (const std::size_t length : {std::size_t{1}, whole.size() / 4, whole.size() / 2, whole.size() - 1}) {
      write_file(desk.model(), whole.substr(0, length));
      desk.check_refused(desk.quantize(), {at});
    }
  }
  SECTION("text") {
    write_file(desk.model(), "this is not a model\n");
    desk.check_refused(desk.quantize(), {at, "is not an ONNX model"});
  }
  SECTION("a tensor") {
    write_file(desk.model(), read_file(desk.folder / "calibration" / "0.pb"));
    desk.check_refused(desk.quantize(), {at, "is not an ONNX model"});
  }
  SECTION("a folder") {
    fs::remove(desk.model());
    fs::create_directory(desk.model());
    desk.check_refused(desk.quantize(), {at, "is a folder"});
  }
}

TEST_CASE("graft-quantize: a graph that is none", "[examples]") {
  const Desk desk;
  const auto refused = [&](const std::function<void(onnx::GraphProto&)>& change, std::vector<std::string> words) {
    desk.check_model_refused(change, std::move(words));
  };
  SECTION("a cycle") {
    refused([](auto& graph) { graph.mutable_node(0)->set_input(0, "y"); }, {"node 'conv': ", "input", "cycle"});
  }
  SECTION("a dangling input") {
    refused([](auto& graph) { graph.mutable_node(1)->set_input(0, "nowhere"); },
            {"node 'relu': ", "input[0]: ", "'nowhere'"});
  }
  SECTION("a dangling output") {
    refused([](auto& graph) { graph.mutable_output(0)->set_name("nowhere"); }, {"graph.output[0]: ", "'nowhere'"});
  }
  SECTION("two producers of one name") {
    refused(
        [](auto& graph) {
          *graph.add_node() = graph.node(1);
          graph.mutable_node(2)->set_name("again");
        },
        {"node 'again': ", "output[0]: ", "'y' is defined twice", "node 'relu'"});
  }
  SECTION("a node that makes what an initializer is") {
    refused([](auto& graph) { graph.mutable_node(0)->set_output(0, "w"); },
            {"node 'conv': ", "output[0]: ", "'w' is defined twice"});
  }
}

TEST_CASE("graft-quantize: an initializer that cannot be read", "[examples]") {
  const Desk desk;
  const auto refused = [&](const std::function<void(onnx::TensorProto&)>& change, std::vector<std::string> words) {
    words.push_back("tensor 'w': ");
    desk.check_model_refused([&](onnx::GraphProto& graph) { change(*graph.mutable_initializer(0)); },
                             std::move(words));
  };
  SECTION("raw_data of the wrong length") {
    for (const std::size_t length : std::vector<std::size_t>{0, 23, 25, 4000})
      refused([&](auto& w) { w.set_raw_data(std::string(length, '\0')); },
              {"raw_data", "expected 24 bytes, found " + std::to_string(length)});
  }
  SECTION("typed data of the wrong length") {
    refused(
        [](auto& w) {
          w.clear_raw_data();
          w.add_float_data(1);
        },
        {"float_data", "expected 6", "found 1"});
  }
  SECTION("no data") {
    refused([](auto& w) { w.clear_raw_data(); }, {"f32[2,3,1,1]"});
  }
  SECTION("negative dims") {
    refused([](auto& w) { w.set_dims(0, -2); }, {"negative dim", "[-2,3,1,1]"});
    refused([](auto& w) { w.set_dims(0, -2), w.set_dims(1, -3); }, {"negative dim", "[-2,-3,1,1]"});
  }
  SECTION("dims whose product overflows") {
    refused([](auto& w) { w.set_dims(0, std::int64_t{1} << 62), w.set_dims(1, 4); }, {"overflows"});
    refused([](auto& w) { w.set_dims(0, std::int64_t{1} << 31), w.set_dims(1, std::int64_t{1} << 33); },
            {"overflows"});
    refused([](auto& w) { w.set_dims(0, std::int64_t{1} << 62); }, {"overflows"});
  }
  SECTION("large dims without data") {
    refused([](auto& w) { w.set_dims(0, std::int64_t{1} << 40); }, {"raw_data", "found 24"});
  }
  SECTION("an unknown dtype") {
    refused([](auto& w) { w.set_data_type(99); }, {"unknown dtype 99"});
    refused([](auto& w) { w.set_data_type(-1); }, {"unknown dtype -1"});
  }
  SECTION("external data that is missing") {
    refused([](auto& w) { make_external(w, "w.bin"); }, {"external data 'w.bin'", "No such file"});
  }
  SECTION("external data that is short") {
    write_file(desk.folder / "w.bin", std::string(23, '\0'));
    refused([](auto& w) { make_external(w, "w.bin"); }, {"external data 'w.bin'", "has 23 bytes", "24"});
    write_file(desk.folder / "w.bin", "");
    refused([](auto& w) { make_external(w, "w.bin"); }, {"external data 'w.bin'", "has 0 bytes"});
  }
  SECTION("external data that is a folder") {
    refused([](auto& w) { make_external(w, "out"); }, {"external data 'out'", "is not a regular file"});
  }
  SECTION("external data outside the model's folder") {
    const Folder other;
    write_file(other / "w.bin", std::string(24, '\0'));
    fs::create_symlink(other / "w.bin", desk.folder / "link.bin");
    const std::string up = "../" + other.path().filename().string() + "/w.bin";
    for (const std::string& location : {up, "out/../" + up, (other / "w.bin").string(), std::string("link.bin")})
      refused([&](auto& w) { make_external(w, location); }, {"external data '" + location + "'", "is refused"});
  }
  SECTION("external data without a location") {
    refused([](auto& w) { make_external(w, ""); }, {"no location"});
  }
  SECTION("that nobody reads") {
    desk.check_model_refused(
        [](onnx::GraphProto& graph) {
          onnx::TensorProto& spare = *graph.add_initializer();
          spare = graph.initializer(0);
          spare.set_name("spare");
          spare.set_raw_data("short");
        },
        {"tensor 'spare': ", "expected 24 bytes, found 5"});
  }
}

TEST_CASE("graft-quantize: a constant node that cannot be read", "[examples]") {
  const Desk desk;
  desk.check_model_refused(
      [](onnx::GraphProto& graph) {
        onnx::TensorProto w = graph.initializer(0);
        graph.mutable_initializer()->DeleteSubrange(0, 1);
        w.set_raw_data("short");
        w.clear_name();
        onnx::NodeProto relu = graph.node(1), conv = graph.node(0);
        onnx::NodeProto& node = *graph.mutable_node(0);
        node.Clear();
        node.set_op_type("Constant");
        node.set_name("weights");
        node.add_output("w");
        onnx::AttributeProto& value = *node.add_attribute();
        value.set_name("value");
        value.set_type(onnx::AttributeProto::TENSOR);
        *value.mutable_t() = w;
        *graph.mutable_node(1) = conv;
        *graph.add_node() = relu;
      },
      {"node 'weights': ", "value: ", "raw_data", "found 5"});
}

TEST_CASE("graft-quantize: calibration data that does not fit", "[examples]") {
  const Desk desk;
  const fs::path folder = desk.folder / "calibration";
  const auto refused = [&](std::vector<std::string> words, std::vector<std::string> options = {}) {
    options.insert(options.end(), {"--calibration", folder});
    desk.check_refused(desk.quantize(options), words);
  };
  const std::string second = (folder / "1.pb").string() + ": ";
  SECTION("of the wrong shape") {
    write_tensor_file(folder / "1.pb", filled(1, {1, 3, 4, 5}));
    refused({second, "x: ", "f32[1,3,4,5]", "expected f32[1,3,4,4]"});
    write_tensor_file(folder / "1.pb", filled(1, {3, 4, 4}));
    refused({second, "x: ", "f32[3,4,4]"});
  }
  SECTION("of the wrong dtype") {
    write_tensor_file(folder / "1.pb", Tensor(DType::u8, {1, 3, 4, 4}));
    refused({second, "x: ", "u8[1,3,4,4]"});
  }
  SECTION("not finite") {
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      Tensor tensor = ramp();
      tensor.mutable_data<float>()[17] = bad;
      write_tensor_file(folder / "1.pb", tensor);
      refused({second, "x: ", "NaN or infinity"});
    }
  }
  SECTION("finite, but not what is made of it") {
    write_tensor_file(folder / "1.pb", filled(std::numeric_limits<float>::max()));
    refused({second, "c: ", "NaN or infinity"});
  }
  SECTION("no tensor") {
    write_file(folder / "1.pb", "this is not a tensor");
    refused({second, "not an ONNX tensor"});
  }
  SECTION("a tensor that cannot be read") {
    write_file(folder / "1.pb", read_file(folder / "0.pb").substr(0, 8));
    refused({second});
  }
  SECTION("a set that lacks an input") {
    fs::create_directory(folder / "test_data_set_0");
    refused({(folder / "test_data_set_0").string() + ": ", "lacks input_0.pb", "'x'"});
  }
  SECTION("a set's file that holds NaN") {
    fs::create_directory(folder / "test_data_set_0");
    write_tensor_file(folder / "test_data_set_0" / "input_0.pb", filled(NAN));
    refused({(folder / "test_data_set_0" / "input_0.pb").string() + ": ", "x: ", "NaN or infinity"});
  }
  SECTION("no file at all") {
    fs::remove(folder / "0.pb");
    refused({folder.string() + ": ", "holds neither images nor ONNX test data"});
  }
  SECTION("no folder") {
    fs::remove_all(folder);
    refused({folder.string() + ": ", "is not a folder"});
  }
  SECTION("an image that is none") {
    write_file(folder / "cat.png", "meow");
    refused({(folder / "cat.png").string() + ": ", "cannot be read"});
  }
  SECTION("an image of the wrong size, or too small for the crop") {
    write_file(folder / "cat.ppm", "P6 5 5 255\n" + std::string(75, '\x7f'));
    refused({(folder / "cat.ppm").string() + ": ", "x: ", "f32[1,3,5,5]"}, {"--size", "5x5"});
    refused({(folder / "cat.ppm").string() + ": ", "smaller than the crop of 6"}, {"--crop", "6"});
    write_file(folder / "cat.ppm", "P6 1 1000 255\n" + std::string(3000, '\x7f'));
    refused({(folder / "cat.ppm").string() + ": ", "256x256000 pixels, too many"}, {"--resize", "256", "--crop", "4"});
  }
}

TEST_CASE("graft-quantize: ranges that are not there", "[examples]") {
  const Desk desk;
  const fs::path ranges = desk.folder / "r.json";
  const auto refused = [&](std::vector<std::string> words) {
    desk.check_refused(desk.quantize({"--ranges", ranges}), words);
  };
  refused({ranges.string() + ": ", "cannot be read"});
  write_file(ranges, "{");
  refused({ranges.string() + ": ", "not a JSON"});
  write_file(ranges, R"({"ranges": {"x": {"min": 2, "max": 1}}})");
  refused({ranges.string() + ": ", "ranges.x: ", "its min is above its max"});
  write_file(ranges, R"({"ranges": {"x": {"min": NaN, "max": 1}}})");
  refused({ranges.string() + ": "});
  write_file(ranges, R"({"ranges": {"x": {"min": -1, "max": 1}}})");
  refused({desk.model().string() + ": ", ": its range is not known"});
  fs::remove(ranges);
  fs::create_directory(ranges);
  refused({ranges.string() + ": ", "cannot be read"});
}

TEST_CASE("graft-quantize: an output that cannot be written", "[examples]") {
  const Desk desk;
  const auto refused = [&](const fs::path& output, const std::vector<std::string>& words) {
    desk.check_refused(run_program("graft-quantize", {desk.model(), "-o", output, "--calibration",
                                                      desk.folder / "calibration"}), words);
  };
  SECTION("in a folder that is not there") {
    const fs::path output = desk.folder / "absent" / "q.onnx";
    refused(output, {output.string() + ": "});
  }
  SECTION("in a file") {
    const fs::path output = desk.model() / "q.onnx";
    refused(output, {output.string() + ": "});
  }
  SECTION("where a folder is") {
    const std::size_t before = entries(desk.folder.path());
    refused(desk.folder / "calibration", {(desk.folder / "calibration").string() + ": "});
    CHECK(entries(desk.folder.path()) == before);
  }
  SECTION("without room") {
    const Ended ended = desk.quantize({"--calibration", desk.folder / "calibration"}, "trap '' XFSZ; ulimit -f 1; ");
    desk.check_refused(ended, {desk.output().string() + ": ", "File too large"});
  }
}

TEST_CASE("graft-quantize: what cannot be written is found before calibrating", "[examples]") {
  const Desk desk;
  const fs::path absent = desk.folder / "absent" / "q.onnx", folder = desk.folder / "calibration";
  write_tensor_file(folder / "1.pb", filled(NAN));
  const auto refused = [&](const fs::path& output, const std::vector<std::string>& more, const fs::path& named) {
    std::vector<std::string> arguments{desk.model(), "-o", output, "--calibration", folder};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = run_program("graft-quantize", arguments);
    desk.check_refused(ended, {named.string() + ": ", "cannot be written"});
    CHECK(ended.error.find("1.pb") == std::string::npos);
  };
  const std::size_t before = entries(desk.folder.path());
  refused(absent, {}, absent);
  refused(desk.model() / "q.onnx", {}, desk.model() / "q.onnx");
  refused(folder, {}, folder);
  refused(desk.output(), {"--save-ranges", absent}, absent);
  refused(desk.output(), {"--report", absent}, absent);
  CHECK(entries(desk.folder.path()) == before);
  // A dry run writes no model, and comes as far as the calibration data.
  desk.check_refused(run_program("graft-quantize", {desk.model(), "-o", absent, "--dry-run", "--calibration", folder}),
                     {"1.pb: ", "NaN or infinity"});
}

TEST_CASE("graft-quantize: a report or ranges that cannot be written leave no output either", "[examples]") {
  const Desk desk;
  for (const std::string option : {"--report", "--save-ranges"}) {
    const fs::path path = desk.folder / "absent" / "r.json";
    desk.check_refused(desk.quantize({"--calibration", desk.folder / "calibration", option, path}),
                       {path.string() + ": "});
  }
}

TEST_CASE("graft-quantize: what stood at the output stays when a run fails", "[examples]") {
  const Desk desk;
  write_file(desk.output(), "what was there");
  write_tensor_file(desk.folder / "calibration" / "1.pb", filled(NAN));
  CHECK(desk.quantize().code == 1);
  CHECK(read_file(desk.output()) == "what was there");
  CHECK(entries(desk.folder / "out") == 1);
}

TEST_CASE("graft-quantize: wrong usage is exit code 2, and says what is wrong", "[examples]") {
  const Desk desk;
  const std::string model = desk.model(), calibration = desk.folder / "calibration", output = desk.output();
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& word) {
    const Ended ended = run_program("graft-quantize", arguments);
    INFO(ended.error);
    CHECK(ended.code == 2);
    CHECK(ended.error.find(word) != std::string::npos);
    CHECK(ended.out.empty());
    CHECK(entries(desk.folder / "out") == 0);
  };
  const std::vector<std::string> whole{model, "-o", output, "--calibration", calibration};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), whole.begin(), whole.end());
    return more;
  };
  refused({}, "MODEL");
  refused({model, "--calibration", calibration}, "--output");
  refused({model, "-o", output}, "--calibration");
  refused(with({"--fast", "--ranges", "r.json"}), "--ranges");  // the samples would serve nothing
  refused(with({"--target", "toaster"}), targets::names());
  refused(with({"--placement", "clever"}), "--placement");
  refused(with({"--weights", "per-row"}), "--weights");
  refused(with({"--size", "5"}), "--size");
  refused(with({"--size", "5x"}), "--size");
  refused(with({"--size", "0x5"}), "--size");
  refused(with({"--size", "5x5", "--crop", "4"}), "--size");
  refused(with({"--resize", "-4"}), "--resize");
  refused(with({"--scale", "much"}), "--scale");
  refused(with({"--std", "1,0,1"}), "--std");
  refused(with({"--layout", "nwhc"}), "--layout");
  refused(with({"--nonsense"}), "--nonsense");
  refused(with({"another.onnx"}), "another.onnx");
}

TEST_CASE("graft-quantize: two outputs that are one file are wrong usage, and nothing is written", "[examples]") {
  const Desk desk;
  for (const char* const option : {"--report", "--save-ranges"}) {
    const std::string same = desk.folder / "out/./q.onnx";
    CHECK(desk.quantize({"--calibration", desk.folder / "calibration", option, same}).code == 2);
    CHECK(entries(desk.folder / "out") == 0);
  }
}

TEST_CASE("graft-quantize: images of no size, or of one that no memory holds, are wrong usage", "[examples]") {
  const Desk desk;
  for (const char* const size : {"0x4", "4", "99999999999999x4", "70000x4"})
    CHECK(desk.quantize({"--calibration", desk.folder / "calibration", "--size", size}).code == 2);
  CHECK(desk.quantize({"--calibration", desk.folder / "calibration", "--scale", "0.0"}).code == 2);
}

TEST_CASE("graft-quantize: an output that is a pipe stays one", "[examples]") {
  const Desk desk;
  REQUIRE(::mkfifo(desk.output().c_str(), 0600) == 0);
  const Ended ended = desk.quantize();
  CHECK(ended.code == 1);
  CHECK(ended.error.find("q.onnx: cannot be written: it is not a regular file") != std::string::npos);
  CHECK(fs::is_fifo(desk.output()));
}

TEST_CASE("graft-quantize: a report that is a pipe stays one", "[examples]") {
  const Desk desk;
  const fs::path pipe = desk.folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  desk.check_refused(desk.quantize({"--calibration", desk.folder / "calibration", "--report", pipe}),
                     {"pipe: cannot be written: it is not a regular file"});
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("graft-quantize: what a runtime may refuse is warned of", "[examples]") {
  const Desk desk;
  onnx::ModelProto proto = conv_relu();
  onnx::AttributeProto& foo = *proto.mutable_graph()->mutable_node(0)->add_attribute();
  foo.set_name("foo");
  foo.set_type(onnx::AttributeProto::INT);
  desk.write(proto);
  const Ended ended = desk.quantize();
  CHECK(ended.code == 0);
  CHECK(ended.error.find("warning: ") != std::string::npos);
  CHECK(ended.error.find("'foo'") != std::string::npos);
}
