#pragma once
#include <graft/testing/random_graph.hpp>

#include <array>

#include <graft/config.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/testing/detail/graph_grower.hpp>
#include <graft/testing/random.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Model random_graph(std::uint64_t seed, std::size_t nodes) {
  constexpr std::array<int, 6> opsets{12, 13, 15, 17, 18, 20};
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.mutable_graph()->set_name("random");
  proto.add_opset_import()->set_version(opsets[seed % opsets.size()]);
  Model model(std::move(proto));
  detail::GraphGrower grower(model, seed);
  grower.add_inputs();
  for (int ideas = 0; model.graph().nodes().size() < nodes && ideas < 1000; ++ideas) grower.grow();
  grower.choose_outputs();
  model.commit();
  return model;
}

}  // namespace graft::inline v1
