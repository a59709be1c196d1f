#pragma once
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <stb/stb_image.h>
#include <stb/stb_image_resize.h>

#include <graft/graph/model.hpp>
#include <graft/graph/shortest_decimal.hpp>

#include "support/samples.hpp"

/// How an image becomes an input: it is resized and cropped, then (pixel * scale - mean) / std in the model's channel
/// order.
struct Preprocessing {
  std::optional<std::int64_t> resize;  // the shorter side
  std::optional<std::int64_t> crop;    // the centre, square
  std::optional<std::pair<std::int64_t, std::int64_t>> size;  // width, height; instead of resize and crop
  std::optional<float> scale;  // 1 / 255, or 1 for an input of integers
  std::vector<float> mean{0}, std{1};  // one for all channels, or one for each
  bool bgr = false;
  bool channels_last = false;

  bool operator==(const Preprocessing&) const = default;
};

/// The preprocessing as command line options, with the number of channels.
inline std::string to_string(const Preprocessing& how, std::int64_t channels) {
  const auto list = [](const std::vector<float>& numbers) {
    std::string text;
    for (const float number : numbers) text += (text.empty() ? "" : ",") + graft::shortest_decimal(number);
    return text;
  };
  std::string text = std::to_string(channels) + " channels";
  if (how.resize) text += " --resize " + std::to_string(*how.resize);
  if (how.crop) text += " --crop " + std::to_string(*how.crop);
  if (how.size) text += " --size " + std::to_string(how.size->first) + "x" + std::to_string(how.size->second);
  text += " --scale " + graft::shortest_decimal(how.scale.value_or(1));
  text += " --mean " + list(how.mean) + " --std " + list(how.std);
  if (how.bgr) text += " --bgr";
  return text + " --layout " + (how.channels_last ? "nhwc" : "nchw");
}

/// The only input of a model, if it takes images: [N, channels, height, width] or [N, height, width, channels].
struct ImageInput {
  std::string name;
  std::int64_t channels = 3;
  bool channels_last = false;
  std::optional<std::pair<std::int64_t, std::int64_t>> size;  // width, height, if the model fixes them
  graft::DType dtype = graft::DType::f32;                     // or f16, bf16 or u8
};

/// Unless the layout is given, the axis with 1 or 3 channels decides it. With a given layout, extents may be unknown,
/// and unknown channels count as 3. Throws graft::Error if the model does not take a single image.
inline ImageInput image_input(const graft::Model& model, std::optional<bool> channels_last = {}) {
  const graft::Value* input = nullptr;
  for (const graft::Value* const candidate : model.graph().inputs()) {
    if (candidate->is_constant() || candidate->initializer() != nullptr) continue;
    if (input != nullptr)
      throw graft::Error("the model has several inputs: calibrate it with ONNX test data")
          .field("graph.input")
          .file(model.file());
    input = candidate;
  }
  if (input == nullptr) throw graft::Error("the model has no input").field("graph.input").file(model.file());
  const graft::Shape shape = input->shape();
  const auto extent = [&](std::size_t axis) { return shape.known() && shape[axis].known() ? shape[axis].value() : 0; };
  const auto is_channels = [&](std::size_t axis) {
    return extent(axis) == 1 || extent(axis) == 3 || (channels_last && extent(axis) == 0);
  };
  const bool has_rank = shape.known() ? shape.rank() == 4 : channels_last.has_value();
  const bool is_last = channels_last.value_or(has_rank && !is_channels(1));
  const std::size_t channels = is_last ? 3 : 1;
  const graft::DType dtype = input->dtype();
  const bool is_float = dtype == graft::DType::f32 || dtype == graft::DType::f16 || dtype == graft::DType::bf16;
  if (!has_rank || !(is_float || dtype == graft::DType::u8) || !is_channels(channels)) {
    const char* const advice = channels_last ? ", as --layout has it" : "; --layout says which if its dims do not";
    throw graft::Error(std::string("is not an image: expected floats or u8 of [N,3,H,W] or [N,H,W,3]") + advice)
        .field(input->name())
        .file(model.file());
  }
  ImageInput result;
  result.name = input->name();
  result.dtype = dtype;
  result.channels_last = is_last;
  if (extent(channels) > 0) result.channels = extent(channels);
  const std::size_t rows = result.channels_last ? 1 : 2;
  if (extent(rows) > 0 && extent(rows + 1) > 0) result.size = {extent(rows + 1), extent(rows)};
  return result;
}

/// Returns f32[1, channels, height, width], or channels last. The resize is bilinear, with a filter that widens when it
/// reduces (antialias).
inline graft::Tensor read_image(const std::filesystem::path& path, const Preprocessing& how, std::int64_t channels) {
  int width = 0, height = 0, present = 0;
  const std::u8string name = path.u8string();
  const std::unique_ptr<unsigned char, void (*)(void*)> pixels(
      stbi_load(reinterpret_cast<const char*>(name.c_str()), &width, &height, &present, static_cast<int>(channels)),
      stbi_image_free);
  if (pixels == nullptr)
    throw graft::Error(std::string("cannot be read: ") + stbi_failure_reason()).file(path.string());

  std::int64_t to_width = width, to_height = height;
  if (how.size) std::tie(to_width, to_height) = *how.size;
  if (how.resize) {
    const double factor = static_cast<double>(*how.resize) / std::min(width, height);
    to_width = std::max(*how.resize, static_cast<std::int64_t>(width * factor));
    to_height = std::max(*how.resize, static_cast<std::int64_t>(height * factor));
  }
  constexpr std::int64_t longest = 65536, most = std::int64_t{1} << 26;
  if (to_width > longest || to_height > longest || to_width * to_height > most)
    throw graft::Error("would be " + std::to_string(to_width) + "x" + std::to_string(to_height) + " pixels, too many")
        .file(path.string());
  std::vector<unsigned char> resized(static_cast<std::size_t>(to_width * to_height * channels));
  const auto depth = static_cast<int>(channels);
  if (!stbir_resize_uint8_generic(pixels.get(), width, height, 0, resized.data(), static_cast<int>(to_width),
                                  static_cast<int>(to_height), 0, depth, STBIR_ALPHA_CHANNEL_NONE, 0, STBIR_EDGE_CLAMP,
                                  STBIR_FILTER_TRIANGLE, STBIR_COLORSPACE_LINEAR, nullptr))
    throw graft::Error("cannot be resized").file(path.string());

  const std::int64_t rows = how.crop.value_or(to_height), columns = how.crop.value_or(to_width);
  if (rows > to_height || columns > to_width)
    throw graft::Error("is smaller than the crop of " + std::to_string(rows)).file(path.string());
  const std::int64_t top = (to_height - rows) / 2, left = (to_width - columns) / 2;
  graft::Tensor tensor(graft::DType::f32, how.channels_last ? graft::Dims{1, rows, columns, channels}
                                                            : graft::Dims{1, channels, rows, columns});
  const std::span<float> out = tensor.mutable_data<float>();
  for (std::int64_t c = 0; c < channels; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const float mean = how.mean[how.mean.size() == 1 ? 0 : at], deviation = how.std[how.std.size() == 1 ? 0 : at];
    const std::int64_t source = how.bgr ? channels - 1 - c : c;
    for (std::int64_t y = 0; y < rows; ++y) {
      for (std::int64_t x = 0; x < columns; ++x) {
        const auto pixel = resized[static_cast<std::size_t>(((top + y) * to_width + left + x) * channels + source)];
        const std::int64_t place = how.channels_last ? (y * columns + x) * channels + c : (c * rows + y) * columns + x;
        out[static_cast<std::size_t>(place)] = (static_cast<float>(pixel) * how.scale.value_or(1) - mean) / deviation;
      }
    }
  }
  return tensor;
}

/// Converts an image to the dtype of the input. Integers are rounded and clamped to the range of the dtype.
inline graft::Tensor as_dtype(const graft::Tensor& image, graft::DType dtype) {
  if (dtype == image.dtype()) return image;
  std::vector<float> values = image.to<float>();
  if (dtype == graft::DType::u8)
    for (float& value : values) value = std::clamp(std::nearbyint(value), 0.f, 255.f);
  return graft::Tensor::of(dtype, image.dims(), values);
}

/// All images of a folder, sorted by name.
inline Samples image_samples(const std::vector<std::filesystem::path>& files, Preprocessing how,
                             const ImageInput& input) {
  for (const std::vector<float>& numbers : {how.mean, how.std}) {
    if (numbers.size() != 1 && numbers.size() != static_cast<std::size_t>(input.channels))
      throw graft::Error("--mean and --std take one number, or one for each of " + std::to_string(input.channels) +
                         " channels");
  }
  if (!how.size && !how.resize && !how.crop) how.size = input.size;
  if (!how.scale) how.scale = input.dtype == graft::DType::u8 ? 1.f : 1.f / 255;
  return {files.size(), [=](std::size_t i) {
            graft::Tensor image = as_dtype(read_image(files[i], how, input.channels), input.dtype);
            return graft::Sample({{input.name, std::move(image)}}, files[i].string());
          },
          [=](std::size_t i) { return name_of(files[i], {files[i]}); }, to_string(how, input.channels)};
}

using Extensions = std::vector<std::string_view>;
inline const Extensions image_extensions{".jpg", ".jpeg", ".png", ".bmp", ".ppm", ".pgm", ".gif", ".tga"};
/// Samples from images.
inline const Extensions foreign_extensions{".webp", ".tif", ".tiff", ".heic", ".heif", ".avif", ".jp2", ".jxl"};

inline bool has_extension(const std::filesystem::path& path, const Extensions& extensions) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

inline std::string to_string(const Extensions& extensions) {
  std::string text;
  for (const std::string_view extension : extensions) text += (text.empty() ? "" : ", ") + std::string(extension);
  return text;
}
