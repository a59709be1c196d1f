#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/testing/random.hpp>

namespace graft::inline v1::detail {

/// Adds random nodes to a graph, one idea after the other.
class GraphGrower {
 public:
  GraphGrower(Model& model, std::uint64_t seed) : graph_(&model.graph()), random_(seed) {}

  void add_inputs();
  /// A node or a few, over values that are there.
  void grow();
  /// What nothing reads, and some more.
  void choose_outputs();

 private:
  std::size_t pick(std::size_t count) {
    return static_cast<std::size_t>(random_.integer(0, static_cast<std::int64_t>(count) - 1));
  }
  template <class T, std::size_t N>
  const T& any_of(const std::array<T, N>& choices) {
    return choices[pick(N)];
  }
  bool chance(std::int64_t in) { return random_.integer(1, in) == 1; }
  std::size_t axis_of(const Dims& dims) { return pick(dims.size()); }
  std::int64_t maybe_negative(std::size_t axis, std::size_t rank) {
    return static_cast<std::int64_t>(axis) - (chance(2) ? static_cast<std::int64_t>(rank) : 0);
  }

  /// A value of f32 of a rank between these, whose extents are all numbers unless any will do; nullptr if there is
  /// none.
  Value* floats(std::size_t least_rank = 0, std::size_t most_rank = 5, bool any_extents = false);
  Value* any_floats(std::size_t least_rank = 0, std::size_t most_rank = 5) {
    return floats(least_rank, most_rank, true);
  }
  /// The extents; 1 for one that is not known, which broadcasts.
  static Dims extents(const Value& value);
  Value* pick_from(const std::vector<Value*>& values) { return values.empty() ? nullptr : values[pick(values.size())]; }
  bool is_exact(const Value& value) const { return exact_.count(&value) != 0; }

  Value& constant(Tensor tensor);
  Value& ints(Ints numbers) { return constant(Tensor::of<std::int64_t>({std::ssize(numbers)}, numbers)); }
  /// One that broadcasts into the dims: of these numbers, or random ones.
  Value& operand(const Dims& dims, double number);
  Value& weight(Dims dims) { return constant(random_tensor(DType::f32, std::move(dims), random_, {-1, 1})); }

  /// The node's first output. Its result is exact where its operands are, and `rounds` is not set.
  Value& node(std::string_view op, std::initializer_list<Value*> inputs, const Attributes& attributes = {},
              bool rounds = false, std::size_t outputs = 1);
  /// With axes as the operator has them at the opset: from version `since` on as an input.
  Value& with_axes(std::string_view op, Value& x, Ints axes, int since, Attributes attributes = {});

  void elementwise();
  void jumping();
  void neutral();
  void arithmetic();
  void pair();
  void move();
  void reshape();
  void squeeze();
  void cut();
  void join();
  void pad();
  void reduce();
  void image();
  void product();
  void normalize();
  void computed_shape();
  void cast();
  void logic();
  void branch();
  void fold();
  void twin();
  void again();
  void around_convolution();
  void spelled_out();

  Graph* graph_;
  Random random_;
  Inference inference_;
  std::vector<Value*> values_, flags_, others_;  // of f32, of bool, of any other dtype
  std::unordered_set<const Value*> exact_;       // no sum or product rounded on the way
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/testing/detail/graph_grower.ipp>
#endif
