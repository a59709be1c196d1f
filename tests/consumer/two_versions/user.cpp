#include "user.hpp"

#include <graft/rewrite.hpp>

namespace {

constexpr auto x = graft::val<"x">;
constexpr auto relu_relu = graft::rule<"relu-relu">(graft::op<"Relu">(graft::op<"Relu">(x)), graft::op<"Relu">(x));

}  // namespace

std::string USE(onnx::ModelProto& proto) {
  graft::Model model = graft::Model::view(proto);
  graft::fixpoint(relu_relu).run(model);
  model.commit();
  try {
    model.graph().first_node()->use(9);
  } catch (const graft::Error& error) {
    return error.message();
  }
  return "no error";
}
