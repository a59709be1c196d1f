#include <graft/lower/conv.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

/// x and y of 3 and 4 channels, and weights of 8 filters for each.
std::string sum(std::string_view added, std::string_view x = "N,3,5,6", std::string_view y = "N,4,5,6") {
  return "x: f32[" + std::string(x) + "]; y: f32[" + std::string(y) + "]; w = f32[8,3,1,1] random; " +
         "v = f32[8,4,1,1] random; b = f32[8] random; c = f32[8] random; z = Add(" + std::string(added) + ")";
}

TestResult refuses(const std::string& text, std::string_view reason) {
  return given(text).rule(added_convs_to_conv).refuses(reason);
}

}  // namespace

TEST_CASE("two pointwise convolutions that are added become one over both inputs") {
  Model model = graph(sum("Conv(x, w, b), Conv(y, v, c)"));
  CHECK(sweep(added_convs_to_conv).run(model).changes == 1);
  const Node& made = *model.graph().outputs()[0]->producer();
  CHECK(made.is("Conv"));
  CHECK(made.input(0)->producer()->is("Concat"));
  CHECK(made.input(1)->constant()->dims() == Dims{8, 7, 1, 1});
  CHECK(made.input(2)->constant()->dims() == Dims{8});
  CHECK(model.graph().nodes().size() == 2);
}

TEST_CASE("added_convs_to_conv gives the same results, with biases and without") {
  for (const char* const added :
       {"Conv(x, w, b), Conv(y, v, c)", "Conv(x, w), Conv(y, v, c)", "Conv(x, w, b), Conv(y, v)",
        "Conv(x, w), Conv(y, v)", "Conv(y, v, c), Conv(x, w, b)",
        "Conv(x, w) {kernel_shape=[1,1], pads=[0,0,0,0]}, Conv(y, v) {auto_pad=\"VALID\", dilations=[2,2]}"}) {
    INFO(added);
    CHECK(given(sum(added)).rule(added_convs_to_conv).equivalent());
  }
  CHECK(given("x: f32[2,3,7]; y: f32[2,2,7]; w = f32[5,3,1] random; v = f32[5,2,1] random; "
              "z = Add(Conv(x, w), Conv(y, v))")
            .rule(added_convs_to_conv)
            .equivalent());
  CHECK(variants(added_convs_to_conv, sum("Conv(x, w, b), Conv(y, v, c)", "2,3,5,6", "2,4,5,6")));
}

TEST_CASE("the input of one that strides is pooled beforehand, whichever it is") {
  const std::string second = sum("Conv(x, w, b), Conv(y, v, c) {strides=[2,3]}", "N,3,5,4", "N,4,9,12");
  CHECK(given(second).rule(conv_and_strided_to_conv).equivalent());
  CHECK(given(second).rule(added_convs_to_conv).refuses("strides"));
  CHECK(given(second).rule(strided_and_conv_to_conv).refuses("stride"));
  const std::string first = sum("Conv(y, v, c) {strides=[2,3]}, Conv(x, w, b)", "N,3,5,4", "N,4,10,10");
  CHECK(given(first).rule(strided_and_conv_to_conv).equivalent());
  CHECK(given(first).rule(conv_and_strided_to_conv).refuses("strides"));
  CHECK(variants(conv_and_strided_to_conv, sum("Conv(x, w), Conv(y, v) {strides=[2,2]}", "1,3,2,3", "1,4,4,6")));

  Model model = graph(second);
  CHECK(sweep(conv_and_strided_to_conv).run(model).changes == 1);
  CHECK(sweep(conv_and_strided_to_conv).run(model).changes == 0);
  const Node& concat = *model.graph().outputs()[0]->producer()->input(0)->producer();
  CHECK(concat.input(1)->producer()->attr<Ints>("strides") == Ints{2, 3});
}

TEST_CASE("added_convs_to_conv refuses") {
  CHECK(refuses("x: f32[1,3,5,5]; w = f32[8,3,1,1] random; v = f32[8,3,1,1] random; z = Add(Conv(x, w), Conv(x, v))",
                "one value"));
  const std::string of_16_bits = "x: f16[1,1,5,5]; y: f16[1,1,5,5]; w = f16[2,1,1,1] {1, 2}; v = f16[2,1,1,1] {2, 1}; ";
  CHECK(given(of_16_bits + "b = f16[2] 40000; z = Add(Conv(x, w, b), Conv(y, v, b))")
            .rule(added_convs_to_conv)
            .refuses("too large"));
  CHECK(given("opset 22; " + sum("Conv(x, w), Conv(y, v) {strides=[2,3]}", "N,3,5,4", "N,4,9,12"))
            .rule(conv_and_strided_to_conv)
            .refuses("no integer MaxPool"));
  CHECK(refuses(sum("Conv(x, w) {strides=[2,2]}, Conv(y, v) {strides=[2,2]}"), "strides"));
  CHECK(given(sum("Conv(x, w) {strides=[2,2]}, Conv(y, v) {strides=[2,2]}"))
            .rule(conv_and_strided_to_conv)
            .refuses("both have strides"));
  CHECK(refuses(sum("Conv(x, w) {pads=[1,1,1,1]}, Conv(y, v)", "N,3,3,4"), "padding"));
  CHECK(refuses(sum("Conv(x, w) {auto_pad=\"SAME_UPPER\"}, Conv(y, v)"), "padding"));
  CHECK(refuses(sum("Conv(x, w), Conv(y, v)", "N,3,1,1"), "broadcast"));
  CHECK(refuses(sum("Conv(x, w), Conv(y, v)", "M,3,5,6"), "broadcast"));
  CHECK(refuses(sum("Conv(x, w), Conv(y, v)", "?,3,5,6", "?,4,5,6"), "broadcast"));
  CHECK(
      refuses("x: f32[1,3,5,5]; y: f32[1,4,5,5]; w = f32[8,3,3,3] random; v = f32[8,4,1,1] random; "
              "z = Add(Conv(x, w) {pads=[1,1,1,1]}, Conv(y, v))",
              "one element"));
  CHECK(
      refuses("x: f32[1,6,5,5]; y: f32[1,4,5,5]; w = f32[8,3,1,1] random; v = f32[8,4,1,1] random; "
              "z = Add(Conv(x, w) {group=2}, Conv(y, v))",
              "groups"));
  CHECK(
      refuses("x: f32[1,5,5,5]; y: f32[1,4,5,5]; w = f32[8,5,1,1] random; v = f32[8,4,1,1] random; "
              "z = Add(Conv(x, w), Conv(y, v))",
              "more channels than the sum"));
  CHECK(
      refuses("x: f32[1,1,5,5]; y: f32[1,1,5,5]; w = f32[2,1,1,1] {1, 2}; v = f32[2,1,1,1] {4.5, 2}; "
              "z = Add(Conv(x, w), Conv(y, v))",
              "factor of 2"));
  CHECK(
      refuses("x: f32[1,1,5,5]; y: f32[1,1,5,5]; w = f32[2,1,1,1] {1, 2}; v = f32[2,1,1,1] {0, 0}; "
              "z = Add(Conv(x, w), Conv(y, v))",
              "factor of 2"));
  for (const char* const weights : {"{nan, 1}", "{1, nan}"})
    CHECK(refuses("x: f32[1,1,5,5]; y: f32[1,1,5,5]; w = f32[2,1,1,1] " + std::string(weights) +
                      "; v = f32[2,1,1,1] {1, 1}; z = Add(Conv(x, w), Conv(y, v))",
                  "factor of 2"));
  CHECK(
      refuses("q: u8[N,3,5,6]; y: f32[N,4,5,6]; w = f32[8,3,1,1] random; v = f32[8,4,1,1] random; "
              "z = Add(Conv(DequantizeLinear(q, f32[] 0.1, u8[] 3), w), Conv(y, v))",
              "dequantized"));
}

namespace {

std::string product(std::string_view group_index) {
  return "x: f32[2,32]; b = u8[3,2,8] random; s = f32[6] random; y = com.microsoft::MatMulNBits(x, b, s" +
         std::string(group_index) + ") {K=32, N=3, bits=4, block_size=16}";
}

std::string index_of(auto group) {
  std::string text = "i32[32] {";
  for (int k = 0; k < 32; ++k) text += (k == 0 ? "" : ", ") + std::to_string(group(k));
  return text + "}";
}

const auto by_block = [](int k) { return k / 16; };

}  // namespace

TEST_CASE("a group index that says what holds anyway goes") {
  CHECK(given(product(", _, " + index_of(by_block))).pass(drop_group_indices()).becomes(product("")));
  CHECK(given(product(", _, " + index_of(by_block) + ", f32[3] {1, 2, 3}"))
            .pass(drop_group_indices())
            .becomes(product(", _, _, f32[3] {1, 2, 3}")));
  Model model = graph(product(", _, " + index_of(by_block)));
  drop_group_indices().run(model);
  CHECK(model.graph().initializers().size() == 2);
}

TEST_CASE("a group index that says more stays") {
  const auto refuses = [](const std::string& index, std::string_view reason) {
    return given(product(", _, " + index)).rule(drop_group_index).refuses(reason);
  };
  CHECK(refuses(index_of([](int k) { return k / 8; }), "other groups"));  // sorted all the same
  CHECK(refuses(index_of([](int k) { return k % 2; }), "other groups"));
  CHECK(given(product("")).rule(drop_group_index).refuses("no group index"));
  CHECK(given("g: i32[32]; " + product(", _, g")).rule(drop_group_index).refuses("not constant"));
}
