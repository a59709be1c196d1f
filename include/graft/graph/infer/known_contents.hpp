#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/table.hpp>
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

  /// The elements, known, symbolic or unknown one by one; nullptr if not even their number is known, or if it is beyond
  /// contents_limit. Valid until the model is edited. Throws Error for a malformed constant.
  const Contents* contents(const Value& value) {
    forget_if_edited(value.graph().model());
    std::vector<const Value*> open{&value};
    while (!open.empty()) {
      const Value& next = *open.back();
      if (memo_.contains(&next)) {
        open.pop_back();
        continue;
      }
      const infer::OperatorRule* const rule = rule_for(next);
      const std::size_t before = open.size();
      if (rule != nullptr && rule->contents_from == infer::From::contents) {
        for (const Value* const input : next.producer()->inputs()) {
          if (input != nullptr && !memo_.contains(input)) open.push_back(input);
        }
      }
      if (open.size() != before) continue;
      std::optional<Contents> found = rule != nullptr ? evaluate(next, *rule) : std::nullopt;
      ++computed_;
      memo_.emplace(&next, found ? std::move(found) : leaf(next));
      open.pop_back();
    }
    const std::optional<Contents>& found = memo_.at(&value);
    return found ? &*found : nullptr;
  }

  /// The elements, if all are known.
  std::optional<Ints> ints(const Value& value) {
    const Contents* const found = contents(value);
    return found ? found->ints() : std::nullopt;
  }

  /// How many values have been computed so far: what the answers have cost.
  std::size_t computed() const { return computed_; }

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

  void forget() { memo_.clear(); }
  void forget_if_edited(const Model& model) {
    if (holds_ != 0 || is_current(model)) return;
    forget();
    model_ = &model;
    edits_ = model.edit_count();
  }

  static const infer::OperatorRule* rule_for(const Value& value) {
    const Node* const producer = value.producer();
    const DType dtype = value.dtype();
    if (producer == nullptr || (dtype != DType::undefined && !infer::is_followed(dtype))) return nullptr;
    const infer::OperatorRule* const rule = infer::find_rule(producer->domain(), producer->op_type());
    return rule != nullptr && rule->contents != nullptr ? rule : nullptr;
  }

  std::optional<Contents> evaluate(const Value& value, const infer::OperatorRule& rule) {
    Node& producer = *value.producer();
    for (const onnx::AttributeProto& attribute : producer.proto().attribute()) {
      if (is_reference(attribute)) return std::nullopt;
    }
    std::optional<Contents> found = rule.contents(InferContext(producer, *this, value.index()));
    if (!found || std::ssize(found->elements) > contents_limit) return std::nullopt;
    return element_count(found->dims) == std::ssize(found->elements) ? std::move(found) : std::nullopt;
  }

  /// Of a constant; else as many unknown elements as the type says.
  std::optional<Contents> leaf(const Value& value) const {
    const DType dtype = value.dtype();
    if (dtype != DType::undefined && !infer::is_followed(dtype)) return std::nullopt;
    if (const std::optional<Tensor> constant = tensor(value)) {
      if (!infer::is_followed(constant->dtype()) || constant->size() > contents_limit) return std::nullopt;
      const Ints values = constant->to<std::int64_t>();
      return Contents{constant->dtype(), constant->dims(), {values.begin(), values.end()}};
    }
    auto dims = value.shape().dims();
    if (dtype == DType::undefined || !dims) return std::nullopt;
    std::int64_t count = 1;
    for (const std::int64_t dim : *dims) {
      if (__builtin_mul_overflow(count, dim, &count)) return std::nullopt;
    }
    if (count > contents_limit) return std::nullopt;
    return Contents{dtype, std::move(*dims), std::vector<Integer>(static_cast<std::size_t>(count))};
  }

  std::unordered_map<const Value*, std::optional<Contents>> memo_;
  const Model* model_ = nullptr;
  std::uint64_t edits_ = 0;
  std::size_t holds_ = 0, computed_ = 0;
  bool assume_defaults_;
};

template <class Void>
const Contents* BasicInferContext<Void>::contents(std::size_t i) const {
  return has(i) ? known_.contents(*node_.input(i)) : nullptr;
}
template <class Void>
std::optional<Tensor> BasicInferContext<Void>::constant(std::size_t i) const {
  return has(i) ? known_.tensor(*node_.input(i)) : std::nullopt;
}

/// The elements of an integer or bool tensor, if all are known. For many questions keep a KnownContents.
template <class = void>
std::optional<Ints> known_ints(const Value& value) { return KnownContents().ints(value); }

#ifdef GRAFT_SEPARATE
extern template class BasicKnownContents<void>;
#endif

}  // namespace graft::inline v1
