// Nodes whose numbers ask for tensors that cannot be, or that no memory holds: each is refused by name, before anything
// is allocated.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/onnx.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t large = std::int64_t{1} << 50;  // a size that can be written down, but not held

struct Absurd {
  int opset;
  std::string op;
  std::vector<Tensor> inputs;
  Attributes attributes{};
};

/// Refused with the node's operator in the message.
void refused(const Absurd& one) {
  const std::string failure = failure_of(one.opset, one.op, one.inputs, one.attributes);
  INFO(one.op << ": " << failure);
  CHECK(failure.find("node '") == 0);
  CHECK(failure.find(one.op) != std::string::npos);
}

Tensor number(std::int64_t n) { return Tensor::scalar(n); }

}  // namespace

TEST_CASE("sizes that come from inputs") {
  const Tensor x = counting({1, 2}), image = counting({1, 1, 2, 2}), values = floats({0, 1});
  const Tensor sequence = counting({1, 4, 1});
  std::vector<Absurd> table;
  for (const std::int64_t n : {most, large}) {
    table.insert(table.end(), {
      {13, "ConstantOfShape", {ints({n})}},
      {13, "ConstantOfShape", {ints({n, n, 0})}},
      {13, "Range", {number(0), number(n), number(1)}},
      {13, "Range", {number(n), number(least), number(-1)}},
      {13, "Expand", {x, ints({n, 1})}},
      {13, "Expand", {x, ints({n, n, 1, 2})}},
      {13, "Tile", {x, ints({n, n})}},
      {13, "Tile", {x, ints({1, n})}},
      {13, "OneHot", {ints({0, 1}), number(n), values}},
      {13, "Pad", {x, ints({0, n, 0, n})}},
      {13, "Pad", {x, ints({0, least, 0, most})}},
      {18, "Pad", {x, ints({n, 0, n, 0})}, {{"mode", "edge"}}},
      {18, "Pad", {x, ints({0, n, 0, 0})}, {{"mode", "reflect"}}},
      {18, "CenterCropPad", {x, ints({n, n})}},
      {19, "Resize", {image, Tensor(), Tensor(), ints({n, 1, 2, 2})}},
      {19, "Resize", {image, Tensor(), Tensor(), ints({1, 1, n, 2})}, {{"mode", "linear"}}},
      {19, "Resize", {image, Tensor(), Tensor(), ints({1, 1, -n, 2})}},
      {19, "Resize", {image, Tensor(), floats({1, 1, 1e15F, 1})}},
      {9, "Upsample", {image, floats({1, 1, 1e30F, 1})}},
      {9, "Upsample", {image, floats({1, 1, std::numeric_limits<float>::quiet_NaN(), 1})}},
      {17, "HannWindow", {number(n)}},
      {17, "HammingWindow", {number(-n)}},
      {17, "BlackmanWindow", {number(n)}},
      {17, "MelWeightMatrix", {number(n), number(8), number(8), Tensor::scalar(0.0F), Tensor::scalar(4.0F)}},
      {17, "MelWeightMatrix", {number(2), number(n), number(8), Tensor::scalar(0.0F), Tensor::scalar(4.0F)}},
      {20, "DFT", {sequence, number(n), number(1)}},
      {17, "STFT", {sequence, number(1), Tensor(), number(n)}},
      {18, "Col2Im", {sequence, ints({n, n}), ints({1, 1})}},
      {18, "Col2Im", {sequence, ints({2, 2}), ints({n, n})}},
      {11, "MaxUnpool", {image, Tensor(DType::i64, {1, 1, 2, 2}), ints({n, n, n, n})}, {{"kernel_shape", Ints{1, 1}}}},
      {20, "AffineGrid", {Tensor(DType::f32, {1, 2, 3}), ints({1, 1, n, n})}},
      {13, "Reshape", {x, ints({n, n, 0})}, {}},
      {13, "Reshape", {x, ints({n, n, -1})}},
      {13, "TopK", {x, ints({n})}},
      {13, "Split", {x, ints({n, n})}, {{"axis", 1}}},
    });
  }
  for (const Absurd& one : table) refused(one);
}

TEST_CASE("sizes that come from attributes") {
  const Tensor image = counting({1, 1, 4, 4}), w = counting({1, 1, 2, 2});
  const Tensor indices(DType::i64, {1, 1, 4, 4}), line = counting({1, 4});
  std::vector<Absurd> table;
  for (const std::int64_t n : {most, large, least}) {
    for (const char* name : {"strides", "dilations", "pads"}) {
      const Ints numbers(std::string(name) == "pads" ? 4 : 2, n);
      table.insert(table.end(), {
        {13, "Conv", {image, w}, {{name, numbers}}},
        {13, "ConvTranspose", {image, w}, {{name, numbers}}},
        {13, "MaxPool", {image}, {{name, numbers}, {"kernel_shape", Ints{2, 2}}}},
        {22, "AveragePool", {image}, {{name, numbers}, {"kernel_shape", Ints{2, 2}}, {"ceil_mode", 1}}},
        {22, "LpPool", {image}, {{name, numbers}, {"kernel_shape", Ints{2, 2}}}},
        {18, "Col2Im", {counting({1, 4, 9}), ints({4, 4}), ints({2, 2})}, {{name, numbers}}},
        {22, "DeformConv", {image, w, counting({1, 8, 3, 3})}, {{name, numbers}}},
      });
    }
    table.insert(table.end(), {
      {13, "MaxPool", {image}, {{"kernel_shape", Ints{n, n}}}},
      {13, "AveragePool", {image}, {{"kernel_shape", Ints{n, n}}, {"auto_pad", "SAME_UPPER"}}},
      {13, "ConvTranspose", {image, w}, {{"output_shape", Ints{n, n}}}},
      {13, "ConvTranspose", {image, w}, {{"output_padding", Ints{n, n}}}},
      {11, "MaxUnpool", {image, indices}, {{"kernel_shape", Ints{n, n}}}},
      {11, "MaxUnpool", {image, indices}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{n, n}}}},
      {13, "SpaceToDepth", {image}, {{"blocksize", n}}},
      {13, "DepthToSpace", {image}, {{"blocksize", n}}},
      {13, "DepthToSpace", {Tensor(DType::f32, {1, 0, 4, 4})}, {{"blocksize", n}}},
      {16, "RoiAlign", {image, counting({1, 4}), ints({0})}, {{"output_height", n}}},
      {7, "Upsample", {line}, {{"scales", Floats{1, 1e30F}}}},
      {2, "Pad", {line}, {{"pads", Ints{0, n, 0, n}}}},
    });
  }
  table.push_back({16, "RoiAlign", {image, counting({1, 4}), ints({0})}, {{"sampling_ratio", large}}});
  table.push_back({16, "RoiAlign", {image, counting({1, 4}), ints({0})}, {{"sampling_ratio", most}}});
  table.push_back({9, "TfIdfVectorizer", {ints({1, 2})},
                   {{"mode", "TF"}, {"min_gram_length", 1}, {"max_gram_length", 1}, {"max_skip_count", 0},
                    {"ngram_counts", Ints{0}}, {"ngram_indexes", Ints{most}}, {"pool_int64s", Ints{1}}}});
  for (const Absurd& one : table) refused(one);
}

TEST_CASE("sizes that come from inputs of no bytes") {
  const Tensor wide(DType::f32, {large, 0});
  const Tensor no_axes(DType::i64, {large, 0}), none(DType::f32, {1, 0, 1});
  for (const Absurd& one : std::vector<Absurd>{
           {13, "Add", {Tensor(DType::f32, {large, 1, 0}), Tensor(DType::f32, {1, large, 0})}},
           {13, "GatherND", {counting({2, 2}), no_axes}},
           {13, "ScatterND", {counting({2, 2}), no_axes, Tensor(DType::f32, {large, 0, 2})}},
           {13, "Unique", {wide}, {{"axis", 0}}},
           {13, "MatMul", {wide, Tensor(DType::f32, {0, large})}},
           {13, "Einsum", {wide, wide}, {{"equation", "ai,bi->ab"}}},
           {13, "ReduceSum", {wide, ints({1})}},
           {17, "LSTM", {none, none, Tensor(DType::f32, {1, 0, most / 32})}, {{"hidden_size", most / 32}}},
       }) {
    refused(one);
  }
}

TEST_CASE("a loop that collects for ever ends when nothing can hold it") {
  onnx::GraphProto body;
  body.set_name("body");
  const auto add = [&](const char* input, const char* output) {
    onnx::NodeProto& node = *body.add_node();
    node.set_op_type("Identity");
    node.add_input(input);
    node.add_output(output);
    body.add_output()->set_name(output);
  };
  for (const char* input : {"iteration", "condition"}) body.add_input()->set_name(input);
  onnx::TensorProto& slice = *body.add_initializer();
  slice.set_name("slice");
  slice.set_data_type(onnx::TensorProto::FLOAT);
  slice.add_dims(0);
  slice.add_dims(large);
  add("condition", "goes_on");
  add("slice", "collected");
  refused({13, "Loop", {number(most), Tensor::scalar(true)}, {{"body", body}}});
}

TEST_CASE("large steps over a small axis are steps to its end") {
  const Tensor x = floats({1, 2, 3});
  CHECK(same(run(13, "Slice", {x, ints({0}), ints({most}), ints({0}), ints({most})}), floats({1})));
  CHECK(same(run(13, "Slice", {x, ints({-1}), ints({least}), ints({0}), ints({least})}), floats({3})));
}

TEST_CASE("Range counts exactly where doubles would not") {
  const std::int64_t far = std::int64_t{1} << 60;
  CHECK(run(13, "Range", {number(far), number(far + 3), number(1)}).to<std::int64_t>() == Ints{far, far + 1, far + 2});
  CHECK(run(13, "Range", {number(most), number(least), number(least)}).to<std::int64_t>() == Ints{most, -1});
  CHECK(run(13, "Range", {number(least), number(most), number(most)}).to<std::int64_t>() == Ints{least, -1, most - 1});
}
