#include <graft/quantize/weights/gptq.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/thread_pool.hpp>
#include <graft/quantize/weights/detail/gptq_factor.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

namespace {

struct Layer {
  std::size_t columns = 80, rows = 24, count = 400;
  std::vector<float> inputs{}, weight{};

  /// Inputs of few independent directions, as those of networks are.
  Layer() {
    std::mt19937 random(2);
    std::normal_distribution<float> normal;
    std::vector<float> directions(12 * columns);
    for (float& value : directions) value = normal(random);
    for (std::size_t n = 0; n < count; ++n) {
      std::vector<float> row(columns);
      for (float& value : row) value = 0.3F * normal(random);
      for (std::size_t k = 0; k < 12; ++k) {
        const float amount = normal(random);
        for (std::size_t i = 0; i < columns; ++i) row[i] += amount * directions[k * columns + i];
      }
      inputs.insert(inputs.end(), row.begin(), row.end());
    }
    weight.resize(rows * columns);
    for (float& value : weight) value = normal(random);
  }

  GramMatrix gram() const {
    return of<GramMatrix>({Tensor::of<float>({static_cast<std::int64_t>(count), static_cast<std::int64_t>(columns)},
                                             inputs)});
  }
  /// The sum of squares of X (W' - W).
  double error(const BlockMatrix& blocks) const {
    const std::vector<float> got = blocks.values();
    double sum = 0;
    for (std::size_t n = 0; n < count; ++n) {
      for (std::size_t row = 0; row < rows; ++row) {
        double difference = 0;
        for (std::size_t i = 0; i < columns; ++i)
          difference += inputs[n * columns + i] * (got[row * columns + i] - weight[row * columns + i]);
        sum += difference * difference;
      }
    }
    return sum;
  }
};

}  // namespace

TEST_CASE("GPTQ leaves an eighth of the error of the product", "[gptq]") {
  const Layer layer;
  for (const bool symmetric : {false, true}) {
    for (const int bits : {2, 3, 4, 8}) {
      const BlockForm form{bits, 32, symmetric};
      const double nearest = layer.error(nearest_blocks(layer.weight, layer.columns, form)),
                   searched = layer.error(searched_blocks(layer.weight, layer.columns, form)),
                   gptq = layer.error(gptq_blocks(layer.weight, layer.columns, form, layer.gram()));
      INFO(bits << " bits: " << gptq << ", " << searched << ", " << nearest);
      CHECK(gptq < 0.2 * nearest);
      CHECK(gptq < 0.2 * searched);
    }
  }
}

TEST_CASE("GPTQ begins with the block of the greatest mean square, however short", "[gptq]") {
  std::vector<float> squares(34, 1);
  squares[20] = 4;                  // 16 of 1, 16 of 1.1875 on average, 2 of 3
  squares[32] = squares[33] = 3;
  const std::vector<std::size_t> order = detail::rounding_order(squares, 16);
  REQUIRE(order.size() == 34);
  CHECK(order[0] == 32);
  CHECK(order[1] == 33);
  CHECK(order[2] == 16);
  CHECK(order[18] == 0);
}

TEST_CASE("GPTQ of inputs that are independent is a search", "[gptq]") {
  std::vector<float> identity(32 * 32), weight(64);
  for (std::size_t i = 0; i < 32; ++i) identity[i * 33] = 1;
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = std::sin(static_cast<float>(i));
  const GramMatrix inputs = of<GramMatrix>({Tensor::of<float>({32, 32}, identity)});
  const std::vector<float> equal(32, 1);
  const BlockMatrix got = gptq_blocks(weight, 32, {}, inputs), wanted = searched_blocks(weight, 32, {}, equal);
  CHECK(got.codes == wanted.codes);
  CHECK(got.zero_points == wanted.zero_points);
  for (std::size_t i = 0; i < got.scales.size(); ++i) CHECK(got.scales[i] == Approx(wanted.scales[i]));
}

TEST_CASE("GPTQ on any number of threads rounds the same", "[gptq]") {
  Layer layer;
  layer.weight.insert(layer.weight.end(), 176 * layer.columns, 0.3F);
  const GramMatrix inputs = layer.gram();
  ThreadPool threads(3);
  const ParallelFor parallel = std::ref(threads);
  const BlockMatrix one = gptq_blocks(layer.weight, layer.columns, {}, inputs),
                    several = gptq_blocks(layer.weight, layer.columns, {}, inputs, detail::gptq_damping, &parallel);
  CHECK(one.codes == several.codes);
  CHECK(one.scales == several.scales);
}

TEST_CASE("GPTQ's factor is that of the inverse of the damped matrix", "[gptq]") {
  const Layer layer;
  const GramMatrix inputs = layer.gram();
  const detail::GptqFactor factor = detail::gptq_factor(inputs, 16, 0.01);
  const auto size = static_cast<Eigen::Index>(layer.columns);
  Eigen::MatrixXd damped(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j)
      damped(i, j) = inputs.sum(factor.order[static_cast<std::size_t>(i)], factor.order[static_cast<std::size_t>(j)]);
  damped.diagonal().array() += 0.01 * damped.diagonal().mean();
  CHECK(factor.upper.isUpperTriangular());
  CHECK((factor.upper.transpose() * factor.upper * damped).isIdentity(1e-8));
}

TEST_CASE("GPTQ of inputs that are constant or zero, and of blocks that are cut off", "[gptq]") {
  const std::vector<float> weight{1, -1, 0.5F, 0.25F, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6};
  const GramMatrix zeros = of<GramMatrix>({Tensor(DType::f32, {3, 18})});
  const GramMatrix ones = of<GramMatrix>({Tensor::of<float>({1, 18}, std::vector<float>(18, 1))});
  for (const GramMatrix& inputs : {zeros, ones}) {
    const BlockMatrix blocks = gptq_blocks(weight, 18, {.bits = 8, .block_size = 16}, inputs);
    const std::vector<float> got = blocks.values();
    for (std::size_t i = 0; i < weight.size(); ++i) CHECK(got[i] == Approx(weight[i]).margin(0.2));
  }
}

TEST_CASE("GPTQ refuses inputs of other columns, and forms out of bounds", "[gptq]") {
  const GramMatrix inputs = of<GramMatrix>({Tensor(DType::f32, {3, 18})});
  CHECK_THROWS_WITH(gptq_blocks(std::vector<float>(16), 16, {}, inputs), Catch::Contains("18 columns"));
  CHECK_THROWS_WITH(gptq_blocks(std::vector<float>(18), 18, {.bits = 1}, inputs), Catch::Contains("bits"));
}
