#pragma once
#include <graft/evaluate/decoder.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {
namespace detail {

/// The inputs and outputs of a graph that have no role yet.
class DecoderRoles {
 public:
  explicit DecoderRoles(const Graph& graph) {
    for (const Value* const input : graph.inputs())
      if (input->initializer() == nullptr) inputs_.push_back(input);
    outputs_.assign(graph.outputs().begin(), graph.outputs().end());
  }

  DecoderSignature signature() {
    DecoderSignature found;
    pair_by_name(found.caches);
    pair_by_shape(found.caches);
    for (const Value* const input : inputs_) {
      if (has(*input, "past")) throw Error("has no output of the same name with 'present'").field(input->name());
      if (!is_tokens(*input))
        throw Error("is not an input of a decoder: integers [batch, steps], or a part of the cache, are expected, "
                    "found " + described(*input))
            .field(input->name());
      assign(*input, has(*input, "mask") ? mask_ : has(*input, "position") ? positions_ : ids_);
    }
    if (ids_ == nullptr) throw Error("is missing: the decoder has no integers [batch, steps]").field("input_ids");
    if (found.caches.empty())
      throw Error("are missing: the decoder has no input that an output extends, as present.0.key extends "
                  "past_key_values.0.key; export it with its cache")
          .field("past_key_values");
    found.ids = *tokens(ids_);
    found.mask = tokens(mask_);
    found.positions = tokens(positions_);
    found.logits = std::string(logits().name());
    return found;
  }

 private:
  static bool has(const Value& value, std::string_view word) {
    return value.name().find(word) != std::string_view::npos;
  }
  static std::string described(const Value& value) {
    return std::string(to_string(value.dtype())) + to_string(value.shape());
  }
  static bool is_tokens(const Value& input) {
    const Shape shape = input.shape();
    return (input.dtype() == DType::i64 || input.dtype() == DType::i32) && (!shape.known() || shape.rank() == 2);
  }
  static bool is_cache(const Value& value) {
    const Shape shape = value.shape();
    return shape.known() && (shape.rank() == 4 || shape.rank() == 5) && !is_tokens(value);
  }

  static void assign(const Value& input, const Value*& role) {
    if (role != nullptr)
      throw Error("is a second input for what '" + std::string(role->name()) + "' is").field(input.name());
    role = &input;
  }
  static std::optional<DecoderSignature::Tokens> tokens(const Value* input) {
    if (input == nullptr) return std::nullopt;
    return DecoderSignature::Tokens{std::string(input->name()), input->dtype()};
  }

  void pair_by_name(std::vector<DecoderSignature::Cache>& caches) {
    std::erase_if(inputs_, [&](const Value* const input) {
      for (const std::string_view word : {"past_key_values", "past"}) {
        const std::size_t at = input->name().find(word);
        if (at == std::string_view::npos) continue;
        std::string name(input->name());
        name.replace(at, word.size(), "present");
        const auto output = std::find_if(outputs_.begin(), outputs_.end(),
                                         [&](const Value* const one) { return one->name() == name; });
        if (output == outputs_.end()) continue;
        caches.push_back(cache(*input, **output));
        outputs_.erase(output);
        return true;
      }
      return false;
    });
  }

  /// Pairs those of the rank of a cache in order, if inputs and outputs fit.
  void pair_by_shape(std::vector<DecoderSignature::Cache>& caches) {
    std::vector<const Value*> pasts, presents;
    for (const Value* const input : inputs_)
      if (is_cache(*input)) pasts.push_back(input);
    for (const Value* const output : outputs_)
      if (is_cache(*output)) presents.push_back(output);
    const auto fit = [](const Value* past, const Value* present) {
      const Shape one = past->shape(), other = present->shape();
      if (past->dtype() != present->dtype() || one.rank() != other.rank()) return false;
      for (std::size_t axis = 0; axis < one.rank(); ++axis)
        if (one[axis].known() && other[axis].known() && one[axis] != other[axis]) return false;
      return true;
    };
    if (!std::equal(pasts.begin(), pasts.end(), presents.begin(), presents.end(), fit)) return;
    for (std::size_t i = 0; i < pasts.size(); ++i) caches.push_back(cache(*pasts[i], *presents[i]));
    std::erase_if(inputs_, is_cache_pointer);
    std::erase_if(outputs_, is_cache_pointer);
  }
  static bool is_cache_pointer(const Value* value) { return is_cache(*value); }

  static DecoderSignature::Cache cache(const Value& past, const Value& present) {
    DecoderSignature::Cache found{std::string(past.name()), std::string(present.name()), past.dtype(), {}, 0};
    const auto refused = [&](const std::string& why) {
      return Error(why + ", found " + described(past)).field(past.name());
    };
    const Shape shape = past.shape();
    if (!is_cache(past)) throw refused("expected a cache [batch, heads, steps, size]");
    found.batch_axis = shape.rank() - 4;
    std::size_t growing = 0;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      const bool grows = axis != found.batch_axis && !shape[axis].known();
      growing += grows;
      found.empty.push_back(axis == found.batch_axis ? 1 : grows ? 0 : shape[axis].value());
    }
    if (growing == 0) throw refused("expected a cache that grows, with an unknown or symbolic number of steps");
    if (growing > 1) throw refused("expected known extents of all axes except the batch and the steps");
    return found;
  }

  const Value& logits() const {
    const Value* found = nullptr;
    for (const Value* const output : outputs_) {
      if (output->name() == "logits") return *output;
      const Shape shape = output->shape();
      if (!is_float(output->dtype()) || (shape.known() && shape.rank() != 3)) continue;
      if (found != nullptr)
        throw Error("is missing: '" + std::string(found->name()) + "' or '" + std::string(output->name()) +
                    "' may be it; rename one")
            .field("logits");
      found = output;
    }
    if (found == nullptr) throw Error("is missing: no output is floats [batch, steps, words]").field("logits");
    return *found;
  }

  std::vector<const Value*> inputs_, outputs_;
  const Value *ids_ = nullptr, *mask_ = nullptr, *positions_ = nullptr;
};

inline void check_ids(const Tensor& ids) {
  if (ids.dtype() != DType::i64 || ids.rank() != 2)
    throw Error("expected ids i64[batch,steps], found " + to_string(ids.dtype(), ids.dims())).field("ids");
  if (ids.size() == 0) throw Error("expected at least one step, found " + to_string(ids.dims())).field("ids");
}

/// The mask of all steps so far, and the positions of the last ones, for each sequence.
inline void feed_tokens(const DecoderSignature& signature, const Tensor& ids,
                        const std::vector<std::vector<std::int64_t>>& seen, Feeds& feeds) {
  const auto steps = static_cast<std::size_t>(ids.dims()[1]);
  const auto batch = static_cast<std::int64_t>(seen.size());
  const auto of = [](const DecoderSignature::Tokens& input, Dims dims, const std::vector<std::int64_t>& values) {
    return std::pair<ValueRef, Tensor>(input.name, Tensor::of(input.dtype, std::move(dims), values));
  };
  feeds.push_back(of(signature.ids, ids.dims(), ids.to<std::int64_t>()));
  if (signature.mask) {
    std::vector<std::int64_t> mask;
    for (const auto& row : seen) mask.insert(mask.end(), row.begin(), row.end());
    feeds.push_back(of(*signature.mask, {batch, static_cast<std::int64_t>(seen.front().size())}, mask));
  }
  if (!signature.positions) return;
  std::vector<std::int64_t> positions;
  for (const auto& row : seen) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      count += row[i];
      if (i + steps >= row.size()) positions.push_back(std::max<std::int64_t>(count - 1, 0));
    }
  }
  feeds.push_back(of(*signature.positions, ids.dims(), positions));
}

inline Tensor empty_cache(const DecoderSignature::Cache& cache, std::int64_t batch) {
  Dims dims = cache.empty;
  dims[cache.batch_axis] = batch;
  return Tensor(cache.dtype, std::move(dims));
}

}  // namespace detail

GRAFT_INLINE Feeds DecoderSignature::first_feeds(const Tensor& ids_of_steps) const {
  detail::check_ids(ids_of_steps);
  const Dims& dims = ids_of_steps.dims();
  Feeds feeds;
  const std::vector<std::int64_t> all(static_cast<std::size_t>(dims[1]), 1);
  detail::feed_tokens(*this, ids_of_steps, std::vector(static_cast<std::size_t>(dims[0]), all), feeds);
  for (const Cache& cache : caches) feeds.emplace_back(cache.past, detail::empty_cache(cache, dims[0]));
  return feeds;
}

GRAFT_INLINE DecoderSignature decoder_signature(const Graph& graph) {
  try {
    return detail::DecoderRoles(graph).signature();
  } catch (Error& error) {
    throw error.file(graph.model().file());
  }
}

GRAFT_INLINE Decoder::Decoder(const Graph& graph, const ExecutorFactory& make_executor)
    : signature_(decoder_signature(graph)), executor_(make_executor(graph)) {
  fetches_.emplace_back(signature_.logits);
  for (const DecoderSignature::Cache& cache : signature_.caches) fetches_.emplace_back(cache.present);
}

GRAFT_INLINE Tensor Decoder::run(const Tensor& ids, const Tensor& mask) {
  detail::check_ids(ids);
  const auto batch = static_cast<std::size_t>(ids.dims()[0]), steps = static_cast<std::size_t>(ids.dims()[1]);
  if (mask && mask.dims() != ids.dims())
    throw Error("expected " + to_string(ids.dims()) + " as the ids, found " + to_string(mask.dims())).field("mask");
  if (!cache_.empty() && seen_.size() != batch)
    throw Error("has " + std::to_string(batch) + " sequences, the cache " + std::to_string(seen_.size()) +
                "; restart() begins with other ones")
        .field("ids");
  std::vector<std::vector<std::int64_t>> seen = cache_.empty() ? std::vector<std::vector<std::int64_t>>(batch) : seen_;
  const std::vector<std::int64_t> valid = mask ? mask.to<std::int64_t>() : std::vector<std::int64_t>(batch * steps, 1);
  for (std::size_t i = 0; i < valid.size(); ++i) seen[i / steps].push_back(valid[i] != 0);

  Feeds feeds;
  detail::feed_tokens(signature_, ids, seen, feeds);
  for (std::size_t i = 0; i < signature_.caches.size(); ++i) {
    const DecoderSignature::Cache& cache = signature_.caches[i];
    feeds.emplace_back(cache.past, cache_.empty() ? detail::empty_cache(cache, ids.dims()[0]) : cache_[i]);
  }
  std::vector<Tensor> made = executor_.run(feeds, fetches_);
  seen_ = std::move(seen);
  cache_.assign(std::make_move_iterator(made.begin() + 1), std::make_move_iterator(made.end()));
  return std::move(made.front());
}

GRAFT_INLINE void Decoder::restart() {
  cache_.clear();
  seen_.clear();
}

GRAFT_INLINE double cross_entropy(const Tensor& logits, std::span<const std::int64_t> ids) {
  const std::int64_t words = logits.rank() == 0 ? 0 : logits.dims().back();
  const auto rows = words == 0 ? 0 : static_cast<std::size_t>(logits.size() / words);
  if (ids.empty() || rows != ids.size())
    throw Error("has " + std::to_string(rows) + " rows for " + std::to_string(ids.size()) +
                " tokens; one for each is expected")
        .field("logits");
  const std::vector<float> converted = logits.dtype() == DType::f32 ? std::vector<float>() : logits.to<float>();
  const std::span<const float> all = logits.dtype() == DType::f32 ? logits.data<float>() : std::span(converted);
  double sum = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (ids[i] < 0 || ids[i] >= words)
      throw Error("token " + std::to_string(ids[i]) + " is outside the " + std::to_string(words) + " words")
          .field("ids");
    const auto width = static_cast<std::size_t>(words);
    const std::span<const float> row = all.subspan(i * width, width);
    const double greatest = *std::max_element(row.begin(), row.end());
    double total = 0;
    for (const float logit : row) total += std::exp(logit - greatest);
    sum += std::log(total) + greatest - row[static_cast<std::size_t>(ids[i])];
  }
  return sum / static_cast<double>(rows);
}

GRAFT_INLINE double token_loss(Decoder& decoder, std::span<const std::int64_t> ids, std::size_t window) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t at = 0; window > 1 && at + 1 < ids.size(); at += window) {
    const std::span<const std::int64_t> piece = ids.subspan(at, std::min(window, ids.size() - at));
    const std::size_t predicted = piece.size() - 1;
    decoder.restart();
    const Tensor logits =
        decoder.run(Tensor::of({1, static_cast<std::int64_t>(predicted)}, piece.first(predicted)));
    sum += cross_entropy(logits, piece.last(predicted)) * static_cast<double>(predicted);
    count += predicted;
  }
  decoder.restart();
  if (count == 0) throw Error("expected at least two tokens in a piece").field("ids");
  return sum / static_cast<double>(count);
}

GRAFT_INLINE std::vector<Feeds> decoder_samples(const DecoderSignature& signature, std::span<const std::int64_t> ids,
                                                std::size_t window) {
  std::vector<Feeds> samples;
  for (std::size_t at = 0; at + window <= ids.size(); at += window)
    samples.push_back(
        signature.first_feeds(Tensor::of({1, static_cast<std::int64_t>(window)}, ids.subspan(at, window))));
  return samples;
}

}  // namespace graft::inline v1
