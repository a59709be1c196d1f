#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/testing/detail/grow/want.hpp>
#include <graft/testing/random.hpp>
#include <graft/testing/random_graph.hpp>

namespace graft::inline v1::detail {

/// Draws from lists and intervals.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) { return random_.integer(low, high); }
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(random_.integer(0, static_cast<std::int64_t>(count) - 1));
  }
  bool one_in(std::int64_t count) { return random_.integer(1, count) == 1; }
  template <class T>
  T any_of(std::initializer_list<T> choices) {
    return *(choices.begin() + below(choices.size()));
  }
  template <class T>
  const T& any_of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }
  double real(double low, double high) { return low + (high - low) * random_.unit(); }
  Random& random() { return random_; }

 private:
  Random random_;
};

/// A graph that grows at its end. Each value has a sample: its value for one random set of inputs. A node is not added
/// if it cannot be inferred or evaluated, or if its sample is not finite.
class GraphGrower {
 public:
  GraphGrower(Model& model, const Vocabulary& vocabulary, std::uint64_t seed);

  Graph& graph() { return *graph_; }
  Dice& dice() { return dice_; }
  const Vocabulary& vocabulary() const { return *vocabulary_; }
  int opset(std::string_view domain) const { return graph_->opset(domain); }

  /// A value that meets the wish, or a new input. Throws Unfit if no dtype does.
  Value& pick(const Want& want);
  Value& new_input(const Want& want);
  /// A value with these i64 contents that is computed from the shape of another value; nullptr if no value has these
  /// extents.
  Value* shape_like(const Ints& numbers);
  /// An initializer, or the output of a Constant.
  Value& constant(Tensor tensor);

  /// Adds a node. Throws Unfit if it is not valid, or cannot be computed.
  Node& add(std::string_view op, std::span<Value* const> inputs, std::size_t outputs, const Attributes& attributes);

  /// The value in the sample run.
  const Tensor& sample(const Value& value) const;
  bool is_exact(const Value& value) const;

  /// The next picks prefer shapes of this rank; 0: no preference.
  void prefer(std::size_t rank, DType dtype) { rank_ = rank, dtype_ = dtype; }
  DType main_dtype() const { return dtype_; }

  /// After a rollback, forget(mark) drops the values that were made since mark().
  std::size_t mark() const { return values_.size(); }
  void forget(std::size_t mark);

  /// A value that represents one of another graph, with the same name and sample.
  void adopt_input(const Value& outer, const Tensor& sample, bool exact);

  /// Makes unread values outputs, and some others.
  void choose_outputs();
  /// The outputs of nodes, in order.
  std::vector<Value*> made() const;

 private:
  struct Known {
    Tensor sample;
    bool exact = true;
  };

  void know(Value& value, Tensor sample, bool exact);
  bool serves(const Value& value, const Want& want) const;
  Dims random_dims(const Want& want);
  DType random_dtype(const schema::TypeSet& allowed);
  std::vector<Tensor> evaluate_sample(const Node& node) const;

  Graph* graph_;
  const Vocabulary* vocabulary_;
  const Kernels* kernels_;
  Dice dice_;
  Inference inference_;
  std::vector<Value*> values_;  // all values of known types
  std::unordered_map<const Value*, Known> known_;
  std::map<std::string, std::int64_t> symbols_;
  std::size_t rank_ = 0;
  DType dtype_ = DType::f32;
};

}  // namespace graft::inline v1::detail
