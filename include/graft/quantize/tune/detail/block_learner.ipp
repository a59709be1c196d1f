#pragma once
#include <graft/quantize/tune/detail/block_learner.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/quantize/detail/byte_lists.hpp>
#include <graft/quantize/detail/share_parts.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::vector<const Value*> LearnedBlock::parameters() const {
  std::vector<const Value*> values;
  for (const SoftWeight& weight : weights) {
    values.push_back(weight.weight);
    if (weight.bias != nullptr) values.push_back(weight.bias);
  }
  return values;
}

GRAFT_INLINE BlockPoint LearnedBlock::rounded() const {
  BlockPoint point{.parameters = {}, .scales = scales};
  for (const SoftWeight& weight : weights) {
    point.parameters.push_back(weight.rounded());
    if (weight.bias != nullptr) point.parameters.push_back(Tensor::list(std::span<const float>(weight.biases)));
  }
  return point;
}

GRAFT_INLINE std::string to_bytes(const BlockSample& sample) {
  std::string bytes;
  const auto append = [&](const Tensor& tensor) {
    append_list(bytes, std::vector{static_cast<std::int32_t>(tensor.dtype())});
    append_list(bytes, tensor.dims());
    append_list(bytes, tensor.bytes());
  };
  std::ranges::for_each(sample.inputs, append);
  append(sample.wanted);
  return bytes;
}

GRAFT_INLINE void from_bytes(std::string_view bytes, BlockSample& sample) {
  const auto take = [&] {
    const auto dtype = static_cast<DType>(take_list<std::vector<std::int32_t>>(bytes).at(0));
    Dims dims = take_list<Dims>(bytes);
    return Tensor::own(dtype, std::move(dims), take_list<std::string>(bytes));
  };
  sample.inputs.clear();
  sample.wanted = take();
  while (!bytes.empty()) {
    sample.inputs.push_back(std::move(sample.wanted));
    sample.wanted = take();
  }
}

/// Kingma and Ba (2015), algorithm 1.
class Adam {
 public:
  /// Moves the values against their gradient, by about `rate`.
  void step(std::span<float> values, std::span<const float> gradient, float rate) {
    constexpr float keep = 0.9F, keep_square = 0.99F;
    mean_.resize(values.size());
    square_.resize(values.size());
    ++steps_;
    const auto n = static_cast<float>(steps_);
    const float mean_part = 1 - std::pow(keep, n), square_part = 1 - std::pow(keep_square, n);
    for (std::size_t i = 0; i < values.size(); ++i) {
      mean_[i] = keep * mean_[i] + (1 - keep) * gradient[i];
      square_[i] = keep_square * square_[i] + (1 - keep_square) * gradient[i] * gradient[i];
      values[i] -= rate * (mean_[i] / mean_part) / (std::sqrt(square_[i] / square_part) + 1e-20F);
    }
  }

 private:
  std::vector<float> mean_, square_;
  std::size_t steps_ = 0;
};

/// Where the learning of a block is: how far, and how strongly shares are drawn to 0 and 1.
struct Phase {
  explicit Phase(double progress) {
    constexpr double warm_up = 0.2;
    const double annealed = std::max(0.0, (progress - warm_up) / (1 - warm_up));
    rate = static_cast<float>(1 - progress);
    pull = static_cast<float>(15 * annealed);
    power = static_cast<float>(2 + 8 * (1 - annealed) * (1 - annealed));
  }

  float rate, pull, power;
};

/// A weight that is learned.
class WeightLearner {
 public:
  explicit WeightLearner(SoftWeight& weight)
      : weight_(weight), first_(weight.scales), logits_(weight.share.size()), logs_(weight.scales.size()) {
    for (std::size_t i = 0; i < logits_.size(); ++i) {
      const float p = (std::clamp(weight.share[i], 0.02F, 0.98F) + below) / stretch;
      logits_[i] = std::log(p / (1 - p));
    }
    const auto count = static_cast<double>(std::max<std::size_t>(weight.biases.size(), 1));
    double squares = 0;
    for (const float bias : weight.biases) squares += double{bias} * bias;
    if (squares == 0)  // what inputs of 1 would add up to
      for (std::size_t i = 0; i < weight.lower.size(); ++i)
        squares += std::pow(double{weight.code(i)} * weight.scale(i), 2);
    typical_bias_ = static_cast<float>(std::sqrt(squares / count));
  }

  /// The weight as it is now.
  Tensor value() const {
    std::vector<float> values(logits_.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = (weight_.lower[i] + share(logits_[i])) * weight_.scale(i);
    return Tensor::of<float>(weight_.dims, values);
  }

  void step(std::span<const float> gradient, const Phase& phase) {
    if (gradient.empty()) return;
    std::vector<float> of_logits(logits_.size()), of_logs(logs_.size());
    double squares = 0;
    for (std::size_t i = 0; i < logits_.size(); ++i) {
      const float of_code = gradient[i] * weight_.scale(i);
      of_logs[weight_.scale_of[i]] += of_code * (weight_.lower[i] + share(logits_[i]));
      of_logits[i] = of_code * slope(logits_[i]);
      squares += double{of_logits[i]} * of_logits[i];
    }
    const auto typical = static_cast<float>(std::sqrt(squares / static_cast<double>(logits_.size())));
    for (std::size_t i = 0; i < logits_.size(); ++i) {
      const float side = 2 * share(logits_[i]) - 1;
      const float regularizer = phase.power * std::copysign(std::pow(std::abs(side), phase.power - 1), side);
      of_logits[i] -= phase.pull * typical * regularizer * slope(logits_[i]);
    }
    adam_.step(logits_, of_logits, 0.04F);
    adam_of_logs_.step(logs_, of_logs, 0.001F * phase.rate);
    for (std::size_t i = 0; i < logs_.size(); ++i) weight_.scales[i] = first_[i] * std::exp(logs_[i]);
  }

  void step_bias(std::span<const float> gradient, const Phase& phase) {
    if (!gradient.empty()) adam_of_biases_.step(weight_.biases, gradient, 0.003F * typical_bias_ * phase.rate);
  }

  /// Stores the shares in the weight.
  void finish() { std::ranges::transform(logits_, weight_.share.begin(), share); }

 private:
  static constexpr float stretch = 1.2F, below = 0.1F;  // of the rectified sigmoid

  static float share(float logit) { return std::clamp(stretch / (1 + std::exp(-logit)) - below, 0.0F, 1.0F); }
  /// 0 where the share is 0 or 1.
  static float slope(float logit) {
    const float p = 1 / (1 + std::exp(-logit)), h = stretch * p - below;
    return h <= 0 || h >= 1 ? 0 : stretch * p * (1 - p);
  }

  SoftWeight& weight_;
  std::vector<float> first_, logits_, logs_;  // logs of scales, as shares of the first ones
  float typical_bias_ = 0;
  Adam adam_, adam_of_logs_, adam_of_biases_;
};

/// The scales of quantizers that are learned.
class StepLearner {
 public:
  StepLearner(std::vector<float>& scales, const std::vector<StepRule>& rules)
      : scales_(scales), rules_(rules), first_(scales), logs_(scales.size()) {}

  void step(std::span<const double> gradient, const Phase& phase) {
    std::vector<float> of_logs(logs_.size());
    for (std::size_t i = 0; i < logs_.size(); ++i)
      if (rules_[i] != StepRule::fixed) of_logs[i] = static_cast<float>(gradient[i]) * scales_[i];
    adam_.step(logs_, of_logs, 0.002F * phase.rate);
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      if (rules_[i] == StepRule::may_shrink) logs_[i] = std::min(logs_[i], 0.0F);
      if (rules_[i] != StepRule::fixed) scales_[i] = first_[i] * std::exp(logs_[i]);
    }
  }

 private:
  std::vector<float>& scales_;
  const std::vector<StepRule>& rules_;
  std::vector<float> first_, logs_;
  Adam adam_;
};

/// Samples in a random order, each as often as the others.
class SampleOrder {
 public:
  SampleOrder(std::size_t count, std::mt19937& random) : random_(random), order_(count), next_(count) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  std::size_t next() {
    if (next_ == order_.size()) {
      for (std::size_t i = order_.size(); i-- > 1;) std::swap(order_[i], order_[random_() % (i + 1)]);
      next_ = 0;
    }
    return order_[next_++];
  }

 private:
  std::mt19937& random_;
  std::vector<std::size_t> order_;
  std::size_t next_;
};

GRAFT_INLINE LearnedBlock learn_block(const BlockTape& tape, LearnedBlock block, const std::vector<StepRule>& rules,
                                      const std::vector<BlockSample>& samples, const BlockSchedule& schedule,
                                      const Ranks& ranks, const ParallelFor* parallel) {
  constexpr std::size_t batch = 4;
  std::vector<WeightLearner> learners(block.weights.begin(), block.weights.end());
  StepLearner steps(block.scales, rules);
  std::mt19937 random(schedule.seed);
  SampleOrder order(samples.size(), random);
  const std::size_t parameters = block.parameters().size();
  for (std::size_t step = 0; step < schedule.steps; ++step) {
    const double progress = -least(ranks, -schedule.progress(step));
    if (progress >= 1) break;
    BlockPoint point{.parameters = {}, .scales = block.scales};
    for (std::size_t i = 0; i < learners.size(); ++i) {
      point.parameters.push_back(learners[i].value());
      const SoftWeight& weight = block.weights[i];
      if (weight.bias != nullptr) point.parameters.push_back(Tensor::list(std::span<const float>(weight.biases)));
    }
    std::vector<std::pair<const BlockSample*, std::mt19937>> chosen;  // with random numbers of their own
    for (std::size_t b = 0; b < batch; ++b) {
      const std::size_t sample = order.next();
      chosen.emplace_back(&samples[sample], std::mt19937(random()));
    }
    const auto gradients_of = [&](std::size_t b) {
      auto& [sample, numbers] = chosen[b];
      BlockGradients gradients{std::vector<std::vector<float>>(parameters), std::vector<double>(block.scales.size())};
      tape.add_gradients(sample->inputs, sample->wanted, point, schedule.drop, numbers, gradients);
      return gradients;
    };
    std::vector<BlockGradients> gradients = shared_parts(ranks, parallel, batch, gradients_of);
    for (std::size_t b = 1; b < batch; ++b) gradients[0].add(gradients[b]);
    const Phase phase(progress);
    std::size_t next = 0;
    for (std::size_t i = 0; i < learners.size(); ++i) {
      learners[i].step(gradients[0].parameters[next++], phase);
      if (block.weights[i].bias != nullptr) learners[i].step_bias(gradients[0].parameters[next++], phase);
    }
    steps.step(gradients[0].scales, phase);
    block.steps = step + 1;
  }
  for (WeightLearner& learner : learners) learner.finish();
  return block;
}

/// Sums over the elements of an output: of the squared errors, and of the wanted values.
struct BlockSums {
  double error = 0, sum = 0, squares = 0, count = 0;

  void add(const BlockSums& more) {
    error += more.error;
    sum += more.sum;
    squares += more.squares;
    count += more.count;
  }
  double share() const { return error / std::max(squares - sum * sum / std::max(count, 1.0), 1e-30); }
};

inline std::string to_bytes(const BlockSums& sums) {
  std::string bytes;
  append_list(bytes, std::vector{sums.error, sums.sum, sums.squares, sums.count});
  return bytes;
}

inline void from_bytes(std::string_view bytes, BlockSums& sums) {
  const auto list = take_list<std::vector<double>>(bytes);
  sums = {list.at(0), list.at(1), list.at(2), list.at(3)};
}

GRAFT_INLINE double block_error(const BlockTape& tape, const LearnedBlock& block,
                                const std::vector<BlockSample>& samples, const Ranks& ranks,
                                const ParallelFor* parallel) {
  const BlockPoint point = block.rounded();
  const auto sums_of = [&](std::size_t i) {
    const Tensor output = tape.output(samples[i].inputs, point);
    const std::span<const float> got = output.data<float>(), wanted = samples[i].wanted.data<float>();
    BlockSums sums;
    for (std::size_t j = 0; j < got.size(); ++j)
      sums.add({(double{got[j]} - wanted[j]) * (double{got[j]} - wanted[j]), wanted[j], double{wanted[j]} * wanted[j],
                1});
    return sums;
  };
  BlockSums all;
  for (const BlockSums& one : shared_parts(ranks, parallel, samples.size(), sums_of)) all.add(one);
  return all.share();
}

}  // namespace graft::inline v1::detail
