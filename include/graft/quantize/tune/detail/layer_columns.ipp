#pragma once
#include <graft/quantize/tune/detail/layer_columns.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

/// Maps positions of the kernel at positions of the output to elements of a channel of the input.
class WindowPlaces {
 public:
  WindowPlaces(const Node& node, const Dims& x, const Dims& y, const Dims& w)
      : input_(x.begin() + 2, x.end()), output_(y.begin() + 2, y.end()), kernel_(w.begin() + 2, w.end()) {
    const std::size_t axes = kernel_.size();
    const auto list = [&](std::string_view name, std::size_t count, std::int64_t fallback) {
      Ints values = node.attr<Ints>(name).value_or(Ints());
      if (values.empty()) values.assign(count, fallback);
      if (values.size() != count) throw Error("needs " + std::to_string(count) + " numbers").field(std::string(name));
      return values;
    };
    strides_ = list("strides", axes, 1);
    dilations_ = list("dilations", axes, 1);
    pads_ = list("pads", 2 * axes, 0);
    const std::string padding = node.attr<std::string>("auto_pad").value_or("NOTSET");
    for (std::size_t i = 0; i < axes; ++i) {
      if (padding == "VALID") pads_[i] = 0;
      if (!padding.starts_with("SAME")) continue;
      const std::int64_t reach = (kernel_[i] - 1) * dilations_[i] + 1;
      const std::int64_t total = std::max<std::int64_t>(0, (output_[i] - 1) * strides_[i] + reach - input_[i]);
      pads_[i] = padding == "SAME_UPPER" ? total / 2 : total - total / 2;
    }
  }

  /// The offset in a channel of the input for each position of the kernel; -1 in the padding.
  void at(std::int64_t output, std::vector<std::int64_t>& offsets) const {
    const std::size_t axes = kernel_.size();
    Ints start(axes);
    for (std::size_t i = axes; i-- > 0; output /= output_[i]) start[i] = output % output_[i] * strides_[i] - pads_[i];
    for (std::size_t place = 0; place < offsets.size(); ++place) {
      std::int64_t left = static_cast<std::int64_t>(place), offset = 0, step = 1;
      for (std::size_t i = axes; i-- > 0; left /= kernel_[i], step *= input_[i]) {
        const std::int64_t at = start[i] + left % kernel_[i] * dilations_[i];
        if (at < 0 || at >= input_[i]) {
          offset = -1;
          break;
        }
        offset += at * step;
      }
      offsets[place] = offset;
    }
  }

 private:
  Ints input_, output_, kernel_, strides_, dilations_, pads_;
};

inline LayerColumns conv_columns(const Node& node, const Tensor& x, const Tensor& y, const Dims& w,
                                 std::size_t max_positions) {
  if (x.rank() != w.size() || y.rank() != w.size() || w.size() < 3 || x.dims()[0] != y.dims()[0])
    throw Error("its input, weight and output have other dims than each other");
  const WindowPlaces places(node, x.dims(), y.dims(), w);
  const std::int64_t batch = x.dims()[0], channels = x.dims()[1], filters = y.dims()[1];
  const std::int64_t input = element_count(std::span(x.dims()).subspan(2)),
                     output = element_count(std::span(y.dims()).subspan(2));
  const std::int64_t all = batch * output, count = std::min(all, static_cast<std::int64_t>(max_positions));
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(element_count(std::span(w).subspan(2))));
  const auto window = static_cast<std::int64_t>(offsets.size());
  LayerColumns columns{Eigen::MatrixXf(channels * window, count), Eigen::MatrixXf(filters, count)};
  const float *const from = x.data<float>().data(), *const wanted = y.data<float>().data();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = i * all / count, n = at / output, place = at % output;
    places.at(place, offsets);
    float* to = columns.inputs.col(i).data();
    for (std::int64_t c = 0; c < channels; ++c)
      for (const std::int64_t offset : offsets)
        *to++ = offset < 0 ? 0.0F : from[(n * channels + c) * input + offset];
    for (std::int64_t m = 0; m < filters; ++m) columns.outputs(m, i) = wanted[(n * filters + m) * output + place];
  }
  return columns;
}

GRAFT_INLINE LayerColumns layer_columns(const Node& node, const Tensor& x, const Tensor& y, const Dims& w,
                                        std::size_t max_positions) {
  if (x.size() == 0 || y.size() == 0) return {};
  if (node.is("Conv")) return conv_columns(node, x, y, w, max_positions);
  const std::int64_t k = x.rank() == 0 ? 0 : x.dims().back(), m = y.rank() == 0 ? 0 : y.dims().back();
  if (k == 0 || m == 0 || x.size() / k != y.size() / m || k * m != element_count(w))
    throw Error("its input, weight and output have other dims than each other");
  const std::int64_t all = x.size() / k, count = std::min(all, static_cast<std::int64_t>(max_positions));
  const Eigen::Map<const Eigen::MatrixXf> inputs(x.data<float>().data(), k, all);
  const Eigen::Map<const Eigen::MatrixXf> outputs(y.data<float>().data(), m, all);
  LayerColumns columns{Eigen::MatrixXf(k, count), Eigen::MatrixXf(m, count)};
  for (std::int64_t i = 0; i < count; ++i) {
    columns.inputs.col(i) = inputs.col(i * all / count);
    columns.outputs.col(i) = outputs.col(i * all / count);
  }
  return columns;
}

}  // namespace graft::inline v1::detail
