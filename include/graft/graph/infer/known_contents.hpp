#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/model.hpp>

namespace graft::inline v1 {

/// What is known of the elements of small integer and bool tensors of one model: constants, Shape, and what Gather,
/// Slice, Concat, Cast, arithmetic and the like make of them. Computed when asked for, from types as they then are,
/// without recursion.
template <class>
class BasicKnownContents {
 public:
  /// assume_defaults: an initializer that a caller may override counts as a constant.
  explicit BasicKnownContents(bool assume_defaults = false) : assume_defaults_(assume_defaults) {}

  /// The elements, known, symbolic or unknown one by one; nullptr if not even their number is known, if it is beyond
  /// contents_limit, or if kept_contents_limit is reached. Valid until the model is edited. Throws Error for a malformed constant.
  const Contents* contents(const Value& value);

  /// The elements, if all are known.
  std::optional<Ints> ints(const Value& value) {
    const Contents* const found = contents(value);
    return found ? found->ints() : std::nullopt;
  }

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
  std::optional<Tensor> tensor(const Value& value) const {
    if (assume_defaults_ && value.initializer() != nullptr && value.dtype() != DType::string) {
      return read_tensor(*value.initializer(), value.graph().model().external_data());
    }
    return value.constant();
  }

 private:
  friend class BasicInference<void>;

  /// While one is alive, edits that only write types leave the memo as it is.
  class Hold {
   public:
    explicit Hold(BasicKnownContents& known) : known_(known) { ++known_.holds_; }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { --known_.holds_; }

   private:
    BasicKnownContents& known_;
  };

  void forget() {
    memo_.clear();
    kept_ = 0;
  }
  void forget_if_edited(const Model& model) {
    if (holds_ != 0 || is_current(model)) return;
    forget();
    model_ = &model;
    edits_ = model.edit_count();
  }

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
template <class = void>
std::optional<Ints> known_ints(const Value& value) { return KnownContents().ints(value); }

#ifdef GRAFT_SEPARATE
extern template class BasicKnownContents<void>;
#endif

}  // namespace graft::inline v1

#ifndef GRAFT_SEPARATE
#include <graft/graph/detail/known_contents_members.hpp>
#endif
