#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <graft/qdq/block_matrix.hpp>

namespace graft::inline v1::detail {

/// A scale as float32; 1 for blocks of zeros, and if it would vanish.
inline float block_scale(double exact) {
  const auto scale = static_cast<float>(exact);
  return std::isnormal(scale) ? scale : 1;
}

/// searched_block_qparams() of one block after another. Some thirty sets of codes are tried for a block, so the loops
/// are explicit vectors.
class BlockSearch {
 public:
  explicit BlockSearch(const BlockForm& form) : form_(form) {}

  BlockQParams operator()(std::span<const float> values, std::span<const float> importance) {
    load(values, importance);
    nearest_ = nearest_block_qparams(values, form_);
    best_ = nearest_;
    gain_ = 0;
    if (form_.symmetric)
      search_scale();
    else
      search_range();
    if (attempt(best_)) attempt(best_);  // its codes again, with the scale that was best for them
    return error(best_) < error(nearest_) ? best_ : nearest_;
  }

 private:
  using Lane = Eigen::Array4f;
  using Doubles = Eigen::Array4d;
  static constexpr std::size_t width = 16;  // four vectors at a time, as each waits for the one before
  using Lanes = std::array<Lane, width / 4>;

  /// Pads the block with zeros of no importance.
  void load(std::span<const float> values, std::span<const float> importance) {
    const std::size_t size = (values.size() + width - 1) / width * width;
    values_.assign(size, 0);
    importance_.assign(size, 0);
    weighed_.resize(size);
    std::ranges::copy(values, values_.begin());
    if (importance.empty()) {
      double squares = 0;
      for (const float value : values) squares += double{value} * value;
      const double unit = squares > 0 ? static_cast<double>(values.size()) / squares : 0;
      for (std::size_t i = 0; i < values.size(); ++i)
        importance_[i] = static_cast<float>(1 + unit * values[i] * values[i]);
    } else {
      std::ranges::copy(importance, importance_.begin());
    }
    for (std::size_t i = 0; i < size; ++i) weighed_[i] = importance_[i] * values_[i];
  }

  static Lane lane(const std::vector<float>& from, std::size_t i) { return Eigen::Map<const Lane>(from.data() + i); }

  /// The codes of four numbers, less the zero point.
  Lane steps(const Lane& ratio, const BlockQParams& params) const {
    constexpr float integers = 12582912.0F;  // 1.5 * 2^23: adding it rounds half to even
    const Lane clamped = ratio.max(static_cast<float>(-params.zero_point))
                             .min(static_cast<float>(form_.highest() - params.zero_point));
    const Lane shifted = clamped + integers;
    return shifted - integers;
  }

  static double sum(const Lanes& lanes) {
    const Lane pairs = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    return (double{pairs[0]} + pairs[1]) + (double{pairs[2]} + pairs[3]);
  }

  double error(const BlockQParams& params) const {
    Doubles sum = Doubles::Zero();
    for (std::size_t i = 0; i < values_.size(); i += 4) {
      const Lane x = lane(values_, i), rounded = steps(x / params.scale, params) * params.scale;
      const Doubles difference = x.cast<double>() - rounded.cast<double>();
      sum += lane(importance_, i).cast<double>() * difference * difference;
    }
    return sum.sum();
  }

  /// Takes the codes of these q-params with their best scale if no codes before gained as much. For codes c less the
  /// zero point, the best scale is sum(w x c) / sum(w c^2), and the error is sum(w x^2) less the gain,
  /// sum(w x c)^2 / sum(w c^2).
  bool attempt(const BlockQParams& start) {
    Lanes products, squares;
    products.fill(Lane::Zero());
    squares.fill(Lane::Zero());
    const float inverse = 1 / start.scale;
    for (std::size_t i = 0; i < values_.size(); i += width) {
      for (std::size_t k = 0; k < width / 4; ++k) {
        const std::size_t at = i + 4 * k;
        const Lane codes = steps(lane(values_, at) * inverse, start);
        products[k] += lane(weighed_, at) * codes;
        squares[k] += lane(importance_, at) * codes * codes;
      }
    }
    const double product = sum(products), square = sum(squares);
    if (!(square > 0) || product == 0) return false;
    const double gain = product * product / square;
    if (!(gain > gain_)) return false;
    gain_ = gain;
    best_ = {block_scale(product / square), start.zero_point};
    return true;
  }

  /// Scales of either sign from 0.65 to 1.15 of the nearest, then those halfway to the neighbours of the best.
  void search_scale() {
    const auto attempt_at = [&](double factor) {
      return attempt({block_scale(nearest_.scale * factor), nearest_.zero_point});
    };
    constexpr double distance = 0.05;
    double best = 1;
    for (int step = -7; step <= 3; ++step) {
      for (const double sign : {1.0, -1.0}) {
        if (sign < 0 && form_.positive_scales) continue;
        const double factor = sign * (1 + distance * step);
        if (attempt_at(factor)) best = factor;
      }
    }
    const double middle = best;
    attempt_at(middle - distance / 2);
    attempt_at(middle + distance / 2);
  }

  /// Ranges whose ends are from 0.56 to 1.04 of the nearest, then twice those around the best at half the distance.
  void search_range() {
    struct Ends {
      double low = 1, high = 1;
    };
    const float low = nearest_.value(0), high = nearest_.value(form_.highest());
    Ends best;
    const auto attempt_at = [&](const Ends& ends) {
      const double from = low * ends.low, to = high * ends.high;
      if (!(to > from)) return;
      const float scale = block_scale((to - from) / form_.highest());
      const double zero = std::clamp(std::nearbyint(-from / scale), 0.0, static_cast<double>(form_.highest()));
      if (attempt({scale, static_cast<std::int32_t>(zero)})) best = ends;
    };
    double distance = 0.16;
    for (int lower = 0; lower < 4; ++lower)
      for (int upper = 0; upper < 4; ++upper) attempt_at({1.04 - distance * lower, 1.04 - distance * upper});
    for (int halved = 0; halved < 2; ++halved) {
      distance /= 2;
      const Ends middle = best;
      for (int lower = -1; lower <= 1; ++lower)
        for (int upper = -1; upper <= 1; ++upper)
          if (lower != 0 || upper != 0)
            attempt_at({middle.low + distance * lower, middle.high + distance * upper});
    }
  }

  BlockForm form_;
  std::vector<float> values_{}, importance_{}, weighed_{};
  BlockQParams nearest_{}, best_{};
  double gain_ = 0;
};

}  // namespace graft::inline v1::detail
