#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

#include "support/images.hpp"
#include "support/test_data.hpp"

/// The samples in a folder: images if it has any, else tensors.
inline Samples calibration_samples(const std::filesystem::path& folder, const graft::Model& model,
                                   const Preprocessing& how, std::optional<bool> channels_last = {}) {
  if (!std::filesystem::is_directory(folder)) throw graft::Error("is not a folder").file(folder.string());
  std::vector<std::filesystem::path> images;
  std::size_t foreign = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (has_extension(entry.path(), image_extensions)) images.push_back(entry.path());
    foreign += has_extension(entry.path(), foreign_extensions);
  }
  if (foreign != 0)
    std::fprintf(stderr, "warning: %zu images in %s are ignored: expected %s\n", foreign, folder.string().c_str(),
                 to_string(image_extensions).c_str());
  if (images.empty()) {
    Samples samples = test_data_samples(folder, model);
    if (samples.size() == 0)
      throw graft::Error("holds neither images nor ONNX test data for this model: expected " +
                         to_string(image_extensions) + " in it, or *.npz, or test_data_set_*/input_*.pb, or, for a "
                         "model with one input, *.pb or *.npy")
          .file(folder.string());
    if (!(how == Preprocessing()))
      std::fprintf(stderr, "warning: options for images are ignored: %s holds tensors\n", folder.string().c_str());
    return samples;
  }
  std::sort(images.begin(), images.end());
  Preprocessing preprocessing = how;
  const ImageInput input = image_input(model, channels_last);
  preprocessing.channels_last = input.channels_last;
  return image_samples(images, preprocessing, input);
}
