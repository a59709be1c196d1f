#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>

#include "support/calibration_data.hpp"
#include "support/observers.hpp"
#include "support/option_values.hpp"

/// FNV-1a hash of the values of the initializers. It tells a retrained model from the original, whose tensors have the
/// same names.
inline std::string weights_checksum(const graft::Model& model) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const graft::Value* const value : model.graph().initializers()) {
    const std::optional<graft::Tensor> tensor = value->constant();
    if (!tensor || tensor->dtype() == graft::DType::string) continue;
    for (const std::byte byte : tensor->bytes()) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3u;
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

/// The calibration options of a command line.
struct Calibration {
  std::filesystem::path data;
  Preprocessing preprocessing;
  std::optional<bool> channels_last;
  ObserverChoice observer;
  std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  bool keep_going = false;  // skip unreadable samples
  bool skip_nan = false;    // skip samples that hold NaN

  graft::SampleSource source(const Samples& samples) const {
    const graft::SampleSource all(samples);
    return keep_going ? all.skipping_unreadable() : all;
  }
  Samples samples(const graft::Model& model) const {
    const Samples all = calibration_samples(data, model, preprocessing, channels_last);
    return skip_nan ? without_nan(all) : all;
  }
  /// Empty statistics of the prepared model. They record the observer, the preprocessing and a checksum of the weights.
  template <graft::RangeObserver O>
  graft::Statistics<typename O::Statistic> statistics(const O& chosen, const Samples& samples,
                                                      const graft::Model& model) const {
    graft::Statistics statistics(chosen.start());
    statistics.settings = {{"observer", to_string(observer)},
                           {"preprocessing", samples.preprocessing()},
                           {"weights", weights_checksum(model)}};
    return statistics;
  }
};

/// Prints the number of samples and their preprocessing on standard error: images need the preprocessing of the
/// training.
inline void tell_preprocessing(const Samples& samples) {
  if (samples.size() == 0) return;
  const std::string how = samples.preprocessing();
  std::fprintf(stderr, "samples: %zu%s%s\n", samples.size(), how.empty() ? "" : ", ", how.c_str());
}

/// Adds --observer, --percent and --weight.
inline void add_observer_options(CLI::App& app, ObserverChoice& choice,
                                 const std::string& otherwise = observer_names.front()) {
  app.add_option("--observer", choice.name, "how the range of a tensor is found")
      ->check(one_of(observer_names))
      ->default_str(otherwise);
  app.add_option("--percent", choice.percent,
                 "share of values inside the range, in percent; with --observer percentile")
      ->check(CLI::Range(1e-6, 100.0))
      ->default_str(graft::shortest_decimal(graft::Percentile().percent));
  app.add_option("--weight", choice.weight, "weight of a new sample; with --observer moving-average")
      ->check(CLI::Range(1e-6, 1.0))
      ->default_str(graft::shortest_decimal(graft::MovingAverage().weight));
}

/// Throws CLI::RequiresError if a parameter belongs to another observer.
inline void check_parameters(const ObserverChoice& choice) {
  if (choice.percent && choice.name != "percentile") throw CLI::RequiresError("--percent", "--observer percentile");
  if (choice.weight && choice.name != "moving-average")
    throw CLI::RequiresError("--weight", "--observer moving-average");
}

/// The observer of the command line; without one, the observer for which the statistics were gathered. Throws
/// graft::Error if that observer is unknown, or lacks a parameter that the command line sets.
inline ObserverChoice observer_for(const std::map<std::string, std::string>& settings, const ObserverChoice& told) {
  const auto setting = settings.find("observer");
  ObserverChoice result = told;
  if (!told.name && setting != settings.end()) {
    CLI::App app;
    add_observer_options(app, result);
    try {
      app.parse("--observer " + setting->second);
    } catch (const CLI::ParseError&) {
      throw graft::Error("is unknown: '" + setting->second + "'").field("observer");
    }
    if (told.percent) result.percent = told.percent;
    if (told.weight) result.weight = told.weight;
  }
  try {
    check_parameters(result);
  } catch (const CLI::RequiresError& error) {
    throw graft::Error(error.what());
  }
  return result;
}

/// Adds --threads.
inline void add_threads_option(CLI::App& app, std::size_t& threads, const std::string& help) {
  app.add_option("--threads", threads, help)
      ->check(CLI::Range(std::size_t{1}, std::size_t{1024}))
      ->capture_default_str();
}

/// Adds the options that control how samples are read.
inline void add_sample_options(CLI::App& app, Calibration& calibration) {
  app.add_flag("--keep-going", calibration.keep_going, "skip unreadable files, and list them at the end");
  app.add_flag("--skip-nan", calibration.skip_nan, "skip samples that hold NaN, and print how many");
  Preprocessing& how = calibration.preprocessing;
  constexpr std::int64_t longest = 65536;
  auto* const resize = app.add_option("--resize", how.resize, "resize the shorter side of images to this many pixels")
                           ->check(CLI::Range(std::int64_t{1}, longest));
  auto* const crop = app.add_option("--crop", how.crop, "crop images to a centred square of this many pixels")
                         ->check(CLI::Range(std::int64_t{1}, longest));
  const auto set_size = [&how](const std::string& size) {
    const auto mark = size.find('x');
    std::int64_t width = 0, height = 0;
    if (mark == std::string::npos || !CLI::detail::lexical_cast(size.substr(0, mark), width) ||
        !CLI::detail::lexical_cast(size.substr(mark + 1), height) || width <= 0 || height <= 0 || width > longest ||
        height > longest)
      throw CLI::ValidationError("--size", "expected WIDTHxHEIGHT, found " + size);
    how.size = {width, height};
  };
  app.add_option_function<std::string>("--size", set_size, "resize images to WIDTHxHEIGHT pixels")
      ->excludes(resize)
      ->excludes(crop);
  const auto positive = [](const std::string& text) {
    float value = 1;
    CLI::detail::lexical_cast(text, value);
    return std::string(value > 0 ? "" : "must be greater than 0");
  };
  const auto not_zero = [](const std::string& text) {
    float value = 1;
    CLI::detail::lexical_cast(text, value);
    return std::string(value == 0 ? "must not be 0" : "");
  };
  app.add_option("--scale", how.scale, "the input is (pixel * scale - mean) / std; a number or a fraction")
      ->transform(number_or_fraction())
      ->check(not_zero)
      ->type_name("NUMBER")
      ->default_str("1/255, or 1 for an input of u8");
  add_numbers(app, "--mean", how.mean,
              "numbers or fractions: one for all channels, or one for each in the model's order");
  add_numbers(app, "--std", how.std, "numbers or fractions above 0, as for --mean")->check(positive);
  app.add_flag("--bgr", how.bgr, "the model's channels are in the order blue, green, red");
  const auto set_layout = [&calibration](const std::string& layout) { calibration.channels_last = layout == "nhwc"; };
  app.add_option_function<std::string>("--layout", set_layout,
                                       "layout of the model's input; by default its shape decides")
      ->check(one_of({"nchw", "nhwc"}));
}

inline constexpr const char* calibration_help =
    "a folder of images or of tensors: *.npz, *.npy, *.pb, or test_data_set_*/ with one file for each input";
