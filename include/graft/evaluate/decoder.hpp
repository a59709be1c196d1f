#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// The inputs and outputs of a decoder with a key-value cache.
struct DecoderSignature {
  /// An input of integers, i64 or i32.
  struct Tokens {
    std::string name{};
    DType dtype = DType::i64;
  };
  /// A part of the cache: an input, and the output that has its steps and those of the run.
  struct Cache {
    std::string past{}, present{};
    DType dtype = DType::f32;
    Dims empty{};               ///< of one sequence and 0 steps
    std::size_t batch_axis = 0;
  };

  Tokens ids;                             ///< [batch, steps]
  std::optional<Tokens> mask, positions;  ///< [batch, past steps + steps], [batch, steps]
  std::string logits;                     ///< [batch, steps, words]
  std::vector<Cache> caches;

  /// The feeds of a first run, with an empty cache. ids: i64 [batch, steps]. Throws Error for others, and for no
  /// step.
  Feeds first_feeds(const Tensor& ids) const;
};

/// Finds the inputs and outputs of a decoder, such as those that optimum and onnxruntime-genai export:
///   - the cache: past_key_values.0.key and present.0.key, or other names with "past" and "present" in the same place;
///     else inputs and outputs of equal dtypes and extents, in order. Keys and values are [batch, heads, steps, size],
///     or one tensor with a further axis in front. One extent alone is unknown beside the batch.
///   - integers of rank 2: a name with "mask", one with "position", and the ids
///   - an output named "logits", else the only other one of floats and rank 3
///
/// Throws Error for whatever is missing, and for an input that is none of these.
DecoderSignature decoder_signature(const Graph& graph);

/// Runs a decoder step by step, and feeds it the cache that it returned.
class Decoder {
 public:
  /// Throws Error as decoder_signature() does. The graph must outlive the decoder and must not change meanwhile.
  explicit Decoder(const Graph& graph, const ExecutorFactory& make_executor = {});

  const DecoderSignature& signature() const { return signature_; }

  /// Runs further steps, and returns their logits [batch, steps, words]. ids: i64 [batch, steps]. mask: of the same
  /// shape, 0 for padding, by default 1 everywhere; later runs see it, too. Positions count from 0 at the first id that
  /// is not padding. Where padding may be depends on the model: a mask that is added to scores allows it anywhere,
  /// GroupQueryAttention only behind the last ids. Throws Error for other shapes, for no step, and the errors of the
  /// executor.
  Tensor run(const Tensor& ids, const Tensor& mask = {});

  /// Forgets the cache.
  void restart();

 private:
  DecoderSignature signature_;
  AnyExecutor executor_;
  Fetches fetches_;
  std::vector<Tensor> cache_;                          // empty before the first run
  std::vector<std::vector<std::int64_t>> seen_{};      // the mask of all steps, for each sequence
};

/// The mean of -log softmax(logits)[id], in nats. logits: [..., words] of any floats, with a row for each id. Throws
/// Error for another number of rows, for no id, and for ids outside the words.
double cross_entropy(const Tensor& logits, std::span<const std::int64_t> ids);

/// The cross-entropy of each token given those before it, in nats, averaged. Runs pieces of `window` tokens, each over
/// an empty cache; the first token of a piece is not predicted. Throws Error if no piece has two tokens.
double token_loss(Decoder& decoder, std::span<const std::int64_t> ids, std::size_t window);

/// Samples for passes that run the graph of a decoder: the feeds of each whole piece of `window` tokens, with an empty
/// cache. Precondition: window > 0.
std::vector<Feeds> decoder_samples(const DecoderSignature& signature, std::span<const std::int64_t> ids,
                                   std::size_t window);

}  // namespace graft::inline v1
