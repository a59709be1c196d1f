#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The known elements of small integer and bool tensors of one model: constants, Shape, and what Gather,
/// Slice, Concat, Cast, arithmetic and the like make of them. Computed when asked for, from types as they then are,
/// without recursion.
class KnownContents {
 public:
  /// assume_defaults: an initializer that a caller may override counts as a constant.
  explicit KnownContents(bool assume_defaults = false) : assume_defaults_(assume_defaults) {}

  /// The elements, known, symbolic or unknown one by one; nullptr if not even their number is known, if it is beyond
  /// contents_limit, or if kept_contents_limit is reached. Valid until the model is edited. Throws Error for a
  /// malformed constant.
  const Contents* contents(const Value& value);

  /// The elements, if all are known.
  std::optional<Ints> ints(const Value& value);

  /// How many values have been computed so far: what the answers have cost.
  std::size_t computed() const { return computed_; }
  /// How many elements are kept: what the answers cost in memory.
  std::size_t kept() const { return kept_; }

  /// Whether the model is as it was when it was asked about last.
  bool is_current(const Model& model) const { return model_ == &model && edits_ == model.edit_count(); }
  /// The edits since then changed no contents: what has been computed stays.
  void keep(const Model& model) {
    if (model_ == &model) edits_ = model.edit_count();
  }

  /// Of any dtype and size; nullopt if the value is no constant.
  std::optional<Tensor> tensor(const Value& value) const;

 private:
  friend class Inference;

  /// While one is alive, edits that only write types leave the memo as it is.
  class Hold {
   public:
    explicit Hold(KnownContents& known) : known_(known) { ++known_.holds_; }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { --known_.holds_; }

   private:
    KnownContents& known_;
  };

  void forget();
  void forget_if_edited(const Model& model);

  static const infer::OperatorRule* rule_for(const Value& value);
  std::optional<Contents> evaluate(const Value& value, const infer::OperatorRule& rule);
  /// Of a constant; else as many unknown elements as the type says.
  std::optional<Contents> leaf(const Value& value) const;

  std::unordered_map<const Value*, std::optional<Contents>> memo_;
  const Model* model_ = nullptr;
  std::uint64_t edits_ = 0;
  std::size_t holds_ = 0, computed_ = 0, kept_ = 0;
  bool assume_defaults_;
};

/// The elements of an integer or bool tensor, if all are known. For many questions keep a KnownContents.
inline std::optional<Ints> known_ints(const Value& value) { return KnownContents().ints(value); }

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/infer.hpp>
#endif
