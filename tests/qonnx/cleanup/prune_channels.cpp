#include <graft/qonnx/cleanup/prune_channels.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "qonnx/as_qonnx.hpp"
#include "surgery/sound.hpp"

using namespace graft;

namespace {

/// The model is pruned, sound, and computes what the other one does: the same with zeros for what the last product
/// reads of the channels that are gone.
Model pruned(const std::string& text, const std::string& zeroed, const qonnx::ChannelMasks& masks) {
  Model model = graph(text);
  const Report report = qonnx::prune_channels(masks).run(model);
  INFO(report);
  CHECK(report.changes != 0);
  CHECK(unsound(model) == "");
  CHECK(equivalent(graph(zeroed).graph(), model.graph(), as_qonnx()));
  return model;
}

std::string note(const std::string& text, const qonnx::ChannelMasks& masks) {
  Model model = graph(text);
  const std::string before = model.serialize();
  const Report report = qonnx::prune_channels(masks).run(model);
  CHECK(report.changes == 0);
  CHECK(model.serialize() == before);
  return report.notes.empty() ? "" : report.notes.front();
}

}  // namespace

TEST_CASE("channels go with all that is along them, up to the next product", "[qonnx]") {
  const auto text = [](const std::string& last) {
    return "x: f32[1,2,6,6]; v = f32[3,2,3,3] random; q = " + quant("v", "f32[3,1,1,1] {0.5, 0.25, 0.125}") +
           "; h = Conv(x, q, f32[3] {1, 2, 3}); s = f32[3] {1, 2, 3}; b = f32[3] random; m = f32[3] random;"
           "u = f32[3] {1, 2, 3}; n = BatchNormalization(h, s, b, m, u); r = Relu(n);"
           "t = qonnx.custom_op.general::MultiThreshold(r, f32[3,2] {0, 1, 0, 2, 1, 3}) {data_layout=\"NCHW\"};"
           "p = MaxPool(" +
           quant("Add(t, f32[3,1,1] {1, 2, 3})", "f32[1,3,1,1] {1, 0.5, 2}") + ") {kernel_shape=[2,2]};" + last +
           "y = Conv(p, w)";
  };
  const Model model = pruned(text("w = f32[1,3,1,1] {5, 6, 7};"), text("w = f32[1,3,1,1] {5, 0, 7};"), {{"v", {1}}});
  for (const Node& node : model.graph().nodes()) {
    if (node.is("MaxPool")) CHECK(to_string(node.output(0)->shape()) == "[1,2,3,3]");
    if (node.op_type() == "Quant" && !node.input(0)->is_constant()) CHECK(node.input(1)->constant()->size() == 2);
    if (node.is("BatchNormalization")) CHECK(node.input(4)->constant()->data<float>()[1] == 3);
  }
}

TEST_CASE("channels of an image become rows of a MatMul, through depthwise Conv", "[qonnx]") {
  const auto text = [](const std::string& rows) {
    return "x: f32[1,2,4,4]; v = f32[3,2,3,3] random; h = Conv(x, v); d = f32[3,1,1,1] {2, 3, 4};"
           "g = Conv(h, d) {group=3}; f = Reshape(g, i64[2] {0, 12}); w = f32[12,2] {" +
           rows + "}; k = MatMul(f, w); y = MatMul(k, f32[2,2] {1, 2, 3, 4})";
  };
  const Model model =
      pruned(text("1,2, 3,4, 5,6, 7,8,  1,2, 3,4, 5,6, 7,8,  1,1, 2,2, 3,3, 4,4"),
             text("0,0, 0,0, 0,0, 0,0,  1,2, 3,4, 5,6, 7,8,  0,0, 0,0, 0,0, 0,0"), {{"v", {0, 2}}});
  for (const Node& node : model.graph().nodes()) {
    if (node.is("Conv") && node.attribute("group") != nullptr) CHECK(node.attr<std::int64_t>("group") == 1);
    if (node.is("Reshape")) CHECK(to_string(node.output(0)->shape()) == "[1,4]");
  }
}

TEST_CASE("a sum loses the channels of both branches", "[qonnx]") {
  const auto text = [](const std::string& last) {
    return "x: f32[1,2,3,3]; a = f32[3,2,1,1] random; b = f32[3,2,1,1] random; h = Add(Conv(x, a), Conv(x, b));"
           "w = f32[1,3,1,1] {" + last + "}; y = Conv(h, w)";
  };
  const Model model = pruned(text("5, 6, 7"), text("0, 6, 0"), {{"a", {0}}, {"b", {2}}});
  CHECK(to_string(model.graph().last_node()->input(0)->shape()) == "[1,1,3,3]");
}

TEST_CASE("parts of a Concat are counted one behind the other", "[qonnx]") {
  const auto text = [](const std::string& last) {
    return "x: f32[1,2,3,3]; a = f32[2,2,1,1] random; b = f32[3,2,1,1] random;"
           "h = Concat(Conv(x, a), Relu(Conv(x, b))) {axis=1}; w = f32[1,5,1,1] {" + last + "}; y = Conv(h, w)";
  };
  pruned(text("1, 2, 3, 4, 5"), text("0, 2, 3, 4, 0"), {{"a", {0}}, {"b", {2}}});
}

TEST_CASE("channels that cannot be followed stay, and others go on", "[qonnx]") {
  const std::string head = "x: f32[1,3,3,3]; v = f32[3,3,1,1] random; h = Conv(x, v); w = f32[1,3,1,1] random; ";
  CHECK_THAT(note(head + "y = Relu(h)", {{"v", {0}}}), Catch::Contains("output of the graph"));
  CHECK_THAT(note(head + "y = Conv(Add(h, x), w)", {{"v", {0}}}), Catch::Contains("input of the graph"));
  CHECK_THAT(note("x: f32[1,2]; v = f32[2,3] random; h = Reshape(MatMul(x, v), i64[1] {3}); z: f32[1,3,2];"
                  "y = BatchNormalization(z, f32[3] {1, 2, 3}, h, f32[3] {1, 2, 3}, f32[3] {1, 2, 3})",
                  {{"v", {0}}}),
             Catch::Contains("flatten"));
  CHECK_THAT(note("x: f32[2]; v = f32[2,3] random; z: f32[1,3,2]; u = f32[3] {1, 2, 3};"
                  "y = BatchNormalization(z, u, MatMul(x, v), u, u)",
                  {{"v", {0}}}),
             Catch::Contains("as a parameter"));
  CHECK_THAT(note(head + "y = Conv(Softmax(h) {axis=1}, w)", {{"v", {0}}}), Catch::Contains("may mix channels"));
  CHECK_THAT(note("x: f32[1,4,3,3]; v = f32[4,4,1,1] random; g = f32[4,2,1,1] random;"
                  "y = Conv(Conv(x, v), g) {group=2}",
                  {{"v", {0}}}),
             Catch::Contains("groups"));
  Model model = graph(head + "z = Relu(h); u = f32[2,3,1,1] random; k = Conv(x, u); y = Conv(k, f32[1,2,1,1] random)");
  const Report report = qonnx::prune_channels({{"v", {0}}, {"u", {1}}}).run(model);
  CHECK(report.changes == 1);
  CHECK(report.notes.size() == 1);
  CHECK(unsound(model) == "");
}

TEST_CASE("names of no weight and channels that are not there are errors", "[qonnx]") {
  const Model model = graph("x: f32[1,2,3,3]; v = f32[3,2,1,1] random; y = Conv(Conv(x, v), f32[1,3,1,1] random)");
  const auto told = [&](const qonnx::ChannelMasks& masks) {
    return refusal(Model(model.proto()), qonnx::prune_channels(masks));
  };
  CHECK_THAT(told({{"nothing", {0}}}), Catch::Contains("is not the weight of"));
  CHECK_THAT(told({{"v", {3}}}), Catch::Contains("no output channel 3"));
  CHECK_THAT(told({{"v", {0, 1, 2}}}), Catch::Contains("without output channels"));
}

TEST_CASE("channels that a body reads stay, as does a weight that callers may override", "[qonnx]") {
  CHECK_THAT(note("c: bool[]; x: f32[1,2]; v = f32[2,3] random; h = MatMul(x, v); w = f32[3,1] random;"
                  "y = If(c) {then_branch={ t = MatMul(h, w) }, else_branch={ u = f32[1,1] 0; s = Neg(u) }}",
                  {{"v", {0}}}),
             Catch::Contains("used in a body"));
  CHECK_THAT(note("x: f32[1,2]; v = f32[2,3] random; w: f32[3,1] = random; y = MatMul(MatMul(x, v), w)", {{"v", {0}}}),
             Catch::Contains("not constant"));
  CHECK_THAT(note("x: f32[1,2]; z: f32[1,4]; v = f32[2,3] random; w = f32[4,3] random; u = f32[3,1] random;"
                  "y = MatMul(Gemm(z, w, MatMul(x, v)), u)",
                  {{"v", {0}}}),
             Catch::Contains("as a parameter"));
}
