#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const EmbeddingOptions any{.least_elements = 1};

Pass blockwise(BlockwiseOptions options) {
  if (options.tables) options.tables = any;
  return quantize_weights_blockwise(targets::ort_cpu_x64, options);
}

/// A table of words, the product at hand, and a hidden layer.
std::string net(const std::string& head, int columns = 64) {
  const std::string k = std::to_string(columns);
  return "opset 21; t = f32[40," + k + "] random; w = f32[" + k + "," + k + "] random; ids: i64[5]; " +
         "e = Gather(t, ids); h = MatMul(e, w); " + head + "; return y";
}

const std::string by_transpose = "y = MatMul(h, Transpose(t) {perm=[1,0]})";

std::vector<float> outputs(const Model& model) {
  return Evaluator(model.graph()).run({{"ids", Tensor::of<std::int64_t>({5}, {0, 39, 7, -1, 7})}})[0].to<float>();
}

/// The largest distance of the outputs from those of the float model, as a part of the largest value.
float distance(const Model& model, const std::string& text) {
  const std::vector<float> made = outputs(model), wanted = outputs(graph(text));
  float most = 0, largest = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    most = std::max(most, std::abs(made[i] - wanted[i]));
    largest = std::max(largest, std::abs(wanted[i]));
  }
  return most / largest;
}

std::int64_t number(const Model& model, const char* value, const char* attribute) {
  return node_making(model, value).attr<std::int64_t>(attribute).value();
}

}  // namespace

TEST_CASE("a table that a product reads too is stored once, in 8 bits", "[blockwise]") {
  for (const std::string& head : {by_transpose, std::string("y = Gemm(h, t) {transB=1}"),
                                  std::string("y = MatMul(h, Transpose(t))")}) {
    for (const bool symmetric : {false, true}) {
      CAPTURE(head, symmetric);
      Model model = graph(net(head));
      blockwise({.weights = {.symmetric = symmetric}}).run(model);
      CHECK(verify(model).empty());
      CHECK(ops(model.graph()) == "Reshape GatherBlockQuantized MatMulNBits MatMulNBits");
      CHECK(model.graph().find("t") == nullptr);
      const Node &gather = node_making(model, "e"), &product = node_making(model, "y");
      CHECK(gather.input(0)->producer()->input(0) == product.input(1));
      CHECK(gather.input(2) == product.input(2));
      CHECK(gather.input(3) == product.input(3));
      CHECK((product.input(3) == nullptr) == symmetric);
      CHECK(gather.input(2)->constant()->dims() == Dims{40, 2});
      CHECK(number(model, "y", "bits") == 8);
      CHECK(number(model, "e", "bits") == 8);
      CHECK(number(model, "h", "bits") == 4);
      CHECK(distance(model, net(head)) < 0.2F);
      Model head_only = graph(net(head));
      Context context;
      (exclude_nodes({NamePattern("h")}) | blockwise({.weights = {.symmetric = symmetric}})).run(head_only, context);
      CHECK(distance(head_only, net(head)) < 0.02F);
    }
  }
}

TEST_CASE("blocks of a shared table fit its rows", "[blockwise]") {
  Model narrow = graph(net(by_transpose, 48)), odd = graph(net(by_transpose, 20));
  blockwise({}).run(narrow);
  CHECK(number(narrow, "y", "block_size") == 16);
  CHECK(number(narrow, "e", "block_size") == 16);
  CHECK(number(narrow, "h", "block_size") == 32);
  CHECK(distance(narrow, net(by_transpose, 48)) < 0.2F);
  blockwise({}).run(odd);  // no block of 16 or more divides 20
  CHECK(ops(odd.graph()) == "GatherBlockQuantized MatMulNBits MatMulNBits");
  CHECK(number(odd, "y", "bits") == 4);
  CHECK(distance(odd, net(by_transpose, 20)) < 0.4F);
}

TEST_CASE("bits of a shared table are those of tables, or those that were chosen for the product", "[blockwise]") {
  Model model = graph(net(by_transpose)), odd = graph(net(by_transpose, 96)), chosen = graph(net(by_transpose));
  blockwise({.table_bits = 4}).run(model);
  CHECK(number(model, "y", "bits") == 4);
  CHECK(number(model, "e", "bits") == 4);
  CHECK(node_making(model, "e").input(3) == node_making(model, "y").input(3));
  CHECK(distance(model, net(by_transpose)) < 0.4F);
  blockwise({.table_bits = 4}).run(odd);  // three blocks in a row: their zero points would end within a byte
  CHECK(number(odd, "y", "bits") == 4);
  CHECK(node_making(odd, "y").input_count() == 3);
  CHECK(node_making(odd, "e").input_count() == 3);
  CHECK(distance(odd, net(by_transpose, 96)) < 0.4F);
  Context context;
  ProductForms forms;
  forms.choose("y", ProductForm::weight_only, "asked for", 4);
  context.facts.provide(forms);
  blockwise({.table_bits = 8}).run(chosen, context);
  CHECK(ops(chosen.graph()) == "Reshape GatherBlockQuantized MatMul MatMulNBits");
  CHECK(number(chosen, "e", "bits") == 4);
}

TEST_CASE("a product and a table that do not share blocks are stored apart", "[blockwise]") {
  const auto made = [](const std::string& head, const BlockwiseOptions& options,
                       const std::vector<NamePattern>& kept = {}) {
    Model model = graph(net(head));
    Context context;
    (exclude_nodes(kept) | blockwise(options)).run(model, context);
    CHECK(verify(model).empty());
    CHECK(distance(model, net(head)) < 0.4F);
    for (const Node& node : model.graph().nodes())
      if (node.is("com.microsoft::MatMulNBits")) CHECK(node.attr<std::int64_t>("bits") == 4);
    return ops(model.graph());
  };
  const std::string apart = "GatherBlockQuantized MatMulNBits MatMulNBits";
  CHECK(made("y = Gemm(h, t) {transB=1, alpha=2.0}", {}) == apart);
  CHECK(made(by_transpose, {.tables = std::nullopt}) == "Gather MatMulNBits MatMulNBits");
  CHECK(made(by_transpose, {}, {NamePattern("e")}) == "Gather MatMulNBits MatMulNBits");
  CHECK(made("m = Mul(h, Slice(t, i64[1] 0, i64[1] 1, i64[1] 0)); y = MatMul(m, Transpose(t))", {}) ==
        "Gather MatMulNBits Slice Mul MatMulNBits");
  CHECK(made("g = Gather(t, i64[] 3) {axis=1}; y = Add(MatMul(h, Transpose(t)), g)", {}) ==
        "Gather MatMulNBits Gather MatMulNBits Add");
  CHECK(made("z = Gemm(h, t) {transB=1, alpha=2.0}; y = Add(MatMul(h, Transpose(t)), z)", {}, {NamePattern("z")}) ==
        "Gather MatMulNBits Gemm MatMulNBits Add");
  CHECK(made(by_transpose, {}, {NamePattern("y")}) == "Gather MatMulNBits Transpose MatMul");
  CHECK(made(by_transpose, {.operators = BlockOperators::standard}) ==
        "Gather Cast Mul DequantizeLinear MatMul DequantizeLinear MatMul");
}

TEST_CASE("a table is not shared before opset 5, whose Reshape takes dims", "[blockwise]") {
  Model model = graph("opset 4; t = f32[40,64] random; w = f32[64,64] random; ids: i64[5]; e = Gather(t, ids); "
                      "h = MatMul(e, w); y = MatMul(h, Transpose(t)); return y");
  blockwise({}).run(model);
  CHECK(verify(model).empty());
  CHECK(ops(model.graph()) == "GatherBlockQuantized MatMulNBits MatMulNBits");
}

TEST_CASE("the transpose of a constant is a weight, for dynamic quantization too", "[blockwise]") {
  const std::string text = "opset 21; t = f32[40,64] random; x: f32[3,64]; y = MatMul(x, Transpose(t))";
  std::vector<float> values(3 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(3 * i + 1));
  const Feeds feeds{{"x", Tensor::of<float>({3, 64}, values)}};
  const std::vector<float> wanted = Evaluator(graph(text).graph()).run(feeds)[0].to<float>();
  for (const Pass& pass : {blockwise({.weights = {.bits = 8}}), quantize_dynamic(targets::ort_cpu_x64)}) {
    Model model = graph(text);
    CHECK(pass.run(model).changes != 0);
    CHECK(verify(model).empty());
    CHECK(model.graph().find("t") == nullptr);
    CHECK(ops(model.graph()).find("Transpose") == std::string::npos);
    const std::vector<float> made = Evaluator(model.graph()).run(feeds)[0].to<float>();
    for (std::size_t i = 0; i < made.size(); ++i) CHECK(made[i] == Approx(wanted[i]).margin(0.3));
  }
  Model turned = graph("opset 21; t = f32[2,3,4] random; x: f32[3,2]; y = MatMul(x, Transpose(t) {perm=[0,2,1]})");
  CHECK(blockwise({}).run(turned).changes == 0);
}
