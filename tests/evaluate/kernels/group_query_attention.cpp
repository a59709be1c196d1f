#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

/// Scores of a query 1 and two keys are 0 and log(3): the weights are 1/4 and 3/4.
const float l = std::log(3.0F);

Tensor i32(Dims dims, std::vector<std::int32_t> values) { return Tensor::of<std::int32_t>(std::move(dims), values); }

}  // namespace

TEST_CASE("GroupQueryAttention shares keys, and sees none behind a query") {
  const Tensor queries = Tensor::of<float>({1, 2, 2}, {1, 1, 1, 1});  // two heads
  const Tensor keys = Tensor::of<float>({1, 2, 1}, {0, l}), values = Tensor::of<float>({1, 2, 1}, {0, 8});
  const Tensor empty(DType::f32, {1, 1, 0, 1});
  const Attributes heads{{"num_heads", 2}, {"kv_num_heads", 1}};
  const auto outputs = run_op(1, "com.microsoft::GroupQueryAttention",
                              {queries, keys, values, empty, empty, i32({1}, {1}), i32({}, {2})}, heads, 3);
  CHECK(same(outputs[0], Tensor::of<float>({1, 2, 2}, {0, 0, 6, 6})));
  CHECK(same(outputs[1], keys.reshaped({1, 1, 2, 1})));
  CHECK(same(outputs[2], values.reshaped({1, 1, 2, 1})));
}

TEST_CASE("GroupQueryAttention puts new steps behind those of each batch") {
  const Tensor step = Tensor::of<float>({2, 1, 1}, {1, 1});
  const Tensor past = Tensor::of<float>({2, 1, 2, 1}, {0, 0, 5, 0});
  const Attributes heads{{"num_heads", 1}, {"kv_num_heads", 1}};
  const auto outputs = run_op(1, "com.microsoft::GroupQueryAttention",
                              {step, Tensor::of<float>({2, 1, 1}, {l, 0}), Tensor::of<float>({2, 1, 1}, {9, 7}), past,
                               past, i32({2}, {2, 0}), i32({}, {3})},
                              heads, 3);
  CHECK(same(outputs[1], Tensor::of<float>({2, 1, 3, 1}, {0, 0, l, 0, 0, 0})));
  CHECK(same(outputs[2], Tensor::of<float>({2, 1, 3, 1}, {0, 0, 9, 7, 0, 0})));
  CHECK(same(outputs[0], Tensor::of<float>({2, 1, 1}, {9 * 0.6F, 7}), 1e-5));
  CHECK(failure_of(1, "com.microsoft::GroupQueryAttention",
                   {step, step, step, past, past, i32({2}, {5, 5}), i32({}, {3})}, heads) != "");
}

TEST_CASE("GroupQueryAttention refuses operands that do not fit") {
  const Tensor step = Tensor::of<float>({1, 1, 2}, {1, 1}), past = Tensor::of<float>({1, 1, 1, 2}, {1, 1});
  const auto refuses = [&](const Tensor& key, const Tensor& value, const Tensor& before, std::int32_t last) {
    return failure_of(1, "com.microsoft::GroupQueryAttention",
                      {step, key, value, before, past, i32({1}, {last}), i32({}, {last == 1 ? 2 : 1})},
                      {{"num_heads", 1}, {"kv_num_heads", 1}}) != "";
  };
  CHECK_FALSE(refuses(step, step, past, 1));
  CHECK(refuses(step, step, past, -2));
  CHECK(refuses(step, step, past, -100000));
  CHECK(refuses(Tensor::of<float>({1, 1, 1}, {1}), step, past, 1));
  CHECK(refuses(step, Tensor::of<float>({1, 1, 1}, {1}), past, 1));
  CHECK(refuses(step, step, Tensor::of<float>({1, 1, 1, 1}, {1}), 1));
  CHECK(refuses(step, step, floats({1}), 1));
}

TEST_CASE("GroupQueryAttention stores keys and values in integers") {
  const Tensor step = Tensor::of<float>({1, 1, 2}, {1, -2}), none;
  const auto with = [&](const Attributes& attributes, DType dtype, std::int64_t width, const Tensor& scale) {
    const Tensor empty(dtype, {1, 1, 0, width});
    return std::pair{std::vector<Tensor>{step, step, step, empty, empty, i32({1}, {0}), i32({}, {1}), none, none, none,
                                         none, none, scale, scale},
                     attributes};
  };
  const auto attributes = [](const char* keys, const char* values, int bits) {
    return Attributes{{"num_heads", 1},         {"kv_num_heads", 1},        {"k_quant_type", keys},
                      {"v_quant_type", values}, {"kv_cache_bit_width", bits}};
  };
  const auto run = [](const auto& given) {
    return run_op(1, "com.microsoft::GroupQueryAttention", given.first, given.second, 3);
  };
  const auto fails = [](const auto& given) {
    return failure_of(1, "com.microsoft::GroupQueryAttention", given.first, given.second) != "";
  };
  const auto eight = run(with(attributes("PER_TENSOR", "PER_TENSOR", 8), DType::i8, 2, floats({0.8F})));
  CHECK(eight[1].to<int>() == std::vector<int>{1, -2});  // 1.25 and -2.5, rounded to even
  CHECK(same(eight[0], Tensor::of<float>({1, 1, 2}, {0.8F, -1.6F}), 1e-6));
  const auto four = run(with(attributes("PER_CHANNEL", "PER_CHANNEL", 4), DType::u8, 1, floats({0.5F, 0.1F})));
  CHECK(four[1].to<int>() == std::vector<int>{0x0a});  // 2, and -20, which saturates
  CHECK(same(four[0], Tensor::of<float>({1, 1, 2}, {1, -0.8F}), 1e-6));
  const auto of_nan = [&](int bits, DType dtype, std::int64_t width) {
    auto given = with(attributes("PER_TENSOR", "PER_TENSOR", bits), dtype, width, floats({1}));
    given.first[1] = Tensor::of<float>({1, 1, 2}, {std::nanf(""), -2});
    return run(given)[1].to<int>();
  };
  CHECK(of_nan(8, DType::i8, 2) == std::vector<int>{127, -2});  // as ONNX Runtime 1.32 stores it
  CHECK(of_nan(4, DType::u8, 1) == std::vector<int>{0x6f});
  CHECK(fails(with(attributes("PER_TENSOR", "PER_CHANNEL", 8), DType::i8, 2, floats({1}))));
  CHECK(fails(with(attributes("PER_CHANNEL", "PER_CHANNEL", 8), DType::i8, 2, floats({1}))));
  CHECK(fails(with(attributes("PER_TENSOR", "PER_TENSOR", 3), DType::i8, 2, floats({1}))));
  CHECK(fails(with(attributes("NONE", "NONE", 8), DType::f32, 2, floats({1}))));
  CHECK(fails(with(attributes("PER_TENSOR", "PER_TENSOR", 8), DType::f32, 2, floats({1}))));
}
