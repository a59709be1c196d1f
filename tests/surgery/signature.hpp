#pragma once
#include <string>

#include <graft/graph/model.hpp>
#include <graft/graph/shape.hpp>

/// The types of inputs and outputs, as "f32[2] f32[3] -> f32[2]".
inline std::string signature(graft::Model& model) {
  std::string text;
  for (const auto& info : model.commit().graph().input()) text += graft::to_string(info.type()) + " ";
  text += "->";
  for (const auto& info : model.proto().graph().output()) text += " " + graft::to_string(info.type());
  return text;
}
