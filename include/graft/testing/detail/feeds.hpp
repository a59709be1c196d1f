#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/memory.hpp>
#include <graft/testing/random.hpp>

namespace graft::inline v1::detail {

/// Tensors for the inputs of a graph, another set for each round: zeros, ones, special values, then random values of
/// several magnitudes. In even rounds, inputs with a default are not fed.
class FeedMaker {
 public:
  using Sizes = std::unordered_map<std::string, std::int64_t>;

  /// sizes: of symbolic dims; other symbols vary from round to round.
  FeedMaker(const Graph& graph, std::uint64_t seed, Sizes sizes, bool non_finite)
      : graph_(&graph), seed_(seed), fixed_(std::move(sizes)), non_finite_(non_finite) {}

  /// Throws Error for an input that is not a dense tensor of numbers.
  Feeds feeds(std::size_t round) {
    Random random(seed_ * 1000003 + round);
    sizes_ = fixed_;
    Feeds result;
    for (const Value* const input : graph_->inputs()) {
      const Dims dims = dims_of(*input, random);
      if (input->initializer() != nullptr && round % 2 == 0) continue;
      result.emplace_back(std::string(input->name()), contents(*input, dims, round, random));
    }
    return result;
  }
  /// The sizes of symbolic dims in the last round.
  const Sizes& sizes() const { return sizes_; }

 private:
  Dims dims_of(const Value& input, Random& random) {
    const Shape shape = input.shape();
    if (!shape.known()) return {random.integer(1, 4), random.integer(1, 4)};
    Dims dims;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      const Dim dim = shape[axis];
      std::int64_t size = dim.known() ? dim.value() : random.integer(1, 4);
      if (dim.symbolic()) size = sizes_.try_emplace(std::string(dim.symbol()), size).first->second;
      dims.push_back(size);
    }
    return dims;
  }

  Tensor contents(const Value& input, const Dims& dims, std::size_t round, Random& random) const {
    const DType dtype = input.dtype();
    if (bits(dtype) == 0 || is_complex(dtype)) {
      throw Error("an input of type " + (input.type() ? to_string(*input.type()) : "unknown") + " cannot be fed")
          .field(input.name());
    }
    const std::size_t count = allocated_bytes(DType::f64, dims) / sizeof(double);
    if (round < 2) return Tensor::of(dtype, dims, std::vector<double>(count, static_cast<double>(round)));
    if (round == 2) return picked(dtype, dims, specials(dtype), random);
    Tensor tensor = random_tensor(dtype, dims, random, interval(dtype, round));
    if (round == 3 && non_finite_ && is_float(dtype)) sprinkle(tensor, random);
    return tensor;
  }

  static Interval interval(DType dtype, std::size_t round) {
    if (dtype == DType::boolean || (is_integer(dtype) && bits(dtype) <= 8)) return usual_interval(dtype);
    constexpr std::array<double, 4> magnitudes = {1, 8, 0.05, 100};
    constexpr std::array<Interval, 3> small = {{{0, 3}, {-4, 4}, {-100, 100}}};
    if (is_integer(dtype)) return {is_signed(dtype) ? small[round % 3].low : 0, small[round % 3].high};
    const double magnitude = magnitudes[round % 4];
    return {is_signed(dtype) ? -magnitude : 0, magnitude};
  }

  static std::vector<double> specials(DType dtype) {
    if (is_float(dtype)) return {0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, 3, -3, 6, -6, 8, -8, 1e-6, -1e-6};
    if (dtype == DType::boolean) return {0, 1};
    if (dtype == DType::u64) return {0, 1};
    return {static_cast<double>(lowest(dtype)), static_cast<double>(highest(dtype)), 0, 1};
  }
  static Tensor picked(DType dtype, const Dims& dims, const std::vector<double>& from, Random& random) {
    std::vector<double> values(static_cast<std::size_t>(element_count(dims)));
    for (double& value : values)
      value = from[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(from.size()) - 1))];
    return Tensor::of(dtype, dims, values);
  }
  static void sprinkle(Tensor& tensor, Random& random) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr std::array<double, 3> strange = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
    std::vector<double> values = tensor.to<double>();
    for (std::size_t i = 0; i < values.size(); ++i)
      if (random.integer(0, 7) == 0) values[i] = strange[i % strange.size()];
    tensor = Tensor::of(tensor.dtype(), tensor.dims(), values);
  }

  const Graph* graph_;
  std::uint64_t seed_;
  Sizes fixed_, sizes_;
  bool non_finite_;
};

}  // namespace graft::inline v1::detail
