#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/precision/detail/float_plan.hpp>
#include <graft/precision/detail/float_types.hpp>

namespace graft::inline v1::detail {

/// Writes a FloatPlan into its model.
class FloatWriter {
 public:
  FloatWriter(Model& model, const FloatConversion& conversion) : model_(&model), conversion_(conversion) {}

  void write(const FloatPlan& plan);

  std::size_t tensors() const { return tensors_; }
  std::size_t casts() const { return casts_; }
  std::size_t changes() const { return tensors_ + casts_ + dtypes_; }

 private:
  /// A value, and its readers that take the other dtype than the value gets.
  struct Edit {
    Value* value;
    bool converts;
    std::vector<Use*> others;
  };
  Edit edit_of(Value& value, const FloatPlan& plan) const;
  void write(const Edit& edit);
  void write_stored(const Edit& edit);
  void write_attributes(Node& node);
  void rewire(Value& from, Value& to, const std::vector<Use*>& uses);
  void retype(Value& value);
  void pass_names_on();
  Tensor converted(const Tensor& tensor) const;

  Model* model_;
  FloatConversion conversion_;
  std::vector<std::pair<Value*, Value*>> names_;  // new outputs of the main graph, and the values whose name they take
  std::size_t tensors_ = 0, casts_ = 0, dtypes_ = 0;
};

}  // namespace graft::inline v1::detail
