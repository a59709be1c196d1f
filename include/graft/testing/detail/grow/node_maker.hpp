#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/testing/detail/grow/graph_grower.hpp>
#include <graft/testing/detail/grow/want.hpp>
#include <graft/testing/random.hpp>

namespace graft::inline v1::detail {

/// The requirements of an operand before it is made.
struct NodeOperand {
  enum class Kind : std::uint8_t { free, absent, given, constant, twin };

  Kind kind = Kind::free;
  Value* value = nullptr;  // a given value
  std::size_t twin = 0;    // the index of the operand whose value it shares
  // For constants, and for values that are chosen:
  std::optional<std::size_t> rank{};
  std::uint32_t dtypes = 0xffffffff;
  bool scalar = false, positive = false;
  std::optional<double> all_equal{};
  std::optional<Tensor> contents{};
};

/// One node under construction. The makers of operators.hpp request operands that fit, and set attributes. The
/// requirements of a pattern have precedence.
class NodeMaker {
 public:
  /// Throws Unfit if the graph's opset lacks the operator.
  NodeMaker(GraphGrower& grower, std::string_view op);

  // The requirements of a pattern.
  std::vector<NodeOperand> operands{};        // later operands: free, or absent if the node is closed
  std::map<std::string, Attribute> fixed{};   // by attribute
  std::vector<std::string_view> mentioned{};  // attributes that may be set even if the node is closed
  bool closed_inputs = false, closed_attributes = false;
  bool is_free = true;  // it does not belong to a pattern

  // Functions for makers.
  GraphGrower& grower() { return *grower_; }
  Dice& dice() { return grower_->dice(); }
  std::string_view op() const { return op_; }
  bool is(std::string_view op) const { return op_ == op; }
  int version() const { return facts_->since_version; }
  const schema::Operator& facts() const { return *facts_; }

  const NodeOperand& operand(std::size_t i) const;
  bool is_given(std::size_t i) const { return operand(i).kind == NodeOperand::Kind::given; }
  /// Whether to add an optional operand.
  bool wanted(std::size_t i, std::int64_t one_in = 2);
  /// Operand i, chosen among the values that fit.
  Value& value(std::size_t i, const Want& want = {});
  /// An operand whose extents are numbers.
  Value& numeric(std::size_t i, std::size_t least_rank = 0, std::size_t max_rank = 5);
  /// An operand that broadcasts with x: of the same shape, or a constant of fewer elements.
  Value& partner(std::size_t i, const Value& x, Interval range = {-1, 1}, bool exact = false);
  /// Mostly a constant, with exactly these dims unless a pattern requires others.
  Value& weight(std::size_t i, Dims dims, Interval range = {-1, 1}, std::optional<DType> dtype = {});
  Value& constant(std::size_t i, Tensor tensor);
  /// Mostly a constant, sometimes the shape of a value.
  Value& ints(std::size_t i, const Ints& numbers);

  template <class T>
  void set(std::string_view name, const T& value) {
    if (facts_->attribute(name) != nullptr && fixed.find(std::string(name)) == fixed.end())
      fixed.emplace(std::string(name), Attribute(name, value));
  }
  /// Whether to set an optional attribute: sometimes, and only if nothing forbids it.
  template <class T>
  void may(std::string_view name, const T& value, std::int64_t one_in = 2) {
    if (may_have(name) && dice().one_in(one_in)) set(name, value);
  }
  bool may_have(std::string_view name) const;
  /// An attribute, or the operand that replaced it in later opsets.
  void list(std::string_view name, const Ints& numbers);
  void number(std::string_view name, double number, DType dtype);

  /// The extents; symbols count as 1, which broadcasts.
  static Dims extents(const Value& value);
  /// Throws Unfit if the rank or an extent is unknown.
  static Dims dims(const Value& value);
  /// The extent of an axis counted from the end; 1 is the last. Throws Unfit for a symbol.
  static std::int64_t extent_from_end(const Value& value, std::size_t from_end);
  std::int64_t any_axis(const Value& value) { return either_sign(dice().below(rank(value)), rank(value)); }
  static std::size_t rank(const Value& value) { return value.shape().rank(); }
  /// Counts from the front or the back.
  std::int64_t either_sign(std::size_t axis, std::size_t rank) {
    return static_cast<std::int64_t>(axis) - (dice().one_in(2) ? static_cast<std::int64_t>(rank) : 0);
  }

  std::size_t outputs = 1;

  /// Adds the node at the end of the graph. Throws Unfit.
  Node& finish();

 private:
  NodeOperand& at(std::size_t i);
  /// The dtypes that the schema allows for operand i, given the chosen ones.
  schema::TypeSet allowed(std::size_t i) const;
  Value& take(std::size_t i, Value& value);
  Tensor contents(const NodeOperand& operand, DType dtype, Dims dims, Interval range);

  GraphGrower* grower_;
  std::string op_;
  const schema::Operator* facts_;
};

}  // namespace graft::inline v1::detail
