#include <graft/qdq/block_matrix.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/thread_pool.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

std::vector<float> normal(std::size_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> distribution;
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return distribution(random); });
  return values;
}

/// Without importance, large values count more. The values of a block have a mean square of about 1.
double error(const std::vector<float>& values, const BlockMatrix& blocks, const std::vector<float>& importance = {}) {
  const std::vector<float> got = blocks.values();
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += (importance.empty() ? 1 + std::pow(values[i], 2) : importance[i % blocks.columns]) *
           std::pow(values[i] - got[i], 2);
  return sum;
}

}  // namespace

TEST_CASE("blocks: an asymmetric one spans its range and 0", "[blocks]") {
  const BlockForm form{.bits = 2, .block_size = 16};
  const std::vector<float> values{-1, 2, 0.4F, 0.6F};
  const BlockQParams q = nearest_block_qparams(values, form);
  CHECK(q.scale == 1);
  CHECK(q.zero_point == 1);
  CHECK(nearest_blocks(values, 4, form).codes == std::vector<std::uint8_t>{0, 3, 1, 2});
  CHECK(nearest_block_qparams(std::vector<float>{3, 6}, form).zero_point == 0);
  CHECK(nearest_block_qparams(std::vector<float>{3, 6}, form).scale == 2);
}

TEST_CASE("blocks: of a symmetric one the greatest magnitude is code 0, whatever its sign", "[blocks]") {
  const BlockForm form{.bits = 4, .block_size = 16, .symmetric = true};
  for (const float sign : {1.0F, -1.0F}) {
    const BlockQParams q = nearest_block_qparams(std::vector<float>{sign * 0.8F, sign * -0.7F}, form);
    CHECK(q.zero_point == 8);
    CHECK(q.scale == Approx(sign * -0.1F));
    CHECK(q.code(sign * 0.8F, form) == 0);
    CHECK(q.code(sign * -0.7F, form) == 15);
  }
}

TEST_CASE("blocks: positive scales of symmetric ones reach every value", "[blocks]") {
  const std::vector<float> values = normal(6 * 70);
  for (const int bits : {2, 4, 8}) {
    const BlockForm form{bits, 32, true, true};
    const BlockMatrix nearest = nearest_blocks(values, 70, form), searched = searched_blocks(values, 70, form);
    const std::vector<float> got = nearest.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float step = nearest.qparams(i / 70, i % 70 / 32).scale;
      CHECK(std::abs(got[i] - values[i]) <= 0.501F * step);
    }
    for (const BlockMatrix& blocks : {nearest, searched}) CHECK(*std::ranges::min_element(blocks.scales) > 0);
    CHECK(error(values, searched) <= error(values, nearest));
  }
}

TEST_CASE("blocks of zeros, and of values that vanish, have scale 1", "[blocks]") {
  for (const bool symmetric : {false, true}) {
    const BlockForm form{.symmetric = symmetric};
    CHECK(nearest_block_qparams(std::vector<float>(16), form).scale == 1);
    CHECK(searched_block_qparams(std::vector<float>(16), {}, form).scale == 1);
    CHECK(nearest_block_qparams(std::vector<float>{1e-44F}, form).scale == 1);
    CHECK(nearest_blocks(std::vector<float>(40), 20, form).values() == std::vector<float>(40));
  }
}

TEST_CASE("blocks: values are off by half a step at most", "[blocks]") {
  const std::vector<float> values = normal(6 * 70);
  for (const bool symmetric : {false, true}) {
    for (int bits = 2; bits <= 8; ++bits) {
      const BlockMatrix blocks = nearest_blocks(values, 70, {bits, 32, symmetric});
      CHECK(blocks.blocks() == 3);
      const std::vector<float> got = blocks.values();
      for (std::size_t i = 0; i < values.size(); ++i) {
        const float step = std::abs(blocks.qparams(i / 70, i % 70 / 32).scale);
        CHECK(std::abs(got[i] - values[i]) <= (symmetric ? 1.001F : 0.501F) * step);
      }
    }
  }
}

TEST_CASE("blocks: search makes less error than rounding to nearest, and heeds importance", "[blocks]") {
  const std::vector<float> values = normal(64 * 64);
  const std::vector<float> equal(64, 1);
  std::vector<float> importance = equal;
  for (std::size_t i = 0; i < 64; i += 8) importance[i] = 100;
  for (const bool symmetric : {false, true}) {
    const BlockForm form{4, 32, symmetric};
    const BlockMatrix nearest = nearest_blocks(values, 64, form), searched = searched_blocks(values, 64, form, equal),
                      weighed = searched_blocks(values, 64, form, importance),
                      by_squares = searched_blocks(values, 64, form);
    CHECK(error(values, searched, equal) < 0.95 * error(values, nearest, equal));
    CHECK(error(values, weighed, importance) < 0.8 * error(values, searched, importance));
    CHECK(error(values, weighed, equal) > error(values, searched, equal));
    CHECK(error(values, by_squares) < 0.95 * error(values, nearest));
    CHECK(error(values, by_squares) < 0.95 * error(values, searched));
  }
  for (int bits = 2; bits <= 8; ++bits) {
    const BlockForm form{.bits = bits};
    CHECK(error(values, searched_blocks(values, 64, form)) <= error(values, nearest_blocks(values, 64, form)));
  }
}

TEST_CASE("blocks: of any number of threads they are the same", "[blocks]") {
  const std::vector<float> values = normal(200 * 300);
  ThreadPool threads(3);
  const ParallelFor parallel = std::ref(threads);
  for (const bool symmetric : {false, true}) {
    const BlockForm form{.block_size = 32, .symmetric = symmetric};
    const BlockMatrix one = searched_blocks(values, 300, form),
                      several = searched_blocks(values, 300, form, {}, &parallel);
    CHECK(one.codes == several.codes);
    CHECK(one.scales == several.scales);
    CHECK(one.zero_points == several.zero_points);
    CHECK(nearest_blocks(values, 300, form).codes == nearest_blocks(values, 300, form, &parallel).codes);
  }
}

TEST_CASE("blocks: codes and zero points are packed from the lowest bits on", "[blocks]") {
  BlockMatrix blocks(1, 18, {.bits = 4, .block_size = 16});
  for (std::size_t i = 0; i < 18; ++i) blocks.codes[i] = static_cast<std::uint8_t>(i % 16);
  blocks.zero_points = {3, 12};
  const Tensor codes = blocks.packed_codes();
  CHECK(codes.dims() == Dims{1, 2, 8});
  CHECK(codes.to<int>() == std::vector<int>{0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe,  //
                                            0x10, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc});
  CHECK(blocks.packed_zero_points().to<int>() == std::vector<int>{0xc3});
  BlockMatrix three(2, 16, {.bits = 3, .block_size = 16});
  three.codes[2] = 7;
  three.zero_points = {5, 6};
  CHECK(three.packed_codes().dims() == Dims{2, 1, 6});
  CHECK(three.packed_codes().to<int>()[0] == 0b11'000'000);
  CHECK(three.packed_codes().to<int>()[1] == 0b1);
  CHECK(three.packed_zero_points().to<int>() == std::vector<int>{5, 6});
}

TEST_CASE("blocks: forms out of bounds are refused", "[blocks]") {
  const std::vector<float> values(16);
  CHECK_THROWS_WITH(nearest_blocks(values, 16, {.bits = 9}), Catch::Contains("2 to 8 bits, not 9"));
  CHECK_THROWS_WITH(nearest_blocks(values, 16, {.bits = 1}), Catch::Contains("2 to 8 bits, not 1"));
  for (const std::int64_t size : {0, 8, 24, 512, -32})
    CHECK_THROWS_WITH(nearest_blocks(values, 16, {.block_size = size}), Catch::Contains("power of two"));
}
