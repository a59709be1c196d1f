#pragma once
#include <graft/quantize/tune/detail/layer_columns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <onnx/onnx_pb.h>

#include <graft/config.hpp>
#include <graft/evaluate/conv_patches.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::string to_bytes(const LayerColumns& columns) {
  onnx::TensorProto message;
  message.set_doc_string(columns.why_not);
  for (const Eigen::MatrixXf* const part : {&columns.inputs, &columns.outputs}) {
    message.add_dims(part->rows());
    message.add_dims(part->cols());
    message.mutable_raw_data()->append(reinterpret_cast<const char*>(part->data()),
                                       static_cast<std::size_t>(part->size()) * sizeof(float));
  }
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();  // of protobuf
  if (message.ByteSizeLong() > most) return to_bytes(LayerColumns{.why_not = "a sample of it exceeds 2 GiB"});
  return message.SerializeAsString();
}

GRAFT_INLINE void from_bytes(const std::string& bytes, LayerColumns& columns) {
  onnx::TensorProto message;
  if (!message.ParseFromString(bytes) || message.dims_size() != 4)
    throw Error("the message of another rank cannot be read");
  columns.why_not = message.doc_string();
  columns.inputs.resize(message.dims(0), message.dims(1));
  columns.outputs.resize(message.dims(2), message.dims(3));
  const std::string& floats = message.raw_data();
  if (floats.size() != static_cast<std::size_t>(columns.inputs.size() + columns.outputs.size()) * sizeof(float))
    throw Error("the message of another rank cannot be read");
  const char* from = floats.data();
  for (Eigen::MatrixXf* const part : {&columns.inputs, &columns.outputs}) {
    const std::size_t size = static_cast<std::size_t>(part->size()) * sizeof(float);
    if (size != 0) std::memcpy(part->data(), from, size);
    from += size;
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
