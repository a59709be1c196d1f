#pragma once
#include <graft/lower/resize.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {
namespace detail {

class ResizeOfAxes {
 public:
  explicit ResizeOfAxes(Node& node) : node_(node), graph_(node.graph()) {}

  bool widen() {
    const std::size_t i = given(3) ? 3 : 2;
    if (!node_.is("Resize") || node_.attribute("axes") == nullptr || !given(0) || !given(i) || !ignores_roi(i == 3))
      return false;
    const Shape shape = node_.input(0)->shape();
    if (!shape.known() || !read_axes(shape.rank())) return false;
    const std::optional<Tensor> constant = node_.input(i)->constant();
    if (constant && constant->size() != static_cast<std::int64_t>(axes_.size())) return false;
    Value& whole = i == 3 ? whole_sizes(shape, constant) : whole_scales(shape.rank(), constant);
    Value* const old = node_.input(i);
    if (!graph_.set_input(node_.use(i), &whole) || !graph_.set_input(node_.use(1), nullptr)) return false;
    graph_.remove_attribute(node_, "axes");
    if (old->initializer() != nullptr && old->is_constant() && old->use_count() == 0) old->graph().erase(*old);
    return true;
  }

 private:
  bool given(std::size_t i) const { return i < node_.input_count() && node_.input(i) != nullptr; }

  bool ignores_roi(bool has_sizes) const {
    const auto is = [&](const char* name, std::string_view usual) {
      return node_.attr<std::string_view>(name).value_or(usual) == usual;
    };
    const bool crops = node_.attr<std::string_view>("coordinate_transformation_mode") == "tf_crop_and_resize";
    return !crops && (!has_sizes || is("keep_aspect_ratio_policy", "stretch"));
  }

  bool read_axes(std::size_t rank) {
    const auto end = static_cast<std::int64_t>(rank);
    axes_ = node_.attr<Ints>("axes").value_or(Ints());
    for (std::int64_t& axis : axes_) {
      if (axis < -end || axis >= end) return false;
      if (axis < 0) axis += end;
    }
    return true;
  }

  Value& whole_scales(std::size_t rank, const std::optional<Tensor>& scales) {
    std::vector<float> whole(rank, 1);
    const Dims dims{static_cast<std::int64_t>(rank)};
    if (!scales) return scattered(graph_.add_initializer(Tensor::of<float>(dims, whole), "ones"), 2);
    return graph_.add_initializer(Tensor::of<float>(dims, placed(std::move(whole), scales->to<float>())), name(2));
  }

  Value& whole_sizes(const Shape& shape, const std::optional<Tensor>& sizes) {
    std::vector<std::int64_t> whole(shape.rank());
    bool is_known = sizes.has_value();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      const bool is_resized = std::find(axes_.begin(), axes_.end(), static_cast<std::int64_t>(axis)) != axes_.end();
      if (shape[axis].known()) whole[axis] = shape[axis].value();
      is_known = is_known && (is_resized || shape[axis].known());
    }
    if (!is_known) return scattered(*graph_.insert("Shape", {node_.input(0)}, 1, {}, &node_, name(3)).output(0), 3);
    return graph_.add_initializer(Tensor::list(placed(std::move(whole), sizes->to<std::int64_t>())), name(3));
  }

  template <class T>
  std::vector<T> placed(std::vector<T> whole, const std::vector<T>& some) const {
    for (std::size_t k = 0; k < axes_.size(); ++k) whole[static_cast<std::size_t>(axes_[k])] = some[k];
    return whole;
  }

  Value& scattered(Value& whole, std::size_t i) {
    Value& along = graph_.add_initializer(Tensor::list(axes_), "axes");
    return *graph_.insert("ScatterElements", {&whole, &along, node_.input(i)}, 1, {}, &node_, name(i)).output(0);
  }

  std::string name(std::size_t i) const { return std::string(node_.input(i)->name()) + "_of_all_axes"; }

  Node& node_;
  Graph& graph_;
  Ints axes_;
};

}  // namespace detail

GRAFT_INLINE Pass resize_all_axes() {
  return pass("resize_all_axes",
              [](Graph& graph, Context& context) {
                Report report;
                std::vector<Node*> found;
                for (Graph* const scope : scopes_of(graph))
                  for (Node& node : scope->nodes())
                    if (node.is("Resize") && node.attribute("axes") != nullptr) found.push_back(&node);
                if (found.empty()) return report;
                infer_shapes(graph, context.infer_options());
                Transaction transaction(graph);
                for (Node* const node : found) report.changes += detail::ResizeOfAxes(*node).widen();
                transaction.keep();
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
