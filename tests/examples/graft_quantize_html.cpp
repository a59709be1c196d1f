// The page that graft-quantize --html writes: one file, whose data agrees with the audit, and in which names are text.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <graft/graph/model.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/target/targets.hpp>

#include "models.hpp"
#include "program.hpp"
#include "support/folder.hpp"

using namespace graft;
namespace fs = std::filesystem;

namespace {

struct Page {
  explicit Page(const onnx::ModelProto& proto = conv_relu(), std::vector<std::string> options = {},
                const std::string& placement = "fusion-aware") {
    write_file(folder / "model.onnx", proto.SerializeAsString());
    fs::create_directory(folder / "calibration");
    write_tensor_file(folder / "calibration/0.pb", ramp());
    options.insert(options.begin(), {folder / "model.onnx", "--fast", "--calibration", folder / "calibration", "-o",
                                     folder / "q.onnx", "--html", folder / "page.html", "--placement",
                                     placement});
    const Ended ended = run_program("graft-quantize", options);
    INFO(ended.error);
    REQUIRE(ended.code == 0);
    text = read_file(folder / "page.html");
    const std::string begin = "<script type=\"application/json\" id=\"report\">";
    const std::size_t from = text.find(begin);
    REQUIRE(from != std::string::npos);
    json_text = text.substr(from + begin.size(), text.find("</script>", from) - from - begin.size());
    json = nlohmann::json::parse(json_text);
  }
  const nlohmann::json& layer(const std::string& name) const {
    const auto& layers = json["layers"];
    return *std::find_if(layers.begin(), layers.end(), [&](const auto& layer) { return layer["name"] == name; });
  }
  Folder folder;
  std::string text, json_text;
  nlohmann::json json;
};

std::size_t occurrences(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("graft-quantize --html: one file that refers to no other", "[examples]") {
  const Page page;
  CHECK(page.text.rfind("<!doctype html>", 0) == 0);
  for (const char* const word : {"http:", "https:", " src=", "@import", "url(", "<link", "innerHTML", "@page_"})
    CHECK(occurrences(page.text, word) == 0);
  CHECK(entries(page.folder.path()) == 4);  // nothing is left beside it
}

TEST_CASE("graft-quantize --html: layers agree with the audit of the model", "[examples]") {
  const Page page;
  const Model model = Model::load(page.folder / "q.onnx");
  const Audit audit = graft::audit(model.graph(), targets::ort_cpu_x64);
  CHECK(page.json["fused"] == audit.fused());
  CHECK(page.json["placement"] == "fusion-aware");
  REQUIRE(page.json["layers"].size() == 3);
  CHECK(page.layer("x")["state"] == "end");
  const nlohmann::json& conv = page.layer("conv");
  CHECK(conv["state"] == "integer");
  CHECK(conv["code"] == audit.findings.at(0).code);
  CHECK(conv["weight"]["channels"] == 2);
  std::uint64_t weights = 0;
  for (const auto& count : conv["weight"]["counts"]) weights += count.get<std::uint64_t>();
  CHECK(weights == 6);
  CHECK(page.layer("relu")["state"] == "within");
  CHECK(page.layer("relu")["within"] == "conv");
  CHECK(page.layer("relu")["activation"]["low"] == 0);
  CHECK(page.layer("x")["range"][0].get<float>() == Approx(-1.5f));
}

TEST_CASE("graft-quantize --html: weights of few bits have a grid of few levels", "[examples]") {
  const Page page(conv_relu(), {"--weight-bits", "7", "--weights-of", "conv=4"});
  CHECK(page.layer("conv")["weight"]["bits"] == 4);
  CHECK(page.layer("conv")["weight"]["low"] == -7);
  CHECK(page.layer("conv")["weight"]["counts"].size() == 15);
}

TEST_CASE("graft-quantize --html: both graphs lead to the layers", "[examples]") {
  const Page page;
  for (const char* const which : {"before", "after"}) {
    const auto& graph = page.json["graphs"][which];
    for (const auto& edge : graph["edges"]) CHECK(edge[0].get<std::size_t>() < edge[1].get<std::size_t>());
    std::size_t linked = 0;
    for (const auto& node : graph["nodes"]) {
      if (node["layer"].is_null()) continue;
      ++linked;
      CHECK(page.json["layers"][node["layer"].get<std::size_t>()]["name"] == node["name"]);
    }
    CHECK(linked == 3);
  }
  CHECK(page.json["graphs"]["before"]["nodes"].size() == 4);  // x, conv, relu, y
  CHECK(page.json["graphs"]["after"]["nodes"].size() == 8);
}

TEST_CASE("graft-quantize --html: a layer that the passes leave in float says why", "[examples]") {
  const Page page(conv_relu(), {"--exclude", "conv"});
  CHECK(page.layer("conv")["state"] == "kept");
  CHECK(page.layer("conv")["text"] == "it is excluded by name");
  CHECK(page.layer("relu")["state"] == "float");
}

TEST_CASE("graft-quantize --html: what passes merged has a row that leads to what it became", "[examples]") {
  onnx::ModelProto proto = conv_relu();
  onnx::GraphProto& graph = *proto.mutable_graph();
  graph.mutable_node(1)->set_output(0, "r");
  for (const char* const name : {"", "end"}) {  // x -> Conv -> Relu -> Identity, Identity 'end' -> y
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type("Identity");
    node.set_name(name);
    node.add_input(*name == 0 ? "r" : "i");
    node.add_output(*name == 0 ? "i" : "y");
  }
  const Page page(proto, {}, "conv-only");
  const auto& layers = page.json["layers"];
  REQUIRE(layers.size() == 5);
  CHECK(page.layer("end")["state"] == "merged");
  for (const std::size_t i : {std::size_t{3}, std::size_t{4}}) {
    CHECK(layers[i]["op"] == "Identity");
    CHECK(layers[layers[i]["heir"].get<std::size_t>()]["name"] == "relu");
  }
  const auto& nodes = page.json["graphs"]["before"]["nodes"];
  CHECK(nodes[3]["layer"] != nodes[4]["layer"]);
}

TEST_CASE("graft-quantize --html: histograms count every value, noise is that of the analysis", "[examples]") {
  const std::vector<std::string> by_default, by_request{"--observer", "percentile", "--analyze"};
  const Page page(conv_relu(), GENERATE_COPY(by_default, by_request));
  REQUIRE_FALSE(page.json["analysis"]["tensors"].empty());
  std::uint64_t values = 0;
  for (const auto& count : page.layer("x")["histogram"]["counts"]) values += count.get<std::uint64_t>();
  CHECK(values == 48);
  for (const auto& tensor : page.json["analysis"]["tensors"]) {
    const auto& layers = page.json["layers"];
    CHECK(std::any_of(layers.begin(), layers.end(), [&](const auto& layer) {
      return layer["tensor"] == tensor["tensor"] && layer["decibels"] == tensor["decibels"];
    }));
  }
}

TEST_CASE("graft-quantize --html: names cannot leave the data", "[examples]") {
  onnx::ModelProto proto = conv_relu();
  const std::string name = "</script><!--<script>\"'&\xe2\x80\xa8</SCRIPT >";
  proto.mutable_graph()->mutable_node(0)->set_name(name);
  const Page page(proto), harmless;
  CHECK(page.layer(name)["op"] == "Conv");
  CHECK(page.json_text.find('<') == std::string::npos);
  CHECK(page.json_text.find("\xe2\x80\xa8") == std::string::npos);
  CHECK(occurrences(page.text, "<") == occurrences(harmless.text, "<"));
}

TEST_CASE("graft-quantize --html: names that are not UTF-8 leave the page and the report JSON", "[examples]") {
  onnx::ModelProto proto = conv_relu();
  proto.mutable_graph()->mutable_node(0)->set_name("conv\xff");
  const Folder folder;
  const Page page(proto, {"--report", folder / "report.json"});
  CHECK(page.layer("conv\xef\xbf\xbd")["state"] == "integer");
  const auto report = nlohmann::json::parse(read_file(folder / "report.json"));
  CHECK(report["audit"][0]["node"] == "conv\xef\xbf\xbd");
}

TEST_CASE("graft-quantize --html: where it cannot be written nothing is begun", "[examples]") {
  const Folder folder;
  write_file(folder / "model.onnx", conv_relu().SerializeAsString());
  write_tensor_file(folder / "0.pb", ramp());
  const Ended ended = run_program("graft-quantize", {folder / "model.onnx", "--calibration", folder.path(), "-o",
                                                     folder / "q.onnx", "--html", folder / "none/page.html"});
  CHECK(ended.code == 1);
  CHECK(ended.error.find("none/page.html") != std::string::npos);
  CHECK_FALSE(fs::exists(folder / "q.onnx"));
}
