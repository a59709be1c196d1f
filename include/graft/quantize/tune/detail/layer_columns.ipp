#pragma once
#include <graft/quantize/tune/detail/layer_columns.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/conv_patches.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/detail/byte_lists.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::string to_bytes(const LayerColumns& columns) {
  std::string bytes;
  append_list(bytes, columns.why_not);
  for (const Eigen::MatrixXf* const part : {&columns.inputs, &columns.outputs}) {
    append_list(bytes, std::array{part->rows(), part->cols()});
    append_list(bytes, std::span(part->data(), static_cast<std::size_t>(part->size())));
  }
  return bytes;
}

GRAFT_INLINE void from_bytes(const std::string& bytes, LayerColumns& columns) {
  std::string_view rest = bytes;
  columns.why_not = take_list<std::string>(rest);
  for (Eigen::MatrixXf* const part : {&columns.inputs, &columns.outputs}) {
    const auto dims = take_list<std::vector<Eigen::Index>>(rest);
    const auto numbers = take_list<std::vector<float>>(rest);
    const auto size = static_cast<Eigen::Index>(numbers.size());
    const bool fits = dims.size() == 2 && dims[0] >= 0 && dims[1] >= 0 &&
                      (size == 0 ? dims[0] == 0 || dims[1] == 0
                                 : dims[0] != 0 && size % dims[0] == 0 && size / dims[0] == dims[1]);
    if (!fits) throw Error("the message of another rank cannot be read");
    *part = Eigen::Map<const Eigen::MatrixXf>(numbers.data(), dims[0], dims[1]);
  }
}

inline LayerColumns conv_columns(const Node& node, const Tensor& x, const Tensor& y, const Dims& w,
                                 std::span<const std::size_t> rows, std::size_t max_positions) {
  if (x.rank() != w.size() || y.rank() != w.size() || w.size() < 3 || x.dims()[0] != y.dims()[0] ||
      y.dims()[1] != w[0])
    throw Error("its input, weight and output have other dims than each other");
  const ConvPatches patches(node, x.dims(), w);
  const std::int64_t batch = x.dims()[0], channels = x.dims()[1], filters = y.dims()[1];
  const std::int64_t input = patches.input_size(), output = patches.positions(), window = patches.kernel_size();
  if (element_count(y.dims()) != batch * filters * output) throw Error("its output has other dims than its window");
  const std::int64_t all = batch * output, count = std::min(all, static_cast<std::int64_t>(max_positions));
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(window));
  LayerColumns columns{Eigen::MatrixXf(channels * window, count),
                       Eigen::MatrixXf(static_cast<Eigen::Index>(rows.size()), count)};
  const float *const from = x.data<float>().data(), *const wanted = y.data<float>().data();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = i * all / count, n = at / output, place = at % output;
    patches.offsets(place, offsets);
    float* to = columns.inputs.col(i).data();
    for (std::int64_t c = 0; c < channels; ++c)
      for (const std::int64_t offset : offsets)
        *to++ = offset < 0 ? 0.0F : from[(n * channels + c) * input + offset];
    to = columns.outputs.col(i).data();
    for (const std::size_t m : rows) *to++ = wanted[(n * filters + static_cast<std::int64_t>(m)) * output + place];
  }
  return columns;
}

GRAFT_INLINE LayerColumns layer_columns(const Node& node, const Tensor& x, const Tensor& y, const Dims& w,
                                        std::span<const std::size_t> rows, std::size_t max_positions) {
  if (x.size() == 0 || y.size() == 0) return {};
  if (node.is("Conv")) return conv_columns(node, x, y, w, rows, max_positions);
  const std::int64_t k = x.rank() == 0 ? 0 : x.dims().back(), m = y.rank() == 0 ? 0 : y.dims().back();
  if (k == 0 || m == 0 || x.size() / k != y.size() / m || k * m != element_count(w))
    throw Error("its input, weight and output have other dims than each other");
  const std::int64_t all = x.size() / k, count = std::min(all, static_cast<std::int64_t>(max_positions));
  const Eigen::Map<const Eigen::MatrixXf> inputs(x.data<float>().data(), k, all);
  const Eigen::Map<const Eigen::MatrixXf> outputs(y.data<float>().data(), m, all);
  LayerColumns columns{Eigen::MatrixXf(k, count), Eigen::MatrixXf(static_cast<Eigen::Index>(rows.size()), count)};
  for (std::int64_t i = 0; i < count; ++i) {
    columns.inputs.col(i) = inputs.col(i * all / count);
    float* to = columns.outputs.col(i).data();
    for (const std::size_t row : rows) *to++ = outputs(static_cast<Eigen::Index>(row), i * all / count);
  }
  return columns;
}

}  // namespace graft::inline v1::detail
