#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <graft/evaluate.hpp>
#include <graft/quantize.hpp>

#include "support/npy.hpp"
#include "support/peak_memory.hpp"
#include "support/samples.hpp"
#include "support/tokenizer.hpp"
#ifdef EXAMPLES_ONNXRUNTIME
#include <graft/evaluate/onnxruntime.hpp>
#endif

/// The text on which a decoder is quantized and measured, and the lengths of runs.
struct DecoderOptions {
  std::filesystem::path text, tokenizer;
  std::size_t tokens = 8192, window = 512, prompt = 512, generate = 64;
};

/// The tokens of the text: whole pieces for samples, and others to measure the cross-entropy on.
class TextTokens {
 public:
  /// Throws graft::Error for a text or a tokenizer that cannot be read, and for less than two pieces.
  TextTokens(const DecoderOptions& options, const std::filesystem::path& model)
      : ids_(read(options, model)), window_(options.window), name_(options.text.filename().string()) {
    if (ids_.size() > options.tokens) ids_.resize(options.tokens);
    const std::size_t pieces = ids_.size() / window_;
    if (pieces < 2)
      throw graft::Error("has " + std::to_string(ids_.size()) + " tokens, " + std::to_string(2 * window_) +
                         " expected: a piece for samples, and one for the cross-entropy; a smaller --window needs less")
          .file(options.text.string());
    of_samples_ = pieces / 2 * window_;
  }

  std::size_t window() const { return window_; }
  /// Tokens that no sample has.
  std::span<const std::int64_t> unseen() const { return std::span(ids_).subspan(of_samples_); }

  Samples samples(const graft::DecoderSignature& signature) const {
    const std::vector<graft::Feeds> all =
        graft::decoder_samples(signature, std::span(ids_).first(of_samples_), window_);
    const std::string how = "pieces of " + std::to_string(window_) + " tokens of " + name_;
    return {all.size(), [all](std::size_t i) { return graft::Sample(all[i]); },
            [how](std::size_t i) { return how + ", " + std::to_string(i); }, how};
  }

 private:
  static std::vector<std::int64_t> read(const DecoderOptions& options, const std::filesystem::path& model) {
    if (options.text.extension() == ".npy") {
      const graft::Tensor ids = load_npy(options.text.string());
      if (ids.dtype() == graft::DType::i64 || ids.dtype() == graft::DType::i32) return ids.to<std::int64_t>();
      throw graft::Error("expected token ids, i64 or i32, found " + to_string(ids.dtype(), ids.dims()))
          .file(options.text.string());
    }
    const bool is_beside = options.tokenizer.empty();
    const std::filesystem::path file = is_beside ? model.parent_path() / "tokenizer.json" : options.tokenizer;
    if (is_beside && !std::filesystem::exists(file))
      throw graft::Error("is missing: --tokenizer names another one, or --text is a .npy with the ids of tokens")
          .file(file.string());
    const Tokenizer tokenizer = Tokenizer::load(file.string());
    try {
      return tokenizer.encode(graft::read_whole(options.text.string()));
    } catch (graft::Error& error) {
      throw error.file(options.text.string());
    }
  }

  std::vector<std::int64_t> ids_;
  std::size_t window_, of_samples_ = 0;
  std::string name_;
};

/// What runs a decoder, and how it is called.
struct DecoderExecutor {
  std::string name;
  graft::ExecutorFactory make;
};

/// ONNX Runtime if the program has it, its release has attention with such a cache, and the model fits into the message
/// that starts a session; else graft's own executor. Prints which on standard error.
inline DecoderExecutor decoder_executor([[maybe_unused]] std::optional<int> cache_bits,
                                        [[maybe_unused]] std::size_t bytes, std::size_t threads) {
  const auto told = [](DecoderExecutor executor) {
    std::fprintf(stderr, "decoder: measured in %s, before and after\n", executor.name.c_str());
    return executor;
  };
  const std::string on_threads = ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
#ifdef EXAMPLES_ONNXRUNTIME
  const std::string version = graft::OnnxRuntimeApi::version();
  const auto has_kernel = [&](int bits) {
    const auto since = graft::first_release_with_cache(graft::targets::ort_cpu_here(), bits);
    return since && *since <= graft::Release::parse(version);
  };
  const bool has_cache = !cache_bits || has_kernel(*cache_bits);  // a quantized model computes in float32
  if (has_cache && bytes <= graft::file_limit)
    return told({"ONNX Runtime " + version + on_threads, [threads](const graft::Graph& graph) {
                   return graft::OnnxRuntime(graph, {.threads = static_cast<int>(threads)});
                 }});
#endif
  const auto pool = std::make_shared<graft::ThreadPool>(static_cast<int>(threads));
  const graft::ParallelFor parallel = [pool](std::int64_t count, const std::function<void(std::int64_t)>& task) {
    (*pool)(count, task);
  };
  return told({"graft's executor" + on_threads,
               [parallel](const graft::Graph& graph) { return graft::Evaluator(graph, parallel); }});
}

/// What a decoder does on a text.
struct DecoderFigures {
  double loss = 0;                    // cross-entropy per token, in nats
  double prompt = 0, generation = 0;  // tokens a second
  std::optional<std::size_t> peak;    // bytes that the model and its run take
};

/// Measures the decoder: the cross-entropy on the unseen tokens, then these as a prompt, and single tokens behind it.
inline DecoderFigures measure(const graft::Graph& graph, PeakMemory& memory, const DecoderExecutor& executor,
                              const TextTokens& text, const DecoderOptions& options) {
  const std::span<const std::int64_t> unseen = text.unseen();
  const auto part = [&](std::size_t at, std::size_t count) {
    std::vector<std::int64_t> ids(count);
    for (std::size_t i = 0; i < count; ++i) ids[i] = unseen[(at + i) % unseen.size()];
    return graft::Tensor::of({1, static_cast<std::int64_t>(count)}, ids);
  };
  graft::Decoder decoder(graph, executor.make);
  const auto seconds = [&](const graft::Tensor& ids) {
    const auto start = std::chrono::steady_clock::now();
    decoder.run(ids);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  seconds(part(0, 1));  // loads the weights
  memory.reset();
  DecoderFigures figures;
  figures.loss = graft::token_loss(decoder, unseen, text.window());
  double fastest = 0;
  for (int run = 0; run < 3; ++run) {
    decoder.restart();
    fastest = std::max(fastest, 1 / seconds(part(0, options.prompt)));
  }
  figures.prompt = fastest * static_cast<double>(options.prompt);
  std::vector<double> steps;
  for (std::size_t i = 0; i < options.generate; ++i) steps.push_back(seconds(part(options.prompt + i, 1)));
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  figures.generation = 1 / *middle;
  figures.peak = memory.bytes();
  return figures;
}

/// Measures the decoder of a file, whose loading counts as memory.
inline DecoderFigures measure(const std::filesystem::path& file, const DecoderExecutor& executor,
                              const TextTokens& text, const DecoderOptions& options) {
  PeakMemory memory;
  const graft::Model model = graft::Model::load(file.string());
  return measure(model.graph(), memory, executor, text, options);
}

/// The decoder in float and quantized.
struct DecoderComparison {
  std::string executor;
  std::size_t tokens = 0, prompt = 0;
  DecoderFigures before, after;
};

inline nlohmann::json to_json(const DecoderFigures& figures) {
  nlohmann::json json{{"cross_entropy", figures.loss},
                      {"prompt_tokens_per_second", figures.prompt},
                      {"generated_tokens_per_second", figures.generation},
                      {"peak_bytes", nullptr}};
  if (figures.peak) json["peak_bytes"] = *figures.peak;
  return json;
}

inline nlohmann::json to_json(const DecoderComparison& decoder) {
  return {{"executor", decoder.executor}, {"tokens", decoder.tokens}, {"prompt", decoder.prompt},
          {"before", to_json(decoder.before)}, {"after", to_json(decoder.after)}};
}
