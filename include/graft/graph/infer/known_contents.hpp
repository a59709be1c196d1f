#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/sums.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The known elements of small integer and bool tensors of one model. It starts from constants and Shape, and follows
/// Gather, Slice, Concat, Cast, arithmetic and similar operators. Elements are computed on demand from the current
/// types, without recursion.
class KnownContents {
 public:
  /// assume_defaults: an initializer that a caller may override counts as a constant.
  explicit KnownContents(bool assume_defaults = false) : assume_defaults_(assume_defaults) {}

  /// The elements, each of them known, symbolic or unknown. nullptr if their number is unknown or beyond
  /// contents_limit, or if kept_contents_limit is reached. Valid until the model is edited. Throws Error for a
  /// malformed constant.
  const Contents* contents(const Value& value);

  /// The elements; nullopt unless all are known.
  std::optional<Ints> ints(const Value& value);

  /// a + b and a - b. The symbol of a sum of symbols is as exporters write it, "past + sequence", in memory of this
  /// object. A sum is unknown if its symbol would exceed infer::max_sum_length, and a difference if it may be negative,
  /// unless it is a number.
  Integer sum(const Integer& a, const Integer& b);
  Integer difference(const Integer& a, const Integer& b);

  /// The number of values computed so far: the cost of the answers in time.
  std::size_t computed() const { return computed_; }
  /// The number of elements kept: the cost of the answers in memory.
  std::size_t kept() const { return kept_; }

  /// Whether the model is unchanged since the last question.
  bool is_current(const Model& model) const { return model_ == &model && edits_ == model.edit_count(); }
  /// Declares that the edits since then changed no contents, so that computed contents stay.
  void keep(const Model& model) {
    if (model_ == &model) edits_ = model.edit_count();
  }

  /// A constant of any dtype and size; nullopt if the value is not constant.
  std::optional<Tensor> tensor(const Value& value) const;

 private:
  friend class Inference;

  /// During its lifetime, edits that only write types do not clear the memo.
  class Hold {
   public:
    explicit Hold(KnownContents& known) : known_(known) { ++known_.holds_; }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { --known_.holds_; }

   private:
    KnownContents& known_;
  };

  Integer integer_of(const infer::Sum& sum);
  void forget();
  void forget_if_edited(const Model& model);

  static const infer::OperatorRule* rule_for(const Value& value);
  std::optional<Contents> evaluate(const Value& value, const infer::OperatorRule& rule);
  /// The contents of a constant; for other values, as many unknown elements as the type has.
  std::optional<Contents> leaf(const Value& value) const;

  std::unordered_map<const Value*, std::optional<Contents>> memo_;
  std::unordered_set<std::string> sums_;
  const Model* model_ = nullptr;
  std::uint64_t edits_ = 0;
  std::size_t holds_ = 0, computed_ = 0, kept_ = 0;
  bool assume_defaults_;
};

/// The elements of an integer or bool tensor; nullopt unless all are known. For many values use one KnownContents.
inline std::optional<Ints> known_ints(const Value& value) { return KnownContents().ints(value); }

}  // namespace graft::inline v1
