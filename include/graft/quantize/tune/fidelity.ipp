#pragma once
#include <graft/quantize/tune/fidelity.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include <Eigen/Core>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(const Fidelity& fidelity) {
  const auto number = [](double value, int digits) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return std::string(text.data());
  };
  const auto share = [&](double value) {
    int digits = 4;
    while (value < 1 && digits < 16 && number(value, digits)[0] == '1') ++digits;
    return number(value, digits);
  };
  return "agreement " + share(fidelity.agreement) + ", cosine " + share(fidelity.cosine) + ", " +
         number(fidelity.decibels, 1) + " dB";
}

namespace detail {

/// Calls f for the rows whose angles are measured.
inline std::size_t row_width(const Dims& dims) {
  if (dims.empty()) return 1;
  if (dims.size() <= 3) return static_cast<std::size_t>(dims.back());
  std::size_t width = 1;
  for (std::size_t i = 1; i < dims.size(); ++i) width *= static_cast<std::size_t>(dims[i]);
  return width;
}

/// The rows divided by their lengths; NaN for rows that are not finite. Limited in number, because comparing more than
/// a few thousand takes long.
inline void append_unit_rows(std::vector<float>& rows, std::span<const float> values, std::size_t width) {
  constexpr std::size_t most = 4096;
  for (std::size_t first = 0; width != 0 && first + width <= values.size() && rows.size() < most * width;
       first += width) {
    double squares = 0;
    for (const float value : values.subspan(first, width)) squares += static_cast<double>(value) * value;
    const bool is_finite = std::isfinite(squares);
    const double length = squares > 0 ? std::sqrt(squares) : 1;
    for (const float value : values.subspan(first, width))
      rows.push_back(is_finite ? static_cast<float>(value / length) : std::numeric_limits<float>::quiet_NaN());
  }
}

/// The nearest other row of each row; -1 for a row of NaN.
inline std::vector<Eigen::Index> neighbours_of(const std::vector<float>& rows, std::size_t width) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto count = static_cast<Eigen::Index>(rows.size() / width);
  const Eigen::Map<const Matrix> all(rows.data(), count, static_cast<Eigen::Index>(width));
  std::vector<Eigen::Index> nearest(static_cast<std::size_t>(count));
  for (Eigen::Index i = 0; i < count; ++i) {
    Eigen::Index& at = nearest[static_cast<std::size_t>(i)] = -1;
    if (std::isnan(all(i, 0))) continue;
    Eigen::VectorXf cosines = all * all.row(i).transpose();
    cosines[i] = -2;
    cosines = (cosines.array() == cosines.array()).select(cosines.array(), -2.0F);  // not NaN
    cosines.maxCoeff(&at);
  }
  return nearest;
}

GRAFT_INLINE double OutputFidelity::add(const Tensor& floats, const Tensor& quantized) {
  const double cosines = std::exchange(cosines_, 0);
  const std::size_t rows = std::exchange(rows_, 0);
  add_rows(floats, quantized);
  const double of_sample = rows_ == 0 ? 1 : cosines_ / static_cast<double>(rows_);
  cosines_ += cosines;
  rows_ += rows;
  return of_sample;
}

GRAFT_INLINE void OutputFidelity::add_rows(const Tensor& floats, const Tensor& quantized) {
  if (floats.dtype() != quantized.dtype())
    throw Error("is of " + std::string(to_string(quantized.dtype())) + ", in float of " +
                std::string(to_string(floats.dtype())));
  if (floats.dims() != quantized.dims()) return count_other(floats);
  if (!is_float(floats.dtype())) return count_equal(floats.to<std::int64_t>(), quantized.to<std::int64_t>());
  const std::vector<float> x = floats.to<float>(), q = quantized.to<float>();
  power_.add(x, q);
  const std::size_t width = row_width(floats.dims());
  for (std::size_t first = 0; first + width <= x.size() && width != 0; first += width) {
    const auto row = [&](const std::vector<float>& all) { return std::span(all).subspan(first, width); };
    cosines_ += cosine(row(x), row(q));
    ++rows_;
  }
  if (decision_ == Decision::none) return;
  count_agreeing(x, q, floats.dims());
  if (decision_ != Decision::nearest) return;
  width_ = width;
  append_unit_rows(embeddings_, x, width);
  append_unit_rows(quantized_, q, width);
}

GRAFT_INLINE Fidelity OutputFidelity::fidelity() const {
  Fidelity result;
  result.decibels = power_.decibels();
  if (rows_ != 0) result.cosine = cosines_ / static_cast<double>(rows_);
  if (has_neighbours()) {
    result.agreement = agreement_of_neighbours();
  } else if (decisions_ != 0) {
    result.agreement = static_cast<double>(agreeing_) / static_cast<double>(decisions_);
  }
  return result;
}

GRAFT_INLINE std::size_t OutputFidelity::rows(const Tensor& floats) {
  const std::size_t width = is_float(floats.dtype()) ? row_width(floats.dims()) : 0;
  return width == 0 ? 0 : static_cast<std::size_t>(floats.size()) / width;
}

GRAFT_INLINE double OutputFidelity::greatest_cosine(std::size_t rows) const {
  const std::size_t all = std::max(rows, rows_);
  return all == 0 ? 1 : (cosines_ + static_cast<double>(all - rows_)) / static_cast<double>(all);
}

GRAFT_INLINE double OutputFidelity::cosine(std::span<const float> x, std::span<const float> q) {
  double xx = 0, qq = 0, xq = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (same_non_finite(x[i], q[i])) continue;
    const double a = x[i], b = q[i];
    xx += a * a;
    qq += b * b;
    xq += a * b;
  }
  if (xx == 0 && qq == 0) return 1;
  const double lengths = std::sqrt(xx * qq);
  return lengths > 0 && std::isfinite(lengths) ? xq / lengths : 0;
}

GRAFT_INLINE double OutputFidelity::agreement_of_neighbours() const {
  const std::vector<Eigen::Index> wanted = neighbours_of(embeddings_, width_),
                                  given = neighbours_of(quantized_, width_);
  std::size_t same = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) same += wanted[i] == given[i];
  return static_cast<double>(same) / static_cast<double>(wanted.size());
}

GRAFT_INLINE void OutputFidelity::count_other(const Tensor& floats) {
  if (!is_float(floats.dtype()) || decision_ != Decision::none) ++decisions_;
  if (!is_float(floats.dtype())) return;
  const std::vector<float> x = floats.to<float>();
  power_.add(x, std::vector<float>(x.size()));
  rows_ += std::max<std::size_t>(rows(floats), 1);
}

GRAFT_INLINE void OutputFidelity::count_equal(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& q) {
  for (std::size_t i = 0; i < x.size(); ++i) agreeing_ += x[i] == q[i];
  decisions_ += x.size();
}

GRAFT_INLINE void OutputFidelity::count_agreeing(std::span<const float> x, std::span<const float> q, const Dims& dims) {
  const std::size_t axis = class_axis(dims.size());
  const std::size_t classes = dims.empty() ? 1 : static_cast<std::size_t>(dims[axis]);
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < dims.size(); ++i) inner *= static_cast<std::size_t>(dims[i]);
  const auto greatest = [&](std::span<const float> values, std::size_t first) {
    std::size_t best = first;
    for (std::size_t at = first + inner; at < first + classes * inner; at += inner)
      if (values[at] > values[best] || std::isnan(values[best])) best = at;
    return best;
  };
  const bool has_nan = std::any_of(q.begin(), q.end(), [](float value) { return std::isnan(value); });
  const auto is_lost = [&](std::size_t first) {
    bool loses = false;
    for (std::size_t at = first; at < first + classes * inner; at += inner)
      loses = loses || (std::isnan(q[at]) && !std::isnan(x[at]));
    return loses;
  };
  const std::size_t decisions = classes == 0 ? 0 : x.size() / classes;
  for (std::size_t i = 0; i < decisions; ++i) {
    const std::size_t first = i / inner * inner * classes + i % inner;
    agreeing_ += greatest(x, first) == greatest(q, first) && !(has_nan && is_lost(first));
  }
  decisions_ += decisions;
}

GRAFT_INLINE std::vector<Decision> decisions_at(const Graph& graph, const std::vector<std::size_t>& places) {
  constexpr std::int64_t least_features = 64;
  const auto inputs = graph.inputs();
  const bool reads_tokens = !inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [](const Value* input) {
    return is_integer(input->dtype()) || input->dtype() == DType::boolean || input->initializer() != nullptr;
  });
  std::vector<Decision> decisions;
  for (const std::size_t place : places) {
    const Value* const output = graph.output(place);
    const Shape shape = output->shape();
    const bool is_wide = shape.known() && shape.rank() == 2 && shape[1].known() && shape[1].value() >= least_features;
    const auto makes = [producer = output->producer()](std::string_view op) {
      return producer != nullptr && producer->is(op);
    };
    // A classifier ends with a product and its bias, or with a distribution.
    const bool are_classes =
        makes("Softmax") || makes("LogSoftmax") || makes("Gemm") || makes("MatMul") ||
        (makes("Add") && (output->producer()->input(0)->is_constant() || output->producer()->input(1)->is_constant()));
    const bool is_embedding = reads_tokens && is_float(output->dtype()) && is_wide && !are_classes;
    decisions.push_back(is_embedding ? Decision::nearest : Decision::greatest);
  }
  return decisions;
}

}  // namespace detail

GRAFT_INLINE std::vector<Decision> output_decisions(const Graph& graph) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < graph.output_count(); ++i)
    if (graph.output(i)->dtype() != DType::string) places.push_back(i);
  return detail::decisions_at(graph, places);
}

GRAFT_INLINE double FidelityMeter::add(std::span<const Tensor> floats, std::span<const Tensor> quantized) {
  if (floats.size() != quantized.size()) throw Error("the graphs have different outputs");
  for (std::size_t i = outputs_.size(); i < floats.size(); ++i)
    outputs_.emplace_back(i < decisions_.size() ? decisions_[i] : Decision::greatest);
  double least = 1;
  for (std::size_t i = 0; i < floats.size(); ++i) least = std::min(least, outputs_[i].add(floats[i], quantized[i]));
  least_cosine_ = std::min(least_cosine_, least);
  return least;
}

GRAFT_INLINE Fidelity FidelityMeter::fidelity() const {
  Fidelity worst;
  worst.least_cosine = least_cosine_;
  for (const detail::OutputFidelity& output : outputs_) {
    const Fidelity one = output.fidelity();
    worst.decibels = std::min(worst.decibels, one.decibels);
    worst.cosine = std::min(worst.cosine, one.cosine);
    worst.agreement = std::min(worst.agreement, one.agreement);
  }
  return worst;
}

GRAFT_INLINE void FidelityMeter::count_rows(std::span<const Tensor> floats, std::vector<std::size_t>& rows) {
  rows.resize(floats.size());
  for (std::size_t i = 0; i < floats.size(); ++i) rows[i] += detail::OutputFidelity::rows(floats[i]);
}

GRAFT_INLINE double FidelityMeter::greatest_cosine(std::span<const std::size_t> rows) const {
  double worst = 1;
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    worst = std::min(worst, outputs_[i].greatest_cosine(i < rows.size() ? rows[i] : 0));
  return worst;
}

}  // namespace graft::inline v1
